"""A study as a value."""

import json

import pytest

from sidelight.results.result_set import is_result_label_chosen
from sidelight.studies import (
    Comparison,
    FigureEntry,
    GameEntry,
    PlayerEntry,
    Study,
    TableEntry,
    WorldEntry,
    grid,
)


def study(**changes):
    settings = {
        "games": (GameEntry("apple-tasting"), GameEntry("dynamic-pricing", {"prices": 3})),
        "worlds": (WorldEntry("laws", "dirichlet"), WorldEntry("law", [0.3, 0.7], games=("apple*",))),
        "players": (PlayerEntry("CBP"), PlayerEntry("RandCBP", {"sigma": 2, "bins": 10})),
    }
    return Study("mine", **settings | changes)


def test_entries_are_called_by_what_they_are():
    found = study()
    assert [game.label for game in found.games] == ["apple-tasting", "dynamic-pricing(prices=3)"]
    assert [world.label for world in found.worlds] == ["dirichlet", "law (0.3, 0.7)"]
    assert [player.label for player in found.players] == ["CBP", "RandCBP(sigma=2, bins=10)"]
    assert WorldEntry("law", [[0.3, 0.7], [0.5, 0.5]]).label == "2 laws"
    assert WorldEntry("replay", "data/recorded.csv").label == "recorded"
    assert WorldEntry("classifiers", 1, {"tolerance": 0.05}).label == "classifiers, case 1(tolerance=0.05)"
    assert PlayerEntry("my.module:Mine", {"rate": 2}).label == "Mine(rate=2)"
    assert GameEntry(file="folder/mine.toml").label == "mine"


def test_equal_entries_are_equal_and_can_be_keys_whatever_the_order_of_parameters():
    one, other = (PlayerEntry("RandCBP", given, label="R") for given in ({"a": 1, "b": [1, 2]}, {"b": (1, 2), "a": 1}))
    assert one == other
    assert len({one, other}) == 1
    assert hash(PlayerEntry("CBP", {"observers": {"0,1": {"0": [1, -1]}}}))


def test_a_study_survives_json():
    found = study(
        horizons=(100, 1000),
        seeds=(0, 7),
        checkpoints=[10, 100],
        comparisons=(Comparison(test="paired", side="less"),),
        tables=(TableEntry("matrix", horizons=(1000,)),),
        figures=(FigureEntry(games=("apple*",)),),
        players=(PlayerEntry("CBP", {"observers": {"0,1": {"0": [1, -1]}}}, worlds=("dirichlet",), limit=True),),
    )
    again = Study.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found
    assert again.players[0].parameters == found.players[0].parameters
    assert Study.from_dict(json.loads(json.dumps(study().to_dict()))) == study()


@pytest.mark.parametrize("name", ["", "../up", "a/b", "-x"])
def test_a_name_can_be_that_of_a_folder(name):
    with pytest.raises(ValueError, match="cannot be called"):
        Study(name)


def test_more_players_join_once():
    found = study()
    assert found.with_players([PlayerEntry("CBP")]) == found
    assert [player.label for player in found.with_players([PlayerEntry("TSPM")]).players][-1] == "TSPM"


def test_a_list_is_a_grid_and_a_list_in_a_list_a_value():
    assert grid({"bins": [5, 10], "cost": [[0, 1]]}) == [{"bins": 5, "cost": [0, 1]}, {"bins": 10, "cost": [0, 1]}]
    assert grid({}) == [{}]


def test_patterns():
    assert is_result_label_chosen("a*(b=[1])", "abc(b=[1])")
    assert not is_result_label_chosen("a*", "ba")
    assert is_result_label_chosen("a+b", "a+b")
    assert is_result_label_chosen((), "anything")
    assert not is_result_label_chosen(("x", "y*"), "z")
