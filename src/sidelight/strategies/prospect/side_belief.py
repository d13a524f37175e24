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
from sidelight.strategies.prospect.side_model import Stakes, set_law, symbol_mass, symbol_probability, tempering
from sidelight.strategies.shared.standardization import standardize

START_PRECISION = 0.2
START_NOISE = 0.5 / 20.5
_LEAST_CAPACITY = 1000
_LABELS_PER_COEFFICIENT = 60
_FIRST_SEARCH = 64
FEW_COEFFICIENTS = 12

# The places in `counts`: labels kept, labels that came, labels in the last fit and its round, labels at which noise is
# searched for, and whether labels have been absorbed.
KEPT, SEEN, FITTED, LAST_ROUND, NEXT_SEARCH, ABSORBED = range(6)
# The places in `setting`: eps, lambda, and the factor of `future`.
NOISE, PRECISION, FADING = range(3)


class Labels(NamedTuple):
    """The symbols that were seen of informative actions, as far as they are kept."""

    context: Floats  # (room, d)
    action: Integers  # (room,)
    symbol: Integers  # (room,)


class Scratch(NamedTuple):
    """What is worked out anew; E = M - 1, P = E (d + 1)."""

    z: Floats  # (d + 1,)
    law: Floats  # (M,): at tempered scores
    plain_law: Floats  # (M,): at the scores
    border_law: Floats  # (M,)
    scores: Floats  # (E,): a
    score: Floats  # (E,)
    seen: Floats  # (E,): the score of a symbol that was seen
    slope: Floats  # (E,)
    variance: Floats  # (E, E): V
    information: Floats  # (E, E): W
    square: Floats  # (E, E)
    reduction: Floats  # (E, E): B
    weights: Floats  # (E, E)
    lifted: Floats  # (E, P): U'
    value: Floats  # (actions,): VOI of each action
    features: Floats  # (room, d + 1): of the labels
    temper: Floats  # (room,): tau of the labels
    weight: Floats  # (room,): v of the labels
    told: Floats  # (room,): trace of tau W of the labels
    start: Floats  # (P,): where a step begins
    base: Floats  # (P,): where a search begins
    found: Floats  # (P,): the best fit of a search
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
    future: Floats  # (P, P): A, but for a factor
    scratch: Scratch


def room_for(outcomes: int, dimension: int) -> int:
    """Return how many labels there is room for: twice as many as a refit looks at before some are absorbed.

    Labels that are absorbed too early, while the coefficients are far from what they will be, mislead for good.
    """
    return 2 * max(_LEAST_CAPACITY, _LABELS_PER_COEFFICIENT * (outcomes - 1) * (dimension + 1))


def first_search(size: int) -> int:
    """Return after how many labels noise is first searched for.

    With many coefficients a few labels can be separated under any law; noise and ever larger coefficients then seem to
    explain them better.
    """
    return round(_FIRST_SEARCH * max(1.0, (size / FEW_COEFFICIENTS) ** 2))


def new_belief(actions: int, outcomes: int, dimension: int) -> Belief:
    """Return the belief before the first label; without features there is no noise."""
    rows, room = outcomes - 1, room_for(outcomes, dimension)
    size = rows * (dimension + 1)
    counts = np.zeros(6, np.int64)
    counts[NEXT_SEARCH] = first_search(size)
    factors = np.array([[prior_factor(k, j, rows) for j in range(rows)] for k in range(rows)])
    prior = np.linalg.inv(factors.reshape(rows, rows)) / START_PRECISION
    return Belief(
        labels=Labels(np.zeros((room, dimension)), np.zeros(room, np.int64), np.zeros(room, np.int64)),
        counts=counts,
        setting=np.array([START_NOISE / max(1, rows) if dimension else 0.0, START_PRECISION, 1.0]),
        mean=np.zeros(dimension),
        scale=np.zeros(dimension),
        theta=np.zeros(size),
        covariance=np.kron(prior, np.eye(dimension + 1)).astype(np.float64),
        absorbed=np.zeros((size, size)),
        pull=np.zeros(size),
        future=np.zeros((size, size)),
        scratch=_new_scratch(actions, outcomes, dimension, room),
    )


def _new_scratch(actions: int, outcomes: int, dimension: int, room: int) -> Scratch:
    rows, features = outcomes - 1, dimension + 1
    size = rows * features
    shapes: dict[str, tuple[int, ...]] = {"z": (features,), "value": (actions,), "features": (room, features)}
    shapes |= {"lifted": (rows, size), "hessian": (size, size)}
    shapes |= dict.fromkeys(("law", "plain_law", "border_law"), (outcomes,))
    shapes |= dict.fromkeys(("scores", "score", "seen", "slope"), (rows,))
    shapes |= dict.fromkeys(("variance", "information", "square", "reduction", "weights"), (rows, rows))
    shapes |= dict.fromkeys(("temper", "weight", "told"), (room,))
    shapes |= dict.fromkeys(("start", "base", "found", "gradient", "direction"), (size,))
    return Scratch(**{name: np.zeros(shape) for name, shape in shapes.items()})


@kernel
def prior_factor(k: int, j: int, rows: int) -> float:
    """Return the entry (k, j) of 2 (I - 11'/M), a factor of the prior's precision; M is `rows` + 1."""
    return 2.0 * ((1.0 if k == j else 0.0) - 1.0 / (rows + 1.0))


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
    """Set z, a, V, U and both laws at a context; return tau."""
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
    temper = tempering(now.scores, now.variance, now.plain_law)
    set_law(now.scores, temper, now.law)
    return temper


@kernel
def chance(belief: Belief, outcome: int) -> float:
    """Return the probability p of an outcome at the context that was predicted last."""
    law, noise = belief.scratch.law, belief.setting[NOISE]
    return noise + (1.0 - law.shape[0] * noise) * law[outcome]


@kernel
def symbol_chance(stakes: Stakes, belief: Belief, action: int, symbol: int) -> float:
    """Return the probability G of a symbol at the context that was predicted last."""
    law = belief.scratch.law
    mass, count = symbol_mass(stakes, action, symbol, law)
    return symbol_probability(mass, count, law.shape[0], belief.setting[NOISE])


@kernel
def quadratic(matrix: Floats, x: Floats) -> float:
    """Return x'A x."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * dot(matrix[i], x)
    return total
