"""Logistic regression by Pólya-Gamma Gibbs sampling: draws from the posterior of the coefficients.

With labels y in {0, 1}, P(y = 1 | x) = 1 / (1 + exp(-x theta)) and the prior theta ~ N(b, B), a Gibbs transition draws

    omega_s ~ PG(1, x_s theta) for every label s,    theta ~ N(m, A^-1),
    A = B^-1 + sum_s omega_s x_s x_s',    A m = sum_s (y_s - 1/2) x_s + B^-1 b.

It costs n d^2 operations for n labels: the diagonal matrix of the omegas is never formed. (The paper of PG-TS calls the
method cubic in the number of contexts; forming that matrix would make it quadratic, and it is linear.) If only a share
of the omegas is drawn anew in a transition, in turn, it is still a valid Gibbs sampler with the same posterior, that
mixes more slowly.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.kernels.linear_algebra import add_multiple, add_outer, cholesky, dot, solve_lower, solve_upper
from sidelight.strategies.labels.polya_gamma import draw_polya_gamma

_ROOM = 256


class Posterior(NamedTuple):
    """The labels and the chain; `features` and `omega` have room for more labels than there are."""

    labels: Annotated[Integers, 1]  # how many there are
    turn: Annotated[Integers, 1]  # which omega is drawn anew next
    features: Annotated[Floats, _ROOM, "features"]
    omega: Annotated[Floats, _ROOM]
    pull: Annotated[Floats, "features"]  # sum (y - 1/2) x + B^-1 b
    theta: Annotated[Floats, "features"]
    precision: Annotated[Floats, "features", "features"]  # A, lower half
    scratch: Annotated[Floats, "features", "features"]  # its Cholesky factor


def new_label_posterior(dimension: int, mean: float, regularization: float) -> Posterior:
    """Return the posterior without labels, N(mean, I / regularization)."""
    posterior = new_arrays(Posterior, features=dimension)
    posterior.pull[:] = mean * regularization
    posterior.theta[:] = mean
    return posterior._replace(precision=np.eye(dimension) * regularization)


def double_room_of_label_posterior(posterior: Posterior, axis: int = 0) -> Posterior:
    """Return the posterior with room for twice as many labels, which are counted along an axis."""
    features = np.concatenate([posterior.features, np.zeros_like(posterior.features)], axis)
    omega = np.concatenate([posterior.omega, np.zeros_like(posterior.omega)], axis)
    return posterior._replace(features=features, omega=omega)


@kernel
def gibbs_transition_of_label_posterior(
    posterior: Posterior, regularization: float, refresh: float, rng: np.random.Generator
) -> None:
    """Make one Gibbs transition that draws the share `refresh` of the omegas anew."""
    precision, n = posterior.precision, posterior.labels[0]
    count = n
    if refresh < 1.0:
        count = min(n, 1 + int(refresh * n))
    else:
        for i in range(posterior.theta.shape[0]):
            for j in range(i + 1):
                precision[i, j] = regularization if i == j else 0.0
        posterior.turn[0] = 0
    s = posterior.turn[0]
    for _ in range(count):
        if s >= n:
            s = 0
        x = posterior.features[s]
        fresh = draw_polya_gamma(dot(x, posterior.theta), rng)
        add_outer(precision, fresh - posterior.omega[s] if refresh < 1.0 else fresh, x)
        posterior.omega[s] = fresh
        s += 1
    posterior.turn[0] = s
    draw_theta_of_label_posterior(posterior, rng)


@kernel
def draw_theta_of_label_posterior(posterior: Posterior, rng: np.random.Generator) -> None:
    """Draw theta ~ N(m, A^-1): with A = R R', theta = R^-T (R^-1 pull + z)."""
    factor, theta = posterior.scratch, posterior.theta
    cholesky(posterior.precision, factor, theta.shape[0], 0.0, 0.0)
    solve_lower(factor, posterior.pull, theta)
    for i in range(theta.shape[0]):
        theta[i] += rng.normal()
    solve_upper(factor, theta, theta)


@kernel
def add_label_to_posterior(posterior: Posterior, y: int) -> None:
    """Add a label, whose features are already in the first free row."""
    n = posterior.labels[0]
    x = posterior.features[n]
    add_multiple(posterior.pull, 0.5 if y == 1 else -0.5, x)
    # With partial refreshes the new label's omega starts at the mean of PG(1, 0) and is drawn in its turn.
    posterior.omega[n] = 0.25
    add_outer(posterior.precision, 0.25, x)
    posterior.labels[0] = n + 1
