"""Bayes-optimal play of two-outcome games with one revealing action: the least mean regret over the prior.

Let r be the action that shows the outcome; every other action is blind. The law is (p, 1 - p) with p drawn from the
prior; after n looks, s of which showed the first outcome, p has the mean m (see `priors`). Playing
blind leaves that belief as it is, so

- **looks come first.** Take any plan that plays blind and looks later, and swap the two rounds. The look costs the same
  on average, and in the blind round after it the plan can still do what it did, or better: nothing is lost.
- **once it stops looking, it never looks again.** If playing blind for the last k rounds is optimal under some belief,
  then it is optimal for the last k - 1 under the same belief: otherwise one blind round followed by the better plan
  would beat it.

So the best plan is a stopping rule over (n, s), and T - n rounds remain whenever it is asked. Charge r's own loss for
every round, whatever is played: that sum is T L_r (m0, 1 - m0) on average under every plan, because the mean of the
belief is a martingale. What is left is a stopping problem without running costs. With g(m) the least
(L_k - L_r) (m, 1 - m) over the blind actions k,

    U(n, s) = min{ (T - n) g(m),  m U(n + 1, s + 1) + (1 - m) U(n + 1, s) },      U(T, s) = 0,

and the Bayes regret is T (L_r (m0, 1 - m0) - E min_k L_k (p, 1 - p)) + U(0, 0). When r is itself the best action
somewhere, as in apple tasting, g is positive there and looking goes on: it is exploitation as well.

The table has T^2 / 2 entries, and one row is kept at a time. Play needs only, for each n, the runs of s with the same
decision: a handful of numbers.

The problem is Wald's; for lots that are accepted or rejected item by item it is that of Chernoff and Ray.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.game_arrays import loss_matrix
from sidelight.kernels import implements, loop
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_whole, observe
from sidelight.strategies.baselines.priors import (
    Prior,
    envelope_for_bayes_optimal,
    least_mean_loss_under_prior,
    mean_of_bayes_optimal_prior,
    posterior,
    read_bayes_optimal_prior,
    step_back,
    word_bayes_optimal_prior,
)
from sidelight.strategies.shared.requirements import only_revealing_action

_MOST_ROUNDS = 1_000_000  # backward induction is quadratic
# Rows of the table between two checks for Ctrl-C: about a tenth of a second at the largest usual horizons.
_CHUNK = 2048
_UNUSED = np.iinfo(np.int64).max


class StoppingProblem(NamedTuple):
    """The stopping problem: the blind actions that are ever best among the blind, by growing p, less r's loss."""

    horizon: int
    prior: Prior
    revealing: int
    blind: Integers
    first: Floats  # (L_k - L_r) at the first outcome
    second: Floats


class Rule(NamedTuple):
    """For each n, runs of s with one decision: run k begins at start[n, k] and plays action[n, k]."""

    start: Integers
    action: Integers


class StoppingTable(NamedTuple):
    """One row n of the table: U(n, s), the chances m(n, s) of the first outcome, and q = 1 - m."""

    U: Floats
    m: Floats
    q: Floats


@loop
def begin_bayes_optimal_row(prior: Prior, table: StoppingTable, n: int) -> None:
    """Work out the chances of row n."""
    for s in range(n + 1):
        table.m[s], table.q[s] = posterior(prior, s, n - s)


@loop
def induct_bayes_optimal_rows(problem: StoppingProblem, table: StoppingTable, rule: Rule, top: int, bottom: int) -> int:
    """Work out the rows n = top - 1 down to bottom of the table; return 0, or 1 if a row has too many runs."""
    U = table.U
    for n in range(top - 1, bottom - 1, -1):
        left = float(problem.horizon - n)
        step_back(problem.prior, n, table.m, table.q)
        k = 0
        runs = 0
        decided = -1
        for s in range(n + 1):
            m, rest = table.m[s], table.q[s]
            stop = math.inf
            if problem.blind.shape[0] > 0:
                stop = problem.first[k] * m + problem.second[k] * rest
                # The least of lines that are ordered by their slope: the place of the minimum only moves on.
                while k + 1 < problem.blind.shape[0]:
                    following = problem.first[k + 1] * m + problem.second[k + 1] * rest
                    if following >= stop:
                        break
                    stop = following
                    k += 1
            stop *= left
            go_on = m * U[s + 1] + rest * U[s]
            choice = problem.revealing
            if stop <= go_on:
                U[s] = stop
                choice = problem.blind[k]
            else:
                U[s] = go_on
            if choice != decided:
                if runs == rule.start.shape[1]:
                    return 1
                rule.start[n, runs] = s
                rule.action[n, runs] = choice
                runs += 1
                decided = choice
    return 0


class Parameters(NamedTuple):
    """The stopping rule, and the losses, by which it plays after the horizon."""

    horizon: int
    prior: Prior
    revealing: int
    loss: Floats
    rule: Rule


class State(NamedTuple):
    """The round, and in `looks` how often each of the two symbols was shown."""

    clock: Integers
    looks: Integers


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    s = state.looks[0]
    n = s + state.looks[1]
    t = state.clock[0]
    state.clock[0] = t + 1
    if t < parameters.horizon:
        start, action = parameters.rule.start, parameters.rule.action
        k = 0
        while k + 1 < start.shape[1] and start[n, k + 1] <= s:
            k += 1
        return action[n, k]
    chosen, least = 0, math.inf
    m, rest = posterior(parameters.prior, s, n - s)
    for i in range(parameters.loss.shape[0]):
        cost = parameters.loss[i, 0] * m + parameters.loss[i, 1] * rest
        if cost < least:
            chosen, least = i, cost
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if action == parameters.revealing:
        state.looks[symbol] += 1


class BayesOptimal(KernelStrategy):
    """The best possible play on average over a prior, for two outcomes and exactly one revealing action.

    `value` is its Bayes regret, exact up to rounding: no strategy has a smaller mean regret when the law is drawn from
    the prior and the horizon is this one. On laws drawn in another way, other strategies may do better. If several
    decisions are equally good, it stops looking. After the horizon it plays the action of least posterior mean loss.

    Parameters
    ----------
    game
        A game with two outcomes in which exactly one action shows the outcome and all others show nothing.
    horizon
        T, how many rounds there will be. The work grows with its square: 20 000 rounds take about half a second.
    prior
        How the law (p, 1 - p) is drawn: the parameters (a, b) of a Beta law for p, where (1, 1) is uniform; the name
        of a family of `sidelight.environments.laws`, such as "balanced"; or laws with their weights, such as
        [((0.2, 0.8), 1), ((0.7, 0.3), 2)].
    seed
        Not used, since nothing is drawn; every strategy takes one.

    References
    ----------
    A. Wald, "Sequential analysis", 1947.
    H. Chernoff, S. N. Ray, "A Bayes sequential sampling inspection plan", Annals of Mathematical Statistics, 1965.

    Examples
    --------
    >>> from sidelight import games
    >>> from sidelight.strategies import BayesOptimal
    >>> round(BayesOptimal(games.load("apple-tasting"), horizon=100).value, 6)
    2.34029
    >>> round(BayesOptimal(games.load("apple-tasting"), horizon=100, prior="balanced").value, 6)
    2.585549
    """

    guarantee: ClassVar[str] = "least possible Bayes regret; two outcomes, exactly one revealing action"

    def __init__(self, game: Game, horizon: int, prior: Any = (1.0, 1.0), seed: Seed = 0) -> None:
        super().__init__(game, seed=seed)
        self.horizon = check_whole("horizon", horizon, least=1, most=_MOST_ROUNDS)
        self.prior = prior
        self._prior = read_bayes_optimal_prior(prior)
        self._revealing = only_revealing_action(game, self.name, least_actions=1)

    @property
    def value(self) -> float:
        """The least mean regret that any strategy can have under the prior."""
        return self._solution[0]

    @property
    def assumes(self) -> str:
        """The prior, in words."""
        return word_bayes_optimal_prior(self.prior)

    @cached_property
    def _solution(self) -> tuple[float, Rule]:
        problem = self._problem()
        # Blind actions in their order, with looking in between.
        saved, rule = _solve_bayes_optimal_play(problem, runs=2 * len(problem.blind) + 1)
        mean = mean_of_bayes_optimal_prior(self._prior)
        own = self.game.loss[self._revealing]
        excess = (
            float(own[0]) * mean + float(own[1]) * (1.0 - mean) - least_mean_loss_under_prior(self.game, self._prior)
        )
        return self.horizon * excess + saved, rule

    def _problem(self) -> StoppingProblem:
        own = self.game.loss[self._revealing]
        rows = {k: (row[0] - own[0], row[1] - own[1]) for k, row in enumerate(self.game.loss) if k != self._revealing}
        order = [k for k, _ in envelope_for_bayes_optimal(rows)]
        return StoppingProblem(
            horizon=int(self.horizon),
            prior=self._prior,
            revealing=self._revealing,
            blind=np.array(order, np.int64),
            first=np.array([float(rows[k][0]) for k in order]),
            second=np.array([float(rows[k][1]) for k in order]),
        )

    def _compile(self) -> Parameters:
        return Parameters(
            horizon=int(self.horizon),
            prior=self._prior,
            revealing=self._revealing,
            loss=loss_matrix(self.game),
            rule=self._solution[1],
        )

    def _start(self) -> State:
        return State(clock=np.zeros(1, np.int64), looks=np.zeros(2, np.int64))


def _solve_bayes_optimal_play(problem: StoppingProblem, runs: int) -> tuple[float, Rule]:
    """Return U(0, 0) and the stopping rule; if a row has more runs than expected, try again with more room."""
    table = StoppingTable(*(np.zeros(problem.horizon + 1) for _ in range(3)))
    begin_bayes_optimal_row(problem.prior, table, problem.horizon)
    shape = (problem.horizon, runs)
    rule = Rule(np.full(shape, _UNUSED), np.full(shape, problem.revealing))
    for top in range(problem.horizon, 0, -_CHUNK):
        if induct_bayes_optimal_rows(problem, table, rule, top, max(0, top - _CHUNK)):
            return _solve_bayes_optimal_play(problem, 2 * runs)
    return float(table.U[0]), rule
