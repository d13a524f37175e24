"""The least that the other actions reveal about a law that makes the optimal action a mistake.

Let action j be optimal for the law p. A law q is an alternative behind the border to k if j cannot tell it from p,
S_j q = S_j p, and j and k cost the same, (L_k - L_j) q = 0. Played r_a times each (j apart), the actions reveal

    F(q) = sum_a r_a KL(S_a p | S_a q),

a convex function; the least of it over the border is what the strategy PM-DMED and the constant C*(p) ask for.

The equations leave the directions v_1, ..., v_d; the interior point method walks along them, a multiplier z_m > 0 for
each q_m > 0 with q_m z_m brought to zero. No answer rests on its convergence: by convexity, for any multipliers eta of
the equations e_i q = b_i beside those of S_j,

    F(q') >= F(q) - c q + sum_u (S_j p)_u min_{m shows u} (c - sum_i eta_i e_i)_m + sum_i eta_i b_i,    c = grad F(q),

for every q' on the border, whatever q. So each call returns a lower bound and the value at a point of the border.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import cholesky, dot, solve
from sidelight.optimization.likelihood import Newton, new_newton, project

_MOST_STEPS = 80
# How far to go toward q = 0 or z = 0 at most.
_REACH = 0.995
# An equation whose part along the directions left is smaller than this follows from the others.
_DEPENDENT = 1e-11


class Equations(NamedTuple):
    """The equations e_i q = b_i beside S_j q = S_j p."""

    rows: Floats  # e
    levels: Floats  # b
    multipliers: Floats  # eta
    pivots: Integers  # the direction that each equation took, -1 for none


class Search(NamedTuple):
    """The search for the least of F over a border."""

    base: Floats  # the law of every action's symbols under p
    weight: Floats  # r
    point: Floats  # q, positive where active is 1, else 0
    image: Floats  # the law of every action's symbols under q
    active: Integers
    dual: Floats  # z
    trial: Floats  # a point to try first; all zero for none
    directions: Floats  # v, the free ones first, then those that the equations took
    size: Integers  # how many directions are free, how many outcomes active
    equations: Equations
    scratch: Newton


def new_search(actions: int, outcomes: int, symbols: int, equations: int = 1) -> Search:
    """Return room for searches."""
    return Search(
        base=np.zeros(symbols),
        weight=np.zeros(actions),
        point=np.zeros(outcomes),
        image=np.zeros(symbols),
        active=np.zeros(outcomes, np.int64),
        dual=np.zeros(outcomes),
        trial=np.zeros(outcomes),
        directions=np.zeros((outcomes, outcomes)),
        size=np.zeros(2, np.int64),
        equations=Equations(
            rows=np.zeros((equations, outcomes)),
            levels=np.zeros(equations),
            multipliers=np.zeros(equations),
            pivots=np.zeros(equations, np.int64),
        ),
        scratch=new_newton(outcomes),
    )


@kernel
def divergence(signals: Signals, base: Floats, image: Floats, a: int) -> float:
    """Return KL(S_a p | S_a q) as the sum of s - p - p log(s / p), whose terms are not negative and do not cancel."""
    total = 0.0
    for u in range(signals.first[a], signals.first[a + 1]):
        if base[u] <= 0.0:
            total += image[u]
        elif image[u] <= 0.0:
            return math.inf
        else:
            apart = image[u] / base[u] - 1.0
            if apart <= -0.9:
                total += base[u] * (apart - math.log(image[u] / base[u]))
            else:
                total += base[u] * (apart - math.log1p(apart))
    return max(total, 0.0)


@kernel
def objective(signals: Signals, search: Search) -> float:
    """Return F at the point, after setting the image of the point."""
    project(signals, search.point, search.image)
    total = 0.0
    for a in range(search.weight.shape[0]):
        if search.weight[a] > 0.0:
            total += search.weight[a] * divergence(signals, search.base, search.image, a)
    return total


@kernel
def set_directions(signals: Signals, j: int, search: Search) -> None:
    """Set the directions along which S_j q and all e q stay, and the pivots that the equations took."""
    outcomes = search.point.shape[0]
    count, active = 0, 0
    for m in range(outcomes):
        if search.active[m] == 1:
            active += 1
            partner = -1
            for other in range(m):
                if search.active[other] == 1 and signals.shown[j, other] == signals.shown[j, m]:
                    partner = other
                    break
            if partner >= 0:
                for k in range(outcomes):
                    search.directions[count, k] = 0.0
                search.directions[count, m] = 1.0
                search.directions[count, partner] = -1.0
                count += 1
    for i in range(search.equations.rows.shape[0]):
        if eliminate(search, i, count):
            count -= 1
    search.size[0] = count
    search.size[1] = active


@kernel
def eliminate(search: Search, i: int, count: int) -> bool:
    """Make all directions but one, the pivot, orthogonal to e_i and move that one behind the others.

    False if all are orthogonal already.
    """
    directions, along = search.directions, search.scratch.right
    best, largest = -1, _DEPENDENT
    for v in range(count):
        along[v] = dot(search.equations.rows[i], directions[v])
        if abs(along[v]) > largest:
            best, largest = v, abs(along[v])
    if best < 0:
        search.equations.pivots[i] = -1
        return False
    last = count - 1
    pivot = along[best]
    along[best] = along[last]
    for m in range(directions.shape[1]):
        kept = directions[last, m]
        directions[last, m] = directions[best, m]
        directions[best, m] = kept
    for v in range(last):
        for m in range(directions.shape[1]):
            directions[v, m] -= along[v] / pivot * directions[last, m]
    search.equations.pivots[i] = last
    return True


@kernel
def set_gradient(signals: Signals, search: Search) -> None:
    """Set the gradient of F at the point."""
    for m in range(search.point.shape[0]):
        total = 0.0
        if search.active[m] == 1:
            for a in range(search.weight.shape[0]):
                if search.weight[a] > 0.0:
                    u = signals.shown[a, m]
                    if search.base[u] > 0.0:
                        total -= search.weight[a] * search.base[u] / search.image[u]
        search.scratch.gradient[m] = total


@kernel
def set_multipliers(search: Search) -> None:
    """Set the multipliers of the equations to those for which c - z - eta e vanishes along the pivots."""
    equations = search.equations
    for i in range(equations.rows.shape[0] - 1, -1, -1):
        v = equations.pivots[i]
        equations.multipliers[i] = 0.0
        if v >= 0:
            direction = search.directions[v]
            total = 0.0
            for m in range(search.point.shape[0]):
                if search.active[m] == 1:
                    total += (search.scratch.gradient[m] - search.dual[m]) * direction[m]
            for later in range(i + 1, equations.rows.shape[0]):
                total -= equations.multipliers[later] * dot(equations.rows[later], direction)
            equations.multipliers[i] = total / dot(equations.rows[i], direction)


@kernel
def lower_bound(signals: Signals, j: int, search: Search, value: float) -> float:
    """Return a lower bound of F over the whole border, from value and gradient at the point and the multipliers."""
    equations, gradient = search.equations, search.scratch.gradient
    total = value
    for i in range(equations.rows.shape[0]):
        total += equations.multipliers[i] * equations.levels[i]
    for m in range(search.point.shape[0]):
        total -= gradient[m] * search.point[m]
    for u in range(signals.first[j], signals.first[j + 1]):
        least = math.inf
        for m in range(search.point.shape[0]):
            if search.active[m] == 1 and signals.shown[j, m] == u:
                left = gradient[m]
                for i in range(equations.rows.shape[0]):
                    left -= equations.multipliers[i] * equations.rows[i, m]
                least = min(least, left)
        if least < math.inf:
            total += search.base[u] * least
    return total


@kernel
def set_hessian(signals: Signals, search: Search) -> None:
    """Set the second derivatives of F along the free directions, those of the barrier, z / q, included.

    They are summed symbol by symbol: what does not change along a direction then adds exactly nothing to it, however
    large it is elsewhere.
    """
    newton, directions = search.scratch, search.directions
    outcomes, count = search.point.shape[0], search.size[0]
    for v in range(count):
        for w in range(v, count):
            total = 0.0
            for m in range(outcomes):
                if search.active[m] == 1:
                    total += search.dual[m] / search.point[m] * directions[v, m] * directions[w, m]
            newton.hessian[w, v] = total
    for a in range(search.weight.shape[0]):
        if search.weight[a] > 0.0:
            for u in range(signals.first[a], signals.first[a + 1]):
                if search.base[u] > 0.0:
                    for v in range(count):
                        total = 0.0
                        for m in range(outcomes):
                            if signals.shown[a, m] == u:
                                total += directions[v, m]
                        newton.step[v] = total
                    add_curvature(
                        newton, count, search.weight[a] * search.base[u] / (search.image[u] * search.image[u])
                    )


@kernel
def add_curvature(newton: Newton, count: int, weight: float) -> None:
    """Add weight s s' to the second derivatives, s being what `step` holds by direction.

    It rounds otherwise than `add_outer`: each entry is (weight s_v) s_w with v <= w.
    """
    for v in range(count):
        if newton.step[v] != 0.0:
            for w in range(v, count):
                newton.hessian[w, v] += weight * newton.step[v] * newton.step[w]


@kernel
def newton_step(search: Search, center: float) -> None:
    """Set the step of q, Newton's along the free directions toward q z = center."""
    newton, directions = search.scratch, search.directions
    outcomes, count = search.point.shape[0], search.size[0]
    right = newton.right[:count]
    for v in range(count):
        total = 0.0
        for m in range(outcomes):
            if search.active[m] == 1:
                total -= directions[v, m] * (newton.gradient[m] - center / search.point[m])
        right[v] = total
    cholesky(newton.hessian, newton.hessian, count, 1e-14, 0.0)
    solve(newton.hessian, right, right)
    for m in range(outcomes):
        total = 0.0
        for v in range(count):
            total += directions[v, m] * right[v]
        newton.step[m] = total


@kernel
def move(search: Search, center: float) -> float:
    """Take the step in q and z, staying inside; return the next value to bring q z to."""
    point, dual, step, dual_step = search.point, search.dual, search.scratch.step, search.scratch.right
    outcomes = point.shape[0]
    length, dual_length = 1.0, 1.0
    for m in range(outcomes):
        if search.active[m] == 1:
            dual_step[m] = (center - dual[m] * step[m]) / point[m] - dual[m]
            if step[m] < 0.0:
                length = min(length, -_REACH * point[m] / step[m])
            if dual_step[m] < 0.0:
                dual_length = min(dual_length, -_REACH * dual[m] / dual_step[m])
    total = 0.0
    for m in range(outcomes):
        if search.active[m] == 1:
            point[m] += length * step[m]
            dual[m] += dual_length * dual_step[m]
            total += point[m] * dual[m]
    return total / search.size[1] * (0.1 if min(length, dual_length) > 0.5 else 0.5)


@kernel
def exchange_points(search: Search) -> None:
    """Exchange the point and the trial point."""
    for m in range(search.point.shape[0]):
        other = search.trial[m]
        search.trial[m] = search.point[m]
        search.point[m] = other


@kernel
def center_dual(search: Search, center: float) -> None:
    """Set z so that q z is the same everywhere."""
    for m in range(search.point.shape[0]):
        if search.active[m] == 1:
            search.dual[m] = center / search.point[m]


@kernel
def minimize_divergence(
    signals: Signals, j: int, search: Search, tolerance: float, depth: float
) -> tuple[float, float]:
    """Lower F over the border from the point; return a lower bound, and F at the point it came to.

    It stops when the lower bound reaches 1, when the duality gap is within `tolerance`, or within `depth` times what
    the value is below 1. Unless `trial` is all zero, it is first tried whether that point and the multipliers, wherever
    they come from, prove a lower bound of 1; then no search is made.
    """
    low, value, center = 0.0, math.inf, 0.0
    total = 0.0
    for m in range(search.trial.shape[0]):
        total += search.trial[m]
    trying = total > 0.0 and search.size[0] > 0
    if trying:
        exchange_points(search)
    for _ in range(_MOST_STEPS):
        value = objective(signals, search)
        if not trying:
            if search.size[0] == 0 or value == math.inf:
                return value, value
            if center == 0.0:
                center = 0.5 * value / search.size[1] + 1e-15
                center_dual(search, center)
        if value < math.inf:
            set_gradient(signals, search)
            if not trying:
                set_multipliers(search)
            low = max(low, lower_bound(signals, j, search, value))
        if low >= 1.0:
            return low, max(low, value)
        if trying:
            trying = False
            exchange_points(search)
        elif value - low <= max(tolerance, depth * (1.0 - value)):
            break
        else:
            set_hessian(signals, search)
            newton_step(search, center)
            center = move(search, center)
    return low, value
