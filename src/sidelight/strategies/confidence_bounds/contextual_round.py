"""What the contextual strategies of the CBP family do in a round, with a linear model of the symbols.

A model predicts the symbol law of each informative action at the context and says how uncertain each term of a pair's
estimate is: `size[k]`, so that the width is sum_k size_k (Z + offset). Here it is ridge regression; with the logistic
model of `contextual_logistic` all but `predict_in_cbpside_round` stays the same.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import generic, implements, kernel
from sidelight.kernels.arrays import Flags, Floats, Integers
from sidelight.kernels.linear_algebra import dot, quadratic_form
from sidelight.strategies.base import UNANSWERED, Context, act, observe
from sidelight.strategies.confidence_bounds.observers import Observation
from sidelight.strategies.confidence_bounds.plausible import (
    UNKNOWN,
    Differences,
    Plausible,
    Pooled,
    choose_pooled_plausible_action,
    plausible_action_of_highest_score,
)
from sidelight.strategies.confidence_bounds.plausible import Scratch as PlausibleScratch
from sidelight.strategies.confidence_bounds.sampler import (
    WidthSampler,
    cbp_exploration_rate,
    draw_confidence_width,
    plausible_row_of_cbp,
    prepare_confidence_draw,
)
from sidelight.strategies.shared.ridge import add_ridge_observation, set_context_features
from sidelight.strategies.shared.rounds import count_play, play_first_rounds


class Parameters(NamedTuple):
    """The constants of the contextual strategies, fixed before the first round."""

    alpha: float
    sampler: WidthSampler
    settled: int  # the action to play in a trivial game, else -1
    degrees: float  # B^2 = degrees log t
    half_normal: int  # 1 if Z = sigma |N(0, 1)|
    intercept: int
    factor: Floats  # of each action in its width
    offset: Floats  # added to Z
    weight: Floats  # W_a
    rate: Floats  # W_a^(2/3)
    informative: Flags
    watch: Observation
    plausible: Plausible


class Scratch(NamedTuple):
    """Work arrays, filled anew in every round."""

    x: Annotated[Floats, "features"]  # the context, with an intercept if there is one
    solved: Annotated[Floats, "actions", "features"]  # G^-1 x
    norm: Annotated[Floats, "actions"]  # |x|_a
    size: Annotated[Floats, "terms"]  # of all pairs: |v_ija| factor_a |x|_a
    z: Annotated[Floats, "actions"]
    law: Annotated[Floats, "symbols"]  # pi_a(x)
    steps: Annotated[Floats, "steps"]  # cumulative weights of the points of the sampler
    plausible: PlausibleScratch


class State(NamedTuple):
    """The state of play. `open` says that a question is under way, for which the decided signs are kept."""

    clock: Annotated[Integers, 1]
    open: Annotated[Integers, 1]
    plays: Annotated[Floats, "actions"]
    seen: Annotated[Floats, "actions"]
    gram: Annotated[Floats, "actions", "features", "features"]
    inverse: Annotated[Floats, "actions", "features", "features"]
    totals: Annotated[Floats, "symbols", "features"]  # sum e(y) x'
    differences: Differences
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    chosen = play_first_rounds(parameters.settled, state.clock[0], state.plays)
    if chosen == UNANSWERED:
        if state.open[0] == 0:
            set_context_features(state.scratch.x, context, parameters.intercept)
            predict_in_cbpside_round(parameters, state)
            decide_cbpside_signs(parameters, state, rng)
        chosen = choose_cbpside_action(parameters, state)
    count_play(state.clock, state.plays, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.informative[action] == 1:
        x = state.scratch.x
        set_context_features(x, context, parameters.intercept)
        u = parameters.watch.place[action] + symbol
        for k in range(x.shape[0]):
            state.totals[u, k] += x[k]
        solved = state.scratch.solved[action]
        add_ridge_observation(state.gram[action], state.inverse[action], x, solved, state.seen[action])
    state.seen[action] += 1.0


@kernel
def predict_in_cbpside_round(parameters: Parameters, state: State) -> None:
    """Set the norm of the context, the predicted symbol law of each informative action and the size of each term."""
    watch, scratch = parameters.watch, state.scratch
    for a in range(state.plays.shape[0]):
        if parameters.informative[a] == 1:
            solved = scratch.solved[a]
            scratch.norm[a] = math.sqrt(max(0.0, quadratic_form(state.inverse[a], scratch.x, solved)))
            last = watch.place[a + 1]
            for u in range(watch.place[a], last):
                scratch.law[u] = dot(state.totals[u], solved)
    for k in range(watch.action.shape[0]):
        a = watch.action[k]
        scratch.size[k] = watch.norm[k] * parameters.factor[a] * scratch.norm[a]


@kernel
def decide_cbpside_signs(parameters: Parameters, state: State, rng: np.random.Generator) -> None:
    """Decide the sign of each pair's loss difference at this context, 0 where the interval holds both."""
    watch, scratch, found = parameters.watch, state.scratch, state.differences
    bound = math.sqrt(parameters.degrees * math.log(state.clock[0]))
    low, step = prepare_confidence_draw(parameters.sampler, bound, scratch.steps)
    for a in range(state.plays.shape[0]):
        scratch.z[a] = 1.0
        if parameters.informative[a] == 1:
            if parameters.half_normal == 1:
                scratch.z[a] = parameters.sampler.sigma * abs(rng.normal())
            else:
                scratch.z[a] = draw_confidence_width(parameters.sampler, low, step, bound, scratch.steps, rng)
    for e in range(found.signs.shape[0]):
        delta = watch.constant[e]
        reach = 0.0
        width = 0.0
        known = True
        for k in range(watch.start[e], watch.start[e + 1]):
            a = watch.action[k]
            known = known and state.seen[a] > 0.0
            place = watch.place[a]
            for u in range(watch.first[k], watch.first[k + 1]):
                delta += watch.vector[u] * scratch.law[place]
                place += 1
            reach += scratch.size[k]
            width += scratch.size[k] * (scratch.z[a] + parameters.offset[a])
        sign = 0
        if known and abs(delta) >= width:
            if delta > 0.0:
                sign = 1
            elif delta < 0.0:
                sign = -1
        found.delta[e] = delta
        found.reach[e] = reach
        found.width[e] = width
        found.signs[e] = sign


@kernel
def set_cbpside_scores(parameters: Parameters, state: State) -> None:
    """Set W w(x) of every action, and whether 1 / |x|^2 < eta f(t), which lets it explore."""
    t, scratch, wanted = state.clock[0], state.scratch, state.scratch.plausible
    rate = cbp_exploration_rate(parameters.alpha, t)
    for a in range(state.plays.shape[0]):
        wanted.score[a] = 0.0
        wanted.explorable[a] = 0
        if parameters.informative[a] == 1:
            width = parameters.factor[a] * (scratch.z[a] + parameters.offset[a]) * scratch.norm[a]
            wanted.score[a] = parameters.weight[a] * width
            if parameters.rate[a] * rate * scratch.norm[a] * scratch.norm[a] > 1.0:
                wanted.explorable[a] = 1


@kernel
def choose_cbpside_action(parameters: Parameters, state: State) -> int:
    """Return the action of highest score that the decided signs leave, or UNANSWERED."""
    set_cbpside_scores(parameters, state)
    chosen = choose_among(parameters.plausible, state.differences, state.scratch.plausible)
    state.open[0] = 1 if chosen == UNKNOWN else 0
    return UNANSWERED if chosen == UNKNOWN else chosen


choose_among = generic("choose_among", ["facts", "differences", "found"])
"""Return the action of highest score that the decided signs leave or UNKNOWN, as the class of `facts` has it."""


@implements(choose_among, Pooled)
def _choose_pooled_cbpside_action(facts: Pooled, differences: Differences, found: PlausibleScratch) -> int:
    return choose_pooled_plausible_action(facts, differences, found, 0.0)


@implements(choose_among, Plausible)
def _choose_tabulated_cbpside_action(facts: Plausible, differences: Differences, found: PlausibleScratch) -> int:
    row = plausible_row_of_cbp(facts, differences, found)
    if row == UNKNOWN:
        return UNKNOWN
    if row < facts.rows:
        return plausible_action_of_highest_score(found, facts.allowed[row], facts.observing[row], 0.0)
    return plausible_action_of_highest_score(found, found.allowed, found.observing, 0.0)
