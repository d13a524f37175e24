"""Outcome probabilities that are a softmax of scores linear in the context."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.environments.base import charges_gaps, draw
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
from sidelight.kernels.linear_algebra import multiply, normalize


@charges_gaps
class LogisticWorld(NamedTuple):
    """p(x) = softmax(theta x)."""

    theta: Floats  # (outcomes, d)
    box: Box
    loss: Floats
    law: Floats
    gaps: Floats


@implements(draw, LogisticWorld)
def _draw(world: LogisticWorld, context: Floats, rng: np.random.Generator) -> int:
    draw_world_context(world.box, context, rng)
    multiply(world.theta, context, world.law)
    highest = -math.inf
    for j in range(world.law.shape[0]):
        highest = max(highest, world.law[j])
    for j in range(world.law.shape[0]):
        world.law[j] = math.exp(world.law[j] - highest)
    normalize(world.law)
    set_gaps_of_context(world.loss, world.law, world.gaps)
    return draw_outcome_in_context(world.law, rng)


class LogisticContexts(BoxedContexts):
    """p(x) = softmax(theta x), contexts uniform on a box.

    Parameters
    ----------
    theta
        One row per outcome: (M, d).
    low, high
        The box: numbers, or one per coordinate.
    """

    _world: ClassVar[type] = LogisticWorld

    def __init__(self, theta: Any, low: Any = -1.0, high: Any = 1.0) -> None:
        super().__init__(theta, low, high)

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless theta has a row for each outcome."""
        if game.n_outcomes != len(self.theta):
            raise SidelightError(f"theta has {len(self.theta)} rows, but the game has {game.n_outcomes} outcomes")
