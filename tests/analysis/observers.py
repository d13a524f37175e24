"""Check observer vectors: exact sums, and each kind against the least that an ordinary solver finds."""

import numpy as np
import pytest
from naive import minus, rank, signal
from scipy.optimize import linprog

from analysis.certificates import combined
from sidelight.analysis import analyze

KINDS = ("minimum-norm", "half-range", "max-norm")


def observable_pairs(analysis):
    return [pair for pair in analysis.neighbors if analysis.globally_observable(*pair)]


def stacked(game, actions):
    """Return the signal matrices of `actions`, one below the other."""
    return [row for a in actions for row in signal(game.feedback[a])]


def norm(vectors):
    return sum(value**2 for vector in vectors.values() for value in vector)


def half_range(vectors):
    return sum((max(vector) - min(vector)) / 2 for vector in vectors.values())


def max_norm(vectors):
    return max(abs(value) for vector in vectors.values() for value in vector)


def least_half_range(game, actions, difference):
    """Minimize the sum of (high_a - low_a) / 2 with low_a <= v_a[u] <= high_a and the signals adding up."""
    sizes = [len(signal(game.feedback[a])) for a in actions]
    n, k = sum(sizes), len(actions)
    owner = np.repeat(np.arange(k), sizes)
    below_high = np.hstack([np.eye(n), -np.eye(k)[owner], np.zeros((n, k))])
    above_low = np.hstack([-np.eye(n), np.zeros((n, k)), np.eye(k)[owner]])
    return optimum(
        [0.0] * n + [0.5] * k + [-0.5] * k, np.vstack([below_high, above_low]), game, actions, difference, 2 * k
    )


def least_max_norm(game, actions, difference):
    """Minimize t with -t <= v_a[u] <= t, the signals adding up to `difference`."""
    n = sum(len(signal(game.feedback[a])) for a in actions)
    minus_t = -np.ones((n, 1))
    rows = np.vstack([np.hstack([np.eye(n), minus_t]), np.hstack([-np.eye(n), minus_t])])
    return optimum([0.0] * n + [1.0], rows, game, actions, difference, 1)


def optimum(cost, rows, game, actions, difference, n_bounds):
    matrix = np.array(stacked(game, actions), dtype=float).T
    equal = np.hstack([matrix, np.zeros((game.n_outcomes, n_bounds))])
    found = linprog(cost, rows, np.zeros(len(rows)), equal, [float(d) for d in difference], bounds=(None, None))
    assert found.status == 0
    return found.fun


def check_observers(game):
    analysis = analyze(game)
    for i, j in observable_pairs(analysis):
        actions, difference = analysis.observers(i, j), minus(game.loss[i], game.loss[j])
        found = {kind: analysis.observer_vectors(i, j, kind=kind) for kind in KINDS}
        for vectors in found.values():
            assert tuple(vectors) == actions
            assert [len(vectors[a]) for a in actions] == [len(game.symbols(a)) for a in actions]
            assert combined(game, vectors) == difference
        assert analysis.observer_vectors(i, j) == found["minimum-norm"]
        check_least(game, actions, difference, found)


def check_least(game, actions, difference, found):
    # The shortest solution is the one inside the range of the stacked signals: adding it raises no rank.
    matrix = stacked(game, actions)
    shortest = [value for a in actions for value in found["minimum-norm"][a]]
    assert rank([[*row, value] for row, value in zip(matrix, shortest, strict=True)]) == rank(matrix)
    right = np.array(difference, dtype=float)
    expected = np.linalg.lstsq(np.array(matrix, dtype=float).T, right, rcond=None)[0]
    np.testing.assert_allclose(np.array(shortest, dtype=float), expected, rtol=0, atol=1e-9)

    half_ranges = {kind: half_range(vectors) for kind, vectors in found.items()}
    max_norms = {kind: max_norm(vectors) for kind, vectors in found.items()}
    assert half_ranges["half-range"] == min(half_ranges.values())
    assert max_norms["max-norm"] == min(max_norms.values())
    assert norm(found["minimum-norm"]) == min(norm(vectors) for vectors in found.values())
    assert float(half_ranges["half-range"]) == pytest.approx(least_half_range(game, actions, difference), abs=1e-7)
    assert float(max_norms["max-norm"]) == pytest.approx(least_max_norm(game, actions, difference), abs=1e-7)
