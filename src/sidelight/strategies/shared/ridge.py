"""Ridge regression inside a loop: the features of contexts, a Gram matrix, its inverse kept up to date.

G = lambda I + sum x x' is inverted by Sherman-Morrison, u = G^-1 x, G^-1 -= u u' / (1 + x u), at d^2 operations per
observation, and anew from G itself every thousand observations so that rounding cannot add up.
"""

from __future__ import annotations

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import copy, invert, quadratic_form

REFACTOR = 1000


def begin_ridge_regression(gram: Floats, inverse: Floats, penalty: float) -> None:
    """Set G = penalty I and its inverse, one or many of them."""
    gram[...] = np.eye(gram.shape[-1]) * penalty
    inverse[...] = np.eye(gram.shape[-1]) / penalty


@kernel
def set_context_features(x: Floats, context: Floats, intercept: int) -> None:
    """Copy a context, with a constant 1 behind it if there is an intercept."""
    copy(context, x)
    if intercept == 1:
        x[context.shape[0]] = 1.0


@kernel
def add_ridge_observation(gram: Floats, inverse: Floats, x: Floats, u: Floats, count: float) -> None:
    """Add x x' to G; `count` observations were added before."""
    d = x.shape[0]
    for i in range(d):
        for j in range(d):
            gram[i, j] += x[i] * x[j]
    if (count + 1.0) % REFACTOR == 0.0:
        invert(gram, inverse, u)
        return
    factor = 1.0 / (1.0 + quadratic_form(inverse, x, u))
    for i in range(d):
        scaled = factor * u[i]
        for j in range(d):
            inverse[i, j] -= scaled * u[j]
