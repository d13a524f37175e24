"""Exponential weights on estimated loss differences: the part that FeedExp3 and BOBW share.

Let A be the Pareto-optimal actions, one per class of duplicates, and b one of them. Since every pair of neighbors is
observable and neighbors connect all of A, there are vectors v^a_I over the symbols of the informative actions I and
constants c^a with

    L_a - L_b = c^a + sum_I S_I' v^a_I          at every outcome.

After playing I, drawn with probability q_I, and seeing the symbol y, c^a + v^a_I[y] / q_I is an unbiased estimate of
L_a - L_b at the outcome of the round, whatever it is. The solution of least norm is linear in the loss difference, so
the choice of b shifts all estimates alike and changes nothing. The contribution of uninformative actions is certain and
belongs to c^a, like every constant: it needs no draw and no division.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.analysis.linear_algebra import Vector
from sidelight.analysis.observability import Observers
from sidelight.game_arrays import first_places
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers


class Estimates(NamedTuple):
    """Exact estimates of L_a - L_b for each a in A: a constant, and a weight for each symbol of each action."""

    constant: tuple[Fraction, ...]
    weights: dict[int, tuple[Vector, ...]]  # informative action -> for each a in A a vector over its symbols


class Estimator(NamedTuple):
    """The estimates as arrays, and which actions they read."""

    members: Integers  # A, as actions
    rank: Integers  # for each action its place in A, or -1
    explorers: Integers  # E, the actions with v_I not zero
    explores: Integers  # for each action whether it is in E
    place: Integers  # where the symbols of each action begin in `weights`
    weights: Floats  # (symbols, A)
    constant: Floats


@kernel
def set_shares(totals: Floats, eta: float, shares: Floats) -> tuple[int, float]:
    """Set the shares exp(-eta G_a) relative to the largest one; return its place and the sum of all."""
    best = 0
    for k in range(1, totals.shape[0]):
        if totals[k] < totals[best]:
            best = k
    total = 0.0
    for k in range(totals.shape[0]):
        # At most 1, and 1 for the best: nothing overflows, the sum is not 0, and no share underflows.
        shares[k] = math.exp(max(eta * (totals[best] - totals[k]), -600.0))
        total += shares[k]
    return best, total


@kernel
def draw_action(estimator: Estimator, shares: Floats, best: int, total: float, gamma: float, u: float) -> int:
    """Choose, by u uniform on [0, 1), one of E with probability gamma, else one of A by its share."""
    count = estimator.explorers.shape[0]
    if u < gamma:
        return estimator.explorers[min(int(u / gamma * count), count - 1)]
    point = (u - gamma) / (1.0 - gamma) * total
    chosen = estimator.members[best]
    for k in range(shares.shape[0]):
        point -= shares[k]
        if point < 0.0:
            chosen = estimator.members[k]
            break
    return chosen


@kernel
def chance_of(estimator: Estimator, shares: Floats, total: float, gamma: float, action: int) -> float:
    """Return the probability with which `draw_action` chooses an action."""
    chance = 0.0
    if estimator.rank[action] >= 0:
        chance = (1.0 - gamma) * shares[estimator.rank[action]] / total
    if estimator.explores[action] == 1:
        chance += gamma / estimator.explorers.shape[0]
    return chance


@kernel
def add_estimate(estimator: Estimator, totals: Floats, action: int, symbol: int, chance: float) -> None:
    """Add the estimates of a round, in which the action was played with the given chance."""
    row = estimator.place[action] + symbol
    for k in range(totals.shape[0]):
        totals[k] += estimator.constant[k]
        if estimator.explores[action] == 1:
            totals[k] += estimator.weights[row, k] / chance


def estimates(analysis: Analysis) -> Estimates:
    """Return, for each a in A, the constant c^a and the shortest vector v^a that solve S'v + c 1 = d.

    S'v = d - c 1 has the shortest solution v(d) - c v(1), which is shortest for c = v(d) v(1) / v(1) v(1).
    """
    game, cells = analysis.game, analysis.cells
    watching = tuple(i for i in range(game.n_actions) if game.informative(i))
    differences = [cells.difference(a, cells.pareto[0]) for a in cells.pareto]
    if len(differences) == 1:
        return Estimates((Fraction(0),), {})
    observers = Observers(game, watching, cells.scale)
    one = observers.vectors([cells.scale] * game.n_outcomes)
    length = sum((x * x for vector in one.values() for x in vector), Fraction(0))
    constants, vectors = [], []
    for difference in differences:
        v = observers.vectors(difference)
        c = sum((x * y for i in watching for x, y in zip(v[i], one[i], strict=True)), Fraction(0)) / length
        constants.append(c)
        vectors.append({i: tuple(x - c * y for x, y in zip(v[i], one[i], strict=True)) for i in watching})
    return Estimates(tuple(constants), {i: tuple(v[i] for v in vectors) for i in watching})


def explorers_of(found: Estimates) -> list[int]:
    """Return E, the actions whose symbols the estimates read."""
    return [i for i, vectors in found.weights.items() if any(map(any, vectors))]


def estimator_size(estimator: Estimator) -> float:
    """Return c_G = max(1, |E| max |v|), v being centered: only differences of estimates count."""
    return max(1.0, len(estimator.explorers) * 0.5 * float(np.ptp(estimator.weights, axis=1).max()))


def new_estimator(analysis: Analysis, found: Estimates, scale: float = 1.0) -> Estimator:
    """Lay the estimates out as arrays, of losses divided by `scale`."""
    game, every = analysis.game, range(analysis.game.n_actions)
    explorers = explorers_of(found)
    # An action that also explores stands for its class of duplicates, if there is one.
    groups = {group[0]: group for group in analysis.duplicates}
    classes = [groups.get(a, (a,)) for a in analysis.cells.pareto]
    members = [next((i for i in group if i in explorers), group[0]) for group in classes]
    place = first_places(game)
    weights = np.zeros((place[-1], len(members)))
    for i, vectors in found.weights.items():
        weights[place[i] : place[i + 1]] = np.array(vectors, float).T
    return Estimator(
        members=np.array(members, np.int64),
        rank=np.array([members.index(i) if i in members else -1 for i in every], np.int64),
        explorers=np.array(explorers, np.int64),
        explores=np.array([int(i in explorers) for i in every], np.int64),
        place=place[:-1],
        weights=weights / scale,
        constant=np.array(found.constant, float) / scale,
    )
