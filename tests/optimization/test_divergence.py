"""The least divergence behind a border, against SciPy and known answers."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import sidelight as sl
from optimization.problems import border_problems, room
from sidelight.optimization.allocation import start_border_search
from sidelight.optimization.divergence import minimize_divergence
from sidelight.optimization.likelihood import project


def revealed_at(game, law, weights, q):
    total = 0.0
    for a, weight in enumerate(weights):
        signal = np.array(game.signal(a))
        p, s = signal @ law, np.maximum(signal @ q, 1e-300)
        total += weight * sum(x * math.log(x / y) for x, y in zip(p, s, strict=True) if x > 0)
    return total


def test_search_against_scipy():
    for game, shape, problem, law, j, e in border_problems(np.random.default_rng(1), 25):
        search = problem.search
        start = search.point.copy()
        assert (start >= 0).all()
        np.testing.assert_allclose(np.array(game.signal(j)) @ start, np.array(game.signal(j)) @ law, atol=1e-12)
        assert abs(shape.difference[e] @ start) < 1e-12
        weights = search.weight.copy()
        search.weight[:] *= 1e-3  # so that the target of 1 does not end the search
        low, value = minimize_divergence(shape.signals, j, search, 1e-10, 0.0)
        low, value = 1e3 * low, 1e3 * value
        assert value == pytest.approx(revealed_at(game, law, weights, search.point), rel=1e-9)
        assert 0 <= value - low <= 2e-7
        rows = np.vstack([game.signal(j), shape.difference[e]])
        levels = np.append(np.array(game.signal(j)) @ law, 0.0)
        other = minimize(
            lambda q, game=game, law=law, weights=weights: revealed_at(game, law, weights, q),
            np.maximum(start, 1e-6),
            bounds=[(1e-9, 1)] * len(law),
            constraints={"type": "eq", "fun": lambda q, rows=rows, levels=levels: rows @ q - levels},
            method="SLSQP",
        )
        if other.success and np.abs(rows @ other.x - levels).max() < 1e-8:
            assert low <= other.fun * (1 + 1e-5) + 1e-6


def test_former_points_prove_nothing_false():
    rng = np.random.default_rng(2)
    for _, shape, problem, _, j, e in border_problems(rng, 25):
        search = problem.search
        search.weight[:] *= 1e-3
        low, value = minimize_divergence(shape.signals, j, search, 1e-12, 0.0)
        best, price = search.point.copy(), search.equations.multipliers[0]
        problem.points[e] = np.where(best > 0, best * rng.uniform(0.8, 1.2, len(best)), 0.0)
        problem.multipliers[e] = price * rng.uniform(0.8, 1.2)
        search.weight[:] *= 0.999 / value  # the true minimum is just below 1: nothing may claim 1
        assert start_border_search(problem, shape, j, e)
        low, _ = minimize_divergence(shape.signals, j, search, 1e-9, 0.0)
        assert low < 1.0


def test_an_empty_border_is_noticed():
    # Price 0 always sells, and what price 2 sells for says which of the two is better.
    shape, problem = room(sl.games.load("apple-tasting"))
    project(shape.signals, np.array([0.8, 0.2]), problem.search.base)
    assert not start_border_search(problem, shape, 1, int(shape.start[1]))
    project(shape.signals, np.array([0.5, 0.5]), problem.search.base)
    assert start_border_search(problem, shape, 1, int(shape.start[1]))  # it is touched
    np.testing.assert_allclose(problem.search.point, [0.5, 0.5])
