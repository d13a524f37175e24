"""Outcomes drawn independently from one law."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import (
    Environment,
    charges_gaps,
    checked_law,
    checked_law_of_runs,
    draw,
    gaps,
    plain_argument_of_environment,
)
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats

_FEW = 8  # outcomes
Sampler = Callable[[np.random.Generator], Any]


@charges_gaps
class IIDWorld(NamedTuple):
    """The cumulative law, and the gap of each action under it."""

    cumulative: Floats
    gaps: Floats


@implements(draw, IIDWorld)
def _draw(world: IIDWorld, context: Floats, rng: np.random.Generator) -> int:
    u = rng.random()
    outcome = 0
    if world.cumulative.shape[0] <= _FEW:
        # Avoid a branch that depends on u, because no processor can predict it.
        for m in range(world.cumulative.shape[0] - 1):
            outcome += 1 if u >= world.cumulative[m] else 0
    else:
        while u >= world.cumulative[outcome]:
            outcome += 1
    return outcome


class IID(Environment):
    """Outcomes drawn independently, from one law, from a law per run, or from randomly drawn laws.

    Parameters
    ----------
    law
        Probabilities of the outcomes, (M,); or one row per run, (runs, M); or a function that is given a random
        generator and returns such a law, called once per run (`sidelight.environments.laws` has the usual ones). All
        strategies that are simulated with the same seed meet the same laws and the same outcomes.
    """

    def __init__(self, law: Any) -> None:
        self.law = law
        self._laws = law if callable(law) else checked_law_of_runs(law)

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless there is a law of the right size for every run."""
        if callable(self.law):
            return
        rows = np.atleast_2d(self._laws)
        if self._laws.ndim == 2 and len(rows) < runs:
            raise SidelightError(f"there are laws for {len(rows)} runs, but {runs} runs were asked for")
        checked_law(rows[0], game.n_outcomes)

    def start(self, game: Game, run: int, rng: np.random.Generator) -> IIDWorld:
        """Return the world of one run."""
        if callable(self.law):
            law = checked_law(self.law(rng), game.n_outcomes, f"the law drawn for run {run}")
        else:
            law = self._laws if self._laws.ndim == 1 else self._laws[run]
        cumulative = law.cumsum()
        # No draw may fall beyond the last possible outcome, however the sum was rounded.
        cumulative[law.nonzero()[0][-1] :] = 1.0
        return IIDWorld(cumulative, gaps(game, law))

    def describe(self) -> dict[str, Any]:
        """Return the law, or the name of its sampler."""
        return {"name": self.name, "law": plain_argument_of_environment(self._laws)}
