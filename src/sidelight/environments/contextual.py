"""What worlds share in which the outcome law depends on a context that the strategy sees before it acts.

All of them draw a context, then an outcome from p(x), and charge exactly L_a p(x) - min_b L_b p(x), not the loss that
happened: regret is exact, given the contexts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.environments.base import Environment, baseline, cost
from sidelight.errors import SidelightError
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats


@kernel
def draw_box(low: Floats, high: Floats, x: Floats, rng: np.random.Generator) -> None:
    """Draw x uniformly from a box."""
    for k in range(x.shape[0]):
        x[k] = low[k] + (high[k] - low[k]) * rng.random()


@kernel
def set_gaps(loss: Floats, law: Floats, gaps: Floats) -> None:
    """Set the gap of each action under the law of this round."""
    least = math.inf
    for a in range(loss.shape[0]):
        expected = 0.0
        for j in range(loss.shape[1]):
            expected += loss[a, j] * law[j]
        gaps[a] = expected
        least = min(least, expected)
    for a in range(loss.shape[0]):
        gaps[a] -= least


@kernel
def draw_outcome(law: Floats, rng: np.random.Generator) -> int:
    """Draw an outcome from a law whose entries sum to one, up to rounding."""
    u = rng.random()
    below = 0.0
    outcome = 0
    for j in range(law.shape[0]):
        if law[j] > 0.0:
            outcome = j
            below += law[j]
            if u < below:
                break
    return outcome


def charges_gaps(cls: type) -> type:
    """Say that a world keeps the gaps of the current round in `gaps`: they are the cost, and nothing is subtracted."""
    implements(cost, cls)(_gap)
    implements(baseline, cls)(_nothing)
    return cls


def _gap(world: Any, action: int, outcome: int) -> float:
    return world.gaps[action]


def _nothing(world: Any) -> float:
    return 0.0


class Boxed(Environment):
    """Contexts uniform on a box; `theta` has a row per outcome."""

    def __init__(self, theta: Any, low: Any = 0.0, high: Any = 1.0) -> None:
        self.theta = np.array(theta, dtype=float)
        if self.theta.ndim != 2 or 0 in self.theta.shape or not np.isfinite(self.theta).all():
            raise SidelightError(f"theta has shape {self.theta.shape}: give a finite matrix, (outcomes, dimension)")
        self.dimension = self.theta.shape[1]
        try:
            self.low, self.high = (np.broadcast_to(np.array(v, float), self.dimension).copy() for v in (low, high))
        except ValueError:
            raise SidelightError(f"low and high must be numbers or have {self.dimension} entries") from None
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all() and (self.low <= self.high).all()):
            raise SidelightError("the box of contexts is empty or not finite: give low <= high")

    def describe(self) -> dict[str, Any]:
        """Return the coefficients and the box."""
        box = {"low": self.low.tolist(), "high": self.high.tolist()}
        return {"name": self.name, "theta": self.theta.tolist(), **box}
