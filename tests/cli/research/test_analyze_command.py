"""`sidelight analyze`."""

import json
import sys

import pytest
from click.testing import CliRunner

from sidelight import games
from sidelight.analysis import analyze
from sidelight.cli import main
from sidelight.game import Game


def invoke(*arguments, columns=80):
    return CliRunner().invoke(main, ["analyze", *map(str, arguments)], env={"COLUMNS": str(columns)})


def refused(*arguments):
    """Return the message of a call that must fail as one line with exit code 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2
    assert result.output.startswith("sidelight: error: ")
    assert result.output.count("\n") == 1
    return result.output


@pytest.fixture
def own(tmp_path):
    """A game file of the user's."""
    path = tmp_path / "own.toml"
    Game([[1, 0], [0, "1/3"]], [["?", "?"], ["bad", "good"]], "my game", ["keep", "look"]).save(path)
    return path


@pytest.mark.parametrize("name", games.names())
def test_text_says_it_all_and_fits(name):
    game = games.load(name)
    for columns in (60, 80):
        result = invoke(name, columns=columns)
        assert result.exit_code == 0
        assert max(map(len, result.output.splitlines())) <= columns
        flat = " ".join(result.output.split())
        assert " ".join(analyze(game).explain().split()) in flat
        for action in game.actions:
            assert action in result.output
    assert result.output.splitlines()[0] == str(game).splitlines()[0]


def test_parameters_can_be_set():
    result = invoke("dynamic-pricing", "--set", "prices=2", "--set", "cost=1/2")
    assert result.exit_code == 0
    assert result.output.startswith("dynamic-pricing(prices=2, cost=1/2): 2 actions and 2 outcomes\n")
    assert "is easy" in result.output


def test_json_is_the_whole_analysis():
    result = invoke("dynamic-pricing", "--json", "--set", "prices=3")
    assert result.exit_code == 0
    assert json.loads(result.output) == json.loads(
        json.dumps(analyze(games.load("dynamic-pricing", prices=3)).to_dict())
    )


def test_files_are_read(own):
    result = invoke(own)
    assert result.exit_code == 0
    assert result.output.startswith("my game: 2 actions and 2 outcomes")
    assert "is easy" in result.output


def test_names_from_files_cannot_command_the_terminal(tmp_path):
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"loss": [[0, 1]], "feedback": [["a", "b"]], "actions": ["red \x1b[31m alert\r"]}))
    result = invoke(path)
    assert result.exit_code == 0
    assert "\x1b" not in result.output
    assert "\\x1b[31m" in result.output


def test_large_matrices_are_left_to_json():
    text = invoke("bernoulli-bandit", "--set", "arms=9").output
    assert "matrices of 9 x 512 entries are left out" in text


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "SVG"])
def test_figures_are_written(tmp_path, suffix):
    path = tmp_path / "new folder" / f"figure.{suffix}"
    result = invoke("tau-detection", "--figure", path)
    assert result.exit_code == 0
    assert result.output.splitlines()[-1] == f"Figure written to {path}"
    start = path.read_bytes()[:5]
    assert start in (b"<?xml", b"\x89PNG\r", b"%PDF-")
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_json_stays_json_beside_a_figure(tmp_path):
    import subprocess

    command = [sys.executable, "-m", "sidelight", "analyze", "bartok", "--json", "--figure", str(tmp_path / "a.png")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(result.stdout)["kind"] == "easy"
    assert result.stderr == f"Figure written to {tmp_path / 'a.png'}\n"


def test_unknown_names_say_how_to_give_a_file():
    message = refused("aple-tasting")
    assert "did you mean 'apple-tasting'?" in message
    assert "aple-tasting.toml" in message


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["none.toml"], "there is no file 'none.toml'"),
        (["./none"], "name the file .toml or .json"),
        (["bartok", "--set", "prices=3"], "bartok has no parameter 'prices'"),
        (["dynamic-pricing", "--set", "prices=many"], "prices cannot be 'many'"),
        (["dynamic-pricing", "--set", "prices"], "name=value"),
        (["dynamic-pricing", "--set", "prices=3", "--set", "prices=4"], "twice"),
        (["none.toml", "--set", "a=1"], "--set works only for games in the catalogue"),
        (["bartok", "--figure", "figure.gif"], ".svg, .pdf or .png"),
        (["bartok", "--figure", "figure"], ".svg, .pdf or .png"),
        (["no-game", "--figure", "figure.gif"], ".svg, .pdf or .png"),
    ],
)
def test_mistakes_are_explained(arguments, part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert part in refused(*arguments)
    assert not list(tmp_path.iterdir())


def test_unwritable_figures_are_explained(tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "figure.svg"
    assert f"cannot write {str(path)!r}" in refused("bartok", "--figure", path)


def test_without_matplotlib_the_remedy_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pip install matplotlib" in refused("bartok", "--figure", tmp_path / "figure.svg")
    assert invoke("bartok").exit_code == 0
