"""Contexts whose law depends on a region that no line bounds."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.environments.base import Environment, charges_gaps, checked_law, draw
from sidelight.environments.contextual import draw_outcome, set_gaps
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats

REGIONS = ("ball", "checkers")


@charges_gaps
class RegionWorld(NamedTuple):
    """The laws inside and outside of the region; `limit` is the squared radius of a ball, negative for checkers."""

    laws: Floats
    limit: float
    loss: Floats
    gaps: Floats


@implements(draw, RegionWorld)
def _draw(world: RegionWorld, context: Floats, rng: np.random.Generator) -> int:
    square = 0.0
    for k in range(context.shape[0]):
        context[k] = rng.normal()
        square += context[k] * context[k]
    inside = square < world.limit if world.limit >= 0.0 else context[0] * context[1] > 0.0
    law = world.laws[0 if inside else 1]
    set_gaps(world.loss, law, world.gaps)
    return draw_outcome(law, rng)


class RegionContexts(Environment):
    """Normal contexts, one law inside a region and another one outside; no linear model tells them apart.

    Parameters
    ----------
    laws
        The outcome laws inside and outside, (2, outcomes).
    dimension
        How many coordinates a context has, each standard normal.
    region
        "ball", around the origin, or "checkers", where the first two coordinates have the same sign. Either holds about
        half of the contexts.
    """

    name: ClassVar[str] = "RegionContexts"

    def __init__(self, laws: Any, dimension: int = 4, region: str = "ball") -> None:
        if region not in REGIONS:
            raise ParameterError(f"region is {region!r}: give {' or '.join(map(repr, REGIONS))}", "region")
        least = 2 if region == "checkers" else 1
        if dimension < least:
            raise ParameterError(f"dimension is {dimension}: give at least {least}", "dimension")
        if len(laws) != 2:
            raise SidelightError(f"there are {len(laws)} laws: give two, inside and outside")
        self.laws = np.array(
            [checked_law(law, where=f"the law {at}side") for law, at in zip(laws, ("in", "out"), strict=True)]
        )
        self.dimension, self.region = dimension, region

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless the laws are for as many outcomes as the game has."""
        checked_law(self.laws[0], game.n_outcomes)

    def start(self, game: Game, run: int, rng: np.random.Generator) -> RegionWorld:
        """Return the world of one run."""
        # The median of the squared norm, by the approximation of Wilson and Hilferty.
        median = self.dimension * (1.0 - 2.0 / (9.0 * self.dimension)) ** 3
        limit = median if self.region == "ball" else -1.0
        return RegionWorld(self.laws.copy(), limit, loss_matrix(game), np.zeros(game.n_actions))

    def describe(self) -> dict[str, Any]:
        """Return laws, dimension and region."""
        return {"name": self.name, "laws": self.laws.tolist(), "dimension": self.dimension, "region": self.region}
