"""What is common to worlds whose outcome law depends on a context that the strategy sees before it acts.

All of them draw a context, then an outcome from p(x), and charge exactly L_a p(x) - min_b L_b p(x), not the loss that
happened: regret is exact, given the contexts.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.environments.base import Environment, checked_numbers
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import multiply


class Box(NamedTuple):
    """The box that contexts are drawn from."""

    low: Floats
    high: Floats


@kernel
def draw_world_context(box: Box, x: Floats, rng: np.random.Generator) -> None:
    """Draw x uniformly from a box."""
    for k in range(x.shape[0]):
        x[k] = box.low[k] + (box.high[k] - box.low[k]) * rng.random()


@kernel
def set_gaps_of_context(loss: Floats, law: Floats, gaps: Floats) -> None:
    """Set the gap of each action under the law of this round."""
    multiply(loss, law, gaps)
    least = math.inf
    for a in range(gaps.shape[0]):
        least = min(least, gaps[a])
    for a in range(gaps.shape[0]):
        gaps[a] -= least


@kernel
def draw_outcome_in_context(law: Floats, rng: np.random.Generator) -> int:
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


class BoxedContexts(Environment):
    """Contexts uniform on a box; `theta` has a row per outcome. Worlds hold theta, box, loss, law and gaps."""

    _world: ClassVar[type]

    def __init__(self, theta: Any, low: Any = 0.0, high: Any = 1.0) -> None:
        self.theta = checked_numbers("theta", theta)
        if self.theta.ndim != 2 or 0 in self.theta.shape or not np.isfinite(self.theta).all():
            raise SidelightError(f"theta has shape {self.theta.shape}: give a finite matrix, (outcomes, dimension)")
        self.dimension = self.theta.shape[1]
        try:
            self.low, self.high = (np.broadcast_to(np.array(v, float), self.dimension).copy() for v in (low, high))
        except ValueError:
            raise SidelightError(f"low and high must be numbers or have {self.dimension} entries") from None
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all() and (self.low <= self.high).all()):
            raise SidelightError("the box of contexts is empty or not finite: give low <= high")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> Any:
        """Return the world of one run."""
        law, gaps = np.zeros(game.n_outcomes), np.zeros(game.n_actions)
        return self._world(self.theta, Box(self.low, self.high), loss_matrix(game), law, gaps)
