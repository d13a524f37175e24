"""Outcome probabilities that are a softmax of scores linear in the context."""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.environments.base import draw
from sidelight.environments.contextual import Boxed, charges_gaps, draw_box, draw_outcome, set_gaps
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats


@charges_gaps
class World(NamedTuple):
    """p(x) = softmax(theta x)."""

    theta: Floats  # (outcomes, d)
    low: Floats
    high: Floats
    loss: Floats
    law: Floats
    gaps: Floats


@implements(draw, World)
def _draw(world: World, context: Floats, rng: np.random.Generator) -> int:
    draw_box(world.low, world.high, context, rng)
    highest = -math.inf
    for j in range(world.theta.shape[0]):
        score = 0.0
        for k in range(context.shape[0]):
            score += world.theta[j, k] * context[k]
        world.law[j] = score
        highest = max(highest, score)
    total = 0.0
    for j in range(world.theta.shape[0]):
        world.law[j] = math.exp(world.law[j] - highest)
        total += world.law[j]
    for j in range(world.theta.shape[0]):
        world.law[j] /= total
    set_gaps(world.loss, world.law, world.gaps)
    return draw_outcome(world.law, rng)


class LogisticContexts(Boxed):
    """p(x) = softmax(theta x), contexts uniform on a box.

    Parameters
    ----------
    theta
        One row per outcome: (M, d).
    low, high
        The box: numbers, or one per coordinate.
    """

    name: ClassVar[str] = "LogisticContexts"

    def __init__(self, theta: Any, low: Any = -1.0, high: Any = 1.0) -> None:
        super().__init__(theta, low, high)

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless there is a row for each outcome."""
        if game.n_outcomes != len(self.theta):
            raise SidelightError(f"theta has {len(self.theta)} rows, but the game has {game.n_outcomes} outcomes")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> World:
        """Return the world of one run."""
        loss = loss_matrix(game)
        return World(self.theta, self.low, self.high, loss, np.zeros(game.n_outcomes), np.zeros(game.n_actions))
