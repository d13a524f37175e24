"""The outcome law estimated by ridge regression on the symbols.

With S_a the signal matrix of action a and e(y) a symbol, one-hot,

    V = I + sum S_a' S_a,   p_hat = V^-1 sum S_a' e(y),   sums over all symbols seen of informative actions.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_multiple, multiply
from sidelight.strategies.shared.gap_bounds import Bounds, Rivals

# Rank-one updates of V^-1 between two inversions from scratch, which forget the rounding errors.
FRESH = 1000


class Scratch(NamedTuple):
    """Work arrays: a row, a matrix, and L V^-1."""

    row: Annotated[Floats, "outcomes"]
    matrix: Annotated[Floats, "outcomes", "outcomes"]
    solved: Annotated[Floats, "actions", "outcomes"]


class Regression(NamedTuple):
    """The estimate and what it is made of."""

    updates: Annotated[Integers, 1]  # since V^-1 was last worked out from scratch
    seen: Annotated[Floats, "actions"]  # symbols seen of each action
    response: Annotated[Floats, "outcomes"]  # sum S_a' e(y)
    inverse: Annotated[Floats, "outcomes", "outcomes"]  # V^-1
    log_det: Annotated[Floats, 1]
    law: Annotated[Floats, "outcomes"]  # p_hat
    scratch: Scratch


@kernel
def add_symbol_to_ids_regression(compared: Rivals, regression: Regression, action: int, symbol: int) -> None:
    """Add a symbol of an informative action."""
    regression.updates[0] += 1
    regression.seen[action] += 1.0
    for j in range(regression.response.shape[0]):
        if compared.signals[action, j] == symbol:
            regression.response[j] += 1.0
    add_signals_to_ids_regression(compared, regression, action)


@kernel
def add_signals_to_ids_regression(compared: Rivals, regression: Regression, action: int) -> None:
    """Add S_a' S_a to V: V^-1 by Sherman and Morrison's formula, once for each symbol, and log det V."""
    inverse, row = regression.inverse, regression.scratch.row
    size = inverse.shape[0]
    for u in range(compared.symbols[action]):
        grown = 1.0
        for j in range(size):
            total = 0.0
            for k in range(size):
                if compared.signals[action, k] == u:
                    total += inverse[j, k]
            row[j] = total
            if compared.signals[action, j] == u:
                grown += total
        for j in range(size):
            add_multiple(inverse[j], -row[j] / grown, row)
        regression.log_det[0] += math.log(grown)


@kernel
def invert_ids_regression(compared: Rivals, regression: Regression) -> None:
    """Work out V^-1 and log det V from the counts, by Gauss and Jordan without pivoting: V is positive definite."""
    V, inverse, seen = regression.scratch.matrix, regression.inverse, regression.seen
    size = inverse.shape[0]
    for j in range(size):
        for k in range(size):
            V[j, k] = inverse[j, k] = 1.0 if j == k else 0.0
            for a in range(seen.shape[0]):
                if compared.symbols[a] > 1 and compared.signals[a, j] == compared.signals[a, k]:
                    V[j, k] += seen[a]
    regression.log_det[0] = 0.0
    for i in range(size):
        pivot = V[i, i]
        regression.log_det[0] += math.log(pivot)
        for k in range(size):
            V[i, k] /= pivot
            inverse[i, k] /= pivot
        for j in range(size):
            factor = V[j, i]
            if j != i and factor != 0.0:
                for k in range(size):
                    V[j, k] -= factor * V[i, k]
                    inverse[j, k] -= factor * inverse[i, k]


@kernel
def refresh_ids_regression(compared: Rivals, regression: Regression, bounds: Bounds) -> None:
    """Estimate from all symbols, after inverting V anew where it was updated often."""
    if regression.updates[0] >= FRESH:
        invert_ids_regression(compared, regression)
        regression.updates[0] = 0
    estimate_ids_gaps(compared, regression, bounds)


@kernel
def estimate_ids_gaps(compared: Rivals, regression: Regression, bounds: Bounds) -> None:
    """Work out p_hat, the estimated gaps and how far they reach."""
    inverse, law, solved = regression.inverse, regression.law, regression.scratch.solved
    size, loss = law.shape[0], compared.loss
    multiply(inverse, regression.response, law)
    for a in range(loss.shape[0]):
        for j in range(size):
            total = 0.0
            for k in range(size):
                total += loss[a, k] * inverse[k, j]
            solved[a, j] = total
    for a in range(loss.shape[0]):
        for r in range(compared.rivals.shape[0]):
            b = compared.rivals[r]
            mean = square = 0.0
            for j in range(size):
                difference = loss[a, j] - loss[b, j]
                mean += difference * law[j]
                square += difference * (solved[a, j] - solved[b, j])
            bounds.mean[a, r] = mean
            bounds.reach[a, r] = math.sqrt(max(square, 0.0))
