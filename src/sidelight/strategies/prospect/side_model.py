"""The model of ProspectSide: outcomes follow a softmax of linear scores, mixed with noise, and are seen as symbols.

With the features z of a context (standardized, and a 1 behind them) and a row of coefficients for each outcome but the
last, whose score is 0,

    eta_j = theta_j z,    q_j = exp(eta_j) / sum_i exp(eta_i),    p_j = eps + (1 - M eps) q_j:

an outcome becomes another one with probability (M - 1) eps. A symbol u has the probability G_u, the sum of p_j over the
outcomes that show it. Its score is e = grad log G_u, the gradient being taken in eta.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import float_rows, signal_indices, symbol_counts
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Flags, Floats, Integers
from sidelight.kernels.linear_algebra import dot

_LEAST = 1e-300


class Stakes(NamedTuple):
    """The game: losses minus the least of each column, in units of their largest difference, and who shows what."""

    loss: Floats  # (actions, outcomes)
    optimal: Flags  # (actions,): 1 for Pareto-optimal actions, one of each class of duplicates
    neighbor: Flags  # (actions, actions)
    shown: Integers  # (actions, outcomes): the place of the symbol among those of the action
    symbols: Integers  # (actions,): how many there are


def stakes_of(analysis: Analysis) -> Stakes:
    """Lay out a game: a loss that no action can avoid does not matter, nor does the unit of losses."""
    game = analysis.game
    columns = list(zip(*game.loss, strict=True))
    unit = max(max(column) - min(column) for column in columns) or 1
    actions = range(game.n_actions)
    neighbor = np.zeros((game.n_actions, game.n_actions), np.uint8)
    for i, j in analysis.neighbors:
        neighbor[i, j] = neighbor[j, i] = 1
    lowest = {min(group): group for group in analysis.duplicates}
    doubles = {a for low, group in lowest.items() for a in group if a != low}
    return Stakes(
        loss=float_rows([[(row[j] - min(columns[j])) / unit for j in range(len(row))] for row in game.loss]),
        optimal=np.array([a in analysis.pareto and a not in doubles for a in actions], np.uint8),
        neighbor=neighbor,
        shown=signal_indices(game),
        symbols=symbol_counts(game),
    )


@kernel
def set_law(scores: Floats, factor: float, noise: float, law: Floats) -> None:
    """Set p for the scores times a factor."""
    last = law.shape[0] - 1
    highest = 0.0
    for j in range(last):
        highest = max(highest, factor * scores[j])
    total = math.exp(-highest)
    law[last] = total
    for j in range(last):
        law[j] = math.exp(factor * scores[j] - highest)
        total += law[j]
    share = (1.0 - law.shape[0] * noise) / total
    for j in range(last + 1):
        law[j] = noise + share * law[j]


@kernel
def expected_loss(stakes: Stakes, action: int, law: Floats) -> float:
    """Return the loss of an action under p."""
    return dot(stakes.loss[action], law)


@kernel
def best_action(stakes: Stakes, law: Floats) -> int:
    """Return the cheapest action under p; of equally cheap ones, the one that shows most."""
    best, least = -1, math.inf
    for a in range(stakes.loss.shape[0]):
        if stakes.optimal[a] == 1:
            loss = expected_loss(stakes, a, law)
            if loss < least - 1e-12 or (loss < least + 1e-12 and stakes.symbols[a] > stakes.symbols[best]):
                best, least = a, loss
    return best


@kernel
def symbol_chance(stakes: Stakes, action: int, symbol: int, law: Floats, noise: float) -> tuple[float, float]:
    """Return G_u, and the sum of q_j over the outcomes that show the symbol."""
    chance = mass = 0.0
    for j in range(law.shape[0]):
        if stakes.shown[action, j] == symbol:
            chance += law[j]
            mass += law[j] - noise
    return max(chance, _LEAST), mass / (1.0 - law.shape[0] * noise)


@kernel
def set_score(stakes: Stakes, action: int, symbol: int, law: Floats, noise: float, score: Floats) -> float:
    """Set e = grad log G_u; return G_u."""
    chance, mass = symbol_chance(stakes, action, symbol, law, noise)
    for k in range(score.shape[0]):
        score[k] = (law[k] - noise) * ((1.0 if stakes.shown[action, k] == symbol else 0.0) - mass) / chance
    return chance


@kernel
def tempering(scores: Floats, variance: Floats, law: Floats) -> float:
    """Return 1 / sqrt(1 + pi v / 8): the mean of q is nearly q at the scores times that; `law` is set to q.

    v is the variance of the differences of scores, averaged with weights q_i q_j.
    """
    last = law.shape[0] - 1
    set_law(scores, 1.0, 0.0, law)
    total = weights = 0.0
    for i in range(last + 1):
        for j in range(i):
            weight = law[i] * law[j] + 1e-12
            spread = variance[j, j] if i == last else variance[i, i] + variance[j, j] - 2.0 * variance[i, j]
            total += weight * spread
            weights += weight
    return 1.0 / math.sqrt(1.0 + math.pi / 8.0 * max(0.0, total / weights))
