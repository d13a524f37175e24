"""FeedExp3: exponential weights on estimated loss differences, for any globally observable game, adversaries included.

With the estimates of `exponential_weights`, G_a their sums and E the actions that they read,

    w_a = exp(-eta_t G_a) / sum_b exp(-eta_t G_b),   q_I = (1 - gamma_t) w_I + gamma_t [I in E] / |E|.

The usual analysis bounds the regret by

    log|A| / eta + (e - 2) eta T K / gamma + gamma T,      K = |E| sum_{I in E} k_I^2,

with k_I the largest |v^a_I[y]| (the c^a add a term of lower order); shifting all estimates alike shows that half the
largest difference |v^a_I[y] - v^{a'}_I[y]| will do. It is least, up to a factor, for

    gamma_t = min(1, ((e - 2) K log|A| / t)^(1/3)),     eta_t = (log|A|)^(2/3) ((e - 2) K)^(-1/3) t^(-2/3).

For equal k_I these are the published rates.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.adversarial.exponential_weights import (
    Estimates,
    Estimator,
    add_estimate,
    chance_of,
    draw_action,
    estimates,
    explorers_of,
    new_estimator,
    set_shares,
)
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, observe
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action


class Parameters(NamedTuple):
    """What FeedExp3 knows before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    learning: float  # eta_t t^(2/3)
    exploring: float  # gamma_t t^(1/3)
    estimator: Estimator


class State(NamedTuple):
    """What play changes; `chance` is the probability with which each action was last played."""

    clock: Annotated[Integers, 1]
    totals: Annotated[Floats, "members"]
    chance: Annotated[Floats, "actions"]
    scratch: Annotated[Floats, "members"]  # shares of A, relative to the largest


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    t = state.clock[0] + 1
    state.clock[0] = t
    if parameters.settled >= 0:
        return parameters.settled
    rate = t ** (-1 / 3)
    gamma = min(1.0, parameters.exploring * rate)
    best, total = set_shares(state.totals, parameters.learning * rate * rate, state.scratch)
    chosen = draw_action(parameters.estimator, state.scratch, best, total, gamma, rng.random())
    state.chance[chosen] = chance_of(parameters.estimator, state.scratch, total, gamma, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    add_estimate(parameters.estimator, state.totals, action, symbol, state.chance[action])


class FeedExp3(KernelStrategy):
    """Exponential weights on estimated losses, for any sequence of outcomes; regret of order T^(2/3).

    It makes no assumption about the outcomes and pays for that with constant exploration: if outcomes are drawn from
    one law, the other strategies are far better. A late symbol is weighted by the probability with which its action was
    last played.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    eta, gamma
        Factors on the learning rate and on the exploration rate of the theory; None is 1.
    seed
        Where the draws start.

    References
    ----------
    A. Piccolboni, C. Schindelhauer, "Discrete prediction games with arbitrary feedback and loss", COLT 2001;
    N. Cesa-Bianchi, G. Lugosi, G. Stoltz, "Regret minimization under partial monitoring", Mathematics of Operations
    Research, 2006; T. Lattimore, Cs. Szepesvári, "Bandit algorithms", 2020, chapter 37.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.FeedExp3(sl.games.load("apple-tasting"), seed=1)
    >>> s.act(), s.observe("nothing"), s.act()
    (0, None, 1)
    """

    guarantee: ClassVar[str] = "easy and hard games, whatever the outcomes (adversarial): regret of order T^(2/3)"

    def __init__(self, game: Game, eta: float | None = None, gamma: float | None = None, seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.eta = None if eta is None else check_number("eta", eta, above=0)
        self.gamma = None if gamma is None else check_number("gamma", gamma, above=0)
        refuse_hopeless(self.analysis)

    def _compile(self) -> Parameters:
        found = estimates(self.analysis)
        gamma, eta = rates(_spread(found), len(found.constant))
        return Parameters(
            settled=settled_action(self.analysis),
            learning=eta * (1.0 if self.eta is None else self.eta),
            exploring=gamma * (1.0 if self.gamma is None else self.gamma),
            estimator=new_estimator(self.analysis, found),
        )

    def _start(self) -> State:
        return self._zeros(State, members=len(self.analysis.cells.pareto))


def rates(spread: float, actions: int) -> tuple[float, float]:
    """Return gamma_t t^(1/3) and eta_t t^(2/3) for K = spread and |A| = actions; 0 where there is nothing to learn."""
    if actions == 1:
        return 0.0, 0.0
    variance = (math.e - 2.0) * spread
    return (variance * math.log(actions)) ** (1 / 3), math.log(actions) ** (2 / 3) / variance ** (1 / 3)


def _spread(found: Estimates) -> float:
    """Return K = |E| sum k_I^2, with k_I half the largest difference between estimates for one symbol."""
    explorers = explorers_of(found)
    halves = [max(max(column) - min(column) for column in zip(*found.weights[i], strict=True)) / 2 for i in explorers]
    return float(len(explorers) * sum((k * k for k in halves), Fraction(0)))
