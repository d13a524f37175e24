"""Contexts whose law depends on a region, which mostly no line bounds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import Environment, charges_gaps, checked_law, draw
from sidelight.environments.contextual import draw_outcome_in_context, set_gaps_of_context
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats

REGIONS = ("ball", "ring", "checkers", "plane")
_SHELL, _CHECKERS, _PLANE = 0, 1, 2
_QUARTILE = 0.6744897501960817  # of the normal law


@charges_gaps
class RegionWorld(NamedTuple):
    """The laws inside and outside of the region; a shell lies between two squared radii."""

    laws: Floats
    shape: int
    least: float
    most: float
    relevant: int
    tails: float  # 0 for normal contexts
    loss: Floats
    gaps: Floats


@implements(draw, RegionWorld)
def _draw(world: RegionWorld, context: Floats, rng: np.random.Generator) -> int:
    square, total = 0.0, 0.0
    for k in range(context.shape[0]):
        context[k] = rng.normal()
        if world.tails > 0.0:
            context[k] /= math.sqrt(rng.gamma(0.5 * world.tails, 2.0 / world.tails))
        if k < world.relevant:
            square += context[k] * context[k]
            total += context[k]
    if world.shape == _SHELL:
        inside = world.least <= square < world.most
    elif world.shape == _CHECKERS:
        inside = context[0] * context[1] > 0.0
    else:
        inside = total > 0.0
    law = world.laws[0 if inside else 1]
    set_gaps_of_context(world.loss, law, world.gaps)
    return draw_outcome_in_context(law, rng)


class RegionContexts(Environment):
    """One law inside a region and another one outside, which no linear model tells apart unless it is a plane.

    Parameters
    ----------
    laws
        The outcome laws inside and outside, (2, outcomes).
    dimension
        How many coordinates a context has, each standard normal.
    region
        "ball", around the origin; "ring", between two radii; "checkers", where the first two coordinates have the same
        sign (exclusive or); "plane", where the sum of coordinates is positive. Each holds about half of all contexts.
    relevant
        How many of the coordinates, the first ones, the region depends on; all of them by default (checkers: two). A
        ball in one coordinate is a fold: both ends of a line belong together.
    tails
        Degrees of freedom of Student's law, from which the coordinates of checkers and planes are drawn instead; with
        2 or less their variance is infinite.
    """

    def __init__(
        self,
        laws: Any,
        dimension: int = 4,
        region: str = "ball",
        relevant: int | None = None,
        tails: float | None = None,
    ) -> None:
        if region not in REGIONS:
            raise ParameterError(f"region is {region!r}: give {' or '.join(map(repr, REGIONS))}", "region")
        least = 2 if region == "checkers" else 1
        if dimension < least:
            raise ParameterError(f"dimension is {dimension}: give at least {least}", "dimension")
        if relevant is not None and (region == "checkers" or not 1 <= relevant <= dimension):
            raise ParameterError(f"relevant is {relevant}: give 1 to {dimension}, and nothing for checkers", "relevant")
        if tails is not None and (region in ("ball", "ring") or not 0.0 < tails < math.inf):
            raise ParameterError(f"tails is {tails}: give a positive number, for checkers or a plane", "tails")
        if len(laws) != 2:
            raise SidelightError(f"there are {len(laws)} laws: give two, inside and outside")
        self.laws = np.array(
            [checked_law(law, where=f"the law {at}side") for law, at in zip(laws, ("in", "out"), strict=True)]
        )
        self.dimension, self.region, self.relevant, self.tails = dimension, region, relevant, tails

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless the laws are for as many outcomes as the game has."""
        checked_law(self.laws[0], game.n_outcomes)

    def start(self, game: Game, run: int, rng: np.random.Generator) -> RegionWorld:
        """Return the world of one run."""
        relevant = self.relevant or self.dimension
        ring = self.region == "ring"
        return RegionWorld(
            laws=self.laws.copy(),
            shape={"checkers": _CHECKERS, "plane": _PLANE}.get(self.region, _SHELL),
            least=_squared_radius_of_region(relevant, -_QUARTILE) if ring else 0.0,
            most=_squared_radius_of_region(relevant, _QUARTILE if ring else 0.0),
            relevant=relevant,
            tails=float(self.tails or 0.0),
            loss=loss_matrix(game),
            gaps=np.zeros(game.n_actions),
        )

    def describe(self) -> dict[str, Any]:
        """Return the arguments that were given."""
        return {name: value for name, value in super().describe().items() if value is not None}


def _squared_radius_of_region(d: int, normal: float) -> float:
    """Return a quantile of the squared norm of d normal numbers, by the approximation of Wilson and Hilferty."""
    return float(d * (1.0 - 2.0 / (9.0 * d) + normal * math.sqrt(2.0 / (9.0 * d))) ** 3)
