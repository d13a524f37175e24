"""BOBW: best of both worlds. Exponential weights whose rates adapt to how sure they already are.

With the estimates of `exponential_weights`, of losses scaled to a range of 1 and with G_a their sums, let q_t be the
weights exp(-G_a / beta_t), normalized, and

    a_t the entropy of q_t,      b_t = 1 - max q_t,      B_t = b_1 + ... + b_t,
    gamma'_t = (1/4) c1 b_t / (c1 + B_t^(1/3)),          gamma_t = gamma'_t + c_G / (2 beta_t).

It plays q_t with probability 1 - gamma_t and else one of the actions E that the estimates read. After the round

    beta_{t+1} = beta_t + c2 b_t / (gamma'_t sqrt(c1 + sum_{s<t} b_s a_{s+1} / gamma'_s)),     beta_1 = max(c2, 2 c_G).

The ratio r_t = b_t / gamma'_t = 4 (1 + B_t^(1/3) / c1) is all that is needed, and it is defined where b_t is 0, too.
The constants are those of the theorem, with factor 1:

    c_G = max(1, |E| max |v|),   c1 = max(1, log|A|, (c_G^2 log T log(|A| T))^(1/3)),   c2 = c_G sqrt(log T).

Here v is centered: as only differences of estimates count, half of the largest difference for one symbol takes the
place of the largest entry, and exploration is restricted to E where the paper explores all actions.
"""

from __future__ import annotations

import math
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats
from sidelight.optimization.geometry import loss_range
from sidelight.strategies.adversarial.exponential_weights import (
    Estimator,
    add_estimate,
    chance_of,
    draw_action,
    estimates,
    estimator_size,
    new_estimator,
    set_shares,
)
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_whole, observe
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action


class Parameters(NamedTuple):
    """What BOBW knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    size: float  # c_G
    exploring: float  # c1
    learning: float  # c2
    estimator: Estimator


class Rates(NamedTuple):
    """One number each: beta_t, B_t, the sum of r_s a_{s+1}, and r of the round before (0 before the first)."""

    beta: Annotated[Floats, 1]
    doubt: Annotated[Floats, 1]
    spent: Annotated[Floats, 1]
    ratio: Annotated[Floats, 1]


class State(NamedTuple):
    """What play changes; `chance` is the probability with which each action was last played."""

    totals: Annotated[Floats, "members"]
    chance: Annotated[Floats, "actions"]
    rates: Rates
    scratch: Annotated[Floats, "members"]  # shares of A, relative to the largest


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    shares = state.scratch
    best, total = set_shares(state.totals, 1.0 / state.rates.beta[0], shares)
    gamma = next_exploration(parameters, state.rates, shares, best, total)
    chosen = draw_action(parameters.estimator, shares, best, total, gamma, rng.random())
    state.chance[chosen] = chance_of(parameters.estimator, shares, total, gamma, chosen)
    return chosen


@kernel
def next_exploration(parameters: Parameters, rates: Rates, shares: Floats, best: int, total: float) -> float:
    """Return gamma_t, and set the rates of the next round."""
    entropy, doubt = 0.0, 0.0
    for k in range(shares.shape[0]):
        q = shares[k] / total
        entropy -= q * math.log(q)
        if k != best:
            doubt += q
    c1 = parameters.exploring
    rates.doubt[0] += doubt
    ratio = 4.0 * (1.0 + rates.doubt[0] ** (1 / 3) / c1)
    gamma = doubt / ratio + parameters.size / (2.0 * rates.beta[0])
    rates.spent[0] += rates.ratio[0] * entropy
    rates.ratio[0] = ratio
    rates.beta[0] += parameters.learning * ratio / math.sqrt(c1 + rates.spent[0])
    return gamma


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    add_estimate(parameters.estimator, state.totals, action, symbol, state.chance[action])


class BOBW(KernelStrategy):
    """Best of both worlds: logarithmic regret if one law holds, and a bound of order T^(2/3) whatever the outcomes.

    It need not know which: T rounds cost at most of order c_G^2 log(T) log(kT) / gap^2 if outcomes are drawn from one
    law under which the best action leads by `gap`, and of order (c_G^2 log(T) log(kT))^(1/3) T^(2/3) against any
    sequence. C corrupted rounds add of order (C^2 R)^(1/3) to the regret R of the first kind. This is the form for all
    globally observable games; the paper proves it for those without duplicate and degenerate actions.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    horizon
        T, on which the constants depend only by its logarithm; a rough guess will do.
    seed
        Where the draws start.

    References
    ----------
    T. Tsuchiya, S. Ito, J. Honda, "Best-of-both-worlds algorithms for partial monitoring", ALT 2023.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.BOBW(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("nothing"), s.act()
    (0, None, 1)
    """

    guarantee: ClassVar[str] = "easy and hard games: T^(2/3) whatever the outcomes (adversarial), log^2 T under one law"

    def __init__(self, game: Game, horizon: int = 20_000, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.horizon = check_whole("horizon", horizon, least=2)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        found = new_estimator(self.analysis, estimates(self.analysis), loss_range(self.game))
        actions, log_horizon = len(found.members), math.log(self.horizon)
        size = estimator_size(found)
        power = size**2 * log_horizon * math.log(actions * self.horizon)
        return Parameters(
            settled=settled_action(self.analysis),
            size=size,
            exploring=max(1.0, math.log(actions), power ** (1 / 3)),
            learning=size * math.sqrt(log_horizon),
            estimator=found,
        )

    def _start(self) -> State:
        state = self._zeros(State, members=len(self.analysis.cells.pareto))
        state.rates.beta[0] = max(self.compiled_parameters.learning, 2.0 * self.compiled_parameters.size)
        return state
