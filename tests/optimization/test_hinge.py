"""The searches with radii, against grids."""

from itertools import islice

import numpy as np

from optimization.problems import random_game, sizes
from sidelight.analysis import analyze
from sidelight.kernels.arrays import new_arrays
from sidelight.optimization.allocation import start_border_search
from sidelight.optimization.geometry import lay_out_search_geometry
from sidelight.optimization.hinge import (
    Hinge,
    add_silent_action_to_search,
    find_consistent_law,
    minimize_hinge,
    start_search_in_ball,
)


def divergences(game, base, a, q):
    """KL(base_a | S_a q) for each law q (columns)."""
    p, shown = base[a][:, None], np.array(game.signal(a)) @ q
    return np.where(p > 0, p * np.log(np.maximum(p, 1e-300) / shown), 0.0).sum(axis=0)


def hinge_problems(rng, radius):
    """Yield three-outcome games with noisy frequencies, ready for the search of each border of the leader's cell."""
    while True:
        game = random_game(rng, outcomes=3)
        shape = add_silent_action_to_search(lay_out_search_geometry(analyze(game)))
        law = rng.dirichlet(np.ones(3))
        j = int(np.argmin(np.where(shape.candidate == 1, shape.loss @ law, np.inf)))
        outcomes = rng.choice(3, size=60, p=law)
        base = [np.array(game.signal(a))[:, outcomes].mean(axis=1) for a in range(game.n_actions)]
        problem = new_arrays(Hinge, **sizes(shape, silent=1))
        problem.allocation.search.base[:] = np.concatenate([*base, [1.0]])
        problem.radius[:] = radius
        problem.ball[0] = j if game.informative(j) else -1
        for e in range(shape.start[j], shape.start[j + 1]):
            problem.plays[:] = [0.03 * (a != j and game.informative(a)) for a in range(game.n_actions)] + [0.0]
            yield game, shape, problem, base, j, e


def laws_on_a_line(row):
    """A grid of the laws q with row q = 0."""
    rows = np.vstack([row, np.ones(3)])
    start = np.linalg.lstsq(rows, np.array([0.0, 1.0]), rcond=None)[0]
    q = start[:, None] + np.outer(np.linalg.svd(rows)[2][-1], np.linspace(-1.5, 1.5, 200_001))
    return q[:, (q > 0).all(axis=0)]


def test_search_with_radii_against_a_grid():
    radius, searched, missed = 0.02, 0, 0
    for game, shape, problem, base, j, e in hinge_problems(np.random.default_rng(6), radius):
        q = laws_on_a_line(shape.difference[e])
        q = q[:, divergences(game, base, j, q) <= radius]
        own = game.n_actions
        if start_border_search(problem.allocation, shape, own, e) and start_search_in_ball(problem, shape, own):
            low, value = minimize_hinge(shape.signals, own, problem, 1e-9, 0.0)
            revealed = [problem.plays[a] * np.maximum(divergences(game, base, a, q) - radius, 0.0) for a in range(own)]
            least = np.sum(revealed, axis=0).min(initial=np.inf)
            assert low <= value <= low + 1e-8
            assert low <= least + 1e-9
            assert value <= least + 1e-5
            searched += 1
        else:
            assert q.shape[1] <= 1
            missed += 1
        if searched >= 25 and missed >= 5:
            break


def test_a_law_within_all_radii_is_found_if_there_is_one():
    problems = islice(hinge_problems(np.random.default_rng(7), 0.02), 20)
    for number, (game, shape, problem, base, _, _) in enumerate(problems):
        x, y = np.meshgrid(np.linspace(0.001, 0.997, 200), np.linspace(0.001, 0.997, 200))
        grid = np.array([x, y, 1 - x - y]).reshape(3, -1)[:, (x + y < 0.999).ravel()]
        shift = np.array([0.0, 0.0, float(number % 2)])  # half of the time the frequencies contradict each other
        base[-1] = (base[-1] + shift) / (1 + shift.sum())
        problem.allocation.search.base[:] = np.concatenate([*base, [1.0]])
        problem.plays[:] = [5.0 * game.informative(a) for a in range(game.n_actions)] + [0.0]
        law, image = np.full(3, 1 / 3), np.zeros(shape.signals.first[-1])
        agreed = find_consistent_law(shape.signals, problem, law, image)
        worst = np.max([divergences(game, base, a, grid) for a in range(game.n_actions)], axis=0)
        if agreed:
            q = law[:, None]
            assert max(divergences(game, base, a, q)[0] for a in range(game.n_actions)) <= 0.02 + 1e-6
        elif (worst < 0.015).any():
            raise AssertionError("a law within all radii was missed")
