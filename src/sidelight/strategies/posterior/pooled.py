"""What Mario and VIDS have in common: a pool of laws drawn from TSPM's posterior."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from sidelight.game import Game
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Integers
from sidelight.strategies.base import Context, KernelStrategy, Seed, check_number, check_whole
from sidelight.strategies.posterior.law_pool import Pool, Summary, renew_posterior_pool, summarize_posterior_pool
from sidelight.strategies.posterior.law_posterior import Belief, Target, new_posterior_target
from sidelight.strategies.posterior.simplex_sampling import (
    SimplexSampler,
    add_symbol_to_posterior,
    begin_posterior_draws,
)
from sidelight.strategies.shared.candidates import BestActions
from sidelight.strategies.shared.requirements import refuse_hopeless

T = TypeVar("T")

_TRIES = 1000  # proposals before a Markov chain draws


class Posterior(NamedTuple):
    """The belief, what draws from it, and the laws drawn."""

    clock: Annotated[Integers, 1]
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
def observe_posterior_pool(parameters: Any, state: Any, action: int, symbol: int, context: Context) -> None:
    """Take a symbol into the belief, unless the game is trivial."""
    if parameters.settled < 0:
        posterior = state.posterior
        add_symbol_to_posterior(parameters.target, posterior.belief, posterior.sampler, action, symbol)


class PooledPosterior(KernelStrategy):
    """A strategy that asks a pool of laws which action may be best."""

    def __init__(self, game: Game, draws: int = 256, regularization: float = 0.001, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.draws = check_whole("draws", draws, least=2)
        self.regularization = check_number("regularization", regularization, above=0)
        refuse_hopeless(self.analysis)

    def _target(self) -> Target:
        return new_posterior_target(self.game, True, float(self.regularization), _TRIES)

    def _begin(self, kind: type[T], classes: int) -> T:
        """Return a fresh state, which holds a `posterior`."""
        state: Any = self._zeros(kind, classes=classes, draws=int(self.draws), size=self.game.n_outcomes - 1)
        begin_posterior_draws(state.posterior.belief, state.posterior.sampler, float(self.regularization))
        return state
