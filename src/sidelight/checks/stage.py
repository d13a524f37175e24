"""Where a strategy is tested: a game, its outcomes, and ways to play them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.environments import Replay
from sidelight.game import Game, Symbol
from sidelight.kernels import chosen_way, compiled
from sidelight.kernels.arrays import Floats, Integers
from sidelight.simulation import simulate
from sidelight.strategies.base import Strategy

Factory = Callable[[Game], Strategy]
ROUNDS = 40
HORIZON = 100
RUNS = 3
SEED = 7


@dataclass(frozen=True)
class Stage:
    """A game and a way to make the strategy tested on it. Everything random here comes from a fixed seed."""

    game: Game
    factory: Factory

    def make(self, game: Game | None = None) -> Strategy:
        """Return a new strategy."""
        return self.factory(self.game if game is None else game)

    @cached_property
    def strategy(self) -> Strategy:
        """A strategy for questions about it, not for play."""
        return self.make()

    @cached_property
    def dimension(self) -> int:
        """The dimension of the contexts that the strategy is shown; 3 if it takes any."""
        return 3 if self.strategy.any_context else self.strategy.dimension

    @cached_property
    def law(self) -> Floats:
        """A law of irrational ratios, under which actions of different losses hardly ever cost the same on average."""
        weights = np.sqrt(np.arange(2.0, self.game.n_outcomes + 2))
        return np.asarray(weights / weights.sum())

    @cached_property
    def outcomes(self) -> Integers:
        """The outcome of each run and round."""
        rng = np.random.default_rng(SEED)
        laws = rng.dirichlet(np.ones(self.game.n_outcomes), size=RUNS)
        return np.array([rng.choice(self.game.n_outcomes, p=law, size=HORIZON) for law in laws], np.int64)

    @cached_property
    def contexts(self) -> Floats:
        """The context of each run and round."""
        shape = (RUNS, HORIZON, self.dimension)
        return np.random.default_rng(SEED + 1).uniform(-1.0, 1.0, size=shape)

    def context(self, t: int) -> Any:
        """Return a copy of the context of round t, or None."""
        return self.contexts[0, t].copy() if self.dimension else None

    def symbol(self, action: int, t: int) -> Symbol:
        """Return the symbol that `action` shows in round t."""
        return self.game.feedback[action][self.outcomes[0, t]]

    def play(self, strategy: Strategy, start: int = 0, stop: int = ROUNDS) -> list[int]:
        """Play some rounds; return the actions."""
        actions = []
        for t in range(start, stop):
            actions.append(strategy.act(self.context(t)))
            strategy.observe(strategy.game.feedback[actions[-1]][self.outcomes[0, t]])
        return actions

    def simulate(self, strategy: Strategy, outcomes: Any = None, **options: Any) -> dict[str, npt.NDArray[Any]]:
        """Simulate all runs; return plays and pseudo-regret, which depend only on the actions."""
        contexts = self.contexts if self.dimension else None
        world = Replay(self.outcomes if outcomes is None else outcomes, contexts=contexts, law=self.law)
        settings = {"horizon": HORIZON, "runs": RUNS, "seed": SEED, "checkpoints": HORIZON, "workers": 1} | options
        with nullcontext() if chosen_way() else compiled():  # so that what users will run is what is checked
            results = simulate(strategy, world, progress=False, **settings)
        return {"regret": results.regret, "plays": results.plays}


def own_seed_on_stage(run: int) -> np.random.SeedSequence:
    """Return where the strategy's randomness starts in a run of `Stage.simulate`."""
    return np.random.SeedSequence(SEED, spawn_key=(run, 1))
