"""Ridge regression inside a loop: a Gram matrix per action, its inverse kept up to date.

G = lambda I + sum x x' is inverted by Sherman-Morrison, u = G^-1 x, G^-1 -= u u' / (1 + x u), at d^2 operations per
observation, and anew from G itself every thousand observations so that rounding cannot add up.
"""

from __future__ import annotations

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import invert, quadratic_form

REFACTOR = 1000


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
