"""`sidelight recommend`."""

import json

import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main


def invoke(*arguments):
    return CliRunner().invoke(main, ["recommend", *map(str, arguments)])


def test_the_answer_is_that_of_the_library(tmp_path):
    path = tmp_path / "mine.toml"
    game = sl.Game([[2, 2], [1, 0], [0, 1]], [["A", "B"], ["", ""], ["", ""]], name="mine")
    game.save(path)
    text = invoke(path).stdout
    assert text.startswith("Play ")
    assert "The game: hard, 3 actions, 2 outcomes, 1 pair of neighbors." in text
    assert "(distance 0.0)" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    data = json.loads(invoke(path, "--json").stdout)
    assert data == json.loads(json.dumps(sl.recommend(game).to_dict()))


def test_horizon_dimension_and_parameters_of_the_game():
    data = json.loads(invoke("dynamic-pricing", "--set", "prices=4", "--horizon", "1e3", "--json").stdout)
    assert (data["horizon"], data["measured_at"], data["game"]["outcomes"]) == (1_000, 1_000, 4)
    contextual = json.loads(invoke("apple-tasting", "--dimension", 6, "--json").stdout)
    assert contextual["parameters"]["dimension"] == 6
    assert {near["label"] for near in contextual["nearest"]} == {"apple-tasting"}


@pytest.mark.parametrize("name", [name for name in sl.games.names() if name != "hopeless"])
def test_every_game_gets_an_answer_that_can_be_played(name):
    game = sl.games.load(name)
    found = sl.recommend(game)
    strategy = found.make(seed=1)
    assert strategy.act() in range(game.n_actions)
    assert found.explain().startswith(f"Play {found.strategy}(game")
