"""The outcome law that a prior and the symbols seen so far make most likely, everywhere or where two actions tie.

With nu_au the times that action a showed its symbol u, and a prior worth `prior` observations of every outcome,

    F(p) = sum_a sum_u nu_au log (S_a p)_u + prior sum_m log p_m,    a over the informative actions,

is maximized over the laws p or, between two actions whose losses differ by the row x, over those with x p = 0. The
prior keeps p positive, so that the optimum is unique and there is no active set. Newton's method works with the
relative step y = step / p: B y = p (grad F - multipliers), B = diag(p) (-Hessian) diag(p), which has no eigenvalue
below `prior`.

Since sum_m p_m (grad F)_m = N, N being the number of symbols plus that of the prior, N is the multiplier of
sum_m p_m = 1 at the optimum. It is taken off the gradient before solving, which would otherwise lose digits where N is
large.

F / prior is self-concordant, because every symbol that counts was seen once at least: with a Newton decrement
(step' (-Hessian) step) below prior / 16 the full step is safe, and convergence quadratic. Only above that is a line
search needed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel, large_kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import add_multiple, cholesky, copy, dot, normalize, solve
from sidelight.optimization.likelihood import (
    Fit,
    likelihood_increase,
    project,
    set_likelihood_gradient,
    set_likelihood_hessian,
    symbols_seen,
)

_MOST_STEPS = 100
_MOST_HALVINGS = 60
# The largest share of the way to p_m = 0 that a step may take.
_REACH = 0.9
# The decrement at which the full step is the last one.
_ENOUGH = 1e-9
# What F loses by rounding per symbol: no decrement below that can be trusted.
_ROUNDING = 1e-15
# Added to the diagonal of B, relative to it: rounding must not make a pivot negative. It bends steps, not their end.
_RIDGE = 1e-13


class Solutions(NamedTuple):
    """Scratch: B^-1 times p (grad F - N), then the relative step; B^-1 times p; B^-1 times p x."""

    slope: Annotated[Floats, "outcomes"]
    mass: Annotated[Floats, "outcomes"]
    border: Annotated[Floats, "outcomes"]


def law_on_border(row: Sequence[float]) -> Floats:
    """Return a positive law with x p = 0 for a row x with entries of both signs."""
    places = {sign: [m for m, value in enumerate(row) if (value > 0) - (value < 0) == sign] for sign in (-1, 0, 1)}
    law = np.full(len(row), 1.0 / len(row))
    for sign in (-1, 1):
        for m in places[sign]:
            law[m] = 1.0 / (abs(row[m]) * len(places[sign]))
    both = places[-1] + places[1]
    law[both] *= len(both) / len(row) / law[both].sum()
    return law


@kernel
def factorize_curvature(signals: Signals, counts: Floats, prior: float, fit: Fit) -> None:
    """Set Cholesky's factor of B at the law, whose image is set."""
    law, matrix = fit.law, fit.scratch.hessian
    for m in range(law.shape[0]):
        fit.scratch.free[m] = m
    set_likelihood_hessian(signals, counts, fit, law.shape[0])
    for i in range(law.shape[0]):
        for j in range(i + 1):
            matrix[i, j] *= law[i] * law[j]
        matrix[i, i] += prior
    cholesky(matrix, matrix, law.shape[0], _RIDGE, 0.0)


@kernel
def solve_weighted(fit: Fit, row: Floats, solution: Floats) -> None:
    """Solve B y = p x."""
    for m in range(row.shape[0]):
        solution[m] = fit.law[m] * row[m]
    solve(fit.scratch.hessian, solution, solution)


@kernel
def solve_for_mass(fit: Fit, solution: Floats) -> float:
    """Solve B y = p; return p y."""
    copy(fit.law, solution)
    solve(fit.scratch.hessian, solution, solution)
    return dot(fit.law, solution)


@kernel
def weighted_sum_along_newton_step(fit: Fit, row: Floats, y: Floats) -> float:
    """Return sum_m x_m p_m y_m, the change of x p along a relative step."""
    total = 0.0
    for m in range(row.shape[0]):
        total += row[m] * fit.law[m] * y[m]
    return total


@kernel
def posterior_newton_step(
    signals: Signals, counts: Floats, prior: float, row: Floats, bordered: bool, fit: Fit, found: Solutions
) -> float:
    """Set the step of Newton's method, along which sum p and x p stay, and return the decrement; the image is set."""
    law, gradient, step = fit.law, fit.scratch.gradient, fit.scratch.step
    factorize_curvature(signals, counts, prior, fit)
    set_likelihood_gradient(signals, counts, fit)
    total = symbols_seen(signals, counts) + prior * law.shape[0]
    for m in range(law.shape[0]):
        gradient[m] += prior / law[m] - total
    solve_weighted(fit, gradient, found.slope)
    of_mass, mixed, of_border = solve_for_mass(fit, found.mass), 0.0, 1.0
    if bordered:
        solve_weighted(fit, row, found.border)
        mixed = dot(law, found.border) / of_mass
        of_border = max(weighted_sum_along_newton_step(fit, row, found.border) - mixed * mixed * of_mass, 1e-300)
    for _ in range(2):  # the second time takes back what rounding has left of the first
        first, second = dot(law, found.slope) / of_mass, 0.0
        if bordered:
            second = (weighted_sum_along_newton_step(fit, row, found.slope) - mixed * (first * of_mass)) / of_border
            first -= second * mixed
        for m in range(law.shape[0]):
            found.slope[m] -= first * found.mass[m]
            gradient[m] -= first
            if bordered:
                found.slope[m] -= second * found.border[m]
                gradient[m] -= second * row[m]
    decrement = 0.0
    for m in range(law.shape[0]):
        step[m] = law[m] * found.slope[m]
        decrement += step[m] * gradient[m]
    return decrement


@kernel
def posterior_mode_growth(signals: Signals, counts: Floats, prior: float, fit: Fit, length: float) -> float:
    """Return how much F grows over `length` times the step, at most `_REACH` of the way to the boundary."""
    total = 0.0
    for m in range(fit.law.shape[0]):
        total += math.log1p(length * fit.scratch.step[m] / fit.law[m])
    return prior * total + likelihood_increase(signals, counts, fit, length)


@kernel
def posterior_step_length(signals: Signals, counts: Floats, prior: float, fit: Fit, decrement: float) -> float:
    """Return the length of the step: 1 near the optimum, elsewhere the first one tried by which F grows enough."""
    worst = 0.0
    for m in range(fit.law.shape[0]):
        worst = max(worst, -fit.scratch.step[m] / fit.law[m])
    length = 1.0 if worst <= _REACH else _REACH / worst
    if decrement < prior / 16.0:
        return length
    for _ in range(_MOST_HALVINGS):
        if posterior_mode_growth(signals, counts, prior, fit, length) >= 0.1 * length * decrement:
            break
        length *= 0.5
    return length


@kernel
def restore_constraint_equations(row: Floats, bordered: bool, law: Floats) -> None:
    """Take back what rounding has made of x p = 0 and sum p = 1, multiplying masses by factors close to 1."""
    if bordered:
        up, down = 0.0, 0.0
        for m in range(law.shape[0]):
            if row[m] > 0.0:
                up += row[m] * law[m]
            else:
                down -= row[m] * law[m]
        factor = math.sqrt(down / up)
        for m in range(law.shape[0]):
            if row[m] > 0.0:
                law[m] *= factor
            elif row[m] < 0.0:
                law[m] /= factor
    normalize(law)


@large_kernel
def maximize_posterior(
    signals: Signals, counts: Floats, prior: float, row: Floats, bordered: bool, fit: Fit, found: Solutions
) -> int:
    """Set `law` to the best one (if `bordered`, with x p = 0) and `image` to its symbol laws; return the steps taken.

    The search starts from `law`, which must be positive and, up to rounding, meet the equations.
    """
    enough = max(_ENOUGH, _ROUNDING * symbols_seen(signals, counts))
    project(signals, fit.law, fit.image)
    for steps in range(1, _MOST_STEPS + 1):
        decrement = posterior_newton_step(signals, counts, prior, row, bordered, fit, found)
        length = posterior_step_length(signals, counts, prior, fit, decrement)
        add_multiple(fit.law, length, fit.scratch.step)
        restore_constraint_equations(row, bordered, fit.law)
        project(signals, fit.law, fit.image)
        if length == 1.0 and decrement <= enough:
            return steps
    return _MOST_STEPS
