"""The cheapest allocation, against its lower bound and SciPy's linear programs."""

import numpy as np
import pytest
from scipy.optimize import linprog

from optimization.problems import border_problems
from sidelight.kernels.arrays import new_arrays
from sidelight.limits import lower_bound
from sidelight.optimization.allocation import FOUND, SUFFICIENT, optimize_allocation
from sidelight.optimization.master import Master, place_of_master_column, reset_master_program, solve_master_program


def test_simplex_against_scipy():
    rng = np.random.default_rng(4)
    for _ in range(30):
        actions = int(rng.integers(3, 6))
        master = new_arrays(Master, actions=actions)
        master.cost[:] = rng.exponential(size=actions)
        reset_master_program(master, 0)
        columns = []
        for _ in range(40):
            column = np.where(rng.random(actions) < 0.7, rng.exponential(size=actions), 0.0)
            column[0] = 0.0
            if column.any():
                place = place_of_master_column(master)
                master.pool[place] = column
                columns.append(column)
                assert solve_master_program(master)
        answer = linprog(master.cost[1:], A_ub=-np.array(columns)[:, 1:], b_ub=-np.ones(len(columns)))
        assert master.cost[1:] @ master.share[1:] == pytest.approx(answer.fun, rel=1e-7)
        assert (np.array(columns) @ master.share).min() >= 1 - 1e-8


def test_allocation_costs_what_is_proven_to_be_needed():
    rng = np.random.default_rng(5)
    for game, shape, problem, law, j, _ in border_problems(rng, 15):
        bound = lower_bound(game, law)
        if bound.status != "finite":
            continue
        gaps = np.array(game.loss, float) @ law
        problem.search.weight[:] *= 1e-6
        assert optimize_allocation(problem, problem, shape, j, 1e-4) == FOUND
        cost = (gaps - gaps[j]) @ np.where(np.arange(len(gaps)) == j, 0.0, problem.master.share)
        assert bound.low * (1 - 1e-9) <= cost <= bound.high * (1 + 2e-4)
        problem.search.weight[:] = np.where(np.arange(len(gaps)) == j, 0.0, 1.001 * problem.master.share)
        assert optimize_allocation(problem, problem, shape, j, 1e-4) == SUFFICIENT
        problem.search.weight[:] *= 0.99 * bound.low / cost
        assert optimize_allocation(problem, problem, shape, j, 1e-4) == FOUND
