"""The model of ProspectSide: outcomes follow a softmax of linear scores, mixed with noise, and are seen as symbols.

With the features z of a context (standardized, and a 1 behind them) and a row of coefficients for each outcome but the
last, whose score is 0,

    eta_j = theta_j z,    q_j = exp(eta_j) / sum_i exp(eta_i),    p_j = eps + (1 - M eps) q_j:

an outcome becomes another one with probability (M - 1) eps. A symbol u has the probability G_u, the sum of p_j over the
outcomes that show it. Its score is e = grad log G_u, and the information of an action is
W = sum_u grad G_u grad G_u' / G_u, gradients being taken in eta.

Two actions cost the same where sum_j c_j q_j = 0, c being the difference of their losses, corrected for the noise. The
*margin* h = log(sum of c_j q_j over c_j > 0) - log(-sum of c_j q_j over c_j < 0) is 0 there and nearly linear in eta:
exactly linear for two outcomes, where it is eta itself if mistakes cost the same both ways.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import float_rows, signal_indices, symbol_counts
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Flags, Floats, Integers
from sidelight.optimization.geometry import scale_losses_to_optimize

_LEAST = 1e-300
_NEAR, _FAR = 0.2, 30.0  # margins: nearer, the ratio is 1 but for rounding


class Stakes(NamedTuple):
    """The game: losses minus the least of each column, in units of their largest difference, and who shows what."""

    loss: Floats  # (actions, outcomes)
    optimal: Flags  # (actions,): 1 for Pareto-optimal actions, one of each class of duplicates
    neighbor: Flags  # (actions, actions)
    shown: Integers  # (actions, outcomes): the place of the symbol among those of the action
    symbols: Integers  # (actions,): how many there are


def stakes_of(analysis: Analysis) -> Stakes:
    """Describe a game with each outcome's least loss subtracted, in units of the largest loss that is left."""
    game = analysis.game
    actions = range(game.n_actions)
    neighbor = np.zeros((game.n_actions, game.n_actions), np.uint8)
    for i, j in analysis.neighbors:
        neighbor[i, j] = neighbor[j, i] = 1
    lowest = {min(group): group for group in analysis.duplicates}
    doubles = {a for low, group in lowest.items() for a in group if a != low}
    return Stakes(
        loss=float_rows(scale_losses_to_optimize(analysis)[0]),
        optimal=np.array([a in analysis.pareto and a not in doubles for a in actions], np.uint8),
        neighbor=neighbor,
        shown=signal_indices(game),
        symbols=symbol_counts(game),
    )


@kernel
def set_law(scores: Floats, factor: float, law: Floats) -> None:
    """Set q for the scores times a factor."""
    last = law.shape[0] - 1
    highest = 0.0
    for j in range(last):
        highest = max(highest, factor * scores[j])
    total = math.exp(-highest)
    law[last] = total
    for j in range(last):
        law[j] = math.exp(factor * scores[j] - highest)
        total += law[j]
    for j in range(last + 1):
        law[j] /= total


@kernel
def expected_loss(stakes: Stakes, action: int, law: Floats, noise: float) -> float:
    """Return the loss of an action under p."""
    keep = 1.0 - law.shape[0] * noise
    total = 0.0
    for j in range(law.shape[0]):
        total += stakes.loss[action, j] * (noise + keep * law[j])
    return total


@kernel
def best_action(stakes: Stakes, law: Floats, noise: float) -> int:
    """Return the cheapest action under p; of equally cheap ones, the one that shows most."""
    best, least = -1, math.inf
    for a in range(stakes.loss.shape[0]):
        if stakes.optimal[a] == 1:
            loss = expected_loss(stakes, a, law, noise)
            if loss < least - 1e-12 or (loss < least + 1e-12 and stakes.symbols[a] > stakes.symbols[best]):
                best, least = a, loss
    return best


@kernel
def corrected(stakes: Stakes, one: int, other: int, j: int, noise: float, shift: float) -> float:
    """Return c_j of a pair of actions; `shift` is what `noise_shift` says of the pair."""
    return (1.0 - stakes.loss.shape[1] * noise) * (stakes.loss[other, j] - stakes.loss[one, j]) + shift


@kernel
def noise_shift(stakes: Stakes, one: int, other: int, noise: float) -> float:
    """Return eps times the sum of the differences of losses."""
    total = 0.0
    for j in range(stakes.loss.shape[1]):
        total += stakes.loss[other, j] - stakes.loss[one, j]
    return noise * total


@kernel
def gains_and_losses(stakes: Stakes, one: int, other: int, law: Floats, noise: float) -> tuple[float, float]:
    """Return the sums of c_j q_j over c_j > 0 and of -c_j q_j over c_j < 0."""
    shift = noise_shift(stakes, one, other, noise)
    above = below = 0.0
    for j in range(law.shape[0]):
        term = corrected(stakes, one, other, j, noise, shift) * law[j]
        if term > 0.0:
            above += term
        else:
            below -= term
    return above, below


@kernel
def curvature_to_border(stakes: Stakes, law: Floats, noise: float) -> float:
    """Return how much more a label's likelihood bends on the way to the nearest border than at the law itself.

    With the margin h to the nearest border, the parabola that touches log(1 + exp(-x)) at h and meets it at 0 has the
    curvature 2 (log 2 - log(1 + exp(-h)) - h / (1 + exp(h))) / h^2, while log(1 + exp(-x)) has
    1 / ((1 + exp(h)) (1 + exp(-h))) at h. Returned is their ratio.
    """
    best = best_action(stakes, law, noise)
    nearest = math.inf
    for other in range(stakes.loss.shape[0]):
        if stakes.neighbor[best, other] == 1:
            above, below = gains_and_losses(stakes, best, other, law, noise)
            if above > _LEAST and below > _LEAST:
                nearest = min(nearest, abs(math.log(above / below)))
    if nearest < _NEAR or nearest == math.inf:
        return 1.0
    h = min(nearest, _FAR)
    up, down = 1.0 + math.exp(h), 1.0 + math.exp(-h)
    return 2.0 * (math.log(2.0) - math.log(down) - h / up) / (h * h) * up * down


@kernel
def symbol_mass(stakes: Stakes, action: int, symbol: int, law: Floats) -> tuple[float, float]:
    """Return the sum of q_j over the outcomes that show a symbol, and how many there are."""
    mass = count = 0.0
    for j in range(law.shape[0]):
        if stakes.shown[action, j] == symbol:
            mass += law[j]
            count += 1.0
    return mass, count


@kernel
def symbol_probability(mass: float, count: float, outcomes: int, noise: float) -> float:
    """Return G_u of a symbol that `count` outcomes of mass `mass` show."""
    return max(count * noise + (1.0 - outcomes * noise) * mass, _LEAST)


@kernel
def set_score(stakes: Stakes, action: int, symbol: int, law: Floats, noise: float, score: Floats) -> float:
    """Set e = grad log G_u; return G_u."""
    outcomes = law.shape[0]
    mass, count = symbol_mass(stakes, action, symbol, law)
    probability = symbol_probability(mass, count, outcomes, noise)
    factor = (1.0 - outcomes * noise) / probability
    for k in range(outcomes - 1):
        score[k] = factor * law[k] * ((1.0 if stakes.shown[action, k] == symbol else 0.0) - mass)
    return probability


@kernel
def set_information(
    stakes: Stakes,
    action: int,
    symbol: int,
    law: Floats,
    noise: float,
    weight: float,
    score: Floats,
    seen: Floats,
    information: Floats,
) -> None:
    """Set W of an action, times a weight, and e of the symbol that was seen, if any; `score` is overwritten."""
    rows = information.shape[0]
    for k in range(rows):
        for other in range(rows):
            information[k, other] = 0.0
    for u in range(stakes.symbols[action]):
        scaled = weight * set_score(stakes, action, u, law, noise, score)
        for k in range(rows):
            if u == symbol:
                seen[k] = score[k]
            row = scaled * score[k]
            for other in range(rows):
                information[k, other] += row * score[other]


@kernel
def tempering(scores: Floats, variance: Floats, law: Floats) -> float:
    """Return 1 / sqrt(1 + pi v / 8): the mean of q is nearly q at the scores times that; `law` is overwritten.

    v is the variance of the differences of scores, averaged with weights q_i q_j.
    """
    last = law.shape[0] - 1
    set_law(scores, 1.0, law)
    total = weights = 0.0
    for i in range(last + 1):
        for j in range(i):
            weight = law[i] * law[j] + 1e-12
            spread = variance[j, j] if i == last else variance[i, i] + variance[j, j] - 2.0 * variance[i, j]
            total += weight * spread
            weights += weight
    return 1.0 / math.sqrt(1.0 + math.pi / 8.0 * max(0.0, total / weights))
