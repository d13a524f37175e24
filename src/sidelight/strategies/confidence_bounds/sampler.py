"""What CBP with and without contexts share: the random Z of confidence widths, and what decided signs leave.

A pair of neighbors with |delta| >= c, c growing with Z, is decided; the signs of all decided pairs confine the outcome
law (see `plausible`). Z is its bound B, or drawn from `bins` points between `lower` and B with
weights exp(-Z^2 / 2 sigma^2) and the mass `tail` on B itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.strategies.confidence_bounds.plausible import (
    EMPTY,
    Differences,
    Plausible,
    Scratch,
    look_up_plausible_actions,
)

# Each round goes through all bins.
MOST_BINS = 100_000


class WidthSampler(NamedTuple):
    """The parameters of the random Z."""

    bins: int  # with 1, Z is always its bound
    lower: float
    sigma: float
    tail: float


@kernel
def prepare_confidence_draw(sampler: WidthSampler, bound: float, steps: Floats) -> tuple[float, float]:
    """Set the cumulative weights of the points low, low + step, ... below the bound; return low and step."""
    last = sampler.bins - 1
    low = min(sampler.lower, bound)
    if last == 0:
        return low, 0.0
    step = (bound - low) / last
    # Relative to the largest weight, so that a small sigma cannot make all of them vanish.
    least = low * low
    if low < 0.0:
        for k in range(last):
            least = min(least, (low + step * k) * (low + step * k))
    total = 0.0
    for k in range(last):
        point = low + step * k
        above = point * point - least
        total += 1.0 if above == 0.0 else math.exp(-0.5 * (above / sampler.sigma) / sampler.sigma)
        steps[k] = total
    share = (1.0 - sampler.tail) / total
    for k in range(last):
        steps[k] *= share
    return low, step


@kernel
def draw_confidence_width(
    sampler: WidthSampler, low: float, step: float, bound: float, steps: Floats, rng: np.random.Generator
) -> float:
    """Draw Z from the points that `prepare_confidence_draw` weighed; the bound has the remaining mass."""
    if sampler.bins > 1:
        u = rng.random()
        for k in range(sampler.bins - 1):
            if u < steps[k]:
                return low + step * k
    return bound


@kernel
def cbp_exploration_rate(alpha: float, t: int) -> float:
    """Return f(t) = alpha^(1/3) t^(2/3) log(t)^(1/3)."""
    return alpha ** (1 / 3) * t ** (2 / 3) * math.log(t) ** (1 / 3)


@kernel
def drop_weakest_cbp_signs(differences: Differences) -> None:
    """Withdraw the least certain of contradictory signs, by |delta| / reach (a Z of 0 must not count as certainty)."""
    worst, least = 0, math.inf
    for e in range(differences.signs.shape[0]):
        if differences.signs[e] != 0:
            certainty = abs(differences.delta[e]) / differences.reach[e]
            if certainty < least:
                worst, least = e, certainty
    differences.signs[worst] = 0


@kernel
def plausible_row_of_cbp(facts: Plausible, differences: Differences, scratch: Scratch) -> int:
    """Look up the sets of the decided signs, withdrawing the least certain one while no law has them all."""
    row = look_up_plausible_actions(facts, differences.signs, scratch)
    while row == EMPTY:
        drop_weakest_cbp_signs(differences)
        row = look_up_plausible_actions(facts, differences.signs, scratch)
    return row
