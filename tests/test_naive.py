"""The brute-force twin, checked by itself: known games, an even more naive list of corners, and by hand."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from naive import NaiveAnalysis, corners, dimension, dot, in_span, minus, optimal_everywhere, rank
from random_games import HAIR, games, modest, seeded_game, spell

from sidelight import games as catalogue

half = Fraction(1, 2)


@pytest.mark.parametrize("name", catalogue.names())
def test_knows_the_known_games(name):
    game = catalogue.load(name)
    found = NaiveAnalysis(game)
    assert found.kind == catalogue.describe(name).kind
    assert sorted(found.pareto + found.degenerate + found.dominated) == list(range(game.n_actions))


@pytest.mark.parametrize(("prices", "pairs", "local"), [(2, 1, 1), (3, 3, 2), (4, 6, 3), (5, 10, 4)])
def test_counts_the_pairs_of_dynamic_pricing(prices, pairs, local):
    found = NaiveAnalysis(catalogue.load("dynamic-pricing", prices=prices))
    assert len(found.neighbors) == pairs
    assert sum(found.locally_observable(i, j) for i, j in found.neighbors) == local


def test_finds_the_neighborhood_of_duels_and_of_duplicates():
    duel = NaiveAnalysis(catalogue.load("dueling-bandit"))
    assert duel.neighbors == ((0, 3), (0, 5), (3, 5))
    assert [duel.neighborhood(i, j) for i, j in duel.neighbors] == [(0, 1, 3), (0, 2, 5), (3, 4, 5)]
    twins = NaiveAnalysis(spell([[1, 0], [0, 1], [1, 0], [0, 1]], ["xx"] * 4))
    assert (twins.duplicates, twins.neighbors, twins.neighborhood(2, 3)) == (((0, 2), (1, 3)), ((0, 1),), (0, 1, 2, 3))


def test_global_observability_of_a_dominated_action_does_not_decide_the_class():
    assert not NaiveAnalysis(catalogue.load("unobservable-dominated")).globally_observable(0, 2)


def test_a_hair_decides():
    pennies = [
        NaiveAnalysis(spell([[0, 1], [1, 0], [c, c]], ["xx", "xx", "ht"])) for c in (half - HAIR, half, half + HAIR)
    ]
    assert [game.status(2) for game in pennies] == ["pareto", "degenerate", "dominated"]
    assert [game.neighbors for game in pennies] == [((0, 2), (1, 2)), ((0, 1),), ((0, 1),)]
    assert [game.kind for game in pennies] == ["easy", "easy", "hard"]


def test_rank_span_and_dimension():
    assert rank([[0, 0], [0, 0]]) == 0
    assert rank([[0, 2, 1], [0, 4, 2], [1, 0, 0]]) == 2
    assert rank([[1, Fraction(1, 3)], [3, 1 + HAIR]]) == 2
    assert in_span([1, 1, 2], [[1, 1, 0], [0, 0, 1]])
    assert not in_span([1, 2, 0], [[1, 1, 0], [0, 0, 1]])
    assert in_span([0, 0], [])
    assert [dimension(points) for points in ([], [(1, 0)], [(1, 0), (0, 1)])] == [-1, 0, 1]


def corners_one_by_one(losses, action):
    """Solve for every choice of walls that could meet in a corner; keep the laws inside all walls."""
    n = len(losses[0])
    walls = [tuple(int(m == j) for j in range(n)) for m in range(n)]
    walls += [minus(row, losses[action]) for row in losses]
    found = set()
    for chosen in combinations(walls, n - 1):
        point = solution([*chosen, (1,) * n], [0] * (n - 1) + [1])
        if point and all(dot(wall, point) >= 0 for wall in walls):
            found.add(point)
    return sorted(found)


def solution(matrix, right):
    """Solve square equations by Cramer's rule; None if they are singular."""
    below = determinant(matrix)
    if below == 0:
        return None
    swapped = ([[*row[:c], b, *row[c + 1 :]] for row, b in zip(matrix, right, strict=True)] for c in range(len(right)))
    return tuple(Fraction(determinant(rows)) / below for rows in swapped)


def determinant(rows):
    if len(rows) == 1:
        return rows[0][0]
    minors = ([[*row[:c], *row[c + 1 :]] for row in rows[1:]] for c in range(len(rows)))
    return sum((-1) ** c * rows[0][c] * determinant(minor) for c, minor in enumerate(minors))


@modest(60)
@given(games(max_actions=5, max_outcomes=4))
def test_corners_are_those_of_every_choice_of_walls(game):
    for action in range(game.n_actions):
        assert corners(game.loss, action) == corners_one_by_one(game.loss, action)


@modest(80)
@given(games())
def test_trivial_means_that_some_action_is_optimal_everywhere(game):
    assert (NaiveAnalysis(game).kind == "trivial") == bool(optimal_everywhere(game))


def test_random_games_are_of_every_kind():
    found = [NaiveAnalysis(seeded_game(seed, 2 + seed % 4, 1 + seed % 4)) for seed in range(80)]
    assert {analysis.kind for analysis in found} == {"trivial", "easy", "hard", "hopeless"}
    assert sum(1 for analysis in found if analysis.degenerate and analysis.kind != "trivial") >= 10
    assert sum(1 for analysis in found if analysis.duplicates and analysis.kind != "trivial") >= 5
    assert sum(1 for analysis in found if analysis.dominated and analysis.kind != "trivial") >= 5
    assert any(len(n.neighbors) < len(list(combinations(set(n.pareto), 2))) for n in found if not n.duplicates)
