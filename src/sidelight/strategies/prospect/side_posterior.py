"""What ProspectSide believes of the coefficients, N(m, S), and how one symbol changes it in O(P^2) operations.

At features z the scores have the mean a = (I x z') m and the variance V = (I x z') S (I x z). A symbol with score e and
information W (see `side_model`) moves the scores to b = a + V v e(tau b), which a few damped Newton steps
solve, and with W taken at b, weighted by v tau,

    m += U r,    S -= U (I + W V)^-1 W U',    U = S (I x z),    b = a + V r.

tau = 1 / sqrt(1 + pi v_b / 8), v_b being the variance of the scores after the symbol, makes this a Gaussian variational
step: with Laplace's method separable symbols send variances to infinity. v is the localization weight.

There are two posteriors, the one that decides and the one that a refit is working on, each with its own means and
scales of the features, in which its coefficients are measured.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot, solve_square
from sidelight.strategies.prospect.side_model import (
    Stakes,
    localization,
    set_information,
    set_law,
    tempering,
)
from sidelight.strategies.shared.standardization import standardize

LOCAL_WIDTH = 3.0
LOCAL_FROM = 100
_NEWTON_STEPS = 12
_LONGEST_STEP = 2.0
_CLOSE = 1e-2  # the error after a step is of the order of its square


class Posterior(NamedTuple):
    """Two posteriors, of which `current` says which one decides; P = (M - 1)(d + 1)."""

    current: Integers  # (1,)
    theta: Floats  # (2, P): m
    covariance: Floats  # (2, P, P): S
    mean: Floats  # (2, d): of the features
    scale: Floats  # (2, d)
    noise: Floats  # (2,): eps
    precision: Floats  # (2,): lambda of the prior
    absorbed: Floats  # (2, P, P): the quadratic form that stands for labels no longer kept
    pull: Floats  # (2, P): and its linear part


class Labels(NamedTuple):
    """The symbols that were seen of informative actions, as far as they are kept."""

    context: Floats  # (room, d)
    action: Integers  # (room,)
    symbol: Integers  # (room,)
    counts: Integers  # (3,): those that are kept, those that came, and those in the posterior that decides


class Scratch(NamedTuple):
    """What is worked out anew for each context; E = M - 1."""

    z: Floats  # (d + 1,)
    law: Floats  # (M,): at tempered scores
    plain_law: Floats  # (M,): at the scores
    border_law: Floats  # (M,)
    scores: Floats  # (E,): a
    moved: Floats  # (E,): b
    score: Floats  # (E,)
    seen: Floats  # (E,): the score of a symbol that was seen
    pull: Floats  # (E,): r
    slope: Floats  # (E,)
    variance: Floats  # (E, E): V
    information: Floats  # (E, E): W
    square: Floats  # (E, E)
    right: Floats  # (E, E): V after a symbol
    reduction: Floats  # (E, E): B
    weights: Floats  # (E, E)
    lifted: Floats  # (E, P): U'
    product: Floats  # (E, P)
    context: Floats  # (d,): what all of this is about
    valid: Integers  # (1,): whether it still is
    value: Floats  # (actions,): VOI of the last decision
    decision: Floats  # (6,): best action, action chosen, H; were looks weighed, did one nearly pay, did a check decide


KEPT, SEEN, APPLIED = 0, 1, 2


def new_scratch(actions: int, outcomes: int, dimension: int) -> Scratch:
    """Return room to work in."""
    rows, features = outcomes - 1, dimension + 1
    vector, square, wide = (rows,), (rows, rows), (rows, rows * features)
    shapes = {"z": (features,), "lifted": wide, "product": wide, "context": (dimension,)}
    shapes |= {"value": (actions,), "decision": (6,)}
    shapes |= dict.fromkeys(("law", "plain_law", "border_law"), (outcomes,))
    shapes |= dict.fromkeys(("scores", "moved", "score", "seen", "pull", "slope"), vector)
    shapes |= dict.fromkeys(("variance", "information", "square", "right", "reduction", "weights"), square)
    return Scratch(**{name: np.zeros(shape) for name, shape in shapes.items()}, valid=np.zeros(1, np.int64))


@kernel
def predict(posterior: Posterior, which: int, context: Floats, now: Scratch) -> None:
    """Set the features of a context, the mean and the variance of its scores, and U, unless that was just done."""
    if now.valid[0] == 1 + which and same(context, now.context):
        return
    for k in range(context.shape[0]):
        now.context[k] = context[k]
    now.valid[0] = 1 + which
    z, rows, features = now.z, now.scores.shape[0], now.z.shape[0]
    standardize(posterior.mean[which], posterior.scale[which], context, z)
    z[features - 1] = 1.0
    theta, covariance = posterior.theta[which], posterior.covariance[which]
    for k in range(rows):
        first = k * features
        lifted = now.lifted[k]
        for i in range(lifted.shape[0]):
            lifted[i] = 0.0
        total = 0.0
        for c in range(features):
            total += theta[first + c] * z[c]
            row = covariance[first + c]
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


@kernel
def same(one: Floats, other: Floats) -> bool:
    """Say whether two vectors are equal."""
    alike = True
    for k in range(one.shape[0]):
        alike = alike and one[k] == other[k]
    return alike


@kernel
def learn(
    stakes: Stakes, posterior: Posterior, which: int, seen: int, action: int, symbol: int, context: Floats, now: Scratch
) -> None:
    """Take a symbol into a posterior; `seen` symbols came before it."""
    rows, noise = now.scores.shape[0], posterior.noise[which]
    predict(posterior, which, context, now)
    for k in range(rows):
        now.moved[k] = now.scores[k]
        now.pull[k] = 0.0
        for j in range(rows):
            now.right[k, j] = now.variance[k, j]
    weight, length = 1.0, math.inf
    for step in range(_NEWTON_STEPS):
        temper = tempering(now.moved, now.right, now.law)
        set_law(now.moved, temper, now.law)
        if step == 0 and seen >= LOCAL_FROM:
            weight = localization(stakes, now.law, noise, LOCAL_WIDTH)
        scale = weight * temper
        set_information(stakes, action, symbol, now.law, noise, scale, now.score, now.seen, now.information)
        set_reduction(now)
        if length < _CLOSE:
            break
        length = newton_step(now, weight, temper)
        condition(now)
    update(posterior.theta[which], posterior.covariance[which], now)
    now.valid[0] = 0


@kernel
def set_reduction(now: Scratch) -> None:
    """Set B = (I + W V)^-1 W."""
    rows = now.scores.shape[0]
    for k in range(rows):
        for j in range(rows):
            now.square[k, j] = 1.0 if k == j else 0.0
            now.reduction[k, j] = now.information[k, j]
            for i in range(rows):
                now.square[k, j] += now.information[k, i] * now.variance[i, j]
    solve_square(now.square, now.reduction)


@kernel
def newton_step(now: Scratch, weight: float, temper: float) -> float:
    """Move b and r by a Newton step of at most a fixed length; return how long it wanted to be.

    The full step has (I + W V) r = v e + W (b - a) =: c, so that r = c - B V c.
    """
    rows = now.scores.shape[0]
    for k in range(rows):
        total = weight * now.seen[k]
        for j in range(rows):
            total += now.information[k, j] * (now.moved[j] - now.scores[j])
        now.slope[k] = total
    for k in range(rows):
        now.score[k] = dot(now.variance[k], now.slope)
    for k in range(rows):
        now.slope[k] -= dot(now.reduction[k], now.score)
    longest = 0.0
    for k in range(rows):
        now.score[k] = now.scores[k] + dot(now.variance[k], now.slope) - now.moved[k]
        longest = max(longest, temper * abs(now.score[k]))
    share = 1.0 if longest <= _LONGEST_STEP else _LONGEST_STEP / longest
    for k in range(rows):
        now.moved[k] += share * now.score[k]
        now.pull[k] += share * (now.slope[k] - now.pull[k])
    return longest


@kernel
def condition(now: Scratch) -> None:
    """Set `right` to V - V B V, the variance of the scores after a symbol of information W."""
    rows = now.scores.shape[0]
    for k in range(rows):
        for j in range(rows):
            total = 0.0
            for i in range(rows):
                total += now.reduction[k, i] * now.variance[i, j]
            now.square[k, j] = total
    for k in range(rows):
        for j in range(rows):
            total = now.variance[k, j]
            for i in range(rows):
                total -= now.variance[k, i] * now.square[i, j]
            now.right[k, j] = total


@kernel
def update(theta: Floats, covariance: Floats, now: Scratch) -> None:
    """Move m by U r and reduce S by U B U'."""
    rows, size = now.lifted.shape
    for k in range(rows):
        for i in range(size):
            theta[i] += now.lifted[k, i] * now.pull[k]
            total = 0.0
            for j in range(rows):
                total += 0.5 * (now.reduction[k, j] + now.reduction[j, k]) * now.lifted[j, i]
            now.product[k, i] = total
    for k in range(rows):
        for i in range(size):
            scaled = now.lifted[k, i]
            row = covariance[i]
            for j in range(size):
                row[j] -= scaled * now.product[k, j]


@kernel
def quadratic(matrix: Floats, x: Floats) -> float:
    """Return x'A x."""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * dot(matrix[i], x)
    return total
