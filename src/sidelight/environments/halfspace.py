"""The protocol behind the published contextual table: a halfspace without noise."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.environments.base import Environment, charges_gaps, checked_whole, draw
from sidelight.environments.contextual import set_gaps_of_context
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats


@charges_gaps
class HalfspaceWorld(NamedTuple):
    """Outcome 0 if w x < 1/2, else 1, for a raw context x of which the strategy sees (x - mean) / std."""

    direction: Floats
    mean: Floats
    std: Floats
    loss: Floats
    law: Floats
    gaps: Floats


@implements(draw, HalfspaceWorld)
def _draw(world: HalfspaceWorld, context: Floats, rng: np.random.Generator) -> int:
    side = 0.0
    for k in range(context.shape[0]):
        x = rng.random()
        side += world.direction[k] * x
        context[k] = (x - world.mean[k]) / world.std[k]
    outcome = 0 if side < 0.5 else 1
    world.law[outcome] = 1.0
    world.law[1 - outcome] = 0.0
    set_gaps_of_context(world.loss, world.law, world.gaps)
    return outcome


class HalfspaceContexts(Environment):
    """The protocol behind the published contextual table: a halfspace without noise.

    A direction w (uniform weights, normalized to sum one) is drawn once from `seed`. In each round a raw context x is
    uniform on the unit cube and the outcome is 0 if w x < 1/2, else 1; the strategy sees x standardized by the mean and
    standard deviation of 10 000 such vectors, drawn per run. For games of two outcomes.

    The paper's text describes p(x) = theta x instead (`LinearContexts`).
    """

    _SAMPLE = 10_000

    def __init__(self, dimension: int = 10, seed: int = 1) -> None:
        self.dimension, self.seed = checked_whole("dimension", dimension), seed
        weights = np.random.default_rng(seed).uniform(0.0, 0.1, dimension)
        self.direction = weights / weights.sum()

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless the game has two outcomes."""
        if game.n_outcomes != 2:
            raise SidelightError(f"HalfspaceContexts has two outcomes, the game {game.n_outcomes}")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> HalfspaceWorld:
        """Return the world of one run."""
        sample = rng.random((self._SAMPLE, self.dimension))
        mean, std = sample.mean(axis=0), sample.std(axis=0)
        return HalfspaceWorld(self.direction, mean, std, loss_matrix(game), np.zeros(2), np.zeros(game.n_actions))
