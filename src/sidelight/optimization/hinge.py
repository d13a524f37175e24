"""The search for alternatives and the allocation, when symbol laws are known only up to a radius.

With hat pi_a the frequencies of what action a showed and radii f_a, PM-DMED-Hinge asks for the least of

    G(q) = sum_a r_a (KL(hat pi_a | S_a q) - f_a)_+    over the laws q with  KL(hat pi_j | S_j q) <= f_j

behind each border of the cell of j (a not j). It is found by a barrier method: with s >= 0 and s >= KL - f in place of
the positive part, the logarithms of both slacks, of the ball's and of q weighed by mu, and s eliminated in closed form,
the function is smooth and Newton's method applies. The derivatives theta_a in [0, r_a] of the smoothed positive parts,
and the multiplier theta_j of the ball, prove a lower bound whatever mu: for every such q

    G(q) >= sum_a theta_a (KL(hat pi_a | S_a q) - f_a) + theta_j (KL(hat pi_j | S_j q) - f_j),

and the least of the right side over the border is bounded as in `sidelight.optimization.divergence`.

The border is not confined by an equation S_j q = S_j p here. An action that shows nothing, added behind the last one,
stands for that.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import copy
from sidelight.optimization.allocation import Allocation, ask_for, column_entry, search_border, start_border_search
from sidelight.optimization.divergence import (
    add_symbol_curvature,
    center_dual_point,
    divergence,
    divergence_lower_bound,
    divergence_newton_step,
    minimize_divergence,
    set_divergence_gradient,
    set_divergence_hessian,
    set_divergence_multipliers,
)
from sidelight.optimization.geometry import Geometry
from sidelight.optimization.likelihood import is_informative, project
from sidelight.optimization.search import Search, add_curved_symbols_to_search, set_search_directions

_MOST_STEPS = 200
# How near to 1 a proof that the weights suffice must come.
_CLOSE = 1e-6
_LEAST_MU = 1e-13


class Hinge(NamedTuple):
    """An allocation problem with radii. The weights of its search hold theta; its last action is the silent one."""

    allocation: Allocation
    plays: Annotated[Floats, "actions"]  # r
    radius: Annotated[Floats, "actions"]  # f
    excess: Annotated[Floats, "actions"]  # KL - f
    curvature: Annotated[Floats, "actions"]  # second derivatives of the smoothed positive parts
    ball: Annotated[Integers, 1]  # the action whose radius confines the laws, -1 for none


def add_silent_action_to_search(game: Geometry) -> Geometry:
    """Add an action that shows nothing behind the last one."""
    signals = game.signals
    last = signals.first[-1]
    shown = np.vstack([signals.shown, np.full(signals.shown.shape[1], last)])
    return game._replace(signals=Signals(shown, np.append(signals.first, last + 1)))


@implements(search_border, Hinge)
def _search_hinge_border(
    problem: Hinge, game: Geometry, j: int, e: int, tolerance: float, first: bool
) -> tuple[float, float]:
    silent = problem.plays.shape[0] - 1
    problem.ball[0] = j if is_informative(game.signals, j) else -1
    if not start_border_search(problem.allocation, game, silent, e) or not start_search_in_ball(problem, game, silent):
        return math.inf, math.inf
    return minimize_hinge(game.signals, silent, problem, _CLOSE if first else 0.3 * tolerance, 0.1)


@implements(column_entry, Hinge)
def _hinge_column_entry(problem: Hinge, signals: Signals, a: int) -> float:
    search = problem.allocation.search
    return max(divergence(signals, search.base, search.image, a) - problem.radius[a], 0.0)


@implements(ask_for, Hinge)
def _ask_for_hinge_plays(problem: Hinge, share: Floats) -> None:
    copy(share, problem.plays)


@kernel
def start_search_in_ball(problem: Hinge, game: Geometry, silent: int) -> bool:
    """Bring the point, which is on the border, into the ball; False if the border misses it."""
    search, j = problem.allocation.search, problem.ball[0]
    if j < 0:
        return True
    for a in range(search.weight.shape[0]):
        search.weight[a] = 1.0 / problem.radius[a] if a == j else 0.0
    low, value = minimize_divergence(game.signals, silent, search, 1e-9, 0.5)
    return low < 1.0 and value < 1.0


@kernel
def minimize_hinge(
    signals: Signals, silent: int, problem: Hinge, tolerance: float, depth: float
) -> tuple[float, float]:
    """Lower G over the border from the point, inside the ball; return as `minimize_divergence` does.

    For each mu the last step ends where weights and multipliers, as predicted for it, give a proof.
    """
    search = problem.allocation.search
    curved = -1
    mu, low, value = 1.0, 0.0, math.inf
    length, before, decrease, last = 0.0, math.inf, 0.0, False
    for _ in range(_MOST_STEPS):
        now = hinge_barrier_objective(signals, problem, mu)
        if length > 0.0 and now > (math.inf if last and now < math.inf else before - 1e-4 * length * decrease):
            length *= 0.5  # it was too far
            move_hinge_point(search, -length)
            if length < 1e-13:
                break
            continue
        if not last:
            set_hinge_derivatives(problem, mu)
        value, weighted, radii = hinge_objectives(problem)
        if search.size[0] == 0:
            return value, value
        set_divergence_gradient(signals, search)
        set_divergence_multipliers(search)
        low = max(low, divergence_lower_bound(signals, silent, search, weighted) - radii)
        if low >= 1.0:
            return low, max(low, value)
        if value - low <= max(tolerance, depth * (1.0 - value)) or mu < _LEAST_MU:
            break
        if last:
            mu *= 0.2
            length, last = 0.0, False
        else:
            if curved < 0:
                curved = list_curved_hinge_actions(signals, problem)
            set_divergence_hessian(search, curved)
            add_hinge_curvature(signals, problem)
            divergence_newton_step(search, mu)
            decrease, length = predict_hinge_decrease(search, mu)
            before, last = now, decrease <= 0.3 * mu
            if last:
                predict_hinge_derivatives(signals, problem)
            move_hinge_point(search, length)
    return low, value


@kernel
def list_curved_hinge_actions(signals: Signals, problem: Hinge) -> int:
    """List the symbols of the actions that bend G, which is needed from the first Newton step on; return how many."""
    curved = 0
    for a in range(problem.plays.shape[0]):
        if a == problem.ball[0] or problem.plays[a] > 0.0:
            curved = add_curved_symbols_to_search(signals, problem.allocation.search, a, curved)
    return curved


@kernel
def doubled_barrier_slack(x: float, mu: float) -> float:
    """Return 2 mu + x + sqrt(x^2 + 4 mu^2), without cancellation."""
    root = math.sqrt(x * x + 4.0 * mu * mu)
    return 2.0 * mu + (x + root if x > 0.0 else 4.0 * mu * mu / (root - x))


@kernel
def barrier_slacks(r: float, excess: float, mu: float) -> tuple[float, float]:
    """Return s and s - excess for the s of least r s - mu log s - mu log(s - excess)."""
    return doubled_barrier_slack(r * excess, mu) / (2.0 * r), doubled_barrier_slack(-r * excess, mu) / (2.0 * r)


@kernel
def hinge_barrier_objective(signals: Signals, problem: Hinge, mu: float) -> float:
    """Return the smoothed G with its barriers at the point (infinite outside), after setting image and excess."""
    search, excess = problem.allocation.search, problem.excess
    project(signals, search.point, search.image)
    total = 0.0
    for m in range(search.point.shape[0]):
        if search.active[m] == 1:
            if search.point[m] <= 0.0:
                return math.inf
            total -= mu * math.log(search.point[m])
    for a in range(problem.plays.shape[0]):
        if a == problem.ball[0] or problem.plays[a] > 0.0:
            excess[a] = divergence(signals, search.base, search.image, a) - problem.radius[a]
            if a == problem.ball[0]:
                if excess[a] >= 0.0:
                    return math.inf
                total -= mu * math.log(-excess[a])
            else:
                r = problem.plays[a]
                s, rest = barrier_slacks(r, excess[a], mu)
                total += r * s - mu * math.log(s) - mu * math.log(rest)
    return total


@kernel
def set_hinge_derivatives(problem: Hinge, mu: float) -> None:
    """Set the weights theta, derivatives of the smoothed G, its second derivatives and the multipliers of q >= 0."""
    weight, curvature = problem.allocation.search.weight, problem.curvature
    for a in range(problem.plays.shape[0]):
        weight[a] = 0.0
        curvature[a] = 0.0
        if a == problem.ball[0]:
            weight[a] = -mu / problem.excess[a]
            curvature[a] = weight[a] * weight[a] / mu
        elif problem.plays[a] > 0.0:
            s, rest = barrier_slacks(problem.plays[a], problem.excess[a], mu)
            weight[a] = min(mu / rest, problem.plays[a])
            curvature[a] = mu / (s * s + rest * rest)
    center_dual_point(problem.allocation.search, mu)


@kernel
def predict_hinge_derivatives(signals: Signals, problem: Hinge) -> None:
    """Set weights and multipliers to what the quadratic model says they are at the end of the step."""
    search = problem.allocation.search
    step = search.scratch.step
    for a in range(problem.plays.shape[0]):
        if problem.curvature[a] > 0.0:
            change = 0.0
            for m in range(search.point.shape[0]):
                u = signals.shown[a, m]
                if search.active[m] == 1:
                    change -= search.base[u] / search.image[u] * step[m]
            weight = max(search.weight[a] + problem.curvature[a] * change, 0.0)
            search.weight[a] = weight if a == problem.ball[0] else min(weight, problem.plays[a])
    for m in range(search.point.shape[0]):
        if search.active[m] == 1:
            search.dual[m] = max(search.dual[m] * (1.0 - step[m] / search.point[m]), 0.0)


@kernel
def hinge_objectives(problem: Hinge) -> tuple[float, float, float]:
    """Return G, sum theta KL and sum theta f."""
    weight = problem.allocation.search.weight
    total, weighted, radii = 0.0, 0.0, 0.0
    for a in range(problem.plays.shape[0]):
        if a != problem.ball[0] and problem.plays[a] > 0.0:
            total += problem.plays[a] * max(problem.excess[a], 0.0)
        if weight[a] > 0.0:
            weighted += weight[a] * (problem.excess[a] + problem.radius[a])
            radii += weight[a] * problem.radius[a]
    return total, weighted, radii


@kernel
def add_hinge_curvature(signals: Signals, problem: Hinge) -> None:
    """Add the curvature of the smoothed positive parts and of the ball's barrier to the Hessian."""
    search, scratch = problem.allocation.search, problem.allocation.search.scratch
    for a in range(problem.plays.shape[0]):
        if problem.curvature[a] > 0.0:
            for v in range(search.size[0]):
                total = 0.0
                for k in range(scratch.supports[v]):
                    m = scratch.support[v, k]
                    u = signals.shown[a, m]
                    total += search.base[u] / search.image[u] * search.directions[v, m]
                scratch.step[v] = total
            add_symbol_curvature(scratch.hessian, search.size[0], problem.curvature[a], scratch.step)


@kernel
def move_hinge_point(search: Search, length: float) -> None:
    """Move the point along the step."""
    for m in range(search.point.shape[0]):
        if search.active[m] == 1:
            search.point[m] += length * search.scratch.step[m]


@kernel
def predict_hinge_decrease(search: Search, mu: float) -> tuple[float, float]:
    """Return how much the step lowers the linear model, and how far it may go."""
    newton = search.scratch
    decrease, length = 0.0, 1.0
    for m in range(search.point.shape[0]):
        if search.active[m] == 1:
            decrease -= (newton.gradient[m] - mu / search.point[m]) * newton.step[m]
            if newton.step[m] < 0.0:
                length = min(length, -0.99 * search.point[m] / newton.step[m])
    return decrease, length


def find_consistent_law(signals: Signals, problem: Hinge, law: Floats, image: Floats) -> bool:
    """Look for a law within all radii, starting from `law`; set law and image to it, or say that there is none.

    It minimizes sum_a r_a (KL(hat pi_a | S_a p) - f_a)_+ over all laws, which is 0 exactly if there is one.
    """
    search, silent = problem.allocation.search, len(problem.plays) - 1
    problem.ball[0] = -1
    search.equations.rows[:] = 0.0
    search.equations.multipliers[:] = 0.0
    search.active[:] = 1
    search.point[:] = 0.99 * law + 0.01 / len(law)
    project(signals, search.point, search.image)
    search.base[signals.first[silent]] = 1.0
    set_search_directions(signals, silent, search)
    _, value = minimize_hinge(signals, silent, problem, 1e-9, 0.0)
    if value > 1e-9:
        return False
    law[:] = search.point
    project(signals, law, image)
    return True
