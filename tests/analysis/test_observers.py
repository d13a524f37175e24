"""Observer vectors add up to the loss difference exactly, and each kind is the least of its kind."""

from fractions import Fraction

import pytest
from hypothesis import given
from naive import minus
from random_games import games, modest, seeded_game, spell

from analysis.certificates import combined
from analysis.observers import KINDS, check_observers, half_range, observable_pairs
from sidelight.analysis import analyze


@modest(150)
@given(games(scales=False))
def test_observers_of_random_games(game):
    check_observers(game)


@pytest.mark.parametrize("seed", range(10))
def test_observers_of_larger_games(seed):
    check_observers(seeded_game(100 + seed, 7, 5))


@modest(60)
@given(games())
def test_observers_at_any_scale_add_up(game):
    analysis = analyze(game)
    for i, j in observable_pairs(analysis):
        for kind in KINDS:
            assert combined(game, analysis.observer_vectors(i, j, kind)) == minus(game.loss[i], game.loss[j])


@modest(60)
@given(games())
def test_turning_a_pair_around_changes_the_sign(game):
    analysis = analyze(game)
    for i, j in observable_pairs(analysis):
        there, back = analysis.observer_vectors(i, j), analysis.observer_vectors(j, i)
        assert back == {a: tuple(-value for value in vector) for a, vector in there.items()}
        assert half_range(analysis.observer_vectors(j, i, "half-range")) == half_range(
            analysis.observer_vectors(i, j, "half-range")
        )


def test_constants_of_blind_actions_are_free_of_charge():
    # L_0 - L_1 = (3, 5, -1) ranges over 6, whatever constant a blind action adds.
    game = spell([[3, 5, 0], [0, 0, 1], [9, 9, 9]], ["abc", "xxx", "xxx"])
    vectors = analyze(game).observer_vectors(0, 1, "half-range")
    assert half_range(vectors) == 3
    assert half_range({a: v for a, v in vectors.items() if a != 0}) == 0


def test_an_exact_third_survives():
    third = Fraction(1, 3)
    vectors = analyze(spell([[third, 0], [0, third]], ["xx", "ab"])).observer_vectors(0, 1)
    assert vectors == {0: (Fraction(0),), 1: (third, -third)}
