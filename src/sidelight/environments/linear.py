"""Outcome probabilities that are linear in the context."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.environments.base import charges_gaps, checked_numbers, draw
from sidelight.environments.contextual import (
    Box,
    BoxedContexts,
    draw_outcome_in_context,
    draw_world_context,
    set_gaps_of_context,
)
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import dot


@charges_gaps
class LinearWorld(NamedTuple):
    """p(x) = theta x, the last outcome taking the rest; `law` and `gaps` are those of the current round."""

    theta: Floats  # (outcomes - 1, d)
    box: Box
    loss: Floats
    law: Floats
    gaps: Floats


@implements(draw, LinearWorld)
def _draw(world: LinearWorld, context: Floats, rng: np.random.Generator) -> int:
    draw_world_context(world.box, context, rng)
    rest = 1.0
    for j in range(world.theta.shape[0]):
        world.law[j] = max(0.0, dot(world.theta[j], context))  # rounding may leave a zero slightly negative
        rest -= world.law[j]
    world.law[world.theta.shape[0]] = max(0.0, rest)
    set_gaps_of_context(world.loss, world.law, world.gaps)
    return draw_outcome_in_context(world.law, rng)


class LinearContexts(BoxedContexts):
    """p(x) = theta x, contexts uniform on a box.

    Parameters
    ----------
    theta
        One row per outcome but the last, which takes the rest: (M - 1, d). Checked to give probabilities on the whole
        box. (The ICML 2024 paper describes d = 10, every entry 0.1 and the unit box.)
    low, high
        The box: numbers, or one per coordinate (a coordinate with low = high = 1 is an intercept).
    """

    _world: ClassVar[type] = LinearWorld

    def __init__(self, theta: Any, low: Any = 0.0, high: Any = 1.0) -> None:
        super().__init__(np.atleast_2d(checked_numbers("theta", theta)), low, high)
        rows = [*self.theta, self.theta.sum(axis=0)]
        for row, what in zip(
            rows, [*(f"outcome {j}" for j in range(len(self.theta))), "all but the last"], strict=True
        ):
            least = np.minimum(row * self.low, row * self.high).sum()
            most = np.maximum(row * self.low, row * self.high).sum()
            if least < -1e-12 or most > 1 + 1e-12:
                raise SidelightError(f"theta gives {what} a probability between {least:.4g} and {most:.4g} on the box")

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless theta has a row for each outcome but the last."""
        if game.n_outcomes != len(self.theta) + 1:
            rows = game.n_outcomes - 1
            raise SidelightError(f"theta has {len(self.theta)} rows, but a game of {rows + 1} outcomes needs {rows}")
