"""`sidelight games`."""

import json

import pytest
from click.testing import CliRunner

from sidelight import games
from sidelight.cli import main


def invoke(*arguments, columns=80):
    return CliRunner().invoke(main, ["games", *arguments], env={"COLUMNS": str(columns)})


@pytest.mark.parametrize("columns", [48, 60, 80, 200])
def test_table_lists_every_game_and_fits(columns):
    result = invoke(columns=columns)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert max(map(len, lines)) <= columns
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")] == list(games.names())
    flat = " ".join(result.output.split())
    for name in games.names():
        assert games.describe(name).line in flat


def test_table_shows_parameters_sizes_and_classes():
    output = invoke().output
    assert "dynamic-pricing prices=5 cost=2" in output
    row = next(line for line in output.splitlines() if line.startswith("dynamic-pricing"))
    assert row.split()[-4:] == ["5", "x", "5", "hard"]


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", games.names())
def test_description_holds_everything_and_fits(name, columns):
    result = invoke(name, columns=columns)
    assert result.exit_code == 0
    entry, game = games.describe(name), games.load(name)
    flat = " ".join(result.output.split())
    assert entry.story in flat
    assert entry.source in flat
    assert f"{entry.title} ({name})" in flat
    for text in (*entry.parameters, *game.actions, *game.outcomes):
        assert text in result.output
    assert max(map(len, result.output.splitlines())) <= columns


def test_json_lists_every_game():
    data = json.loads(invoke("--json").output)
    assert [each["name"] for each in data] == list(games.names())
    pricing = next(each for each in data if each["name"] == "dynamic-pricing")
    assert pricing["parameters"] == {"prices": 5, "cost": 2}
    assert (pricing["n_actions"], pricing["n_outcomes"], pricing["kind"]) == (5, 5, "hard")


@pytest.mark.parametrize("name", games.names())
def test_json_of_one_game_makes_the_game(name):
    data = json.loads(invoke(name, "--json").output)
    game = games.load(name)
    assert data["loss"] == [[v.numerator if v.denominator == 1 else str(v) for v in row] for row in game.loss]
    assert data["actions"] == list(game.actions)
    assert len(data["feedback"]) == game.n_actions
    assert data["story"] == games.describe(name).story


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("aple", "apple-tasting"),
        ("Apple Tasting", "apple-tasting"),
        ("pricing", "dynamic-pricing"),
        ("bartók", "bartok"),
    ],
)
def test_unknown_names_suggest_the_nearest(typed, meant):
    result = invoke(typed)
    assert result.exit_code == 2
    assert f"did you mean {meant!r}?" in result.output
    assert "'sidelight games' lists" in result.output
