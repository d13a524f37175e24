"""KL-UCB and Thompson sampling with Beta laws, for games that are bandits (see `losses`).

Losses are scaled to [0, 1]; with n observations of an action, of mean loss m, after t rounds,

- KL-UCB plays the action of the least q <= m with n kl(m, q) <= log t + c log log t, kl being the Kullback-Leibler
  divergence between Bernoulli laws;
- Thompson sampling plays the action of the least draw from Beta(1 + n m, 1 + n (1 - m)): exact for losses that are 0 or
  1, while one in between counts as a part of either.

The loss of an action with a single symbol is known, and both treat it so.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.optimization.divergence import bernoulli_divergence
from sidelight.strategies.bandits.losses import Arms, bandit_arms
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.rounds import fade, fade_clock, fade_counts

# Below this loss an index is as good as 0.
_NOTHING = 1e-12


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    draws: int  # 1 for Thompson sampling
    c: float
    arms: Arms


class State(NamedTuple):
    """The rounds so far, and what was seen of each action."""

    clock: Annotated[Integers, 1]
    seen: Annotated[Floats, "actions"]
    loss: Annotated[Floats, "actions"]  # summed


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    state.clock[0] += 1
    logarithm = math.log(state.clock[0])
    budget = logarithm + parameters.c * math.log(max(1.0, logarithm))
    options = parameters.arms
    chosen, least = options.actions[0], math.inf
    for i in range(options.actions.shape[0]):
        a = options.actions[i]
        if options.sure[a] == 1:
            index = options.loss[options.place[a]]
        elif parameters.draws == 1:
            index = rng.beta(1.0 + state.loss[a], 1.0 + max(0.0, state.seen[a] - state.loss[a]))
        elif state.seen[a] == 0.0:
            index = 0.0
        else:
            index = kl_lower_bound_of_arm(state.loss[a] / state.seen[a], budget / state.seen[a])
        if index < least:
            chosen, least = a, index
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    options = parameters.arms
    state.seen[action] += 1.0
    state.loss[action] += options.loss[options.place[action] + symbol]


@implements(fade, State)
def _fade(state: State, kept: float) -> None:
    fade_clock(state.clock, state.seen.shape[0], kept)
    fade_counts(state.seen, kept)
    fade_counts(state.loss, kept)


@kernel
def kl_lower_bound_of_arm(mean: float, radius: float) -> float:
    """Return the least q <= mean with kl(mean, q) <= radius.

    Newton's method on the convex kl(mean, .) - radius goes up from a point below the root and cannot pass it. Two lower
    bounds give that point: kl >= 2 (mean - q)^2, and kl >= mean log(mean / q) + (1 - mean) log(1 - mean).
    """
    mean = min(mean, 1.0)
    if mean <= _NOTHING:
        return 0.0
    entropy = (1.0 - mean) * math.log(1.0 - mean) if mean < 1.0 else 0.0
    below = mean * math.exp((entropy - radius) / mean)
    q = max(_NOTHING, below, mean - math.sqrt(0.5 * radius))
    for _ in range(50):
        excess = bernoulli_divergence(mean, q) - radius
        if excess <= 1e-12 * radius:
            break
        q += excess * q * (1.0 - q) / (mean - q)
    return min(q, mean)


class _Bandit(KernelStrategy):
    """Common parts of KL-UCB and Thompson sampling."""

    def __init__(self, game: Game, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self._arms = bandit_arms(self.analysis, self.name)

    def _start(self) -> State:
        return self._zeros(State)


class KLUCB(_Bandit):
    """KL-UCB: play the action with the smallest lower bound on its loss, by Bernoulli confidence bounds; for bandits.

    Parameters
    ----------
    game
        A game in which every action that can be optimal shows its loss, up to an amount that is the same for all
        actions. Other games are refused.
    c
        Weight of log log t in the bounds: 3 in the proof, 0 in practice.
    seed
        Not used, since nothing is drawn.

    References
    ----------
    A. Garivier, O. Cappé, "The KL-UCB algorithm for bounded stochastic bandits and beyond", COLT 2011.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.KLUCB(sl.games.load("bernoulli-bandit"))
    >>> [s.act(), s.observe(1), s.act(), s.observe(0), s.act()]
    [0, None, 0, None, 1]
    """

    guarantee: ClassVar[str] = "bandits, asymptotically optimal for independent arms whose losses have two values"

    def __init__(self, game: Game, c: float = 0.0, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.c = check_number("c", c, least=0)

    def _compile(self) -> Parameters:
        return Parameters(0, float(self.c), self._arms)


class BetaThompson(_Bandit):
    """Thompson sampling with Beta posteriors, for bandits.

    Parameters
    ----------
    game
        A game in which every action that can be optimal shows its loss, up to an amount that is the same for all
        actions. Other games are refused.
    seed
        Where the draws start.

    References
    ----------
    S. Agrawal, N. Goyal, "Analysis of Thompson sampling for the multi-armed bandit problem", COLT 2012.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.BetaThompson(sl.games.load("bernoulli-bandit"), seed=1)
    >>> [s.act(), s.observe(0), s.act(), s.observe(1), s.act()]
    [0, None, 1, None, 0]
    """

    guarantee: ClassVar[str] = "bandits whose losses have two values, asymptotically optimal for independent arms"

    def _compile(self) -> Parameters:
        return Parameters(1, 0.0, self._arms)
