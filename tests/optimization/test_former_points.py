"""Proofs by points of former searches: none is false, and most that are possible are found."""

import numpy as np
from random_games import spell

import sidelight as sl
from optimization.problems import border_problems
from sidelight.optimization import allocation
from sidelight.optimization.allocation import proven_before, start_search
from sidelight.optimization.divergence import minimize_divergence


def test_former_points_prove_what_is_true_and_nothing_else():
    rng = np.random.default_rng(5)
    found = 0
    problems = list(border_problems(rng, 40))
    for _, shape, problem, _, j, e in problems:
        search = problem.search
        low, value = minimize_divergence(shape.signals, j, search, 1e-12, 0.0)
        best = search.point.copy()
        if not 0.0 < value < np.inf or search.size[0] == 0:
            continue
        for noise in (0.0, 0.01, 0.3):
            former = np.where(best > 0, best * rng.uniform(1 - noise, 1 + noise, len(best)), 0.0)
            assert start_search(problem, shape, j, e)
            start = search.point.copy()
            assert not proven_before(shape.signals, j, search, former, value * (1 + 1e-7) + 1e-9)
            np.testing.assert_array_equal(search.point, start)
            found += proven_before(shape.signals, j, search, former, low * (1 - 2 * noise) - 1e-6)
    assert found >= 60


def test_no_former_point_proves_nothing():
    for _, shape, problem, _, j, e in border_problems(np.random.default_rng(6), 5):
        assert start_search(problem, shape, j, e)
        assert not proven_before(shape.signals, j, problem.search, np.zeros(problem.search.point.shape[0]), 1e-9)


def test_play_does_not_depend_on_former_points(monkeypatch):
    rng = np.random.default_rng(7)
    words = ["".join(rng.choice(list("ab"), 5)) for _ in range(7)]
    game = spell(rng.integers(0, 50, (8, 5)).tolist(), [*words, "abcde"])
    environment = sl.environments.IID(rng.dirichlet(np.ones(5)))

    def play():
        with sl.kernels.interpreted():
            return sl.simulate(sl.strategies.PMDMED(game), environment, horizon=60, runs=1, seed=1)

    with_points = play()
    proofs = []
    monkeypatch.setattr(allocation, "proven_before", lambda *args: proofs.append(args) or False)
    np.testing.assert_array_equal(play().regret, with_points.regret)
    assert proofs
