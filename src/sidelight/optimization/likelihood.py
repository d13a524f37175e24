"""The outcome law that explains the symbols seen so far best.

With nu_au the times that action a showed its symbol u, the log-likelihood of a law p is

    sum_a sum_u nu_au log (S_a p)_u,    a over the informative actions,

and its gradient is g_m = sum_a nu_au / (S_a p)_u, u being what a shows for outcome m. Since sum_m p_m g_m is the
number n of symbols, a law is best exactly if g_m <= n for every m, and for any p the best log-likelihood is larger by
at most max_m g_m - n. That test ends the search: a step of expectation maximisation, p_m <- p_m g_m / n, to start from
scratch, then Newton's method on the outcomes with p_m > 0, one more of them set free at a time.

The best law need not be unique: the symbols may say nothing about some direction. Then any one is found.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import cholesky, solve

Room = Any
"""A named tuple with the arrays that a kernel works with (of `fitting_room`, and so on), whatever else it holds."""

# How far max g may exceed n, relative to n.
_ENOUGH = 1e-11
_NEARLY = 1e-8
_MOST_STEPS = 200
_MOST_HALVINGS = 40
# Added to the diagonal, relative to it: the symbols may leave directions open.
_RIDGE = 1e-10
# What each outcome gets back when a symbol appears that the law held impossible.
_SHARE = 1e-3


def fitting_room(outcomes: int, symbols: int) -> dict[str, Any]:
    """Return the arrays that fitting works with, by name: `law`, kept from one fit to the next, and scratch."""
    arrays: dict[str, Any] = {name: np.zeros(outcomes) for name in ("gradient", "step", "right")}
    arrays |= {"law": np.full(outcomes, 1.0 / outcomes), "image": np.zeros(symbols)}
    return arrays | {"matrix": np.zeros((outcomes, outcomes)), "free": np.zeros(outcomes, np.int64)}


@kernel
def project(signals: Signals, law: Floats, image: Floats) -> None:
    """Set image to the law of every action's symbols, S_a p."""
    for u in range(image.shape[0]):
        image[u] = 0.0
    for a in range(signals.shown.shape[0]):
        for m in range(law.shape[0]):
            image[signals.shown[a, m]] += law[m]


@kernel
def informative(signals: Signals, a: int) -> bool:
    """Say whether an action can show more than one symbol."""
    return signals.first[a + 1] - signals.first[a] > 1


@kernel
def slope(signals: Signals, counts: Floats, work: Room) -> float:
    """Set the gradient at the law; return its largest entry."""
    top = 0.0
    for m in range(work.law.shape[0]):
        total = 0.0
        for a in range(signals.shown.shape[0]):
            if informative(signals, a):
                u = signals.shown[a, m]
                if counts[u] > 0.0:
                    total += counts[u] / work.image[u]
        work.gradient[m] = total
        top = max(top, total)
    return top


@kernel
def possible(counts: Floats, image: Floats) -> bool:
    """Say whether every symbol that was seen has a probability to speak of."""
    least = 1.0
    for u in range(counts.shape[0]):
        if counts[u] > 0.0:
            least = min(least, image[u])
    return least >= 1e-12


@kernel
def expect(work: Room, n: float) -> None:
    """Take one step of expectation maximisation."""
    for m in range(work.law.shape[0]):
        work.law[m] *= work.gradient[m] / n


@kernel
def newton(signals: Signals, counts: Floats, work: Room, n: float) -> None:
    """Set the step that maximises the quadratic model over the free outcomes, leaving the total mass alone."""
    size = 0
    top, best = n, -1
    for m in range(work.law.shape[0]):
        work.step[m] = 0.0
        if work.law[m] > 0.0:
            work.free[size] = m
            size += 1
        elif work.gradient[m] > top:
            top, best = work.gradient[m], m
    if best >= 0:
        work.free[size] = best
        size += 1
    for i in range(size):
        for j in range(i + 1):
            total = 0.0
            for a in range(signals.shown.shape[0]):
                u = signals.shown[a, work.free[i]]
                if u == signals.shown[a, work.free[j]] and counts[u] > 0.0 and informative(signals, a):
                    total += counts[u] / (work.image[u] * work.image[u])
            work.matrix[i, j] = total
    cholesky(work.matrix, work.matrix, size, _RIDGE, 0.0)
    right = work.right[:size]
    # H x = 1 first, then H x = g - n, from which so much of the former is taken that the total mass stays.
    whole = 1.0
    for turn in range(2):
        for i in range(size):
            work.right[i] = 1.0 if turn == 0 else work.gradient[work.free[i]] - n
        solve(work.matrix, right, right)
        total = 0.0
        for i in range(size):
            total += work.right[i]
        for i in range(size):
            m = work.free[i]
            work.step[m] = work.right[i] if turn == 0 else work.right[i] - work.step[m] * (total / whole)
        whole = total


@kernel
def gain(signals: Signals, counts: Floats, work: Room, length: float) -> float:
    """Return by how much the log-likelihood grows along the step; minus infinity where it is not defined."""
    total = 0.0
    for a in range(signals.shown.shape[0]):
        if informative(signals, a):
            for u in range(signals.first[a], signals.first[a + 1]):
                if counts[u] > 0.0:
                    change = 0.0
                    for m in range(work.law.shape[0]):
                        if signals.shown[a, m] == u:
                            change += work.step[m]
                    change *= length / work.image[u]
                    if change <= -1.0:
                        return -math.inf
                    total += counts[u] * math.log1p(change)
    return total


@kernel
def advance(signals: Signals, counts: Floats, work: Room, n: float) -> bool:
    """Walk along the step as far as the likelihood grows and no mass turns negative; say whether it moved."""
    longest, blocking = 1.0, -1
    promised = 0.0
    for m in range(work.law.shape[0]):
        promised += work.step[m] * (work.gradient[m] - n)
        if work.step[m] < 0.0 and work.law[m] < -longest * work.step[m]:
            longest, blocking = -work.law[m] / work.step[m], m
    length = longest
    for _ in range(_MOST_HALVINGS):
        if gain(signals, counts, work, length) >= 1e-4 * length * promised:
            for m in range(work.law.shape[0]):
                work.law[m] = max(work.law[m] + length * work.step[m], 0.0)
            if blocking >= 0 and length == longest:
                work.law[blocking] = 0.0
            return length > 0.0
        length *= 0.5
    return False


@kernel
def normalize(law: Floats) -> None:
    """Make the masses sum to one."""
    total = 0.0
    for m in range(law.shape[0]):
        total += law[m]
    for m in range(law.shape[0]):
        law[m] /= total


@kernel
def mix(law: Floats) -> None:
    """Give every outcome a little of the mass."""
    for m in range(law.shape[0]):
        law[m] = (1.0 - _SHARE) * law[m] + _SHARE / law.shape[0]


@kernel
def fit(signals: Signals, counts: Floats, work: Room) -> float:
    """Set `law` to a best law (and `image` to its symbol laws); return what it may fall short of the best likelihood.

    The search starts from `law`, which should sum to one; the shortfall is per symbol seen.
    """
    n = 0.0
    for a in range(signals.shown.shape[0]):
        if informative(signals, a):
            for u in range(signals.first[a], signals.first[a + 1]):
                n += counts[u]
    shortfall = 0.0
    fresh, polished = False, False
    for _ in range(_MOST_STEPS):
        project(signals, work.law, work.image)
        if n == 0.0:
            break
        moved = possible(counts, work.image)
        if moved:
            shortfall = slope(signals, counts, work) / n - 1.0
            if polished:
                break
            polished = shortfall <= _ENOUGH  # one more step makes the law itself as good as its likelihood
            if fresh and not polished:
                expect(work, n)
                fresh = False
            else:
                newton(signals, counts, work, n)
                moved = advance(signals, counts, work, n)
                if not moved and shortfall <= _NEARLY:
                    break  # rounding hides any further gain
        if not moved:
            mix(work.law)
            fresh = True
        normalize(work.law)
    return shortfall
