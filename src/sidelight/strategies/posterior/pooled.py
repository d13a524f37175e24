"""What Mario and VIDS have in common: a pool of laws drawn from TSPM's posterior."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Integers, new_arrays
from sidelight.strategies.base import KernelStrategy, Seed, check_number, check_whole
from sidelight.strategies.posterior.law_pool import Pool, Summary, renew_posterior_pool, summarize_posterior_pool
from sidelight.strategies.posterior.law_posterior import (
    Belief,
    Target,
    add_symbol_to_posterior,
    new_posterior_belief,
    new_posterior_target,
)
from sidelight.strategies.posterior.simplex_sampling import SimplexSampler, new_posterior_sampler
from sidelight.strategies.shared.candidates import BestActions
from sidelight.strategies.shared.gaussian import gaussian_channels
from sidelight.strategies.shared.requirements import refuse_hopeless

_TRIES = 1000  # proposals before a Markov chain draws


class Posterior(NamedTuple):
    """The belief, what draws from it, and the laws drawn."""

    clock: Integers
    belief: Belief
    sampler: SimplexSampler
    pool: Pool


@kernel
def ask_posterior_pool(
    target: Target, choice: BestActions, posterior: Posterior, summary: Summary, rng: np.random.Generator
) -> None:
    """Begin a round: renew some laws of the pool, and summarize the pool."""
    renew_posterior_pool(target, posterior.belief, posterior.sampler, choice, posterior.pool, posterior.clock[0], rng)
    summarize_posterior_pool(posterior.pool, summary)
    posterior.clock[0] += 1


@kernel
def add_symbol_to_posterior_pool(target: Target, posterior: Posterior, action: int, symbol: int) -> None:
    """Add a symbol to the belief, unless it says nothing."""
    if target.channel.informative[action] == 1:
        add_symbol_to_posterior(target, posterior.belief, action, symbol)
        posterior.sampler.stale[0] = 1
        posterior.sampler.stale[1] = 1


class PooledPosterior(KernelStrategy):
    """A strategy that asks a pool of laws which action may be best."""

    def __init__(self, game: Game, draws: int = 256, regularization: float = 0.001, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.draws = check_whole("draws", draws, least=2)
        self.regularization = check_number("regularization", regularization, above=0)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)
        self._channel = gaussian_channels(game)

    def _target(self) -> Target:
        return new_posterior_target(self.game, self._channel, True, float(self.regularization), _TRIES)

    def _posterior(self) -> Posterior:
        outcomes = self.game.n_outcomes
        return Posterior(
            clock=np.zeros(1, np.int64),
            belief=new_posterior_belief(self._channel, outcomes, float(self.regularization)),
            sampler=new_posterior_sampler(outcomes, len(self._channel.owner)),
            pool=new_arrays(Pool, draws=int(self.draws), outcomes=outcomes),
        )
