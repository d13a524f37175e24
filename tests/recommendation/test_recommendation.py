"""Which strategy to use: nearest games, words about the evidence, and refusals."""

import json
from dataclasses import replace

import pytest

import sidelight as sl
from sidelight.recommendation.recommendation import recommend

from .making import MEANS, summary

HARD = sl.Game([[2, 2], [1, 0], [0, 1]], [["A", "B"], ["", ""], ["", ""]], name="mine")


def asked(game, *arguments, **options):
    return recommend(game, *arguments, benchmark=options.pop("benchmark", summary()), **options)


def test_the_best_one_that_accepts_the_game_is_recommended():
    found = asked(sl.games.load("apple-tasting"))
    assert (found.strategy, dict(found.parameters), found.measured) == ("Prospect", {}, 20_000)
    assert found.make(seed=3).name == "Prospect"
    assert [near.game.label for near in found.near] == ["apple-tasting"]
    assert "The benchmark has this very game (apple-tasting)." in found.explain()
    assert [score.player.label for score in found.candidates] == ["Prospect", "KLUCB", "CBP"]


def test_those_told_the_horizon_are_asked_only_if_there_is_one():
    found = asked(sl.games.load("apple-tasting"), 5_000)
    assert (found.strategy, dict(found.parameters), found.measured) == ("Prospect", {"horizon": 5_000}, 20_000)
    assert found.make().parameters()["horizon"] == 5_000
    assert asked(sl.games.load("apple-tasting"), 900).measured == 1_000
    # It is measured against those that are not told the horizon, and may be better.
    assert "the lowest one among strategies that are not told the horizon" in " ".join(found.explain().split())
    assert "the lowest one (95 %" in " ".join(asked(sl.games.load("apple-tasting")).explain().split())
    assert "That is far away" in asked(sl.games.load("apple-tasting"), 10**7).explain()


def test_another_game_gets_the_nearest_of_its_kind():
    found = asked(HARD)
    assert [near.game.label for near in found.near] == ["label-efficient", "matching-pennies"]
    assert {near.distance for near in found.near} == {0.0}
    text = " ".join(found.explain().split())
    assert "label-efficient (distance 0.0)" in text
    assert "its mean regret was 1.00 times the lowest one" in text
    assert "8 of 9 cases in full" in text


def test_who_refuses_the_game_is_not_recommended():
    better = summary(means=MEANS | {"KLUCB": 1.0})
    assert asked(sl.games.load("apple-tasting"), benchmark=better).strategy == "KLUCB"
    names = ("apple-tasting", "bernoulli-bandit")
    bandits = replace(
        better,
        games=tuple(game for game in better.games if game.label in names),
        cases=tuple(case for case in better.cases if case.game in names),
    )
    found = asked(sl.games.load("dueling-bandit"), benchmark=bandits)  # easy, but an action does not show what it costs
    assert found.strategy == "Prospect"
    assert "KLUCB" in found.refused


def test_few_runs_are_no_evidence():
    whole = summary(means=MEANS | {"CBP": 1.0})
    assert asked(HARD, benchmark=whole).strategy == "CBP"
    cases = tuple(case._replace(runs=7) if case.player == "CBP" else case for case in whole.cases)
    found = asked(HARD, benchmark=replace(whole, cases=cases))
    assert found.strategy == "Prospect"
    assert "CBP" not in [score.player.label for score in found.candidates]


def test_contexts():
    found = asked(sl.games.load("apple-tasting"), dimension=7)
    assert (found.strategy, dict(found.parameters)) == ("CBPSide", {"dimension": 7})
    assert found.make().dimension == 7
    assert "Its contexts have 10 numbers, yours 7." in found.explain()
    assert found.to_dict()["dimensions_measured"] == [10]


def test_a_hopeless_game_is_refused():
    with pytest.raises(sl.SidelightError, match=r"hopeless.*an action that shows more would help"):
        asked(sl.games.load("hopeless"))


def test_a_trivial_game_needs_no_evidence():
    found = asked(sl.games.load("trivial"))
    assert (found.strategy, dict(found.parameters), found.candidates) == ("FixedAction", {"action": 0}, ())
    assert "there is nothing to learn" in " ".join(found.explain().split())
    assert found.make().act() == 0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("apple-tasting",), TypeError),
        ((sl.games.load("apple-tasting"), 0), sl.SidelightError),
        ((sl.games.load("apple-tasting"), 2.5), sl.SidelightError),
        ((sl.games.load("apple-tasting"), True), sl.SidelightError),
        ((sl.games.load("apple-tasting"), None, -1), sl.SidelightError),
        ((sl.games.load("apple-tasting"), None, None), sl.SidelightError),
    ],
)
def test_bad_input(arguments, error):
    with pytest.raises(error, match=r"give a whole number|not of the class Game"):
        recommend(*arguments, benchmark=summary())


def test_everything_as_plain_data():
    data = json.loads(json.dumps(asked(HARD, 5_000).to_dict(), allow_nan=False))
    assert data["strategy"] == "Prospect"
    assert data["nearest"][0]["distance"] == 0.0
    assert data["candidates"][0]["label"] == "Prospect, T known"
    assert data["benchmark"]["cases_run"] == 8
