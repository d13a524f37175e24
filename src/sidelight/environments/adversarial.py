"""Outcomes chosen beforehand by an adversary, and the sequences by which lower bounds are proved.

A lower bound takes two neighbors i and j, a law p at which they tie and no other action is better, and a direction u
with (L_i - L_j) u = 1. Under p - e u the action i is better than j by e, under p + e u it is j; a strategy that has not
told the two laws apart is wrong in one of them. In an easy game e of order T^(-1/2) makes that hard. In a hard game
there is a u in which no action of the pair's neighborhood shows a difference (S_a u = 0), so that finding out has a
price, and e is of order T^(-1/3).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from sidelight.analysis import analyze
from sidelight.environments.base import Environment, RegretKind, checked_whole
from sidelight.environments.replay import Replay, ReplayWorld
from sidelight.errors import ParameterError, SidelightError
from sidelight.game import Game
from sidelight.kernels.arrays import Floats, Integers

Sequences = Callable[[np.random.Generator], Any]
_ROOM = 0.9  # of the way from p to the border of all laws


class Adversarial(Environment):
    """Any sequence of outcomes that does not depend on what is played; regret against the best fixed action.

    Parameters
    ----------
    outcomes
        Indices of outcomes: (T,), the same for all runs, or (runs, T); or a function that is given a random generator
        and returns (T,), with the same T whatever it draws, called once per run (`hard_sequences(game, T)` makes one).
    """

    regret_kind: RegretKind = "hindsight"

    def __init__(self, outcomes: Any) -> None:
        self.outcomes = outcomes
        self._recorded = None if callable(outcomes) else Replay(outcomes)

    def check(self, game: Game, runs: int, horizon: int) -> None:
        """Raise unless there are enough outcomes, and all belong to this game."""
        (self._recorded or self._sample).check(game, runs if self._recorded else 1, horizon)

    def start(self, game: Game, run: int, rng: np.random.Generator) -> ReplayWorld:
        """Return the world of one run."""
        if self._recorded is not None:
            return self._recorded.start(game, run, rng)
        drawn, rounds = self._drawn(rng), len(self._sample.outcomes)
        if len(drawn.outcomes) != rounds:
            raise SidelightError(f"{len(drawn.outcomes)} outcomes were drawn for run {run}, but {rounds} for another")
        drawn.check(game, 1, rounds)
        return drawn.start(game, 0, rng)

    @cached_property
    def _sample(self) -> Replay:
        return self._drawn(np.random.default_rng(0))

    def _drawn(self, rng: np.random.Generator) -> Replay:
        found = Replay(self.outcomes(rng))
        if found.outcomes.ndim != 1:
            raise SidelightError(f"the function returns outcomes of shape {found.outcomes.shape}: let it return (T,)")
        return found

    def describe(self) -> dict[str, Any]:
        """Return a digest of the sequence, or the name of the function that makes it."""
        return super().describe() if self._recorded is None else {**self._recorded.describe(), "name": self.name}


class HardSequences:
    """Draws a sequence from one of two laws, each as likely; what `hard_sequences` returns."""

    def __init__(self, laws: Floats, rounds: int) -> None:
        self.laws, self.rounds = laws, rounds

    @property
    def __name__(self) -> str:
        """What it draws, as a function has a name."""
        first, second = (", ".join(f"{x:.6g}" for x in law) for law in self.laws)
        return f"hard_sequences of {self.rounds} rounds from ({first}) or ({second})"

    def __call__(self, rng: np.random.Generator) -> Integers:
        """Draw a sequence."""
        law = self.laws[int(rng.random() < 0.5)]
        return np.minimum(np.searchsorted(np.cumsum(law), rng.random(self.rounds), side="right"), len(law) - 1)


def hard_sequences(game: Game, rounds: int, scale: float = 0.5) -> HardSequences:
    """Return a sampler of the sequences by which the lower bound for this game is proved.

    `scale` times T^(-1/2) (easy games) or T^(-1/3) (hard ones) times the largest loss difference is by how much one of
    two neighbors is better, as far as probabilities stay positive.
    """
    rounds = checked_whole("rounds", rounds)
    if not isinstance(scale, Real) or not 0.0 < scale < math.inf:
        raise ParameterError(f"scale is {scale!r}: give a number above 0", "scale")
    analysis = analyze(game)
    if analysis.kind in ("trivial", "hopeless"):
        raise SidelightError(f"the game is {analysis.kind}: there are hard sequences for easy and hard games only")
    hard = [pair for pair in analysis.neighbors if not analysis.locally_observable(*pair)]
    i, j = (hard or analysis.neighbors)[0]
    point = np.array(analysis.neighbor_certificate(i, j).point, float)
    difference = np.array([x - y for x, y in zip(game.loss[i], game.loss[j], strict=True)], float)
    if hard:
        direction = np.array(analysis.observability_certificate(i, j).null, float)
    else:
        centered = difference - difference.mean()
        direction = centered / (centered @ difference)
    gap = scale * np.abs(difference).max() * rounds ** (-1 / 3 if hard else -1 / 2)
    with np.errstate(divide="ignore"):
        room = np.min(np.where(direction == 0.0, np.inf, point / np.abs(direction)))
    step = min(gap, _ROOM * room) * direction
    return HardSequences(np.array([point - step, point + step]), rounds)
