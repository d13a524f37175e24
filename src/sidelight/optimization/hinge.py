"""The search for alternatives and the allocation, when symbol laws are known only up to a radius.

With hat pi_a the frequencies of what action a showed and radii f_a, PM-DMED-Hinge asks for the least of

    G(q) = sum_a r_a (KL(hat pi_a | S_a q) - f_a)_+    over the laws q with  KL(hat pi_j | S_j q) <= f_j

behind each border of the cell of j (a not j). It is found by a barrier method: with s >= 0 and s >= KL - f in place of
the positive part, the logarithms of both slacks, of the ball's and of q weighed by mu, and s eliminated in closed form,
the function is smooth and Newton's method applies. The derivatives theta_a in [0, r_a] of the smoothed positive parts,
and the multiplier theta_j of the ball, prove a lower end whatever mu: for every such q

    G(q) >= sum_a theta_a (KL(hat pi_a | S_a q) - f_a) + theta_j (KL(hat pi_j | S_j q) - f_j),

and the least of the right side over the border is bounded as in `sidelight.optimization.divergence`.

The border is not confined by an equation S_j q = S_j p here. An action that shows nothing, added behind the last one,
stands for that.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.optimization.allocation import (
    FOUND,
    IMPOSSIBLE,
    SUFFICIENT,
    Geometry,
    approach,
    master_room,
    place_for_column,
    reoptimize,
    restart,
)
from sidelight.optimization.divergence import (
    aim,
    bend,
    center_slack,
    descend,
    divergence,
    linearize,
    price,
    proven,
    span,
    stiffen,
)
from sidelight.optimization.likelihood import Room, informative, project

_MOST_STEPS = 200
_MOST_CUTS = 60
_CERTAIN = 1e9
_CLOSE = 1e-6
_EQUAL = 1e-9
_LEAST_MU = 1e-13


def with_silence(game: Geometry) -> Geometry:
    """Add an action that shows nothing behind the last one."""
    signals = game.signals
    last = signals.first[-1]
    shown = np.vstack([signals.shown, np.full(signals.shown.shape[1], last)])
    return game._replace(signals=Signals(shown, np.append(signals.first, last + 1)))


def hinged_room(actions: int, outcomes: int, symbols: int, borders: int) -> dict[str, Any]:
    """Return the arrays of the search with radii, by name, for a game with its silent action.

    asked: r; radius: f; excess: KL - f; curve: second derivatives of the smoothed positive parts; ball: the action
    whose radius confines the laws, -1 for none. `weight` holds theta.
    """
    arrays = master_room(actions, outcomes, symbols, borders)
    arrays |= {name: np.zeros(actions) for name in ("asked", "radius", "excess", "curve")}
    return arrays | {"ball": np.zeros(1, np.int64)}


@kernel
def above(x: float, mu: float) -> float:
    """Return 2 mu + x + sqrt(x^2 + 4 mu^2), without cancellation."""
    spread = math.sqrt(x * x + 4.0 * mu * mu)
    return 2.0 * mu + (x + spread if x > 0.0 else 4.0 * mu * mu / (spread - x))


@kernel
def potential(signals: Signals, work: Room, mu: float) -> float:
    """Return the smoothed G with its barriers at the point (infinite outside), after setting image and excess.

    For r (KL - f)_+ the least of r s - mu log s - mu log(s - KL + f) has s = above(r (KL - f)) / 2r.
    """
    project(signals, work.point, work.image)
    total = 0.0
    for m in range(work.point.shape[0]):
        if work.active[m] == 1:
            if work.point[m] <= 0.0:
                return math.inf
            total -= mu * math.log(work.point[m])
    for a in range(work.asked.shape[0]):
        if a == work.ball[0] or work.asked[a] > 0.0:
            work.excess[a] = divergence(signals, work.base, work.image, a) - work.radius[a]
            if a == work.ball[0]:
                if work.excess[a] >= 0.0:
                    return math.inf
                total -= mu * math.log(-work.excess[a])
            else:
                r = work.asked[a]
                s, rest = above(r * work.excess[a], mu) / (2.0 * r), above(-r * work.excess[a], mu) / (2.0 * r)
                total += r * s - mu * math.log(s) - mu * math.log(rest)
    return total


@kernel
def tilt(work: Room, mu: float) -> None:
    """Set the weights theta, derivatives of the smoothed G, its second derivatives and the multipliers of q >= 0."""
    for a in range(work.asked.shape[0]):
        work.weight[a] = 0.0
        work.curve[a] = 0.0
        if a == work.ball[0]:
            work.weight[a] = -mu / work.excess[a]
            work.curve[a] = work.weight[a] * work.weight[a] / mu
        elif work.asked[a] > 0.0:
            r = work.asked[a]
            s, rest = above(r * work.excess[a], mu) / (2.0 * r), above(-r * work.excess[a], mu) / (2.0 * r)
            work.weight[a] = min(mu / rest, r)
            work.curve[a] = mu / (s * s + rest * rest)
    center_slack(work, mu)


@kernel
def forecast(signals: Signals, work: Room) -> None:
    """Set weights and multipliers to what the quadratic model says they are at the end of the step."""
    for a in range(work.asked.shape[0]):
        if work.curve[a] > 0.0:
            change = 0.0
            for m in range(work.point.shape[0]):
                u = signals.shown[a, m]
                if work.active[m] == 1:
                    change -= work.base[u] / work.image[u] * work.step[m]
            weight = max(work.weight[a] + work.curve[a] * change, 0.0)
            work.weight[a] = weight if a == work.ball[0] else min(weight, work.asked[a])
    for m in range(work.point.shape[0]):
        if work.active[m] == 1:
            work.slack[m] = max(work.slack[m] * (1.0 - work.step[m] / work.point[m]), 0.0)


@kernel
def tally(work: Room) -> tuple[float, float, float]:
    """Return G, sum theta KL and sum theta f."""
    total, tilted, off = 0.0, 0.0, 0.0
    for a in range(work.asked.shape[0]):
        if a != work.ball[0] and work.asked[a] > 0.0:
            total += work.asked[a] * max(work.excess[a], 0.0)
        if work.weight[a] > 0.0:
            tilted += work.weight[a] * (work.excess[a] + work.radius[a])
            off += work.weight[a] * work.radius[a]
    return total, tilted, off


@kernel
def bend_hinged(signals: Signals, work: Room) -> None:
    """Add the curvature of the smoothed positive parts and of the ball's barrier to the second derivatives."""
    for a in range(work.asked.shape[0]):
        if work.curve[a] > 0.0:
            for v in range(work.size[0]):
                total = 0.0
                for m in range(work.point.shape[0]):
                    u = signals.shown[a, m]
                    total += work.base[u] / work.image[u] * work.directions[v, m]
                work.step[v] = total
            stiffen(work, work.curve[a])


@kernel
def moved(work: Room, length: float) -> None:
    """Move the point along the step."""
    for m in range(work.point.shape[0]):
        if work.active[m] == 1:
            work.point[m] += length * work.step[m]


@kernel
def promise(work: Room, mu: float) -> tuple[float, float]:
    """Return what the step would gain at its start's slope, and how far it may go."""
    gain, length = 0.0, 1.0
    for m in range(work.point.shape[0]):
        if work.active[m] == 1:
            gain -= (work.gradient[m] - mu / work.point[m]) * work.step[m]
            if work.step[m] < 0.0:
                length = min(length, -0.99 * work.point[m] / work.step[m])
    return gain, length


@kernel
def descend_hinged(signals: Signals, own: int, work: Room, tolerance: float, depth: float) -> tuple[float, float]:
    """Lower G over the border from the point, inside the ball; return as `descend` does. `own` is the silent action.

    For each mu the last step ends where weights and multipliers, as forecast for it, give a proof.
    """
    mu, low, value = 1.0, 0.0, math.inf
    length, before, gain, last = 0.0, math.inf, 0.0, False
    for _ in range(_MOST_STEPS):
        now = potential(signals, work, mu)
        if length > 0.0 and now > (math.inf if last and now < math.inf else before - 1e-4 * length * gain):
            length *= 0.5  # it was too far
            moved(work, -length)
            if length < 1e-13:
                break
            continue
        if not last:
            tilt(work, mu)
        value, tilted, off = tally(work)
        if work.size[0] == 0:
            return value, value
        linearize(signals, work)
        price(work)
        low = max(low, proven(signals, own, work, tilted) - off)
        if low >= 1.0:
            return low, max(low, value)
        if value - low <= max(tolerance, depth * (1.0 - value)) or mu < _LEAST_MU:
            break
        if last:
            mu *= 0.2
            length, last = 0.0, False
        else:
            bend(signals, work)
            bend_hinged(signals, work)
            aim(work, mu)
            gain, length = promise(work, mu)
            before, last = now, gain <= 0.3 * mu
            if last:
                forecast(signals, work)
            moved(work, length)
    return low, value


@kernel
def inside_ball(game: Geometry, own: int, work: Room) -> bool:
    """Bring the point, which is on the border, into the ball; False if the border misses it."""
    j = work.ball[0]
    if j < 0:
        return True
    for a in range(work.weight.shape[0]):
        work.weight[a] = 1.0 / work.radius[a] if a == j else 0.0
    low, value = descend(game.signals, own, work, 1e-9, 0.5)
    return low < 1.0 and value < 1.0


@kernel
def add_hinged_column(signals: Signals, j: int, work: Room) -> int:
    """Add the point (whose excess is set) to the alternatives; return its place, -1 if there is no room."""
    place = place_for_column(work)
    if place >= 0:
        for a in range(work.cost.shape[0]):
            work.pool[place, a] = 0.0
            if a != j and informative(signals, a):
                over = divergence(signals, work.base, work.image, a) - work.radius[a]
                work.pool[place, a] = min(max(over, 0.0), _CERTAIN)
    return place


@kernel
def allocate_hinged(game: Geometry, j: int, work: Room, tolerance: float) -> int:
    """Say whether `asked` rules every alternative out; if not, set `share` to what would; as `allocate`."""
    actions = work.cost.shape[0]
    own = actions - 1
    answer = SUFFICIENT
    for turn in range(_MOST_CUTS):
        work.lowest[0] = math.inf
        enough = 1.0 - (_EQUAL if turn == 0 else 0.5 * tolerance)
        added = 0
        for e in range(game.start[j], game.start[j + 1]):
            work.ball[0] = j if informative(game.signals, j) else -1
            if not approach(game, own, work, e) or not inside_ball(game, own, work):
                continue
            low, value = descend_hinged(game.signals, own, work, _CLOSE if turn == 0 else 0.3 * tolerance, 0.1)
            work.lowest[0] = min(work.lowest[0], low)
            if value < enough:
                if answer == SUFFICIENT:
                    answer = FOUND
                    restart(work, j)
                added += 1 if add_hinged_column(game.signals, j, work) >= 0 else 0
        if added == 0:
            break
        if not reoptimize(work):
            return IMPOSSIBLE
        for a in range(actions):
            work.asked[a] = work.share[a]
    if answer == FOUND:
        if work.lowest[0] <= 0.0:
            return IMPOSSIBLE
        for a in range(actions):
            work.share[a] /= min(work.lowest[0], 1.0)
    return answer


def reconcile(signals: Signals, work: Any) -> bool:
    """Look for a law within all radii, starting from `law`; set `law` and `image` to it, or say that there is none.

    It minimises sum_a asked_a (KL(hat pi_a | S_a p) - f_a)_+ over all laws, which is 0 exactly if there is one.
    """
    work.ball[0] = -1
    work.rows[:] = 0.0
    work.multipliers[:] = 0.0
    work.active[:] = 1
    work.point[:] = 0.99 * work.law + 0.01 / len(work.law)
    own = len(work.asked) - 1
    project(signals, work.point, work.image)
    work.base[signals.first[own]] = 1.0
    span(signals, own, work)
    _, value = descend_hinged(signals, own, work, 1e-9, 0.0)
    if value > 1e-9:
        return False
    work.law[:] = work.point
    project(signals, work.law, work.image)
    return True
