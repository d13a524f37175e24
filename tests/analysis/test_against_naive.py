"""The analysis against its brute-force twin, on games from chance with planted ties."""

from itertools import combinations

import pytest
from hypothesis import given
from naive import NaiveAnalysis
from random_games import games, modest, seeded_game

from analysis.comparison import check_against_naive


@modest(120)
@given(games())
def test_small_games(game):
    check_against_naive(game)


@modest(60)
@given(games(max_actions=7, max_outcomes=2))
def test_games_of_two_outcomes(game):
    check_against_naive(game)


@pytest.mark.parametrize("seed", range(15))
def test_larger_games(seed):
    check_against_naive(seeded_game(seed, 8, 6))


@pytest.mark.parametrize("seed", range(40))
def test_games_of_every_size(seed):
    check_against_naive(seeded_game(1000 + seed, 1 + seed % 8, 1 + seed % 5))


def test_random_games_are_of_every_kind():
    found = [NaiveAnalysis(seeded_game(seed, 2 + seed % 4, 1 + seed % 4)) for seed in range(80)]
    assert {analysis.kind for analysis in found} == {"trivial", "easy", "hard", "hopeless"}
    assert sum(1 for analysis in found if analysis.degenerate and analysis.kind != "trivial") >= 10
    assert sum(1 for analysis in found if analysis.duplicates and analysis.kind != "trivial") >= 5
    assert sum(1 for analysis in found if analysis.dominated and analysis.kind != "trivial") >= 5
    assert any(len(n.neighbors) < len(list(combinations(set(n.pareto), 2))) for n in found if not n.duplicates)
