"""ProspectSide: with contexts, look while looking may still pay for itself.

In each round the posterior (`side_posterior`) of a noisy softmax model of the outcomes (`side_model`)
gives the expected losses l_a at the context, and `side_value` what a look may earn per round to come. Play

    argmin_a l_a - H (n / (n + u))^2 VOI_a,

where H stands for how many rounds will profit: caution (1.5 + 2 s) t after t rounds, s being the share of looks that
were bought (at an action other than the cheapest). Up to a known horizon T it is at most T - t; and where all looks are
bought, caution 1.5 t log(T / t) takes its place (with the weight s^4), which buys more of them early. u counts looks
whose symbols have not come yet, fewer of them as time passes, and n is the number of symbols seen plus that of
features: what a look earns falls as the inverse square of the looks before it.

Where no look pays, `side_checks` has the last word: it may look to see whether the model is right there, and
play another action where it is not.

Nothing is drawn at random. There is no proof of a regret bound.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.analysis import Analysis, analyze
from sidelight.game import Game
from sidelight.game_arrays import float_rows, signal_indices, symbol_counts
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats
from sidelight.strategies.base import Context, KernelStrategy, Seed, act, check_number, check_whole, observe
from sidelight.strategies.prospect.side_checks import DOUBT, Checks, claim, count, judge, new_checks, note, recall
from sidelight.strategies.prospect.side_fit import START_PRECISION, Belief, new_refit, prior_factor, room_for
from sidelight.strategies.prospect.side_model import (
    Stakes,
    best_action,
    expected_loss,
    set_law,
    symbol_mass,
    symbol_probability,
    tempering,
)
from sidelight.strategies.prospect.side_posterior import (
    KEPT,
    SEEN,
    Labels,
    Posterior,
    Scratch,
    new_scratch,
    predict,
)
from sidelight.strategies.prospect.side_refit import START_NOISE, advance, label_work
from sidelight.strategies.prospect.side_value import add_to_future, look_value, set_prospects, set_weights
from sidelight.strategies.shared.requirements import refuse_hopeless, settled_action
from sidelight.strategies.shared.standardization import add_context, no_moments

_LEAST_QUOTA = 8_000.0
_FORGETTING = 0.25  # of looks under way: their number halves when the rounds have grown sixteenfold


class Parameters(NamedTuple):
    """What ProspectSide knows before the first round."""

    stakes: Stakes
    settled: int  # the action to play in a trivial game, else -1
    only_look: int  # the one informative action, -1 if there are several
    horizon: float  # 0 if it is not known
    caution: float
    quota: float  # how many multiplications a round may spend on a refit
    doubt: float  # the log odds that the model is wrong


class State(NamedTuple):
    """What play changes."""

    counts: Floats  # rounds, looks, looks that were bought, looks under way
    belief: Belief
    checks: Checks
    scratch: Scratch


# The places in `counts`, and in the `decision` of the scratch.
ROUNDS, LOOKS, BOUGHT, UNDER_WAY = range(4)
BEST, CHOSEN, LOOKING, WEIGHED, NEARLY, CHECKED = range(6)


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    stakes, counts, belief, now = parameters.stakes, state.counts, state.belief, state.scratch
    counts[ROUNDS] += 1.0
    add_context(belief.moments, context)
    if counts[ROUNDS] == 1.0:  # until features have scales, all of them count as constant at the first context
        for k in range(context.shape[0]):
            belief.posterior.mean[0, k] = belief.moments.mean[k]
    advance(stakes, belief, int(counts[ROUNDS]), parameters.quota, now)
    which = belief.posterior.current[0]
    noise = belief.posterior.noise[which]
    predict(belief.posterior, which, context, now)
    set_law(now.scores, tempering(now.scores, now.variance, now.plain_law), now.law)
    best = best_action(stakes, now.law, noise)
    set_weights(stakes, best, noise, now)
    add_to_future(belief.future, belief.fading, counts[ROUNDS] - 1.0, now)
    now.decision[WEIGHED] = now.decision[NEARLY] = now.decision[CHECKED] = 0.0
    chosen = best
    if best != parameters.only_look:
        set_prospects(belief.future, belief.fading[0], now)
        chosen = choose(parameters, state, best, noise)
    if chosen == best:
        chosen = check(parameters, state, best, noise, context)
    now.decision[BEST] = best
    now.decision[CHOSEN] = chosen
    counts[UNDER_WAY] *= 1.0 - _FORGETTING / counts[ROUNDS]
    if stakes.symbols[chosen] > 1:
        counts[LOOKS] += 1.0
        counts[UNDER_WAY] += 1.0
        counts[BOUGHT] += 0.0 if chosen == best else 1.0
    return chosen


@kernel
def choose(parameters: Parameters, state: State, best: int, noise: float) -> int:
    """Return the action of least loss less what its look may earn."""
    stakes, now = parameters.stakes, state.scratch
    rounds = horizon(parameters, state)
    now.decision[WEIGHED] = 1.0
    now.decision[LOOKING] = rounds
    chosen, least, lowest = -1, math.inf, expected_loss(stakes, best, now.law, noise)
    for a in range(stakes.loss.shape[0]):
        if stakes.symbols[a] > 1 or a == best:
            loss = expected_loss(stakes, a, now.law, noise)
            if stakes.symbols[a] > 1:
                now.value[a] = look_value(stakes, a, noise, now)
                if a != best and loss - 2.0 * rounds * now.value[a] < lowest:
                    now.decision[NEARLY] = 1.0
                loss -= rounds * now.value[a]
            if chosen < 0 or loss < least - 1e-12 or (loss < least + 1e-12 and a == best):
                chosen, least = a, loss
    return chosen


@kernel
def check(parameters: Parameters, state: State, best: int, noise: float, context: Context) -> int:
    """Return what to play where the model wants no look, after what was seen where it did not."""
    stakes, checks, now = parameters.stakes, state.checks, state.scratch
    t = state.counts[ROUNDS]
    cell = 2 * best + int(now.decision[NEARLY])
    claim(checks, cell, now.law, noise)
    if t >= checks.verdict[cell, 1]:
        left = parameters.horizon - t if t < parameters.horizon else t + 200.0 * math.sqrt(t + 10.0)
        rounds = parameters.caution * left * checks.rounds[cell] / t
        judge(stakes, checks, cell, int(t), rounds, parameters.doubt, learned(state))
    chosen = checks.verdict[cell, 0]
    if stakes.symbols[chosen] > 1 and not note(checks, cell, int(t), context):
        chosen = best
    now.decision[CHECKED] = 0.0 if chosen == best else 1.0
    return chosen


@kernel
def learned(state: State) -> float:
    """Return how much the model has learned: the symbols seen plus the number of coefficients."""
    return state.belief.labels.counts[SEEN] + float(state.scratch.lifted.shape[1])


@kernel
def horizon(parameters: Parameters, state: State) -> float:
    """Return how many rounds will profit from a look, less for looks that are under way."""
    counts = state.counts
    t = counts[ROUNDS]
    share = counts[BOUGHT] / max(counts[LOOKS], 1.0)
    rounds = (1.5 + 2.0 * share) * t
    left = parameters.horizon - t
    if left > 0.0:
        weight = share * share * share * share
        rounds = (1.0 - weight) * min(rounds, left) + weight * 1.5 * t * math.log(parameters.horizon / t)
    known = learned(state)
    ahead = known / (known + counts[UNDER_WAY])
    return parameters.caution * rounds * ahead * ahead


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    labels = state.belief.labels
    if parameters.settled < 0 and parameters.stakes.symbols[action] > 1:
        state.counts[UNDER_WAY] = max(0.0, state.counts[UNDER_WAY] - 1.0)
        cell = recall(state.checks, context)
        if cell >= 0:
            claimed = probability(parameters.stakes, state, action, symbol, context)
            count(parameters.stakes, state.checks, cell, action, symbol, claimed, learned(state))
        s = labels.counts[KEPT]
        if s < labels.action.shape[0]:
            for k in range(context.shape[0]):
                labels.context[s, k] = context[k]
            labels.action[s] = action
            labels.symbol[s] = symbol
            labels.counts[KEPT] = s + 1
            labels.counts[SEEN] += 1


@kernel
def probability(stakes: Stakes, state: State, action: int, symbol: int, context: Context) -> float:
    """Return the probability that the model gives to a symbol."""
    posterior, now = state.belief.posterior, state.scratch
    which = posterior.current[0]
    predict(posterior, which, context, now)
    set_law(now.scores, tempering(now.scores, now.variance, now.plain_law), now.law)
    mass, number = symbol_mass(stakes, action, symbol, now.law)
    return symbol_probability(mass, number, now.law.shape[0], posterior.noise[which])


class ProspectSide(KernelStrategy):
    """Prospect with contexts: look while looking may still pay for itself; for any globally observable game.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally.
    dimension
        How many numbers a context has. They may be on any scale: each is standardized by its running mean and standard
        deviation.
    horizon
        How many rounds will be played, if known.
    caution
        Multiplies the number of rounds that are expected to profit from a look: more than 1 looks more often.
    seed
        Not used: nothing is drawn.

    Notes
    -----
    The next `act` processes the symbols. If very many arrive between two calls, only the first 2 000 count, or 120 for
    each coefficient if that is more.
    """

    guarantee: ClassVar[str] = "none proved"

    def __init__(
        self, game: Game, dimension: int, horizon: int | None = None, caution: float = 1.0, *, seed: Seed = 0
    ) -> None:
        super().__init__(game, seed=seed)
        self.dimension = dimension
        self.horizon = horizon
        self.caution = caution
        check_whole("dimension", dimension, least=1)
        if horizon is not None:
            check_whole("horizon", horizon, least=1, most=2**62)
        check_number("caution", caution, above=0)
        self.analysis = analyze(game)
        refuse_hopeless(self.analysis)

    @property
    def _size(self) -> int:
        return (self.game.n_outcomes - 1) * (int(self.dimension) + 1)

    @property
    def _quota(self) -> float:
        """Enough for three symbols in a round, or a refit would never catch up with those that come meanwhile."""
        outcomes, size = self.game.n_outcomes, self._size
        return max(_LEAST_QUOTA, 12.0 * size**2, 3.0 * label_work(size, outcomes - 1))

    def explain(self, context: Any = None) -> str:
        """Say what a look would cost and may earn, at the last context or the given one, and which action follows."""
        from sidelight.strategies.prospect.side_explanation import explanation

        if context is None:
            return explanation(self)
        twin = self.clone()
        twin.act(context)
        return explanation(twin)

    def _compile(self) -> Parameters:
        looks = [a for a in range(self.game.n_actions) if self.game.informative(a)]
        return Parameters(
            stakes=stakes_of(self.analysis),
            settled=settled_action(self.analysis),
            only_look=looks[0] if len(looks) == 1 else -1,
            horizon=0.0 if self.horizon is None else float(self.horizon),
            caution=float(self.caution),
            quota=self._quota,
            doubt=DOUBT,
        )

    def _start(self) -> State:
        outcomes, d = self.game.n_outcomes, int(self.dimension)
        size, room = self._size, room_for(outcomes, d)
        rows = outcomes - 1
        factors = np.array([[prior_factor(k, j, rows) for j in range(rows)] for k in range(rows)])
        prior = np.kron(np.linalg.inv(factors.reshape(rows, rows)) / START_PRECISION, np.eye(d + 1))
        posterior = Posterior(
            current=np.zeros(1, np.int64),
            theta=np.zeros((2, size)),
            covariance=np.tile(prior, (2, 1, 1)),
            mean=np.zeros((2, d)),
            scale=np.zeros((2, d)),
            noise=np.full(2, START_NOISE / max(1, rows)),
            precision=np.full(2, START_PRECISION),
            absorbed=np.zeros((2, size, size)),
            pull=np.zeros((2, size)),
        )
        labels = Labels(
            context=np.zeros((room, d)),
            action=np.zeros(room, np.int64),
            symbol=np.zeros(room, np.int64),
            counts=np.zeros(3, np.int64),
        )
        belief = Belief(no_moments(d), posterior, labels, new_refit(outcomes, d), np.zeros((size, size)), np.ones(1))
        return State(
            np.zeros(4),
            belief,
            new_checks(self.game.n_actions, outcomes, d),
            new_scratch(self.game.n_actions, outcomes, d),
        )


def stakes_of(analysis: Analysis) -> Stakes:
    """Lay out a game: a loss that no action can avoid does not matter, nor does the unit of losses."""
    game = analysis.game
    columns = list(zip(*game.loss, strict=True))
    unit = max(max(column) - min(column) for column in columns) or 1
    actions = range(game.n_actions)
    neighbor = np.zeros((game.n_actions, game.n_actions), np.uint8)
    for i, j in analysis.neighbors:
        neighbor[i, j] = neighbor[j, i] = 1
    lowest = {min(group): group for group in analysis.duplicates}
    doubles = {a for low, group in lowest.items() for a in group if a != low}
    return Stakes(
        loss=float_rows([[(row[j] - min(columns[j])) / unit for j in range(len(row))] for row in game.loss]),
        optimal=np.array([a in analysis.pareto and a not in doubles for a in actions], np.uint8),
        neighbor=neighbor,
        shown=signal_indices(game),
        symbols=symbol_counts(game),
    )
