"""What ProspectSide believes of the coefficients of its model, N(m, S), and what follows at a context.

At features z the scores have the mean a = (I x z') m and the variance V = (I x z') S (I x z), U = S (I x z).

There are two beliefs: one about all features, and one about none, whose z is 1 and whose law is the same everywhere.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
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

    context: Annotated[Floats, "room", "dimension"]
    action: Annotated[Integers, "room"]
    symbol: Annotated[Integers, "room"]


class Scratch(NamedTuple):
    """What is worked out anew; M - 1 rows, each with d + 1 features, make the coefficients."""

    z: Annotated[Floats, "features"]
    law: Annotated[Floats, "outcomes"]  # at tempered scores
    plain_law: Annotated[Floats, "outcomes"]  # at the scores
    border_law: Annotated[Floats, "outcomes"]
    scores: Annotated[Floats, "rows"]  # a
    score: Annotated[Floats, "rows"]
    seen: Annotated[Floats, "rows"]  # the score of a symbol that was seen
    slope: Annotated[Floats, "rows"]
    variance: Annotated[Floats, "rows", "rows"]  # V
    information: Annotated[Floats, "rows", "rows"]  # W
    square: Annotated[Floats, "rows", "rows"]
    reduction: Annotated[Floats, "rows", "rows"]  # B
    weights: Annotated[Floats, "rows", "rows"]
    lifted: Annotated[Floats, "rows", "coefficients"]  # U'
    value: Annotated[Floats, "actions"]  # VOI of each action
    features: Annotated[Floats, "room", "features"]  # of the labels
    temper: Annotated[Floats, "room"]  # tau of the labels
    told: Annotated[Floats, "room"]  # trace of their parts of the inverse of S
    start: Annotated[Floats, "coefficients"]  # where a step begins
    base: Annotated[Floats, "coefficients"]  # where a search begins
    found: Annotated[Floats, "coefficients"]  # the best fit of a search
    gradient: Annotated[Floats, "coefficients"]
    direction: Annotated[Floats, "coefficients"]
    hessian: Annotated[Floats, "coefficients", "coefficients"]


class Belief(NamedTuple):
    """All that was learned."""

    labels: Labels
    counts: Annotated[Integers, 6]
    setting: Annotated[Floats, 3]
    mean: Annotated[Floats, "dimension"]  # of the features
    scale: Annotated[Floats, "dimension"]
    theta: Annotated[Floats, "coefficients"]  # m
    covariance: Annotated[Floats, "coefficients", "coefficients"]  # S
    absorbed: Annotated[Floats, "coefficients", "coefficients"]  # stands for labels no longer kept
    pull: Annotated[Floats, "coefficients"]  # and its linear part
    future: Annotated[Floats, "coefficients", "coefficients"]  # A, but for a factor
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
    rows, features = outcomes - 1, dimension + 1
    sizes = {"actions": actions, "outcomes": outcomes, "dimension": dimension, "rows": rows, "features": features}
    belief = new_arrays(Belief, coefficients=rows * features, room=room_for(outcomes, dimension), **sizes)
    belief.counts[NEXT_SEARCH] = first_search(rows * features)
    belief.setting[:] = START_NOISE / max(1, rows) if dimension else 0.0, START_PRECISION, 1.0
    factors = np.array([[prior_factor(k, j, rows) for j in range(rows)] for k in range(rows)])
    prior = np.linalg.inv(factors.reshape(rows, rows)) / START_PRECISION
    belief.covariance[:] = np.kron(prior, np.eye(features))
    return belief


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
