"""What ProspectSide believes of the coefficients of its model, N(m, S), and what follows at a context.

At features z the scores have the mean a = (I x z') m and the variance V = (I x z') S (I x z), U = S (I x z).

There are two beliefs: one about all features, and one about none, whose z is 1 and whose law is the same everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot
from sidelight.strategies.prospect.side_model import set_law, tempering
from sidelight.strategies.shared.standardization import standardize

START_PRECISION = 0.2
NOISY_LABELS = 2.0
_CLEAR_LABELS = 10.0
_CROWD = 12.0
_LEAST_CAPACITY = 1000
_LABELS_PER_COEFFICIENT = 60

# The places in `counts`: labels kept, labels that came, labels in the last fit and its round, and whether labels have
# been absorbed.
KEPT, SEEN, FITTED, LAST_ROUND, ABSORBED = range(5)
# The places in `setting`: eps and lambda.
NOISE, PRECISION = range(2)


class Labels(NamedTuple):
    """The symbols that were seen of informative actions, as far as they are kept."""

    context: Floats  # (room, d)
    action: Integers  # (room,)
    symbol: Integers  # (room,)


class Scratch(NamedTuple):
    """What is worked out anew; E = M - 1, P = E (d + 1)."""

    z: Floats  # (d + 1,)
    law: Floats  # (M,): p at tempered scores
    other: Floats  # (M,): at other scores
    difference: Floats  # (M,): between the losses of two actions
    scores: Floats  # (E,): a
    score: Floats  # (E,)
    slope: Floats  # (E,)
    variance: Floats  # (E, E): V
    weights: Floats  # (E, E)
    lifted: Floats  # (E, P): U'
    value: Floats  # (actions,): VOI of each action
    temper: Floats  # (room,): tau of the labels
    gradient: Floats  # (P,)
    direction: Floats  # (P,)
    hessian: Floats  # (P, P)


class Belief(NamedTuple):
    """All that was learned."""

    labels: Labels
    counts: Integers
    setting: Floats
    mean: Floats  # (d,): of the features
    scale: Floats  # (d,)
    theta: Floats  # (P,): m
    covariance: Floats  # (P, P): S
    absorbed: Floats  # (P, P): the quadratic form that stands for labels no longer kept
    pull: Floats  # (P,): and its linear part
    future: Floats  # (P, P): A
    scratch: Scratch


def room_for(outcomes: int, dimension: int) -> int:
    """Return how many labels there is room for: twice as many as a refit looks at before half of them are absorbed.

    Labels that are absorbed too early, while the coefficients are far from what they will be, mislead for good.
    """
    return 2 * max(_LEAST_CAPACITY, _LABELS_PER_COEFFICIENT * (outcomes - 1) * (dimension + 1))


def new_belief(actions: int, outcomes: int, dimension: int) -> Belief:
    """Return the belief before the first label; without features there is no noise."""
    rows, room = outcomes - 1, room_for(outcomes, dimension)
    size = rows * (dimension + 1)
    noise = NOISY_LABELS / (NOISY_LABELS + clear_labels(size)) / max(1, rows) if dimension else 0.0
    return Belief(
        labels=Labels(np.zeros((room, dimension)), np.zeros(room, np.int64), np.zeros(room, np.int64)),
        counts=np.zeros(5, np.int64),
        setting=np.array([noise, START_PRECISION]),
        mean=np.zeros(dimension),
        scale=np.zeros(dimension),
        theta=np.zeros(size),
        covariance=np.eye(size) / START_PRECISION,
        absorbed=np.zeros((size, size)),
        pull=np.zeros(size),
        future=np.zeros((size, size)),
        scratch=_new_scratch(actions, outcomes, dimension, room),
    )


def _new_scratch(actions: int, outcomes: int, dimension: int, room: int) -> Scratch:
    rows, features = outcomes - 1, dimension + 1
    size = rows * features
    shapes: dict[str, tuple[int, ...]] = {"z": (features,), "value": (actions,), "temper": (room,)}
    shapes |= {"lifted": (rows, size), "hessian": (size, size)}
    shapes |= dict.fromkeys(("law", "other", "difference"), (outcomes,))
    shapes |= dict.fromkeys(("scores", "score", "slope"), (rows,))
    shapes |= dict.fromkeys(("variance", "weights"), (rows, rows))
    shapes |= dict.fromkeys(("gradient", "direction"), (size,))
    return Scratch(**{name: np.zeros(shape) for name, shape in shapes.items()})


@kernel
def crowding(size: int) -> float:
    """Return 1, or more where there are so many coefficients that they separate few labels under any law."""
    crowd = max(1.0, size / _CROWD)
    return crowd * crowd


@kernel
def clear_labels(size: int) -> float:
    """Return of how many labels without noise, beside two with it, a belief knows from the start."""
    return _CLEAR_LABELS * crowding(size)


@kernel
def keep(belief: Belief, action: int, symbol: int, context: Floats) -> None:
    """Keep a label for the next refit, if there is room."""
    labels, counts = belief.labels, belief.counts
    s = counts[KEPT]
    if s < labels.action.shape[0]:
        for k in range(labels.context.shape[1]):
            labels.context[s, k] = context[k]
        labels.action[s] = action
        labels.symbol[s] = symbol
        counts[KEPT] = s + 1
        counts[SEEN] += 1


@kernel
def predict(belief: Belief, context: Floats) -> float:
    """Set z, a, V, U and the law at a context; return tau."""
    now = belief.scratch
    z, rows, features = now.z, now.scores.shape[0], now.z.shape[0]
    standardize(belief.mean, belief.scale, context[: features - 1], z)
    z[features - 1] = 1.0
    for k in range(rows):
        first = k * features
        lifted = now.lifted[k]
        for i in range(lifted.shape[0]):
            lifted[i] = 0.0
        total = 0.0
        for c in range(features):
            total += belief.theta[first + c] * z[c]
            row = belief.covariance[first + c]
            for i in range(lifted.shape[0]):
                lifted[i] += z[c] * row[i]
        now.scores[k] = total
    for k in range(rows):
        for other in range(rows):
            total = 0.0
            for c in range(features):
                total += z[c] * now.lifted[other, k * features + c]
            now.variance[k, other] = total
        now.variance[k, k] = max(now.variance[k, k], 1e-12)
    temper = tempering(now.scores, now.variance, now.other)
    set_law(now.scores, temper, belief.setting[NOISE], now.law)
    return temper


@kernel
def quadratic(matrix: Floats, x: Floats) -> float:
    """Return x'A x."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * dot(matrix[i], x)
    return total
