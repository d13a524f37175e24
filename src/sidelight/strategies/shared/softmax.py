"""Multinomial logistic regression inside a loop: symbols of an action on contexts, by Newton's method.

The fit minimizes -sum_s log softmax(Theta x_s)[y_s] + (lambda / 2) |Theta|^2 over Theta, one row per symbol. With
J(pi) = diag(pi) - pi pi', its Hessian is F = sum_s J(pi_s) (x) x_s x_s' + lambda I, and F^-1 is the approximate
covariance of Theta, so that the standard error of v softmax(Theta x) is sqrt(g' F^-1 g), g = (J(pi) v) (x) x.
"""

from __future__ import annotations

import math

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_multiple, cholesky, copy, dot, fill, solve_lower, solve_upper

_STEPS = 50
_SMALL = 1e-2
_ENOUGH = 1e-10


@kernel
def set_softmax_law(theta: Floats, x: Floats, law: Floats) -> float:
    """Set the law with weights exp(theta x); return the log of their sum."""
    highest = -math.inf
    for u in range(theta.shape[0]):
        law[u] = dot(theta[u], x)
        highest = max(highest, law[u])
    total = 0.0
    for u in range(theta.shape[0]):
        total += math.exp(law[u] - highest)
    normal = highest + math.log(total)
    for u in range(theta.shape[0]):
        law[u] = math.exp(law[u] - normal)
    return normal


@kernel
def softmax_objective(theta: Floats, features: Floats, symbols: Integers, n: int, penalty: float, law: Floats) -> float:
    """Return the penalized negative log-likelihood."""
    value = 0.0
    for u in range(theta.shape[0]):
        for k in range(theta.shape[1]):
            value += 0.5 * penalty * theta[u, k] * theta[u, k]
    for s in range(n):
        value += set_softmax_law(theta, features[s], law) - dot(theta[symbols[s]], features[s])
    return value


@kernel
def softmax_derivatives(
    theta: Floats, features: Floats, symbols: Integers, n: int, penalty: float, law: Floats, gradient: Floats, F: Floats
) -> None:
    """Set the gradient and the lower half of the Hessian of the objective.

    The blocks J[u, w] x x' of the Hessian are symmetric, and those of the last symbol are minus the sum of the others,
    because the rows of J sum to zero: only the rest is summed over the observations.
    """
    count, d = theta.shape
    fill(gradient, 0.0)
    for row in range(count * d):
        fill(F[row], 0.0)
    for s in range(n):
        x = features[s]
        set_softmax_law(theta, x, law)
        for u in range(count):
            add_multiple(gradient[u * d : (u + 1) * d], law[u] - (1.0 if symbols[s] == u else 0.0), x)
        for u in range(count - 1):
            for w in range(u + 1):
                weight = law[u] * ((1.0 if u == w else 0.0) - law[w])
                for k in range(d):
                    scaled = weight * x[k]
                    for c in range(k + 1):
                        F[u * d + k, w * d + c] += scaled * x[c]
    complete_softmax_hessian(F, count, d)
    for u in range(count):
        for k in range(d):
            gradient[u * d + k] += penalty * theta[u, k]
            F[u * d + k, u * d + k] += penalty


@kernel
def complete_softmax_hessian(F: Floats, count: int, d: int) -> None:
    """Fill in the upper halves of the blocks below the diagonal, and the blocks of the last symbol."""
    last = count - 1
    for u in range(last):
        for w in range(u):
            for k in range(d):
                for c in range(k):
                    F[u * d + c, w * d + k] = F[u * d + k, w * d + c]
    for k in range(d):
        for c in range(d):
            corner = 0.0
            for w in range(last):
                total = 0.0
                for u in range(last):
                    high, low = max(u, w), min(u, w)
                    row, column = (k, c) if high != low or k >= c else (c, k)
                    total += F[high * d + row, low * d + column]
                F[last * d + k, w * d + c] = -total
                corner += total
            if c <= k:
                F[last * d + k, last * d + c] = corner


@kernel
def fit_softmax(
    theta: Floats,
    features: Floats,
    symbols: Integers,
    n: int,
    penalty: float,
    law: Floats,
    gradient: Floats,
    F: Floats,
    R: Floats,
    trial: Floats,
) -> None:
    """Move theta to the optimum by Newton steps from where it is; leave R with R R' = F there.

    Steps are damped until the expected decrease is small, from where on Newton's method needs no watching.
    """
    for _ in range(_STEPS):
        softmax_derivatives(theta, features, symbols, n, penalty, law, gradient, F)
        cholesky(F, R, F.shape[0], 0.0, 0.0)
        solve_lower(R, gradient, gradient)
        decrement = dot(gradient, gradient)
        solve_upper(R, gradient, gradient)
        length = 1.0
        if decrement > _SMALL:
            value = softmax_objective(theta, features, symbols, n, penalty, law)
            while length > 1e-9:
                set_softmax_trial(theta, gradient, length, trial)
                if softmax_objective(trial, features, symbols, n, penalty, law) <= value - 0.25 * length * decrement:
                    break
                length *= 0.5
        set_softmax_trial(theta, gradient, length, trial)
        for u in range(theta.shape[0]):
            copy(trial[u], theta[u])
        if decrement < _ENOUGH:  # the error now is of the order of its square
            return


@kernel
def set_softmax_trial(theta: Floats, gradient: Floats, length: float, trial: Floats) -> None:
    """Set trial = theta - length gradient."""
    d = theta.shape[1]
    for u in range(theta.shape[0]):
        for k in range(d):
            trial[u, k] = theta[u, k] - length * gradient[u * d + k]


@kernel
def standard_error_of_softmax(
    law: Floats, doubt: float, vector: Floats, first: int, x: Floats, R: Floats, g: Floats
) -> float:
    """Return sqrt(g' F^-1 g) for the weights vector[first], vector[first + 1], ... of the symbols.

    In g, `doubt` is how much of the law is replaced by the uniform one.
    """
    count, d = law.shape[0], x.shape[0]
    mean = 0.0
    for u in range(count):
        mean += ((1.0 - doubt) * law[u] + doubt / count) * vector[first + u]
    for u in range(count):
        weight = ((1.0 - doubt) * law[u] + doubt / count) * (vector[first + u] - mean)
        for k in range(d):
            g[u * d + k] = weight * x[k]
    solve_lower(R, g, g)
    return math.sqrt(dot(g, g))
