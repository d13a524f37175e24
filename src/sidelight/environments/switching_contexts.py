"""Contexts whose world changes once: from one environment to another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import Environment, checked_whole, cost, draw, subtracts_nothing
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers


@subtracts_nothing
class SwitchingWorld(NamedTuple):
    """Two worlds; the second one takes over after some rounds."""

    before: Any
    after: Any
    rounds: int
    clock: Integers


@implements(draw, SwitchingWorld)
def _draw(world: SwitchingWorld, context: Floats, rng: np.random.Generator) -> int:
    world.clock[0] += 1
    if world.clock[0] <= world.rounds:
        return draw(world.before, context, rng)
    return draw(world.after, context, rng)


@implements(cost, SwitchingWorld)
def _cost(world: SwitchingWorld, action: int, outcome: int) -> float:
    if world.clock[0] <= world.rounds:
        return cost(world.before, action, outcome)
    return cost(world.after, action, outcome)


class SwitchingContexts(Environment):
    """One environment, and after some rounds another one: how outcomes depend on contexts changes.

    Regret is measured against the best action of each round. For more changes than one, let `after` be another
    SwitchingContexts, whose rounds count from the change.

    Parameters
    ----------
    before, after
        Two environments whose contexts have equally many coordinates, and whose laws are known.
    rounds
        After how many rounds the second one takes over.
    """

    def __init__(self, before: Environment, after: Environment, rounds: int) -> None:
        for environment in (before, after):
            if not isinstance(environment, Environment):
                raise SidelightError(f"{environment!r} is not an environment")
            if environment.regret_kind != "pseudo-regret":
                raise SidelightError(f"{environment!r} knows no law: regret could not be measured in each round")
        if before.dimension != after.dimension:
            raise SidelightError(f"contexts have {before.dimension} coordinates before, but {after.dimension} after")
        self.before, self.after, self.rounds = before, after, checked_whole("rounds", rounds)
        self.dimension = before.dimension

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless both environments serve the game."""
        self.before.check(game, runs, min(horizon, self.rounds))
        self.after.check(game, runs, max(1, horizon - self.rounds))

    def start(self, game: Game, run: int, rng: np.random.Generator) -> SwitchingWorld:
        """Return the world of one run."""
        before, after = (each.start(game, run, rng) for each in (self.before, self.after))
        return SwitchingWorld(before, after, self.rounds, np.zeros(1, np.int64))
