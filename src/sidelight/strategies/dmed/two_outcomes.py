"""PM-DMED for two outcomes, in closed form; see `sidelight.strategies.dmed.pmdmed`.

Every informative action shows the outcome, so that p is a frequency. The alternatives to the leader j, if it shows
nothing, are the laws at the ends of its interval, and with q the end of less divergence

    r = 1 / KL((p, 1 - p) | (q, 1 - q))

looks per log t rule them out, taken by the cheapest action that shows the outcome.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.game_arrays import float_rows
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers, new_arrays
from sidelight.optimization.divergence import bernoulli_divergence
from sidelight.optimization.geometry import (
    neighbors_in_search_geometry,
    pareto_flags_to_optimize,
    scale_losses_to_optimize,
)
from sidelight.strategies.base import Context, act, observe
from sidelight.strategies.dmed.schedule import (
    SHORT,
    Schedule,
    add_action_to_dmed_loop,
    add_leader_and_rarely_played_to_dmed_loop,
    new_dmed_schedule,
    next_action_of_dmed_loop,
    set_dmed_leader,
)
from sidelight.strategies.shared.requirements import settled_action


class Parameters(NamedTuple):
    """The constants of PM-DMED of a game with two outcomes, or of a trivial one, fixed before the first round."""

    settled: int  # the action to play in a trivial game, else -1
    c: float
    loss: Floats
    candidate: Integers
    revealing: Integers  # 1 for actions that show the outcome
    borders: Floats  # (actions, 2): probabilities of outcome 0 at which a neighbor is as good; -1 for none


class State(NamedTuple):
    """The state of play."""

    schedule: Schedule
    stale: Annotated[Integers, 1]  # 1 if symbols came in since the rest was set
    counts: Annotated[Floats, 2]  # of the outcomes seen
    law: Annotated[Floats, 2]
    cost: Annotated[Floats, "actions"]
    needed: Annotated[Floats, 1]  # r, the observations that log t = 1 asks for; 0 if none are
    helper: Annotated[Integers, 1]  # the cheapest action that shows the outcome


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.settled >= 0:
        return parameters.settled
    schedule = state.schedule
    if schedule.clock[0] > 0:
        if state.stale[0] == 1:
            update_two_outcome_dmed_leader(parameters, state)
        log_t = math.log(schedule.clock[0])
        add_leader_and_rarely_played_to_dmed_loop(schedule, parameters.c, log_t)
        if state.counts[0] + state.counts[1] < state.needed[0] * log_t * (1.0 - SHORT):
            add_action_to_dmed_loop(schedule, state.helper[0])
    return next_action_of_dmed_loop(schedule)


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    state.schedule.seen[action] += 1.0
    if parameters.revealing[action] == 1:  # its symbols stand in the order of the outcomes
        state.counts[symbol] += 1.0
        state.stale[0] = 1


@kernel
def update_two_outcome_dmed_leader(parameters: Parameters, state: State) -> None:
    """Set the frequency, the leader, the looks needed to be sure of it, and the action that provides them."""
    schedule = state.schedule
    state.stale[0] = 0
    state.needed[0] = 0.0
    n = state.counts[0] + state.counts[1]
    if n == 0.0:
        schedule.tied[0] = 1
        return
    state.law[0] = state.counts[0] / n
    state.law[1] = state.counts[1] / n
    set_dmed_leader(schedule, parameters.loss, parameters.candidate, state.law, state.cost)
    j = schedule.leader[0]
    if schedule.tied[0] == 1 or parameters.revealing[j] == 1:
        return
    least = math.inf
    for side in range(2):
        border = parameters.borders[j, side]
        if border >= 0.0:
            least = min(least, bernoulli_divergence(state.law[0], border))
    if least <= 0.0:
        schedule.tied[0] = 1
        return
    state.needed[0] = 1.0 / least
    cheapest = math.inf
    for a in range(schedule.plays.shape[0]):
        if parameters.revealing[a] == 1 and state.cost[a] < cheapest:
            cheapest = state.cost[a]
            state.helper[0] = a


def new_two_outcome_dmed_parameters(analysis: Analysis, c: float) -> Parameters:
    """Return the constants for a game."""
    game = analysis.game
    exact, _ = scale_losses_to_optimize(analysis)
    borders = np.full((game.n_actions, 2), -1.0)
    if game.n_outcomes == 2:
        for j in range(game.n_actions):
            for side, k in enumerate(neighbors_in_search_geometry(analysis, j)):
                first, second = exact[k][0] - exact[j][0], exact[k][1] - exact[j][1]
                borders[j, side] = float(second / (second - first))
    return Parameters(
        settled=settled_action(analysis),
        c=c,
        loss=float_rows(exact),
        candidate=pareto_flags_to_optimize(analysis),
        revealing=np.array([int(game.informative(a)) for a in range(game.n_actions)], np.int64),
        borders=borders,
    )


def new_two_outcome_dmed_state(actions: int) -> State:
    """Return the state before the first round."""
    state = new_arrays(State, actions=actions)
    return state._replace(schedule=new_dmed_schedule(actions), stale=np.ones(1, np.int64))
