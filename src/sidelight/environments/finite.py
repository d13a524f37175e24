"""Finitely many contexts, each with its own outcome law."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sidelight.environments.base import (
    Environment,
    checked_law,
    checked_laws,
    checked_numbers,
    cost,
    draw,
    subtracts_nothing,
)
from sidelight.environments.contextual import draw_outcome_in_context
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import copy


@subtracts_nothing
class FiniteWorld(NamedTuple):
    """One of finitely many contexts, each with its own law; `which` holds the one drawn last."""

    features: Floats  # (contexts, d)
    cumulative: Floats  # of the contexts' probabilities
    laws: Floats  # (contexts, outcomes)
    gaps: Floats  # (contexts, actions)
    which: Any


@implements(draw, FiniteWorld)
def _draw(world: FiniteWorld, context: Floats, rng: np.random.Generator) -> int:
    u = rng.random()
    c = 0
    while u >= world.cumulative[c]:
        c += 1
    world.which[0] = c
    copy(world.features[c], context)
    return draw_outcome_in_context(world.laws[c], rng)


@implements(cost, FiniteWorld)
def _cost(world: FiniteWorld, action: int, outcome: int) -> float:
    return world.gaps[world.which[0], action]


class FiniteContexts(Environment):
    """Finitely many contexts, each with its own law.

    Parameters
    ----------
    laws
        The outcome law of each context, (contexts, M).
    features
        What the strategy sees of each context, (contexts, d); by default an indicator.
    weights
        The probability of each context; uniform by default.
    """

    def __init__(self, laws: Any, features: Any = None, weights: Any = None) -> None:
        self.laws = checked_laws(laws, "the law of context")
        count = len(self.laws)
        self.features = np.eye(count) if features is None else checked_numbers("features", features)
        if self.features.ndim != 2 or len(self.features) != count or not np.isfinite(self.features).all():
            raise SidelightError(f"features have shape {self.features.shape}: give finite numbers, ({count}, d)")
        self.weights = checked_law(np.full(count, 1 / count) if weights is None else weights, count, "weights")
        self.dimension = self.features.shape[1]

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise an error unless the laws match the game's outcomes."""
        checked_law(self.laws[0], game.n_outcomes)

    def start(self, game: Game, run: int, rng: np.random.Generator) -> FiniteWorld:
        """Return the world of one run."""
        cumulative = np.cumsum(self.weights)
        cumulative[np.flatnonzero(self.weights)[-1] :] = 1.0
        expected = self.laws @ loss_matrix(game).T
        gaps = expected - expected.min(axis=1, keepdims=True)
        return FiniteWorld(self.features, cumulative, self.laws, gaps, np.zeros(1, np.int64))
