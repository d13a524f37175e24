"""The least that the other actions reveal about a law that makes the optimal action a mistake.

Let action j be optimal for the law p. A law q is an alternative behind the border to k if j cannot tell it from p,
S_j q = S_j p, and j and k cost the same, (L_k - L_j) q = 0. Played r_a times each (j apart), the actions reveal

    F(q) = sum_a r_a KL(S_a p | S_a q),

a convex function; the least of it over the border is what the strategy PM-DMED and the constant C*(p) ask for.

The equations leave the directions v_1, ..., v_d; the interior point method walks along them, a multiplier z_m > 0 for
each q_m > 0 with q_m z_m brought to zero. No answer rests on its convergence: by convexity, for any multipliers eta of
the equations e_i q = b_i beside those of S_j,

    F(q') >= F(q) - c q + sum_u (S_j p)_u min_{m shows u} (c - sum_i eta_i e_i)_m + sum_i eta_i b_i,    c = grad F(q),

for every q' on the border, whatever q. So each call returns a proven lower end and the value at a point of the border.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import cholesky, solve
from sidelight.optimization.likelihood import Room, fitting_room, project

_MOST_STEPS = 80
# How far to go towards q = 0 or z = 0 at most.
_REACH = 0.995
# An equation whose part along the directions left is smaller than this follows from the others.
_DEPENDENT = 1e-11


def border_room(actions: int, outcomes: int, symbols: int, equations: int = 1) -> dict[str, Any]:
    """Return the arrays of the search for alternatives, by name, and those of fitting.

    base: the law of every action's symbols under p; weight: r; point: q, positive where active is 1, else 0; slack: z;
    former: a point to try first; rows, levels, multipliers: e, b, eta; directions: v, the free ones first, then those
    that the equations took, whose places are in `free`; size: how many directions are free, how many outcomes active.
    """
    arrays = fitting_room(outcomes, symbols)
    arrays |= {name: np.zeros(outcomes) for name in ("point", "slack", "former")}
    arrays |= {name: np.zeros(equations) for name in ("levels", "multipliers")}
    arrays["directions"] = np.zeros((outcomes, outcomes))
    arrays |= {"base": np.zeros(symbols), "weight": np.zeros(actions), "rows": np.zeros((equations, outcomes))}
    arrays |= {"active": np.zeros(outcomes, np.int64), "size": np.zeros(2, np.int64)}
    return arrays | {"free": np.zeros(max(outcomes, equations), np.int64)}


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
def revealed(signals: Signals, work: Room) -> float:
    """Return F at the point, after setting the image of the point."""
    project(signals, work.point, work.image)
    total = 0.0
    for a in range(work.weight.shape[0]):
        if work.weight[a] > 0.0:
            total += work.weight[a] * divergence(signals, work.base, work.image, a)
    return total


@kernel
def span(signals: Signals, j: int, work: Room) -> None:
    """Set the directions along which S_j q and all e q stay, and the pivots that the equations took."""
    outcomes = work.point.shape[0]
    count, active = 0, 0
    for m in range(outcomes):
        if work.active[m] == 1:
            active += 1
            partner = -1
            for other in range(m):
                if work.active[other] == 1 and signals.shown[j, other] == signals.shown[j, m]:
                    partner = other
                    break
            if partner >= 0:
                for k in range(outcomes):
                    work.directions[count, k] = 0.0
                work.directions[count, m] = 1.0
                work.directions[count, partner] = -1.0
                count += 1
    for i in range(work.rows.shape[0]):
        if eliminate(work, i, count):
            count -= 1
    work.size[0] = count
    work.size[1] = active


@kernel
def along(work: Room, i: int, v: int) -> float:
    """Return e_i v."""
    total = 0.0
    for m in range(work.point.shape[0]):
        total += work.rows[i, m] * work.directions[v, m]
    return total


@kernel
def eliminate(work: Room, i: int, count: int) -> bool:
    """Make all directions but one orthogonal to e_i and move that one behind the others; False if all are already.

    Which of them goes is remembered by its place: pivot of equation i is direction `free[i]`, -1 if there is none.
    """
    outcomes = work.point.shape[0]
    best, largest = -1, _DEPENDENT
    for v in range(count):
        work.right[v] = along(work, i, v)
        if abs(work.right[v]) > largest:
            best, largest = v, abs(work.right[v])
    if best < 0:
        work.free[i] = -1
        return False
    last = count - 1
    pivot = work.right[best]
    work.right[best] = work.right[last]
    for m in range(outcomes):
        kept = work.directions[last, m]
        work.directions[last, m] = work.directions[best, m]
        work.directions[best, m] = kept
    for v in range(last):
        for m in range(outcomes):
            work.directions[v, m] -= work.right[v] / pivot * work.directions[last, m]
    work.free[i] = last
    return True


@kernel
def linearize(signals: Signals, work: Room) -> None:
    """Set the gradient of F at the point."""
    for m in range(work.point.shape[0]):
        total = 0.0
        if work.active[m] == 1:
            for a in range(work.weight.shape[0]):
                if work.weight[a] > 0.0:
                    u = signals.shown[a, m]
                    if work.base[u] > 0.0:
                        total -= work.weight[a] * work.base[u] / work.image[u]
        work.gradient[m] = total


@kernel
def price(work: Room) -> None:
    """Set the multipliers of the equations to those for which c - z - eta e vanishes along the pivots."""
    equations = work.rows.shape[0]
    for back in range(equations):
        i = equations - 1 - back
        v = work.free[i]
        work.multipliers[i] = 0.0
        if v >= 0:
            total = 0.0
            for m in range(work.point.shape[0]):
                if work.active[m] == 1:
                    total += (work.gradient[m] - work.slack[m]) * work.directions[v, m]
            for later in range(i + 1, equations):
                total -= work.multipliers[later] * along(work, later, v)
            work.multipliers[i] = total / along(work, i, v)


@kernel
def proven(signals: Signals, j: int, work: Room, value: float) -> float:
    """Return a lower end for F over the whole border, from value and gradient at the point and the multipliers."""
    total = value
    for i in range(work.rows.shape[0]):
        total += work.multipliers[i] * work.levels[i]
    for m in range(work.point.shape[0]):
        total -= work.gradient[m] * work.point[m]
    for u in range(signals.first[j], signals.first[j + 1]):
        least = math.inf
        for m in range(work.point.shape[0]):
            if work.active[m] == 1 and signals.shown[j, m] == u:
                left = work.gradient[m]
                for i in range(work.rows.shape[0]):
                    left -= work.multipliers[i] * work.rows[i, m]
                least = min(least, left)
        if least < math.inf:
            total += work.base[u] * least
    return total


@kernel
def bend(signals: Signals, work: Room) -> None:
    """Set the second derivatives of F along the free directions, those of the barrier, z / q, included.

    They are summed symbol by symbol: what does not change along a direction then adds exactly nothing to it, however
    large it is elsewhere.
    """
    outcomes, count = work.point.shape[0], work.size[0]
    for v in range(count):
        for w in range(v, count):
            total = 0.0
            for m in range(outcomes):
                if work.active[m] == 1:
                    total += work.slack[m] / work.point[m] * work.directions[v, m] * work.directions[w, m]
            work.matrix[w, v] = total
    for a in range(work.weight.shape[0]):
        if work.weight[a] > 0.0:
            for u in range(signals.first[a], signals.first[a + 1]):
                if work.base[u] > 0.0:
                    for v in range(count):
                        total = 0.0
                        for m in range(outcomes):
                            if signals.shown[a, m] == u:
                                total += work.directions[v, m]
                        work.step[v] = total
                    stiffen(work, work.weight[a] * work.base[u] / (work.image[u] * work.image[u]))


@kernel
def stiffen(work: Room, weight: float) -> None:
    """Add weight s s' to the second derivatives, s being what `step` holds by direction."""
    for v in range(work.size[0]):
        if work.step[v] != 0.0:
            for w in range(v, work.size[0]):
                work.matrix[w, v] += weight * work.step[v] * work.step[w]


@kernel
def aim(work: Room, center: float) -> None:
    """Set the step of q, Newton's along the free directions towards q z = center."""
    outcomes, count = work.point.shape[0], work.size[0]
    for v in range(count):
        total = 0.0
        for m in range(outcomes):
            if work.active[m] == 1:
                total -= work.directions[v, m] * (work.gradient[m] - center / work.point[m])
        work.right[v] = total
    cholesky(work.matrix, work.matrix, count, 1e-14, 0.0)
    right = work.right[:count]
    solve(work.matrix, right, right)
    for m in range(outcomes):
        total = 0.0
        for v in range(count):
            total += work.directions[v, m] * work.right[v]
        work.step[m] = total


@kernel
def walk(work: Room, center: float) -> float:
    """Take the step in q and z, staying inside; return the next value to bring q z to."""
    outcomes = work.point.shape[0]
    length, dual = 1.0, 1.0
    for m in range(outcomes):
        if work.active[m] == 1:
            work.gradient[m] = (center - work.slack[m] * work.step[m]) / work.point[m] - work.slack[m]
            if work.step[m] < 0.0:
                length = min(length, -_REACH * work.point[m] / work.step[m])
            if work.gradient[m] < 0.0:
                dual = min(dual, -_REACH * work.slack[m] / work.gradient[m])
    for m in range(outcomes):
        if work.active[m] == 1:
            work.point[m] += length * work.step[m]
            work.slack[m] += dual * work.gradient[m]
    total = 0.0
    for m in range(outcomes):
        if work.active[m] == 1:
            total += work.point[m] * work.slack[m]
    return total / work.size[1] * (0.1 if min(length, dual) > 0.5 else 0.5)


@kernel
def exchange_points(work: Room) -> None:
    """Exchange the point and the former one."""
    for m in range(work.point.shape[0]):
        other = work.former[m]
        work.former[m] = work.point[m]
        work.point[m] = other


@kernel
def center_slack(work: Room, center: float) -> None:
    """Set z so that q z is the same everywhere."""
    for m in range(work.point.shape[0]):
        if work.active[m] == 1:
            work.slack[m] = center / work.point[m]


@kernel
def descend(signals: Signals, j: int, work: Room, tolerance: float, depth: float) -> tuple[float, float]:
    """Lower F over the border from the point; return a proven lower end, and F at the point it came to.

    It stops when the lower end reaches 1, when both ends are within `tolerance`, or when they are within `depth` times
    what the value is below 1. Unless `former` is all zero, it is first tried whether that point and the multipliers,
    wherever they come from, prove a lower end of 1; then no search is made.
    """
    low, value, center = 0.0, math.inf, 0.0
    total = 0.0
    for m in range(work.former.shape[0]):
        total += work.former[m]
    trial = total > 0.0 and work.size[0] > 0
    if trial:
        exchange_points(work)
    for _ in range(_MOST_STEPS):
        value = revealed(signals, work)
        if not trial:
            if work.size[0] == 0 or value == math.inf:
                return value, value
            if center == 0.0:
                center = 0.5 * value / work.size[1] + 1e-15
                center_slack(work, center)
        if value < math.inf:
            linearize(signals, work)
            if not trial:
                price(work)
            low = max(low, proven(signals, j, work, value))
        if low >= 1.0:
            return low, max(low, value)
        if trial:
            trial = False
            exchange_points(work)
        elif value - low <= max(tolerance, depth * (1.0 - value)):
            break
        else:
            bend(signals, work)
            aim(work, center)
            center = walk(work, center)
    return low, value
