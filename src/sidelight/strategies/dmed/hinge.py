"""PM-DMED-Hinge, for any number of outcomes; see `sidelight.strategies.dmed.pmdmed`.

The frequencies hat pi_a of what action a showed are trusted up to the radius f(n_a) = b / sqrt(n_a) only, and gaps
up to alpha(t) = a / log log t (taken as a before round 16, where the formula has no meaning). The best guess p is a law
within all radii. In place of the last two rules of PM-DMED,

- every action is added if no law is within all radii, or if some action's gap under p is below alpha(t);
- else, if sum_a n_a (KL(hat pi_a | S_a q) - f(n_a))_+ < log t for some law q with KL(hat pi_j | S_j q) <= f(n_j) that
  makes j a mistake: every action with n_a < r_a log t, r being the cheapest allocation for which these sums reach 1.

See `sidelight.optimization.hinge` for the search.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.optimization.divergence import divergence
from sidelight.optimization.geometry import Geometry, lay_out_search_geometry, scale_losses_to_optimize
from sidelight.optimization.hinge import Hinge, add_silent_action_to_search, find_consistent_law
from sidelight.optimization.likelihood import is_informative, maximize_likelihood, symbols_of
from sidelight.strategies.base import UNANSWERED, Context, Seed, act, check_number, check_parameter, observe
from sidelight.strategies.dmed.general import (
    LEAST_COST,
    OPEN,
    Evidence,
    add_actions_needed_by_dmed,
    count_dmed_symbol,
    is_dmed_sufficiency_unknown,
    new_dmed_evidence,
    set_dmed_weights,
)
from sidelight.strategies.dmed.pmdmed import PMDMED
from sidelight.strategies.dmed.schedule import (
    Schedule,
    add_all_actions_to_dmed_loop,
    add_leader_and_rarely_played_to_dmed_loop,
    log_rounds_of_dmed,
    new_dmed_schedule,
    next_action_of_dmed_loop,
    set_dmed_leader,
)

# The radius of an action without observations.
_UNSEEN = 1e9
# The best guess is within all radii; such a law has yet to be found; there is none.
CONSISTENT, UNKNOWN, CONFLICT = 0, 1, 2


class Parameters(NamedTuple):
    """The constants of PM-DMED-Hinge; the geometry has a silent action behind the last one."""

    c: float
    tolerance: float
    margin: float  # a, in units of the scaled losses
    width: float  # b
    game: Geometry


class State(NamedTuple):
    """The state of play and its work arrays."""

    schedule: Schedule
    evidence: Evidence
    consistency: Integers  # of the best guess: CONSISTENT, UNKNOWN or CONFLICT
    answered: Integers  # 1 if the last question was
    gap: Floats  # the least one under the best guess
    gaps: Floats
    problem: Hinge


implements(observe, Parameters)(count_dmed_symbol)


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    game, schedule, evidence, problem = parameters.game, state.schedule, state.evidence, state.problem
    if schedule.clock[0] > 0:
        log_t = log_rounds_of_dmed(schedule)
        if evidence.stale[0] == 1:
            if state.answered[0] == 0:
                maximize_likelihood(game.signals, evidence.counts, evidence.fit)
                compare_dmed_law_with_radii(game, state, parameters.width)
                if state.consistency[0] == UNKNOWN:
                    return UNANSWERED
            state.answered[0] = 0
            update_dmed_hinge_leader(game, state)
        add_leader_and_rarely_played_to_dmed_loop(schedule, parameters.c, log_t)
        margin = parameters.margin / max(math.log(max(math.log(schedule.clock[0]), 1.0)), 1.0)  # alpha(t)
        if state.consistency[0] == CONFLICT or state.gap[0] < margin:
            add_all_actions_to_dmed_loop(schedule)
        elif schedule.tied[0] == 0:
            if is_dmed_sufficiency_unknown(evidence, log_t):
                set_dmed_weights(game, schedule, problem.plays, log_t)
                problem.plays[schedule.seen.shape[0]] = 0.0
            add_actions_needed_by_dmed(
                schedule, evidence, problem, problem.allocation, game, parameters.tolerance, log_t
            )
    return next_action_of_dmed_loop(schedule)


@kernel
def compare_dmed_law_with_radii(game: Geometry, state: State, width: float) -> None:
    """Set each action's symbol frequencies and radius, and whether the fitted law is within all radii."""
    signals, problem = game.signals, state.problem
    base, counts = problem.allocation.search.base, state.evidence.counts
    state.consistency[0] = CONSISTENT
    for a in range(problem.plays.shape[0]):
        n = symbols_of(signals, counts, a)
        problem.radius[a] = width / math.sqrt(n) if n > 0.0 else _UNSEEN
        for u in range(signals.first[a], signals.first[a + 1]):
            base[u] = counts[u] / n if n > 0.0 else 0.0
        problem.plays[a] = n if is_informative(signals, a) else 0.0
        if problem.plays[a] > 0.0 and divergence(signals, base, state.evidence.fit.image, a) > problem.radius[a]:
            state.consistency[0] = UNKNOWN
    base[signals.first[problem.plays.shape[0] - 1]] = 1.0


@kernel
def update_dmed_hinge_leader(game: Geometry, state: State) -> None:
    """Find the leading action under the law, and its lead."""
    gaps, cost = state.gaps, state.problem.allocation.master.cost
    set_dmed_leader(state.schedule, game.loss, game.candidate, state.evidence.fit.law, gaps)
    j = state.schedule.leader[0]
    state.gap[0] = math.inf
    for a in range(gaps.shape[0]):
        cost[a] = max(gaps[a], LEAST_COST)
        if game.twin[a] != game.twin[j]:
            state.gap[0] = min(state.gap[0], gaps[a])
    cost[gaps.shape[0]] = 1.0
    state.evidence.stale[0] = 0
    state.evidence.answer[0] = OPEN


def new_dmed_hinge_state(game: Geometry) -> State:
    """Return the state before the first round."""
    actions, outcomes = game.loss.shape
    symbols, borders = int(game.signals.first[-1]), len(game.difference)
    sizes = {"outcomes": outcomes, "symbols": symbols, "borders": borders, "equations": 1}
    flag, answered, gap = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1)
    problem = new_arrays(Hinge, actions=actions + 1, **sizes)
    evidence = new_dmed_evidence(outcomes, symbols)
    return State(new_dmed_schedule(actions), evidence, flag, answered, gap, np.zeros(actions), problem)


class PMDMEDHinge(PMDMED):
    """PM-DMED that trusts frequencies up to a radius and gaps up to a margin; this variant is proven optimal.

    With a = b = 0 there is no slack, and this is `PMDMED`.

    Parameters
    ----------
    game, c, tolerance, seed
        As for `PMDMED`.
    a
        Every action is played while a gap of the best guess is below a / log log t.
    b
        What n observations say about the law of an action's symbols is trusted up to the divergence b / sqrt(n). It has
        to be positive if a is: without a radius the frequencies of different actions contradict each other. The paper
        leaves a and b open. If they are small and several actions inform about the same thing, chance exceeds the radii
        for a long time, and meanwhile every action is played; if they are large, more is explored than certainty needs.

    References
    ----------
    J. Komiyama, J. Honda, H. Nakagawa, "Regret lower bound and optimal algorithm in finite stochastic partial
    monitoring", NeurIPS 2015.
    """

    guarantee: ClassVar[str] = "easy and hard games: regret C*(p) log T + o(log T) for every law with a unique optimum"

    def __init__(
        self,
        game: Game,
        *,
        c: float = 1.0,
        tolerance: float = 1e-3,
        a: float = 0.001,
        b: float = 0.01,
        seed: Seed = 0,
    ) -> None:
        super().__init__(game, c=c, tolerance=tolerance, seed=seed)
        self.a = check_number("a", a, least=0)
        self.b = check_number("b", b, least=0)
        check_parameter("b", b, b > 0 or a == 0, "a positive number, or 0 together with a = 0")

    @property
    def _slack(self) -> bool:
        return self.b > 0 and self.analysis.kind != "trivial"

    def _compile(self) -> Any:
        if not self._slack:
            return super()._compile()
        margin = float(self.a) / float(scale_losses_to_optimize(self.analysis)[1])
        game = add_silent_action_to_search(lay_out_search_geometry(self.analysis))
        return Parameters(float(self.c), float(self.tolerance), margin, float(self.b), game)

    def _start(self) -> Any:
        return new_dmed_hinge_state(self.compiled_parameters.game) if self._slack else super()._start()

    def _resume(self, parameters: Parameters, state: State) -> tuple[Parameters, State]:
        fit = state.evidence.fit
        found = find_consistent_law(parameters.game.signals, state.problem, fit.law, fit.image)
        state.consistency[0] = CONSISTENT if found else CONFLICT
        state.answered[0] = 1
        return parameters, state
