"""VIDS: Bayesian information directed sampling. Buy information about which action is best where it costs least.

With laws drawn from the posterior (see `law_pool`), P*_b the probability that b is best and S_a the signal matrix of
action a,

    D_a = E[L_a p - min_b L_b p],      I_a = sum_b P*_b KL(S_a E[p | b best], S_a E[p]),

and it plays the mixture mu of two actions with the least ratio D(mu)^2 / I(mu). I_a is the mutual information between
the best action and the symbol of a, with the spread inside of each E[p | b best] left out.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game_arrays import signals
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import dot, fill
from sidelight.strategies.base import Context, act, observe
from sidelight.strategies.posterior.law_pool import Summary
from sidelight.strategies.posterior.law_posterior import Target
from sidelight.strategies.posterior.pooled import PooledPosterior, Posterior, ask_posterior_pool, observe_posterior_pool
from sidelight.strategies.shared.candidates import BestActions, best_action_candidates, candidates
from sidelight.strategies.shared.information_ratio import draws_second_of_mixture, mix_actions_by_information_ratio
from sidelight.strategies.shared.requirements import settled_action


class Parameters(NamedTuple):
    """What VIDS knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    choice: BestActions  # the classes of equal losses that can be best
    loss: Floats  # of all actions, relative to one of them
    shown: Integers  # (actions, outcomes): the place of the symbol in the list of all symbols
    target: Target


class Scratch(NamedTuple):
    """What every round works out anew."""

    summary: Summary
    symbol: Annotated[Floats, "symbols"]  # the law of all symbols under E[p]
    given: Annotated[Floats, "symbols"]  # and under E[p | b best], times P*_b
    gap: Annotated[Floats, "actions"]  # D
    gain: Annotated[Floats, "actions"]  # I
    mixed: Annotated[Integers, 2]
    share: Annotated[Floats, 1]


class State(NamedTuple):
    """What play changes."""

    posterior: Posterior
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    room = state.scratch
    ask_posterior_pool(parameters.target, parameters.choice, state.posterior, room.summary, rng)
    weigh_vids_posterior_actions(parameters, room)
    mix_actions_by_information_ratio(room.gap, room.gain, room.mixed, room.share)
    return room.mixed[1] if draws_second_of_mixture(room.share[0], rng) else room.mixed[0]


@kernel
def weigh_vids_posterior_actions(parameters: Parameters, room: Scratch) -> None:
    """Set D and I of every action."""
    summary, channel, shown = room.summary, parameters.target.channel, parameters.shown
    least = 0.0
    for c in range(summary.chance.shape[0]):
        least += dot(parameters.choice.loss[c], summary.optimal[c])
    for a in range(room.gap.shape[0]):
        room.gap[a] = max(0.0, dot(parameters.loss[a], summary.mean) - least)
        room.gain[a] = 0.0
    set_vids_posterior_symbols(shown, summary.mean, room.symbol)
    for c in range(summary.chance.shape[0]):
        chance = summary.chance[c]
        if chance > 0.0:
            set_vids_posterior_symbols(shown, summary.optimal[c], room.given)
            for n in range(channel.watched.shape[0]):
                s = channel.watched[n]
                if room.given[s] > 0.0:
                    room.gain[channel.owner[s]] += room.given[s] * math.log(room.given[s] / (chance * room.symbol[s]))
    for a in range(room.gain.shape[0]):
        room.gain[a] = max(0.0, room.gain[a])


@kernel
def set_vids_posterior_symbols(shown: Integers, law: Floats, symbol: Floats) -> None:
    """Set the probability of every symbol under a law of outcomes."""
    fill(symbol, 0.0)
    for a in range(shown.shape[0]):
        for j in range(law.shape[0]):
            symbol[shown[a, j]] += law[j]


implements(observe, Parameters)(observe_posterior_pool)


class VIDS(PooledPosterior):
    """Bayesian information directed sampling, for any game that can be learned.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    draws
        How many laws the pool holds.
    regularization
        The precision of the prior, as for `TSPM`.
    seed
        Where the draws start.

    References
    ----------
    D. Russo, B. Van Roy, "Learning to optimize via information-directed sampling", Operations Research, 2018;
    J. Kirschner, T. Lattimore, A. Krause, "Information directed sampling for linear partial monitoring", COLT 2020.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.VIDS(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("good"), s.act()
    (1, None, 0)
    """

    guarantee: ClassVar[str] = "easy and hard games, as Bayes regret, for the exact posterior"

    def _compile(self) -> Parameters:
        choice = best_action_candidates(self.analysis, relative=True)
        base = self.game.loss[next(iter(candidates(self.analysis)))]
        rows = [[float(x - y) for x, y in zip(row, base, strict=True)] for row in self.game.loss]
        return Parameters(
            settled=settled_action(self.analysis),
            choice=choice,
            loss=np.array(rows),
            shown=signals(self.game).shown,
            target=self._target(),
        )

    def _start(self) -> State:
        return self._begin(State, len(candidates(self.analysis)))
