"""The outcome law that best explains the symbols seen so far.

With nu_au the times that action a showed its symbol u, the log-likelihood of a law p is

    sum_a sum_u nu_au log (S_a p)_u,    a over the informative actions,

and its gradient is g_m = sum_a nu_au / (S_a p)_u, u being what a shows for outcome m. Since sum_m p_m g_m is the
number n of symbols, a law is best exactly if g_m <= n for every m, and for any p the best log-likelihood is larger by
at most max_m g_m - n. That test ends the search: a step of expectation maximization, p_m <- p_m g_m / n, to start from
scratch, then Newton's method on the outcomes with p_m > 0, one more of them set free at a time.

The best law need not be unique: the symbols may say nothing about some direction. Then some best law is found.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.kernels.linear_algebra import cholesky, fill, normalize, solve, sum_of

# How far max g may exceed n, relative to n.
_ENOUGH = 1e-11
_NEARLY = 1e-8
_MOST_STEPS = 200
_MOST_HALVINGS = 40
# Added to the diagonal, relative to it: the symbols may leave directions open.
_RIDGE = 1e-10
# What each outcome gets back when a symbol appears that the law held impossible.
_SHARE = 1e-3


class Newton(NamedTuple):
    """Scratch of Newton's method."""

    gradient: Annotated[Floats, "outcomes"]
    hessian: Annotated[Floats, "outcomes", "outcomes"]  # its lower half, then Cholesky's factor of it
    right: Annotated[Floats, "outcomes"]
    step: Annotated[Floats, "outcomes"]
    free: Annotated[Integers, "outcomes"]  # the coordinates that may move
    rate: Annotated[Floats, "symbols"]  # by symbol, what its outcomes share


class Fit(NamedTuple):
    """A law, kept from one fit to the next, and what fitting works with."""

    law: Annotated[Floats, "outcomes"]
    image: Annotated[Floats, "symbols"]  # the law of every action's symbols, one after the other
    scratch: Newton


def new_fit(outcomes: int, symbols: int) -> Fit:
    """Return the uniform law, and room to fit it."""
    fit = new_arrays(Fit, outcomes=outcomes, symbols=symbols)
    return fit._replace(law=np.full(outcomes, 1.0 / outcomes))


@kernel
def project(signals: Signals, law: Floats, image: Floats) -> None:
    """Set image to the law of every action's symbols, S_a p."""
    fill(image, 0.0)
    for a in range(signals.shown.shape[0]):
        for m in range(law.shape[0]):
            image[signals.shown[a, m]] += law[m]


@kernel
def project_law_on_action_symbols(signals: Signals, a: int, law: Floats, image: Floats) -> None:
    """Set the part of image that is the law of the symbols of one action."""
    for u in range(signals.first[a], signals.first[a + 1]):
        image[u] = 0.0
    for m in range(law.shape[0]):
        image[signals.shown[a, m]] += law[m]


@kernel
def is_informative(signals: Signals, a: int) -> bool:
    """Say whether an action can show more than one symbol."""
    return signals.first[a + 1] - signals.first[a] > 1


@kernel
def symbols_of(signals: Signals, counts: Floats, a: int) -> float:
    """Return how many symbols an action has shown."""
    return sum_of(counts[signals.first[a] : signals.first[a + 1]])


@kernel
def symbols_seen(signals: Signals, counts: Floats) -> float:
    """Return how many symbols the informative actions have shown."""
    total = 0.0
    for a in range(signals.shown.shape[0]):
        if is_informative(signals, a):
            total += symbols_of(signals, counts, a)
    return total


@kernel
def set_likelihood_gradient(signals: Signals, counts: Floats, fit: Fit) -> float:
    """Set the gradient at the law; return its largest entry."""
    gradient, rate = fit.scratch.gradient, fit.scratch.rate
    fill(gradient, 0.0)
    for a in range(signals.shown.shape[0]):
        if is_informative(signals, a):
            for u in range(signals.first[a], signals.first[a + 1]):
                rate[u] = counts[u] / fit.image[u] if counts[u] > 0.0 else 0.0
            for m in range(gradient.shape[0]):
                gradient[m] += rate[signals.shown[a, m]]
    top = 0.0
    for m in range(gradient.shape[0]):
        top = max(top, gradient[m])
    return top


@kernel
def is_law_of_positive_likelihood(counts: Floats, image: Floats) -> bool:
    """Say whether every symbol that was seen has a probability that is not negligible."""
    least = 1.0
    for u in range(counts.shape[0]):
        if counts[u] > 0.0:
            least = min(least, image[u])
    return least >= 1e-12


@kernel
def set_free_outcomes_of_likelihood(fit: Fit, n: float) -> int:
    """Set free the outcomes of positive mass, and the one whose gradient exceeds n most; return how many there are."""
    newton = fit.scratch
    size = 0
    top, best = n, -1
    for m in range(fit.law.shape[0]):
        if fit.law[m] > 0.0:
            newton.free[size] = m
            size += 1
        elif newton.gradient[m] > top:
            top, best = newton.gradient[m], m
    if best >= 0:
        newton.free[size] = best
        size += 1
    return size


@kernel
def set_likelihood_hessian(signals: Signals, counts: Floats, fit: Fit, size: int) -> None:
    """Set minus the second derivatives, H_mk = sum_a nu_au / (S_a p)_u^2, a showing the same u for m and k."""
    hessian, free, rate = fit.scratch.hessian, fit.scratch.free, fit.scratch.rate
    for i in range(size):
        for j in range(i + 1):
            hessian[i, j] = 0.0
    for a in range(signals.shown.shape[0]):
        if is_informative(signals, a):
            for u in range(signals.first[a], signals.first[a + 1]):
                rate[u] = counts[u] / (fit.image[u] * fit.image[u]) if counts[u] > 0.0 else 0.0
            for i in range(size):
                u = signals.shown[a, free[i]]
                if rate[u] > 0.0:
                    for j in range(i + 1):
                        if signals.shown[a, free[j]] == u:
                            hessian[i, j] += rate[u]


@kernel
def likelihood_newton_step(signals: Signals, counts: Floats, fit: Fit, n: float) -> None:
    """Set the step that maximizes the quadratic model over the free outcomes, leaving the total mass alone.

    That is x = H^-1 (g - n) minus as much of H^-1 1 as makes the sum zero.
    """
    newton = fit.scratch
    size = set_free_outcomes_of_likelihood(fit, n)
    set_likelihood_hessian(signals, counts, fit, size)
    cholesky(newton.hessian, newton.hessian, size, _RIDGE, 0.0)
    right = newton.right[:size]
    fill(newton.step, 0.0)
    whole = 1.0
    for turn in range(2):
        for i in range(size):
            right[i] = 1.0 if turn == 0 else newton.gradient[newton.free[i]] - n
        solve(newton.hessian, right, right)
        total = sum_of(right)
        for i in range(size):
            m = newton.free[i]
            newton.step[m] = right[i] if turn == 0 else right[i] - newton.step[m] * (total / whole)
        whole = total


@kernel
def likelihood_increase(signals: Signals, counts: Floats, fit: Fit, length: float) -> float:
    """Return by how much the log-likelihood grows along the step; minus infinity where it is not defined."""
    total = 0.0
    for a in range(signals.shown.shape[0]):
        if is_informative(signals, a):
            project_law_on_action_symbols(signals, a, fit.scratch.step, fit.scratch.rate)
            for u in range(signals.first[a], signals.first[a + 1]):
                if counts[u] > 0.0:
                    change = fit.scratch.rate[u] * (length / fit.image[u])
                    if change <= -1.0:
                        return -math.inf
                    total += counts[u] * math.log1p(change)
    return total


@kernel
def likelihood_line_search(signals: Signals, counts: Floats, fit: Fit, n: float) -> bool:
    """Move along the step as far as the likelihood grows and no mass turns negative; say whether it moved."""
    law, step, gradient = fit.law, fit.scratch.step, fit.scratch.gradient
    longest, blocking = 1.0, -1
    predicted = 0.0
    for m in range(law.shape[0]):
        predicted += step[m] * (gradient[m] - n)
        if step[m] < 0.0 and law[m] < -longest * step[m]:
            longest, blocking = -law[m] / step[m], m
    length = longest
    for _ in range(_MOST_HALVINGS):
        if likelihood_increase(signals, counts, fit, length) >= 1e-4 * length * predicted:
            for m in range(law.shape[0]):
                law[m] = max(law[m] + length * step[m], 0.0)
            if blocking >= 0 and length == longest:
                law[blocking] = 0.0
            return length > 0.0
        length *= 0.5
    return False


@kernel
def maximize_likelihood(signals: Signals, counts: Floats, fit: Fit) -> float:
    """Set `law` to a best law (and `image` to its symbol laws); return what it may fall short of the best likelihood.

    The search starts from `law`, which should sum to one; the shortfall is per symbol seen.
    """
    n = symbols_seen(signals, counts)
    shortfall = 0.0
    fresh, polished = False, False
    for _ in range(_MOST_STEPS):
        project(signals, fit.law, fit.image)
        if n == 0.0:
            break
        moved = is_law_of_positive_likelihood(counts, fit.image)
        if moved:
            shortfall = set_likelihood_gradient(signals, counts, fit) / n - 1.0
            if polished:
                break
            polished = shortfall <= _ENOUGH  # one more step makes the law itself as good as its likelihood
            if fresh and not polished:
                for m in range(fit.law.shape[0]):  # a step of expectation maximization
                    fit.law[m] *= fit.scratch.gradient[m] / n
                fresh = False
            else:
                likelihood_newton_step(signals, counts, fit, n)
                moved = likelihood_line_search(signals, counts, fit, n)
                if not moved and shortfall <= _NEARLY:
                    break  # rounding hides any further gain
        if not moved:
            for m in range(fit.law.shape[0]):
                fit.law[m] = (1.0 - _SHARE) * fit.law[m] + _SHARE / fit.law.shape[0]
            fresh = True
        normalize(fit.law)
    return shortfall
