"""What README, CONTRIBUTING and docs/ tell people to type works, and prints what they say it prints.

- ```` ```python ```` blocks are executed, in order, in one namespace per file;
- ```` ```pycon ```` blocks are too, and the output shown is compared (blank lines within it need no marks);
- ```` ```console ```` blocks hold commands after `$ `: those of `sidelight` are run, and output shown is compared;
- ```` ```toml ```` and ```` ```json ```` blocks whose first line names a file, as `# my-game.toml`, are written to it.

`...` stands for anything in output that is compared.
"""

import doctest
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from test_documentation import PAGES

from sidelight.cli import main
from sidelight.games import _catalogue

ROOT = Path(__file__).parent.parent
# How to run the service is typed in by tests/service/test_tutorial.py, beside a server.
FILES = [page for page in PAGES if page.name not in ("CHANGELOG.md", "run-the-service.md")]
OPTIONS = doctest.ELLIPSIS | doctest.REPORT_NDIFF
# Commands that are shown to people but would change the machine they run on.
NOT_RUN = ("pip", "git", "cd")


class Block(NamedTuple):
    """A fenced block of a Markdown file."""

    language: str
    text: str
    line: int


class Command(NamedTuple):
    """A command line, and the output shown below it."""

    words: list[str]
    shown: str


def blocks(markdown):
    found, opened = [], None
    for number, line in enumerate(markdown.splitlines(), 1):
        if opened is None and line.startswith("```"):
            opened, lines = (line[3:].strip(), number), []
        elif opened is not None and line.startswith("```"):
            found.append(Block(opened[0], "\n".join(lines) + "\n", opened[1]))
            opened = None
        elif opened is not None:
            lines.append(line)
    assert opened is None, f"the block opened in line {opened[1]} is never closed"
    return found


def commands(block):
    """Split a console block into commands and what they print; a backslash goes on in the next line."""
    parts = re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.MULTILINE)
    assert not parts[0].strip(), f"line {block.line}: a console block begins with '$ '"
    split = [part.partition("\n") for part in parts[1:]]
    return [Command(shlex.split(line, comments=True), shown.strip("\n")) for line, _, shown in split]


def with_blank_lines(session):
    """Mark the blank lines within output, as doctest wants it; those before a prompt only separate examples."""
    lines = session.rstrip("\n").split("\n")
    following = [next((line for line in lines[n:] if line), ">>> ") for n in range(len(lines))]
    marked = [
        line or ("" if after.startswith(">>> ") else "<BLANKLINE>")
        for line, after in zip(lines, following, strict=True)
    ]
    return "\n".join(marked) + "\n"


def run_python(block, names, where):
    if block.language == "python":
        exec(compile(block.text, where, "exec"), names)
        return
    example = doctest.DocTestParser().get_doctest(with_blank_lines(block.text), names, where, where, block.line)
    assert example.examples, f"{where}: a pycon block without a prompt"
    report = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(example, out=report.append, clear_globs=False)
    names.update(example.globs)
    assert not runner.failures, "".join(report)


def run_command(command, where):
    program, *arguments = command.words
    if program == "make":
        targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert {word for word in arguments if "=" not in word} <= set(targets), f"{where}: no such make target"
        return
    if program in NOT_RUN:
        return
    assert program == "sidelight", f"{where}: nobody knows how to run {program}"
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": "80"})
    assert result.exit_code == 0, f"{where}: {shlex.join(command.words)}\n{result.output}"
    if command.shown:
        printed = "\n".join(line.rstrip() for line in result.stdout.strip("\n").split("\n"))
        same = doctest.OutputChecker().check_output(command.shown, printed, OPTIONS)
        assert same, f"{where}: {shlex.join(command.words)} prints\n{printed}\nbut the text shows\n{command.shown}"


def run_file(markdown, name):
    """Run everything that a Markdown text tells people to type, in the current folder."""
    names = {"__name__": "__readme__"}
    for block in blocks(markdown):
        where = f"{name}, line {block.line}"
        if block.language in ("python", "pycon"):
            run_python(block, names, where)
        elif block.language == "console":
            for command in commands(block):
                run_command(command, where)
        elif block.language in ("toml", "json"):
            title, _, rest = block.text.partition("\n")
            if re.fullmatch(r"# [\w-]+\.(toml|json)", title):
                Path(title[2:]).write_text(rest, encoding="utf-8")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Run in an empty folder and beside a catalogue of its own, with which the examples may do what they like."""
    monkeypatch.setattr(_catalogue, "_entries", dict(_catalogue._entries))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_people_are_told_to_type_works(path, elsewhere):
    run_file(path.read_text(encoding="utf-8"), path.name)


@pytest.mark.parametrize(
    "markdown",
    [
        "```pycon\n>>> 1 + 1\n3\n```",
        "```pycon\n>>> print('a\\n\\nb')\na\n\nc\n```",
        "```pycon\n>>> 1 / 0\n```",
        "```pycon\nno prompt\n```",
        "```python\nassert False\n```",
        "```python\nx = 1\n```\n```pycon\n>>> x\n2\n```",
        "```console\n$ sidelight analyse\n```",
        "```console\n$ sidelight analyze none-such\n```",
        "```console\n$ sidelight analyze hopeless\nhopeless is easy.\n```",
        "```console\n$ make none\n```",
        "```console\n$ rm -rf /\n```",
        "```console\nsidelight games\n```",
        "```toml\n# bad.toml\nloss = [[1]]\n```\n```console\n$ sidelight analyze bad.toml\n```",
        "```python\nunclosed",
    ],
)
def test_what_does_not_work_fails(markdown, elsewhere):
    with pytest.raises((AssertionError, ZeroDivisionError)):
        run_file(markdown, "planted")


def test_what_works_passes(elsewhere):
    run_file(
        "```python\nx = 1\n```\ntext\n```pycon\n>>> print('a\\n\\nb')\na\n\nb\n\n>>> x\n1\n```\n"
        '```toml\n# own.toml\nloss = [[1]]\nfeedback = [["x"]]\n```\n'
        "```console\n$ sidelight analyze \\\n  own.toml  # a comment\ngame of 1 action and 1 outcome\n...\n"
        "$ make test\n```",
        "planted",
    )


def test_the_two_commands_of_the_readme():
    lines = [
        shlex.join(command.words)
        for block in blocks((ROOT / "README.md").read_text(encoding="utf-8"))
        if block.language == "console"
        for command in commands(block)
    ]
    made = [line for line in lines if line.startswith("make")]
    assert made == ["make demo", "make test"]


def test_the_continuous_integration_runs_exactly_the_test_command_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    does = [line for line in script if line.strip() and not line.startswith(("#", "set ", "cd ", "export "))]
    browser = 'if [ "$(id -u)" -eq 0 ] && ! command -v chromium > /dev/null; then make chromium; fi'
    assert does == [browser, "make test"]


def test_every_make_target_that_is_mentioned_exists():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path in FILES:
        mentioned = set(re.findall(r"`make ([a-z]+)", path.read_text(encoding="utf-8")))
        assert mentioned <= targets, f"{path.name} mentions make targets that do not exist: {mentioned - targets}"
