"""What an analysis says to people and to programs, and how it refuses questions that have no answer."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from random_games import games as random_games
from random_games import modest, spell

from sidelight import games
from sidelight.analysis import analyze
from sidelight.errors import SidelightError
from sidelight.game import Game

EXAMPLES = [games.load(name) for name in games.names()]


@pytest.mark.parametrize("game", EXAMPLES, ids=lambda game: game.name)
def test_the_explanation_names_the_kind_and_every_action(game):
    text = analyze(game).explain()
    assert analyze(game).kind in text
    assert all(action in text for action in game.actions)


def test_mixtures_can_be_told_from_the_names_in_them():
    text = analyze(games.load("three-class-label-efficient")).explain()
    assert "dominated: 1/3 x [0 predict A] + 1/3 x [1 predict B] + 1/3 x [2 predict C] costs less" in text
    text = analyze(games.load("blind-degenerate")).explain()
    assert "dominated: 1/2 x [0 call tails] + 1/2 x [1 call heads] costs less" in text
    text = analyze(Game([[0, 1], [1, 2]], [["a", "b"]] * 2, actions=["stay", "go"])).explain()
    assert "dominated: 0 stay costs less" in text


@pytest.mark.parametrize(
    ("name", "parameters", "line"),
    [
        ("apple-tasting", {}, "1 pair of cells with a common border; 1 locally observable."),
        (
            "dynamic-pricing",
            {"prices": 3},
            "3 pairs of cells with a common border; 2 locally observable, 1 observable ",
        ),
        ("three-class-label-efficient", {}, "all are observable only with others."),
        (
            "three-class-label-efficient",
            {"query": "coarse"},
            "3 pairs of cells with a common border; none is observable.",
        ),
        ("dynamic-pricing", {"prices": 7}, "21 pairs of cells with a common border; 6 locally observable, 15 "),
        ("trivial", {}, "Neighbors: none"),
    ],
)
def test_neighbors_are_counted_by_what_is_seen_of_them(name, parameters, line):
    assert line in analyze(games.load(name, **parameters)).explain()


def test_the_notation_of_weights_is_explained_once_and_only_where_it_is_used():
    for name in games.names():
        analysis = analyze(games.load(name))
        used = 0 < len(analysis.neighbors) <= 12 and analysis.kind != "hopeless"
        assert analysis.explain().count("weight [symbol]") == used


def test_hardness_is_proved():
    text = analyze(games.load("label-efficient")).explain()
    assert "are observable, but not locally. Moving p along (1/2, -1/2) changes their difference by 1" in text


def test_symbols_that_look_alike_are_told_apart():
    text = analyze(Game([[0, 1, 0], [1, 0, "1/2"]], [["x"] * 3, [1, "1", None]])).explain()
    assert "[1]" in text
    assert "['1']" in text


def test_numbers_that_nobody_would_read_are_rounded_and_marked():
    text = analyze(Game([[10**20 + 1, 0], [0, 10**20]], [["x", "x"], ["a", "b"]])).explain()
    assert "~0.5" in text
    assert "~1.000e+20 p[0]" in text
    assert "rounded" in text
    assert "rounded" not in analyze(games.load("dynamic-pricing")).explain()


@modest(40)
@given(random_games())
def test_any_game_is_explained_and_written(game):
    analysis = analyze(game)
    assert analysis.kind in analysis.explain()
    written = analysis.to_dict()
    assert json.loads(json.dumps(written)) == written
    assert analyze(game).to_dict() == written


def test_odd_symbols_survive_json_and_stay_apart():
    row = [1, "1", (0, 1), None, -1, Fraction(1, 3), frozenset({2}), b"1"]
    written = analyze(Game([list(range(8)), [3] * 8], [row, ["x"] * 8])).to_dict()
    read = json.loads(json.dumps(written))
    assert read == written
    shown = [json.dumps(symbol) for symbol in read["feedback"][0]]
    assert len(set(shown)) == len(row)


def test_plain_data_says_what_the_analysis_says():
    analysis = analyze(games.load("dynamic-pricing", prices=4, cost=2))
    written = analysis.to_dict()
    assert written["kind"] == "hard"
    for attribute in ("pareto", "degenerate", "dominated"):
        assert written[attribute] == list(getattr(analysis, attribute))
    assert written["duplicates"] == [list(group) for group in analysis.duplicates]
    assert [tuple(neighbors["pair"]) for neighbors in written["neighbors"]] == list(analysis.neighbors)
    for neighbors in written["neighbors"]:
        pair = neighbors["pair"]
        assert neighbors["neighborhood"] == list(analysis.neighborhood(*pair))
        assert neighbors["locally_observable"] is analysis.locally_observable(*pair)
        assert neighbors["observers"] == list(analysis.observers(*pair))
        read = {int(a): tuple(map(Fraction, vector)) for a, vector in neighbors["observer_vectors"].items()}
        assert read == analysis.observer_vectors(*pair)
    assert [[Fraction(value) for value in row] for row in written["loss"]] == list(map(list, analysis.game.loss))


def test_fractions_are_written_as_text_and_integers_as_integers():
    text = json.dumps(analyze(spell([["1/3", 0], [0, 1]], ["xx", "ab"])).to_dict())
    assert '"1/3"' in text
    assert "0.333" not in text


PAIR_QUESTIONS = ["neighborhood", "observers", "locally_observable", "observer_vectors", "observability_certificate"]


@pytest.mark.parametrize("question", PAIR_QUESTIONS)
@pytest.mark.parametrize("pair", [(0, 1), (1, 0), (0, 0), (1, 1), (3, 3)])
def test_pairs_that_are_no_neighbors(question, pair):
    # Action 0 is dominated, 1 and 2 are neighbors; 3 is a duplicate of 2.
    analysis = analyze(spell([[1, 1], [1, 0], [0, 1], [0, 1]], ["ab", "xx", "xx", "xx"]))
    with pytest.raises(SidelightError, match="neighbor"):
        getattr(analysis, question)(*pair)


def test_duplicates_are_no_neighbors_of_each_other():
    analysis = analyze(spell([[1, 1], [1, 0], [0, 1], [0, 1]], ["ab", "xx", "xx", "xx"]))
    for question in (analysis.neighborhood, analysis.locally_observable, analysis.neighbor_certificate):
        with pytest.raises(SidelightError):
            question(2, 3)


@pytest.mark.parametrize("question", [*PAIR_QUESTIONS, "globally_observable", "neighbor_certificate"])
@pytest.mark.parametrize("pair", [(0, 2), (2, 0), (-1, 0), (0, -1), (0, 10**30)])
def test_pairs_with_actions_that_do_not_exist(question, pair):
    analysis = analyze(games.load("apple-tasting"))
    with pytest.raises((IndexError, SidelightError), match="no action"):
        getattr(analysis, question)(*pair)


@pytest.mark.parametrize("question", ["status", "action_certificate"])
@pytest.mark.parametrize("action", [2, -1, 10**30])
def test_actions_that_do_not_exist(question, action):
    analysis = analyze(games.load("apple-tasting"))
    with pytest.raises((IndexError, SidelightError), match="no action"):
        getattr(analysis, question)(action)


@pytest.mark.parametrize("pair", [(0, 1), (0, 2), (2, 3), (0, 0)])
def test_neighbor_certificates_are_for_pareto_actions_with_different_losses(pair):
    # Action 0 is dominated, 1 is degenerate, 2 and 3 are duplicates.
    analysis = analyze(spell([[2, 2], ["1/2", "1/2"], [1, 0], [1, 0], [0, 1]], ["xx"] * 5))
    with pytest.raises(SidelightError):
        analysis.neighbor_certificate(*pair)


def test_unobservable_pairs_have_no_observer_vectors():
    analysis = analyze(games.load("hopeless"))
    for kind in ("minimum-norm", "half-range", "max-norm"):
        with pytest.raises(SidelightError):
            analysis.observer_vectors(0, 1, kind)
    with pytest.raises(SidelightError):
        analysis.observers(0, 1)


def test_unknown_options():
    analysis = analyze(games.load("apple-tasting"))
    with pytest.raises(SidelightError, match="half-range"):
        analysis.observer_vectors(0, 1, "smallest")
    with pytest.raises(SidelightError, match="global"):
        analysis.observability_certificate(0, 1, scope="everywhere")


def test_one_action_and_one_outcome():
    analysis = analyze(Game([[5]], [["x"]]))
    assert (analysis.kind, analysis.pareto, analysis.neighbors) == ("trivial", (0,), ())
    assert analysis.action_certificate(0).point == (1,)
    assert "trivial" in analysis.explain()
