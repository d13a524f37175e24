"""Compare an analysis with its brute-force twin, in everything that the twin knows."""

from itertools import combinations, product

import pytest
from naive import NaiveAnalysis, optimal_everywhere

from sidelight.analysis import analyze
from sidelight.errors import SidelightError


def check_against_naive(game):
    found, expected = analyze(game), NaiveAnalysis(game)
    for attribute in ("pareto", "degenerate", "dominated", "duplicates", "neighbors", "kind"):
        assert getattr(found, attribute) == getattr(expected, attribute), attribute
    assert (found.kind == "trivial") == bool(optimal_everywhere(game))
    for i in range(game.n_actions):
        assert found.status(i) == expected.status(i)
    for i, j in expected.neighbors:
        alike = [k for k in range(game.n_actions) if game.loss[k] == game.loss[i]]
        others = [k for k in range(game.n_actions) if game.loss[k] == game.loss[j]]
        for a, b in [*product(alike, others), *product(others, alike)]:
            check_pair(found, expected, a, b)
    for i, j in combinations(range(game.n_actions), 2):
        assert found.globally_observable(i, j) is expected.globally_observable(i, j)
        assert found.globally_observable(j, i) is expected.globally_observable(i, j)


def check_pair(found, expected, i, j):
    assert found.neighborhood(i, j) == expected.neighborhood(i, j)
    assert found.locally_observable(i, j) is expected.locally_observable(i, j)
    if expected.globally_observable(i, j):
        assert found.observers(i, j) == expected.observers(i, j)
    else:
        with pytest.raises(SidelightError):
            found.observer_vectors(i, j)
