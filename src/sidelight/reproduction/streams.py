"""The exact outcomes and contexts behind the published tables.

The authors drew them with NumPy's legacy generator, whose streams never change, in the order that is followed here.
Run r of either class depends only on r; runs after the 96th follow the same recipe.
"""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from sidelight.environments.base import Environment
from sidelight.environments.replay import Replay, ReplayWorld
from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.kernels.arrays import Floats

HORIZON = 20_000
DIMENSION = 10
_SAMPLE = 10_000  # contexts from which the authors estimated mean and deviation, anew for each run
_BATCH = 96


class _LegacyPaperStreams(Environment):
    """Outcomes made by a recipe, run by run."""

    def __init__(self, horizon: int = HORIZON) -> None:
        self.horizon = horizon

    @abstractmethod
    def recording(self, run: int) -> Replay:
        """Return the outcomes and contexts of one run."""

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless the game has two outcomes and the recipe makes enough of them."""
        if game.n_outcomes != 2:
            raise SidelightError(f"the published streams have two outcomes, and the game has {game.n_outcomes}")
        if horizon > self.horizon:
            raise SidelightError(f"this stream has {self.horizon} rounds, but the horizon is {horizon}")

    def start(self, game: Game, run: int, rng: np.random.Generator) -> ReplayWorld:
        """Return the world of one run; nothing of it is drawn from `rng`."""
        return self.recording(run).start(game, 0, rng)


class PublishedStreams(_LegacyPaperStreams):
    """Outcomes of the non-contextual tables: each run has a law (p, 1 - p) and regret is measured against it.

    Parameters
    ----------
    kind
        "imbalanced": p uniform on [0, 0.2] or, as likely, on [0.8, 1]; "balanced": p uniform on [0.4, 0.6].
    horizon
        Number of rounds per run; a shorter stream is the beginning of a longer one.
    """

    name: ClassVar[str] = "PublishedStreams"

    def __init__(self, kind: str, horizon: int = HORIZON) -> None:
        super().__init__(horizon)
        if kind not in ("imbalanced", "balanced"):
            raise SidelightError(f"kind is {kind!r}: give 'imbalanced' or 'balanced'")
        self.kind = kind

    def recording(self, run: int) -> Replay:
        """Return outcomes and law of one run."""
        law = _published_laws(self.kind, _round_up_to_batch(run + 1))[run]
        return Replay(np.random.RandomState(run).choice(2, p=law, size=self.horizon), law=law)

    def describe(self) -> dict[str, Any]:
        """Return the recipe's name."""
        return {"name": self.name, "kind": self.kind, "horizon": self.horizon}


class PublishedContexts(_LegacyPaperStreams):
    """Contexts and outcomes of the contextual table.

    A raw context is uniform on [0, 1]^10; the outcome is 1 where w.x >= 1/2 for one fixed w, and else 0, with no noise;
    the strategy sees (x - m) / s, with m and s estimated from 10 000 other contexts. Regret is measured against the
    outcome. This is not what the paper's text describes: there, the outcome has the probability 0.1 sum(x).
    """

    name: ClassVar[str] = "PublishedContexts"
    dimension = DIMENSION

    def recording(self, run: int) -> Replay:
        """Return contexts and outcomes of one run."""
        direction, means, deviations = _published_standards(_round_up_to_batch(run + 1))
        raw = np.random.RandomState(run).uniform(0.0, 1.0, (self.horizon, DIMENSION))
        outcomes = (raw @ direction >= 0.5).astype(np.int64)
        return Replay(outcomes, contexts=(raw - means[run]) / deviations[run], law="outcome")

    def describe(self) -> dict[str, Any]:
        """Return the recipe's name."""
        return {"name": self.name, "horizon": self.horizon}


def _round_up_to_batch(runs: int) -> int:
    return -(-runs // _BATCH) * _BATCH


@functools.lru_cache(maxsize=16)
def _published_laws(kind: str, runs: int) -> Floats:
    """Draw the laws of this many runs, one after the other from one stream."""
    draws = np.random.RandomState(1)
    chances = []
    for _ in range(runs):
        if kind == "balanced":
            chances.append(draws.uniform(0.4, 0.6))
        else:
            low = draws.random_sample() < 0.5
            chances.append(draws.uniform(0.0, 0.2) if low else draws.uniform(0.8, 1.0))
    return np.array([[p, 1.0 - p] for p in chances])


@functools.lru_cache(maxsize=16)
def _published_standards(runs: int) -> tuple[Floats, Floats, Floats]:
    """Return the weights w of the features, and each run's means and standard deviations of contexts."""
    draws = np.random.RandomState(1)
    direction = draws.uniform(0.0, 0.1, DIMENSION)
    direction /= direction.sum()
    means, deviations = np.empty((runs, DIMENSION)), np.empty((runs, DIMENSION))
    for run in range(runs):
        sample = draws.uniform(0.0, 1.0, (_SAMPLE, DIMENSION))
        means[run], deviations[run] = sample.mean(axis=0), sample.std(axis=0)
    return direction, means, deviations
