"""CBP and RandCBP: confidence bounds for partial monitoring, as they are or drawn at random.

For each pair {i, j} of neighbors the loss difference (L_i - L_j) p is estimated through observer vectors v,

    delta_ij = sum_a v_ija . nu_a / n_a,      c_ij = sum_a |v_ija| Z_ij / sqrt(n_a),      |v| the largest entry,

nu_a being the counts of the symbols of action a. A pair with |delta_ij| >= c_ij is decided, and the decided signs
confine the outcome law (see `plausible`) to plausible actions P(t), plausible borders N(t), and with
them N+(t) and the observers V(t). It plays the action of largest W_a^2 / n_a, W_a = max_ij |v_ija|, among

    P(t) u N+(t) u (V(t) n R(t)),    R(t) = {a : n_a <= W_a^(2/3) f(t)},    f(t) = alpha^(1/3) t^(2/3) (log t)^(1/3).

CBP has Z = sqrt(alpha log t). RandCBP draws Z for each pair from `bins` points between `lower` and that bound, with
weights exp(-Z^2 / 2 sigma^2) and the mass `tail` on the bound itself.

The published runs decide what the text leaves open or says differently: the clock in log and f starts at 0, the first N
rounds play each action once, >= and <= are not strict, V is intersected with R (the text has a union), ties go to the
lowest index (or, with `ties="greedy"`, to the action of least estimated loss). Nothing is estimated from an
uninformative action: its symbol is certain and adds nothing to the width.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import generic, implements, kernel
from sidelight.kernels.arrays import Flags, Floats, Integers
from sidelight.strategies.base import (
    UNANSWERED,
    Context,
    KernelStrategy,
    Seed,
    act,
    check_choice,
    check_number,
    check_whole,
    observe,
)
from sidelight.strategies.confidence_bounds.observers import Observation, lay_out_cbp_observers
from sidelight.strategies.confidence_bounds.plausible import (
    TABLE,
    UNKNOWN,
    Differences,
    Plausible,
    Pooled,
    choose_pooled_plausible_action,
)
from sidelight.strategies.confidence_bounds.plausible import Scratch as PlausibleScratch
from sidelight.strategies.confidence_bounds.plausible_sets import PlausibleSets, shared_plausible_sets
from sidelight.strategies.confidence_bounds.sampler import (
    MOST_BINS,
    WidthSampler,
    cbp_exploration_rate,
    draw_confidence_width,
    plausible_row_of_cbp,
    prepare_confidence_draw,
)
from sidelight.strategies.confidence_bounds.ties import TIES, Ties, cbp_ties, refuse_greedy_cbp, standing_of_cbp_action
from sidelight.strategies.shared.requirements import settled_action
from sidelight.strategies.shared.rounds import count_play, fade, fade_clock, fade_counts, play_first_rounds

TIE = 1e-14  # scores this close tie, relatively: the lowest index wins, not rounding


class Parameters(NamedTuple):
    """The constants of CBP and RandCBP, fixed before the first round."""

    alpha: float
    sampler: WidthSampler
    settled: int  # the action to play in a trivial game, else -1
    watch: Observation
    weight: Floats  # W_a^2
    rate: Floats  # W_a^(2/3)
    ties: Ties
    plausible: Plausible


class Scratch(NamedTuple):
    """Work arrays, which can be filled anew from the rest of the state."""

    steps: Annotated[Floats, "steps"]  # cumulative weights of the points of the sampler
    ready: Annotated[Integers, 1]  # whether the terms have been worked out
    term_delta: Annotated[Floats, "terms"]  # v_ija . nu_a / n_a
    term_reach: Annotated[Floats, "terms"]  # |v_ija| / sqrt(n_a); negative as long as n_a is 0
    plausible: PlausibleScratch


class State(NamedTuple):
    """The state of play. `open` says that a question is under way, for which the decided signs are kept."""

    clock: Annotated[Integers, 1]
    open: Annotated[Integers, 1]
    plays: Annotated[Floats, "actions"]
    seen: Annotated[Floats, "actions"]
    counts: Annotated[Floats, "symbols"]
    differences: Differences
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    t = state.clock[0]
    facts = parameters.plausible
    chosen = play_first_rounds(parameters.settled, t, state.plays)
    if chosen == UNANSWERED:
        row = UNKNOWN
        if state.open[0] == 0:
            place = decide_cbp_signs(parameters, state, t, rng)
            if facts.mode == TABLE:  # the way of nearly every round of a small game
                row = facts.table[place]
        chosen = choose(facts, parameters, state, t, row)
        state.open[0] = 1 if chosen == UNKNOWN else 0
        if chosen == UNKNOWN:
            return UNANSWERED
    count_play(state.clock, state.plays, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    state.counts[parameters.watch.place[action] + symbol] += 1.0
    state.seen[action] += 1.0
    refresh_cbp_terms(parameters.watch, state, action)


@implements(fade, State)
def _fade(state: State, kept: float) -> None:
    fade_clock(state.clock, state.plays.shape[0], kept)
    fade_counts(state.plays, kept)
    fade_counts(state.seen, kept)
    fade_counts(state.counts, kept)
    state.scratch.ready[0] = 0


@kernel
def refresh_cbp_terms(watch: Observation, state: State, a: int) -> None:
    """Work out the terms of an action that has shown a symbol."""
    kept, n = state.scratch, state.seen[a]
    for i in range(watch.own_start[a], watch.own_start[a + 1]):
        k = watch.own[i]
        score = 0.0
        place = watch.place[a]
        for u in range(watch.first[k], watch.first[k + 1]):
            score += watch.vector[u] * state.counts[place]
            place += 1
        kept.term_delta[k] = score / n
        kept.term_reach[k] = watch.norm[k] / math.sqrt(n)


@kernel
def refresh_all_cbp_terms(watch: Observation, state: State) -> None:
    """Work out all terms, after which `observe` keeps them up to date."""
    for a in range(state.seen.shape[0]):
        if state.seen[a] > 0.0:
            refresh_cbp_terms(watch, state, a)
    state.scratch.ready[0] = 1


@kernel
def estimate_cbp_difference(watch: Observation, kept: Scratch, e: int) -> tuple[float, float]:
    """Return delta and reach = c / Z of pair e; reach 0 where an observer has not been seen yet."""
    delta = watch.constant[e]
    reach = 0.0
    for k in range(watch.start[e], watch.start[e + 1]):
        if kept.term_reach[k] < 0.0:
            return delta, 0.0
        delta += kept.term_delta[k]
        reach += kept.term_reach[k]
    return delta, reach


@kernel
def decide_cbp_signs(parameters: Parameters, state: State, t: int, rng: np.random.Generator) -> int:
    """Decide the sign of each pair's loss difference, 0 where the confidence interval holds both.

    Returns the place of the signs in a table over all sign vectors (meaningful if that fits an integer).
    """
    watch, sampler, found = parameters.watch, parameters.sampler, state.differences
    bound = math.sqrt(parameters.alpha * math.log(t))
    low, step = prepare_confidence_draw(sampler, bound, state.scratch.steps)
    if state.scratch.ready[0] == 0:
        refresh_all_cbp_terms(watch, state)
    place = 0
    for e in range(found.signs.shape[0]):
        z = draw_confidence_width(sampler, low, step, bound, state.scratch.steps, rng)
        delta, reach = estimate_cbp_difference(watch, state.scratch, e)
        sign = 0
        if reach > 0.0 and abs(delta) >= z * reach:
            # An estimate of 0 stays undecided even with Z = 0, whatever rounding has made of it.
            if delta > watch.tiny[e]:
                sign = 1
            elif delta < -watch.tiny[e]:
                sign = -1
        found.delta[e] = delta
        found.reach[e] = reach
        found.width[e] = z * reach
        found.signs[e] = sign
        place = 3 * place + sign + 1
    return place


choose = generic("choose", ["facts", "parameters", "state", "t", "row"])
"""Return the action to play or UNKNOWN; the class of `facts` decides how. `row` is that of the signs in a table."""


@implements(choose, Pooled)
def _choose_best_cbp_action_first(facts: Pooled, parameters: Parameters, state: State, t: int, row: int) -> int:
    # The best action first, until one may be played.
    scratch = state.scratch.plausible
    rate = cbp_exploration_rate(parameters.alpha, t)
    for a in range(state.plays.shape[0]):
        scratch.score[a] = parameters.weight[a] / state.plays[a]
        scratch.explorable[a] = 1 if state.plays[a] <= parameters.rate[a] * rate else 0
    return choose_pooled_plausible_action(facts, state.differences, scratch, TIE)


@implements(choose, Plausible)
def _choose_tabulated_cbp_action(facts: Plausible, parameters: Parameters, state: State, t: int, row: int) -> int:
    scratch, delta = state.scratch.plausible, state.differences.delta
    if row < 0 or row >= facts.rows:
        row = plausible_row_of_cbp(facts, state.differences, scratch)
        if row == UNKNOWN:
            return UNKNOWN
    if row == facts.rows:
        return best_plausible_action(parameters, state.plays, delta, scratch.allowed, scratch.observing, t)
    if facts.only[row] >= 0:
        return facts.only[row]
    return best_plausible_action(parameters, state.plays, delta, facts.allowed[row], facts.observing[row], t)


@kernel
def best_plausible_action(
    parameters: Parameters, plays: Floats, delta: Floats, allowed: Flags, observing: Flags, t: int
) -> int:
    """Return the action of largest W^2 / n among those that may be played; delta decides ties where it should."""
    chosen, highest = -1, -1.0
    ties = parameters.ties
    rate = -1.0
    for a in range(plays.shape[0]):
        n = plays[a]
        playable = allowed[a] == 1
        if not playable and observing[a] == 1:
            if rate < 0.0:
                rate = cbp_exploration_rate(parameters.alpha, t)
            playable = n <= parameters.rate[a] * rate
        if playable:
            score = parameters.weight[a] / n
            if score > highest * (1.0 + TIE):
                chosen, highest = a, score
            elif (
                ties.greedy == 1
                and score >= highest * (1.0 - TIE)
                and standing_of_cbp_action(ties, delta, a) < standing_of_cbp_action(ties, delta, chosen)
            ):
                chosen = a
    return chosen


class RandCBP(KernelStrategy):
    """Randomized confidence bounds for stochastic partial monitoring, for any globally observable game.

    Parameters
    ----------
    game
        The game; a hopeless one is refused, a trivial one is played optimally from the first round.
    alpha
        Scales the logarithm in the confidence width and the exploration rate; at least 1 in the theory.
    bins
        K, how many points Z is drawn from; with 1, Z is always its bound and this is CBP.
    sigma
        The standard deviation of the Gaussian that weighs those points.
    tail
        epsilon, the mass on the bound.
    lower
        A, the least Z.
    observers
        How loss differences are estimated: "minimum-norm", "half-range", "max-norm", or your own mapping from pairs (i,
        j) to {action: vector over its symbols}. The choice changes the widths, and so the play.
    ties
        Who is played if several actions tie: "lowest", the lowest index as in print, or "greedy", the one of least
        estimated loss.
    seed
        Where the draws start.

    References
    ----------
    M. Heuillet, O. Ahmad, A. Durand, "Randomized confidence bounds for stochastic partial monitoring", ICML 2024.

    Examples
    --------
    >>> import sidelight as sl
    >>> s = sl.strategies.RandCBP(sl.games.load("apple-tasting"), seed=1)
    >>> [s.act(), s.observe("nothing"), s.act()]
    [0, None, 1]
    """

    guarantee: ClassVar[str] = "easy and hard games"

    def __init__(
        self,
        game: Game,
        alpha: float = 1.01,
        bins: int = 5,
        sigma: float = 1.0,
        tail: float = 1e-7,
        lower: float = 0.0,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        ties: str = "lowest",
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, seed=seed)
        self.alpha = check_number("alpha", alpha, above=0)
        self.bins = check_whole("bins", bins, least=1, most=MOST_BINS)
        self.sigma = check_number("sigma", sigma, above=0)
        self.tail = check_number("tail", tail, least=0, most=1)
        self.lower = check_number("lower", lower, least=-1e6, most=1e6)
        self.observers = observers
        self.ties = check_choice("ties", ties, TIES)
        self._watch = lay_out_cbp_observers(self.analysis, observers)

    @property
    def plausible_sets(self) -> PlausibleSets:
        """The facts about plausible sets that all strategies playing this game share."""
        return shared_plausible_sets(self.analysis, self._watch.sets)

    def _compile(self) -> Parameters:
        facts = self.plausible_sets.snapshot()
        if self.ties == "greedy" and isinstance(facts, Pooled):
            refuse_greedy_cbp(self.analysis)
        return Parameters(
            alpha=float(self.alpha),
            sampler=WidthSampler(int(self.bins), float(self.lower), float(self.sigma), float(self.tail)),
            settled=settled_action(self.analysis),
            watch=self._watch.arrays,
            weight=self._watch.weights**2,
            rate=self._watch.weights ** (2 / 3),
            ties=cbp_ties(self.analysis, self.ties),
            plausible=facts,
        )

    def _start(self) -> State:
        facts, watch = self.compiled_parameters.plausible, self._watch.arrays
        state = self._zeros(
            State,
            pairs=len(self.analysis.neighbors),
            steps=max(1, int(self.bins) - 1),
            terms=watch.action.size,
            targets=facts.points.shape[0],
            words=facts.points.shape[2],
        )
        state.scratch.term_reach[:] = -1.0
        return state

    def explain(self) -> str:
        """Say, after `act`, what was estimated and decided, which actions were left, and why this one was chosen."""
        from sidelight.strategies.confidence_bounds.explanation import explain_cbp_action

        return explain_cbp_action(self)

    def _resume(self, parameters: Parameters, state: State) -> tuple[Parameters, State]:
        facts = self.plausible_sets.answer(state.differences, state.scratch.plausible, TIE)
        return parameters._replace(plausible=facts), state


class CBP(RandCBP):
    """Confidence bounds for partial monitoring (CBP), which is RandCBP with Z at its bound.

    Parameters
    ----------
    game, alpha, observers, ties, seed
        As for `RandCBP`; the seed is not used, since CBP draws nothing.

    References
    ----------
    G. Bartók, N. Zolghadr, Cs. Szepesvári, "An adaptive algorithm for finite stochastic partial monitoring", ICML 2012.
    """

    def __init__(
        self,
        game: Game,
        alpha: float = 1.01,
        observers: str | Mapping[Any, Any] = "minimum-norm",
        ties: str = "lowest",
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, alpha=alpha, bins=1, observers=observers, ties=ties, seed=seed)
