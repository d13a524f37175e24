"""What information directed sampling weighs: a bound on each action's gap to the best, and the information it gives.

With the outcome law estimated as p_hat, with precision V, and S_a the signal matrix of action a,

    D(a) = max_b [ (L_a - L_b) p_hat + sqrt(beta) |L_a - L_b|_{V^-1} ],      I(a) = log det(1 + S_a V^-1 S_a'),
    sqrt(beta) = sqrt((log det V + 2 log 1/delta) / 2) + 1,

b over the Pareto-optimal actions, which always include a best one (a dominated action may be unobservable, and would
keep the bound from ever shrinking); each term is at most max_j (L_a - L_b)_j. In round t, delta = 1 / (t log t).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import loss_matrix, signal_indices, symbol_counts
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers


class Rivals(NamedTuple):
    """Losses and feedback of a game, and the rivals that every action is compared with."""

    rivals: Integers  # the Pareto-optimal actions, one per class of duplicates
    loss: Floats
    most: Floats  # (actions, rivals): the largest possible gap
    signals: Integers  # (actions, outcomes): which of the action's symbols the outcome shows
    symbols: Integers  # how many symbols each action has


class Bounds(NamedTuple):
    """The bounds D on the gaps and their parts; with contexts, each array has a first axis of contexts."""

    mean: Annotated[Floats, "actions", "rivals"]  # estimated gaps
    reach: Annotated[Floats, "actions", "rivals"]  # |L_a - L_b| in the norm of V^-1
    gain: Annotated[Floats, "actions"]  # I
    gap: Annotated[Floats, "actions"]  # D


def rivals_for_gap_bounds(analysis: Analysis) -> Rivals:
    """Return the losses, feedback and rivals of a game as arrays."""
    game, rivals = analysis.game, analysis.cells.pareto
    most = [[max(float(x - y) for x, y in zip(row, game.loss[b], strict=True)) for b in rivals] for row in game.loss]
    return Rivals(
        rivals=np.array(rivals, np.int64),
        loss=loss_matrix(game),
        most=np.array(most),
        signals=signal_indices(game),
        symbols=symbol_counts(game),
    )


@kernel
def confidence_radius_of_gap(width: float, log_det: float, count: float) -> float:
    """Return width sqrt(beta), with delta = 1 / (count log count)."""
    doubt = math.log(count) + math.log(math.log(count))
    return width * (math.sqrt(0.5 * (log_det + 2.0 * doubt)) + 1.0)


@kernel
def bound_gaps(compared: Rivals, radius: float, mean: Floats, reach: Floats, gap: Floats) -> None:
    """Set D_a, the upper bound on the gap of each action."""
    for a in range(gap.shape[0]):
        most = 0.0
        for r in range(compared.rivals.shape[0]):
            if compared.rivals[r] != a:
                bound = mean[a, r] + radius * reach[a, r]
                most = max(most, min(bound, compared.most[a, r]))
        gap[a] = most


@kernel
def information_gain_for_gap_bounds(compared: Rivals, inverse: Floats, B: Floats, action: int) -> float:
    """Return log det(1 + S_a V^-1 S_a'), by elimination in the scratch matrix B."""
    size, count = inverse.shape[0], compared.symbols[action]
    if count == 1:
        return 0.0
    for u in range(count):
        for v in range(count):
            B[u, v] = 1.0 if u == v else 0.0
    for j in range(size):
        u = compared.signals[action, j]
        for k in range(size):
            B[u, compared.signals[action, k]] += inverse[j, k]
    det = 0.0
    for i in range(count):
        det += math.log(B[i, i])
        for u in range(i + 1, count):
            factor = B[u, i] / B[i, i]
            for v in range(i + 1, count):
                B[u, v] -= factor * B[i, v]
    return det
