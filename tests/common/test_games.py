"""Every game of the catalogue meets every check, and every check can fail."""

from fractions import Fraction

import pytest

import sidelight as sl
from sidelight.checks import check_game
from sidelight.checks.games import CHECKS

NAMES = [check.__name__ for check in CHECKS]
# Other parameters than the defaults, where they change what kind of game it is.
VARIANTS = {
    "matching-pennies": [{"cost": "1/2"}, {"cost": "1/4"}],
    "dynamic-pricing": [{"prices": 2}, {"prices": 3}, {"prices": 7}],
    "trivial-degenerate": [{"kind": "duplicate"}],
    "degenerate-informative": [{"kind": "duplicate"}],
    "three-class-label-efficient": [{"query": "coarse"}],
}
GAMES = [(name, variant) for name in sl.games.names() for variant in [{}, *VARIANTS.get(name, [])]]


@pytest.mark.parametrize(("name", "variant"), GAMES, ids=str)
def test_game(name, variant):
    game = sl.games.load(name, **variant)
    report = check_game(game)
    blind = sl.analyze(game).kind in ("trivial", "hopeless")
    assert report.count >= len(CHECKS) - blind
    assert report.count + len(report.omitted) == len(CHECKS)


def test_symbols_that_cannot_be_written_down_are_left_out():
    report = check_game(sl.Game([[1, 0]], [[frozenset("a"), "b"]], name="odd"))
    assert "survives_copies" in {name for _, name in report.omitted}


def with_slot(slot, value):
    game = sl.Game([[1, 0], [0, 1]], [["x", "x"], ["a", "b"]], name="broken")
    object.__setattr__(game, slot, value)
    return game


@pytest.mark.parametrize(
    ("slot", "value", "problem"),
    [
        ("_symbols", (("x",), ("b", "a")), r"symbols\(1\) are not those of its row"),
        ("_loss", ((1, 0), (0, 1)), "a loss is not an exact fraction"),
        ("_loss", ((Fraction(1), Fraction(0)), (Fraction(1),)), "loss has a row of the wrong length"),
        ("_actions", ("a", "a"), "the actions' names are not distinct"),
    ],
)
def test_unsound_matrices_fail(slot, value, problem):
    with pytest.raises(AssertionError, match=f"the game on broken, matrices agree: {problem}"):
        check_game(with_slot(slot, value))


def test_a_game_that_does_not_survive_fails(monkeypatch):
    game = with_slot("_name", "broken")
    monkeypatch.setattr(sl.Game, "from_dict", lambda data: sl.games.load("bartok"))
    with pytest.raises(AssertionError, match="survives copies: plain data gives another game"):
        check_game(game)


class Wrong:
    """An analysis with one answer exchanged."""

    def __init__(self, game, **answers):
        self._true, self._answers = sl.analyze(game), answers

    def __getattr__(self, name):
        return self._answers[name] if name in self._answers else getattr(self._true, name)


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ({"pareto": (0,)}, "are not all actions"),
        ({"kind": "trivial"}, "the game is called trivial"),
        ({"kind": "hard"}, "the game is called hard"),
        ({"neighbors": ((1, 0),)}, r"\(1, 0\) cannot be a pair of neighbors"),
        ({"observer_vectors": lambda i, j: {1: (1, 1)}}, "observers observe: .* do not add up"),
        ({"explain": lambda: "it is what it is"}, "explains itself: .* does not name the kind"),
        ({"to_dict": lambda: {"odd": {1}}}, "explains itself: the analysis as data.* is a set"),
    ],
)
def test_a_wrong_analysis_fails(monkeypatch, answers, problem):
    game = sl.games.load("apple-tasting")
    wrong = Wrong(game, **answers)
    monkeypatch.setattr("sidelight.checks.games.analyze", lambda game: wrong)
    with pytest.raises(AssertionError, match=problem):
        check_game(game)


def test_what_is_no_game_fails():
    with pytest.raises(AssertionError, match="a list is not a Game"):
        check_game([[1, 0], [0, 1]])
