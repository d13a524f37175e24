"""The least that the other actions reveal about a law under which the optimal action is a mistake.

Let action j be optimal for the law p. A law q is an alternative behind the border to k if j cannot tell it from p,
S_j q = S_j p, and j and k cost the same, (L_k - L_j) q = 0. Played r_a times each (j apart), the actions reveal

    F(q) = sum_a r_a KL(S_a p | S_a q),

a convex function; the least of it over the border is what the strategy PM-DMED and the constant C*(p) ask for.

The equations leave the directions v_1, ..., v_d; the interior point method walks along them, a multiplier z_m > 0 for
each q_m > 0 with q_m z_m brought to zero. No answer relies on its convergence: by convexity, for any multipliers eta of
the equations e_i q = b_i besides those of S_j,

    F(q') >= F(q) - c q + sum_u (S_j p)_u min_{m shows u} (c - sum_i eta_i e_i)_m + sum_i eta_i b_i,    c = grad F(q),

for every q' on the border, whatever q. So each call returns a lower bound and the value at a point of the border.
"""

from __future__ import annotations

import math

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import cholesky, dot, fill, solve, sum_of
from sidelight.optimization.likelihood import project, project_law_on_action_symbols
from sidelight.optimization.search import Search, add_curved_symbols_to_search

_MOST_STEPS = 80
# The largest share of the way to q = 0 or z = 0 that a step may take.
_REACH = 0.995


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
def bernoulli_divergence(p: float, q: float) -> float:
    """Return KL((p, 1 - p) | (q, 1 - q)) for q strictly between 0 and 1; q may be 1 if p is."""
    total = 0.0
    if p > 0.0:
        total += p * math.log(p / q)
    if p < 1.0:
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return total


@kernel
def divergence_objective(signals: Signals, search: Search) -> float:
    """Return F at the point, after setting the image of the point for the actions that count."""
    total = 0.0
    for a in range(search.weight.shape[0]):
        if search.weight[a] > 0.0:
            project_law_on_action_symbols(signals, a, search.point, search.image)
            total += search.weight[a] * divergence(signals, search.base, search.image, a)
    return total


@kernel
def set_divergence_gradient(signals: Signals, search: Search) -> None:
    """Set the gradient of F at the point."""
    gradient, rate = search.scratch.gradient, search.scratch.rate
    fill(gradient, 0.0)
    for a in range(search.weight.shape[0]):
        if search.weight[a] > 0.0:
            for u in range(signals.first[a], signals.first[a + 1]):
                rate[u] = 0.0
                if search.base[u] > 0.0 and search.image[u] > 0.0:
                    rate[u] = search.weight[a] * search.base[u] / search.image[u]
            for m in range(gradient.shape[0]):
                if search.active[m] == 1:
                    gradient[m] -= rate[signals.shown[a, m]]


@kernel
def set_divergence_multipliers(search: Search) -> None:
    """Set the multipliers of the equations to those for which c - z - eta e vanishes along the pivots."""
    equations = search.equations
    for i in range(equations.rows.shape[0] - 1, -1, -1):
        v = equations.pivots[i]
        equations.multipliers[i] = 0.0
        if v >= 0:
            direction = search.directions[v]
            total = 0.0
            for k in range(search.scratch.supports[v]):
                m = search.scratch.support[v, k]
                total += (search.scratch.gradient[m] - search.dual[m]) * direction[m]
            for later in range(i + 1, equations.rows.shape[0]):
                total -= equations.multipliers[later] * dot(equations.rows[later], direction)
            equations.multipliers[i] = total / dot(equations.rows[i], direction)


@kernel
def divergence_lower_bound(signals: Signals, j: int, search: Search, value: float) -> float:
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
def set_divergence_hessian(search: Search, symbols: int) -> None:
    """Set the second derivatives of F along the free directions, those of the barrier, z / q, included.

    They are summed symbol by symbol: what does not change along a direction then adds exactly nothing to it, however
    large it is elsewhere. So many symbols were added by `add_curved_symbols_to_search`.
    """
    scratch, directions = search.scratch, search.directions
    barrier, hessian = scratch.step, scratch.hessian
    for m in range(barrier.shape[0]):
        if search.active[m] == 1:
            barrier[m] = search.dual[m] / search.point[m]
    for v in range(search.size[0]):
        for w in range(v, search.size[0]):
            total = 0.0
            for k in range(scratch.supports[v]):
                m = scratch.support[v, k]
                total += barrier[m] * directions[v, m] * directions[w, m]
            hessian[w, v] = total
    for i in range(symbols):
        u, weight = scratch.curved[0, i], search.weight[scratch.curved[1, i]]
        if weight > 0.0:
            worth = weight * search.base[u] / (search.image[u] * search.image[u])
            add_symbol_curvature(hessian, search.size[0], worth, scratch.change[i])


@kernel
def add_symbol_curvature(hessian: Floats, count: int, weight: float, change: Floats) -> None:
    """Add weight s s' to the second derivatives, s being the change along each direction.

    It rounds otherwise than `add_outer`: each entry is (weight s_v) s_w with v <= w.
    """
    for w in range(count):
        if change[w] != 0.0:
            for v in range(w + 1):
                hessian[w, v] += weight * change[v] * change[w]


@kernel
def divergence_newton_step(search: Search, center: float) -> None:
    """Set the step of q, Newton's along the free directions toward q z = center."""
    scratch, directions, step = search.scratch, search.directions, search.scratch.step
    count = search.size[0]
    right = scratch.right[:count]
    for m in range(step.shape[0]):
        if search.active[m] == 1:
            step[m] = scratch.gradient[m] - center / search.point[m]
    for v in range(count):
        total = 0.0
        for k in range(scratch.supports[v]):
            m = scratch.support[v, k]
            total -= directions[v, m] * step[m]
        right[v] = total
    cholesky(scratch.hessian, scratch.hessian, count, 1e-14, 0.0)
    solve(scratch.hessian, right, right)
    fill(step, 0.0)
    for v in range(count):
        for k in range(scratch.supports[v]):
            m = scratch.support[v, k]
            step[m] += directions[v, m] * right[v]


@kernel
def move_interior_point(search: Search, center: float) -> float:
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
def exchange_search_points(search: Search) -> None:
    """Exchange the point and the trial point."""
    for m in range(search.point.shape[0]):
        other = search.trial[m]
        search.trial[m] = search.point[m]
        search.point[m] = other


@kernel
def center_dual_point(search: Search, center: float) -> None:
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
    they come from, prove a lower bound of 1; then no search is made. With a lower bound of 1 the image of the point is
    left open for actions of no weight.
    """
    low, value, center, curved = 0.0, math.inf, 0.0, -1
    trying = sum_of(search.trial) > 0.0 and search.size[0] > 0
    if trying:
        exchange_search_points(search)
    for steps in range(_MOST_STEPS):
        value = divergence_objective(signals, search)
        if not trying:
            if search.size[0] == 0 or value == math.inf:
                low = value
                break
            if center == 0.0:
                center = 0.5 * value / search.size[1] + 1e-15
                center_dual_point(search, center)
        if value < math.inf:
            set_divergence_gradient(signals, search)
            if not trying:
                set_divergence_multipliers(search)
            low = max(low, divergence_lower_bound(signals, j, search, value))
        if low >= 1.0:
            return low, max(low, value)
        if trying:
            trying = False
            exchange_search_points(search)
        elif value - low <= max(tolerance, depth * (1.0 - value)):
            break
        else:
            if curved < 0:
                curved = 0
                for a in range(search.weight.shape[0]):
                    if search.weight[a] > 0.0:
                        curved = add_curved_symbols_to_search(signals, search, a, curved)
            set_divergence_hessian(search, curved)
            divergence_newton_step(search, center)
            if steps == _MOST_STEPS - 1:
                project(signals, search.point, search.image)
                move_interior_point(search, center)
                return low, value
            center = move_interior_point(search, center)
    for a in range(search.weight.shape[0]):
        if search.weight[a] <= 0.0:
            project_law_on_action_symbols(signals, a, search.point, search.image)
    return low, value
