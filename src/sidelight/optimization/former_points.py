"""Whether the point of an earlier search still proves that nothing behind a border demands more.

The lower bound of `sidelight.optimization.divergence` holds for any point q. With a single equation e q = 0 besides
S_j q = S_j p it is a concave, piecewise linear function of its multiplier,

    B(eta) = F(q) - c q + sum_u (S_j p)_u min_{m shows u} (c - eta e)_m,    c = grad F(q),

and two lines that touch it, one rising and one falling, cross above its maximum. So the multiplier at which they cross
gives either the proof, or a closer line, or shows that this point proves nothing.
"""

from __future__ import annotations

import math

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.optimization.divergence import objective, set_gradient
from sidelight.optimization.search import Search

_MOST_LINES = 4
# A multiplier that outweighs all gradients.
_LARGE = 1e12


@kernel
def proves(signals: Signals, j: int, search: Search, target: float) -> bool:
    """Say whether the point proves that F is at least `target` on the whole border."""
    value = objective(signals, search)
    if value == math.inf:
        return False
    set_gradient(signals, search)
    for m in range(search.point.shape[0]):
        value -= search.scratch.gradient[m] * search.point[m]
    rising, rise = touching_line(signals, j, search, -_LARGE)
    falling, fall = touching_line(signals, j, search, _LARGE)
    for _ in range(_MOST_LINES):
        if rise <= fall:
            return False
        eta = (falling - rising) / (rise - fall)
        if value + rising + rise * eta < target:
            return False
        height, slope = touching_line(signals, j, search, eta)
        if value + height + slope * eta >= target:
            return True
        if slope > 0.0:
            rising, rise = height, slope
        else:
            falling, fall = height, slope
    return False


@kernel
def touching_line(signals: Signals, j: int, search: Search, eta: float) -> tuple[float, float]:
    """Return height at zero and slope of a line that touches the sum over u in B(eta), and lies nowhere below it."""
    gradient, row = search.scratch.gradient, search.equations.rows[0]
    height, slope = 0.0, 0.0
    for u in range(signals.first[j], signals.first[j + 1]):
        least, best = math.inf, -1
        for m in range(row.shape[0]):
            if search.active[m] == 1 and signals.shown[j, m] == u and gradient[m] - eta * row[m] < least:
                least, best = gradient[m] - eta * row[m], m
        if best >= 0:
            height += search.base[u] * gradient[best]
            slope -= search.base[u] * row[best]
    return height, slope
