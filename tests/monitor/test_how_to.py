"""The manual page and the example run, and show what they say."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli.monitor.group import monitor_command
from sidelight.monitor import ClassifierMonitor

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "monitor-a-classifier.md"


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sl, "ClassifierMonitor", ClassifierMonitor, raising=False)
    blocks = re.findall(r"```pycon\n(.*?)```", PAGE.read_text(), re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert test.examples


def test_the_commands_of_the_page_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("last-month.csv").write_text("predicted,label\n" + "cat,cat\ncat,dog\n" * 50)
    lines = re.findall(r"^\$ sidelight monitor (.*)", PAGE.read_text(), re.MULTILINE)
    for line in lines:
        result = CliRunner().invoke(monitor_command, line.split())
        assert result.exit_code == 0, f"{line}: {result.output}{result.exception}"
    named = {line.split()[0] for line in lines}
    assert named == {name for name, one in monitor_command.commands.items() if not one.hidden}
    assert Path("report.html").exists()
    assert Path("pets.html").exists()


def test_docstrings():
    from sidelight.monitor import monitor

    assert doctest.testmod(monitor).failed == 0


def test_the_example_saves_labels_and_is_right(tmp_path, capsys):
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location("digits_monitor", ROOT / "examples" / "digits_monitor.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    done = example.main(["--figure", str(tmp_path / "digits.svg")])
    assert done.predictions == 1797
    for name in ("randcbp", "cbp", "sequential"):
        one = done[name]
        assert one.wrong <= 1
        assert one.right >= 5
        assert done.saved_of_all(one) > 0.3
    assert "sequential" in capsys.readouterr().out
    assert (tmp_path / "digits.svg").exists()
