"""What Mario and VIDS have in common: a pool of laws drawn from TSPM's posterior."""

from __future__ import annotations

from typing import NamedTuple

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.kernels import kernel
from sidelight.strategies.base import KernelStrategy, Seed, check_number, check_whole
from sidelight.strategies.posterior.law_pool import Pool, new_pool
from sidelight.strategies.posterior.law_posterior import Belief, Target, add_symbol, new_belief, new_target
from sidelight.strategies.posterior.simplex_sampling import SimplexSampler, new_sampler
from sidelight.strategies.shared.gaussian import channels

_TRIES = 1000  # proposals before a Markov chain draws


class Posterior(NamedTuple):
    """The belief, what draws from it, and the laws drawn."""

    belief: Belief
    sampler: SimplexSampler
    pool: Pool


@kernel
def take_in(target: Target, posterior: Posterior, action: int, symbol: int) -> None:
    """Add a symbol to the belief, unless it says nothing."""
    if target.channel.informative[action] == 1:
        add_symbol(target, posterior.belief, action, symbol)
        posterior.sampler.stale[0] = 1
        posterior.sampler.stale[1] = 1


class Pooled(KernelStrategy):
    """A strategy that asks a pool of laws which action may be best."""

    def __init__(self, game: Game, draws: int, regularization: float, seed: Seed) -> None:
        super().__init__(game, seed=seed)
        self.draws = check_whole("draws", draws, least=2)
        self.regularization = check_number("regularization", regularization, above=0)
        self.analysis = analyze(game)
        self._channel = channels(game)

    def _target(self) -> Target:
        return new_target(self.game, self._channel, True, float(self.regularization), _TRIES)

    def _posterior(self) -> Posterior:
        outcomes = self.game.n_outcomes
        return Posterior(
            belief=new_belief(self._channel, outcomes, float(self.regularization)),
            sampler=new_sampler(outcomes, len(self._channel.owner)),
            pool=new_pool(int(self.draws), outcomes),
        )
