"""Moving probability along neighbors toward the best action, so that actions on the way inform.

The parent of an action is its neighbor of least expected loss; following parents leads to the root, the best action.
The probability of each action is shared equally by all actions on its way to the root, both ends included.
"""

from __future__ import annotations

import math

import numpy as np

from sidelight.analysis import Analysis
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers


def neighbor_adjacency_for_transport(analysis: Analysis) -> Integers:
    """Return which Pareto-optimal actions, one per class of duplicates, are neighbors."""
    members = analysis.cells.pareto
    adjacent = np.zeros((len(members), len(members)), np.int64)
    for i, j in analysis.neighbors:
        adjacent[members.index(i), members.index(j)] = adjacent[members.index(j), members.index(i)] = 1
    return adjacent


@kernel
def place_of_least_value_for_transport(values: Floats) -> int:
    """Return the place of the least value, on ties the first."""
    place = 0
    for c in range(1, values.shape[0]):
        if values[c] < values[place]:
            place = c
    return place


@kernel
def transport_shares(
    adjacent: Integers, root: int, chance: Floats, expected: Floats, parent: Integers, share: Floats
) -> None:
    """Set the shares, given the probabilities and the expected losses; the root has the least of them."""
    size = chance.shape[0]
    for c in range(size):
        share[c] = 0.0
        parent[c] = root
        least = math.inf
        for d in range(size):
            if adjacent[c, d] == 1 and expected[d] < least:
                parent[c], least = d, expected[d]
    for b in range(size):
        if chance[b] > 0.0:
            depth, at = 1, b
            while at != root and depth <= size:  # losses fall along the way, so that no action comes twice
                at = parent[at]
                depth += 1
            at = b
            for _ in range(depth):
                share[at] += chance[b] / depth
                at = parent[at]


@kernel
def draw_by_shares(p: Floats, u: float) -> int:
    """Return the action that u, uniform on [0, 1), chooses."""
    last = 0
    for a in range(p.shape[0]):
        if p[a] > 0.0:
            last = a
            u -= p[a]
            if u < 0.0:
                break
    return last
