"""PM-DMED for any number of outcomes; see `sidelight.strategies.dmed.pmdmed`.

Most rounds need no search. An alternative and its multipliers, found some rounds ago, prove by convexity a lower bound
for what is revealed about every law behind the same border now (see `sidelight.optimization.divergence`): if that
suffices, the round costs one check per border. And while no symbol arrives, only log t changes.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.kernels.linear_algebra import copy
from sidelight.optimization.allocation import FOUND, IMPOSSIBLE, SUFFICIENT, Allocation, optimize_allocation
from sidelight.optimization.geometry import Geometry
from sidelight.optimization.likelihood import Fit, is_informative, maximize_likelihood, new_fit
from sidelight.strategies.base import Context, act, observe
from sidelight.strategies.dmed.schedule import (
    Schedule,
    add_all_actions_to_dmed_loop,
    add_leader_and_rarely_played_to_dmed_loop,
    add_rarely_seen_to_dmed_loop,
    log_rounds_of_dmed,
    new_dmed_schedule,
    next_action_of_dmed_loop,
    set_dmed_leader,
)

# Gaps below this (of losses scaled to [0, 1]) are raised to it: what costs nothing would be asked for without end.
LEAST_COST = 1e-7
# In place of an answer of `optimize_allocation`.
OPEN = -1


class Parameters(NamedTuple):
    """The constants of PM-DMED of a game with more than two outcomes, fixed before the first round."""

    c: float
    tolerance: float
    game: Geometry


class Evidence(NamedTuple):
    """The symbols seen, the best guess, and the state of the search for alternatives to it."""

    counts: Annotated[Floats, "symbols"]
    stale: Annotated[Integers, 1]  # 1 if symbols came in since the best guess was made
    fit: Fit  # the best guess
    answer: Annotated[Integers, 1]  # of `optimize_allocation`
    proven: Annotated[Floats, 1]  # a lower bound of sum_a n_a KL(S_a p | S_a q) over all alternatives q


class State(NamedTuple):
    """The state of play and its work arrays."""

    schedule: Schedule
    evidence: Evidence
    problem: Allocation


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    game, schedule, evidence, problem = parameters.game, state.schedule, state.evidence, state.problem
    if schedule.clock[0] > 0:
        log_t = log_rounds_of_dmed(schedule)
        if evidence.stale[0] == 1:
            maximize_likelihood(game.signals, evidence.counts, evidence.fit)
            update_dmed_leader(game, state)
        add_leader_and_rarely_played_to_dmed_loop(schedule, parameters.c, log_t)
        if schedule.tied[0] == 0:
            if is_dmed_sufficiency_unknown(evidence, log_t):
                set_dmed_weights(game, schedule, problem.search.weight, log_t)
            add_actions_needed_by_dmed(schedule, evidence, problem, problem, game, parameters.tolerance, log_t)
    return next_action_of_dmed_loop(schedule)


@kernel
def is_dmed_sufficiency_unknown(evidence: Evidence, log_t: float) -> bool:
    """Return whether it is undecided if the plays suffice at log t."""
    return evidence.answer[0] == OPEN or (evidence.answer[0] == SUFFICIENT and evidence.proven[0] < log_t)


@kernel
def add_actions_needed_by_dmed(
    schedule: Schedule,
    evidence: Evidence,
    problem: Any,
    allocation: Allocation,
    game: Geometry,
    tolerance: float,
    log_t: float,
) -> None:
    """Add the actions that must be played to rule the alternatives out, after asking again if that is undecided."""
    if is_dmed_sufficiency_unknown(evidence, log_t):
        evidence.answer[0] = optimize_allocation(problem, allocation, game, schedule.leader[0], tolerance)
        evidence.proven[0] = allocation.bound[0] * log_t
    if evidence.answer[0] == FOUND:
        add_rarely_seen_to_dmed_loop(schedule, allocation.master.share, log_t)
    elif evidence.answer[0] == IMPOSSIBLE:
        add_all_actions_to_dmed_loop(schedule)


@implements(observe, Parameters)
def count_dmed_symbol(parameters: Any, state: Any, action: int, symbol: int, context: Context) -> None:
    """Count a symbol; the fit is outdated unless the action always shows the same one."""
    signals, evidence = parameters.game.signals, state.evidence
    evidence.counts[signals.first[action] + symbol] += 1.0
    state.schedule.seen[action] += 1.0
    if is_informative(signals, action):
        evidence.stale[0] = 1


@kernel
def update_dmed_leader(game: Geometry, state: State) -> None:
    """Find the leading action under the fitted law."""
    base, cost, fit = state.problem.search.base, state.problem.master.cost, state.evidence.fit
    copy(fit.image, base)
    set_dmed_leader(state.schedule, game.loss, game.candidate, fit.law, cost)
    for a in range(cost.shape[0]):
        cost[a] = max(cost[a], LEAST_COST)
    state.evidence.stale[0] = 0
    state.evidence.answer[0] = OPEN


@kernel
def set_dmed_weights(game: Geometry, schedule: Schedule, weight: Floats, log_t: float) -> None:
    """Set the weights to the plays of informative actions relative to log t; the leader's does not count."""
    for a in range(schedule.seen.shape[0]):
        counts = a != schedule.leader[0] and is_informative(game.signals, a)
        weight[a] = schedule.seen[a] / log_t if counts else 0.0


def new_dmed_evidence(outcomes: int, symbols: int) -> Evidence:
    """Return the evidence before the first round."""
    evidence = new_arrays(Evidence, outcomes=outcomes, symbols=symbols)
    return evidence._replace(stale=np.ones(1, np.int64), fit=new_fit(outcomes, symbols), answer=np.full(1, OPEN))


def new_dmed_state(game: Geometry) -> State:
    """Return the state before the first round."""
    actions, outcomes = game.loss.shape
    symbols, borders = int(game.signals.first[-1]), len(game.difference)
    sizes = {"actions": actions, "outcomes": outcomes, "symbols": symbols, "borders": borders, "equations": 1}
    return State(new_dmed_schedule(actions), new_dmed_evidence(outcomes, symbols), new_arrays(Allocation, **sizes))
