"""Ridge regression inside a loop: a Gram matrix per action, its inverse kept up to date.

G = lambda I + sum x x' is inverted by Sherman-Morrison, u = G^-1 x, G^-1 -= u u' / (1 + x u), at d^2 operations per
observation, and anew from G itself every thousand observations so that rounding cannot add up.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sidelight.kernels import kernel

Floats = npt.NDArray[np.float64]
REFACTOR = 1000


@kernel
def quadratic(inverse: Floats, x: Floats, u: Floats) -> float:
    """Set u = G^-1 x and return x' G^-1 x."""
    total = 0.0
    for i in range(x.shape[0]):
        value = 0.0
        for j in range(x.shape[0]):
            value += inverse[i, j] * x[j]
        u[i] = value
        total += value * x[i]
    return total


@kernel
def add_observation(gram: Floats, inverse: Floats, x: Floats, u: Floats, count: float) -> None:
    """Add x x' to G; `count` observations were added before."""
    d = x.shape[0]
    for i in range(d):
        for j in range(d):
            gram[i, j] += x[i] * x[j]
    if (count + 1.0) % REFACTOR == 0.0:
        invert(gram, inverse, u)
        return
    factor = 1.0 / (1.0 + quadratic(inverse, x, u))
    for i in range(d):
        scaled = factor * u[i]
        for j in range(d):
            inverse[i, j] -= scaled * u[j]


@kernel
def invert(gram: Floats, inverse: Floats, u: Floats) -> None:
    """Set the inverse of a positive definite matrix by Cholesky, in place: G = R R', then G^-1 column by column."""
    d = gram.shape[0]
    for i in range(d):
        for j in range(i + 1):
            total = gram[i, j]
            for k in range(j):
                total -= inverse[i, k] * inverse[j, k]
            inverse[i, j] = math.sqrt(total) if i == j else total / inverse[j, j]
    # The inverse of R replaces R, then R^-T R^-1 replaces that.
    for j in range(d):
        inverse[j, j] = 1.0 / inverse[j, j]
        for i in range(j + 1, d):
            total = 0.0
            for k in range(j, i):
                total -= inverse[i, k] * inverse[k, j]
            inverse[i, j] = total / inverse[i, i]
    for i in range(d):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, d):
                total += inverse[k, i] * inverse[k, j]
            u[j] = total
        for j in range(i + 1):
            inverse[j, i] = u[j]
    for i in range(d):
        for j in range(i):
            inverse[i, j] = inverse[j, i]
