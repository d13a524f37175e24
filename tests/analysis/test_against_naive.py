"""The analysis against its brute-force twin, on games from chance with planted ties."""

import pytest
from hypothesis import given
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
