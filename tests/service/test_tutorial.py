"""`docs/how-to/run-the-service.md`, typed in: from nothing to a verdict, against a server on loopback."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_readme import OPTIONS, blocks, run_python

from service.served import PATIENCE, Served

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "run-the-service.md"
SHOWN = "http://127.0.0.1:8765"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="needs a shell"),
    pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl"),
]


class Shell:
    """A shell that keeps its variables from one command to the next."""

    def __init__(self, folder, server):
        self.folder, self.server, self.state = folder, server, folder / ".shell"
        self.state.touch()

    def run(self, command):
        script = f"set -eu; . {self.state}; {command.replace(SHOWN, self.server.url)}\nexport -p > {self.state}"
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "NO_PROXY": "*", "no_proxy": "*"}
        result = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
        return result.stdout

    def variable(self, name):
        return re.search(rf'^declare -x {name}="(.*)"$', self.state.read_text(), re.MULTILINE)[1]


def commands(block):
    """Return each command as it stands, and what is shown below it."""
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
    for part in parts:
        lines = part.splitlines()
        size = 1
        while lines[size - 1].endswith("\\") or "\n".join(lines[:size]).count("'") % 2:
            size += 1
        yield "\n".join(lines[:size]), "\n".join(lines[size:])


def same(shown, printed):
    # Keys of JSON are shown without the spaces that nobody needs.
    return not shown or doctest.OutputChecker().check_output(shown + "\n", printed.rstrip() + "\n", OPTIONS)


def test_the_tutorial_works_as_it_is_written(tmp_path, monkeypatch):
    found = blocks(PAGE.read_text(encoding="utf-8"))
    ran = []
    with Served("sidelight.db", folder=tmp_path) as server:
        shell = Shell(tmp_path, server)
        for block in found:
            if block.language == "console":
                for command, shown in commands(block):
                    ran.append(command.split()[0])
                    if command.startswith("pip"):
                        continue
                    if command == "sidelight serve":
                        start = shown
                        continue
                    printed = shell.run(command)
                    assert same(shown, printed), f"{command}\nprints\n{printed}\nand the page shows\n{shown}"
            elif block.language == "pycon":
                monkeypatch.setenv("SIDELIGHT_KEY", shell.variable("SIDELIGHT_KEY"))
                ran.append("python")
                run_python(block._replace(text=block.text.replace(SHOWN, server.url)), {}, PAGE.name)
        code, rest, log = server.stop()
        assert (code, log) == (0, "")
    assert same(start, (server.said + rest).replace(server.url, SHOWN))
    assert ran.count("curl") == 4
    assert "python" in ran


def test_a_page_that_is_wrong_is_noticed():
    assert not same('{"verify":true}', '{"verify":false}')
    (block,) = blocks("```console\n$ one \\\n  two\nshown\n$ curl '{\n  }'\n{\"a\":1}\n```")
    assert list(commands(block)) == [("one \\\n  two", "shown"), ("curl '{\n  }'", '{"a":1}')]
