"""What the contextual strategies of the CBP family do in a round, whatever their model of the symbols.

A model (`ridge`, or the logistic one) predicts the symbol law of each informative action at the context and says how
uncertain each term of a pair's estimate is: `size[k]`, so that the width is sum_k size_k (Z + offset).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis.plausible import UNKNOWN, Plausible
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Bits, Flags, Floats, Integers
from sidelight.kernels.linear_algebra import quadratic_form
from sidelight.strategies.base import UNANSWERED, Context, act, observe
from sidelight.strategies.cbp import plausible_row, prepare_draw
from sidelight.strategies.observers import Observation
from sidelight.strategies.ridge import add_observation


class Parameters(NamedTuple):
    """What the contextual strategies know before the first round."""

    alpha: float
    bins: int
    lower: float
    sigma: float
    tail: float
    settled: int  # the action to play in a trivial game, else -1
    degrees: float  # B^2 = degrees log t
    half_normal: int  # 1 if Z = sigma |N(0, 1)|
    per_pair: int  # 1 if Z is drawn per pair and not per action
    explore: int  # 0 if V(t) n R(x) is left out
    intercept: int
    factor: Floats  # of each action in its width
    offset: Floats  # added to Z
    weight: Floats  # W_a
    rate: Floats  # W_a^(2/3)
    informative: Flags
    watch: Observation
    plausible: Plausible


class State(NamedTuple):
    """What play changes."""

    clock: Integers
    open: Integers
    plays: Floats
    seen: Floats
    gram: Floats  # (actions, d, d)
    inverse: Floats
    totals: Floats  # (symbols, d): sum e(y) x'
    x: Floats
    solved: Floats  # (actions, d): G^-1 x of this round
    norm: Floats  # (actions,): |x|_a
    size: Floats  # (terms of all pairs,): |v_ija| factor_a |x|_a
    z: Floats
    law: Floats  # (symbols,): pi_a(x)
    delta: Floats
    reach: Floats
    width: Floats
    signs: Integers
    steps: Floats
    wanted: Bits
    hints: Integers
    alive: Flags
    allowed: Flags
    observing: Flags


@kernel
def set_features(parameters: Any, state: Any, context: Context) -> None:
    """Copy the context, with an intercept if there is one."""
    for k in range(context.shape[0]):
        state.x[k] = context[k]
    if parameters.intercept == 1:
        state.x[context.shape[0]] = 1.0


@kernel
def predict(parameters: Parameters, state: State) -> None:
    """Set the norm of the context and the predicted symbol law of each informative action."""
    watch = parameters.watch
    for a in range(state.plays.shape[0]):
        if parameters.informative[a] == 1:
            solved = state.solved[a]
            state.norm[a] = math.sqrt(max(0.0, quadratic_form(state.inverse[a], state.x, solved)))
            last = watch.place[a + 1]
            for u in range(watch.place[a], last):
                share = 0.0
                for k in range(state.x.shape[0]):
                    share += state.totals[u, k] * solved[k]
                state.law[u] = share
    for k in range(watch.action.shape[0]):
        a = watch.action[k]
        state.size[k] = watch.norm[k] * parameters.factor[a] * state.norm[a]


@kernel
def draw_z(parameters: Any, state: Any, bound: float, rng: np.random.Generator) -> float:
    """Draw one Z."""
    if parameters.half_normal == 1:
        return parameters.sigma * abs(rng.normal())
    last = parameters.bins - 1
    if last > 0:
        low = min(parameters.lower, bound)
        u = rng.random()
        for k in range(last):
            if u < state.steps[k]:
                return low + (bound - low) / last * k
    return bound


@kernel
def decide_signs(parameters: Any, state: Any, t: int, rng: np.random.Generator) -> None:
    """Decide the sign of each pair's loss difference at this context, 0 where the interval holds both."""
    watch = parameters.watch
    bound = math.sqrt(parameters.degrees * math.log(t))
    if parameters.bins > 1 and parameters.half_normal == 0:
        low = min(parameters.lower, bound)
        prepare_draw(parameters, low, (bound - low) / (parameters.bins - 1), state.steps)
    for a in range(state.plays.shape[0]):
        state.z[a] = 1.0
        if parameters.per_pair == 0 and parameters.informative[a] == 1:
            state.z[a] = draw_z(parameters, state, bound, rng)
    for e in range(state.signs.shape[0]):
        z = draw_z(parameters, state, bound, rng) if parameters.per_pair == 1 else 0.0
        delta = watch.constant[e]
        reach = 0.0
        width = 0.0
        known = True
        for k in range(watch.start[e], watch.start[e + 1]):
            a = watch.action[k]
            known = known and state.seen[a] > 0.0
            place = watch.place[a]
            for u in range(watch.first[k], watch.first[k + 1]):
                delta += watch.vector[u] * state.law[place]
                place += 1
            reach += state.size[k]
            width += state.size[k] * ((z if parameters.per_pair == 1 else state.z[a]) + parameters.offset[a])
        sign = 0
        if known and abs(delta) >= width:
            if delta > 0.0:
                sign = 1
            elif delta < 0.0:
                sign = -1
        state.delta[e] = delta
        state.reach[e] = reach
        state.width[e] = width
        state.signs[e] = sign


@kernel
def best(parameters: Any, state: Any, allowed: Flags, observing: Flags, t: int) -> int:
    """Return the action of largest W w(x) among those that may be played."""
    chosen, highest = -1, -math.inf
    rate = parameters.alpha ** (1 / 3) * t ** (2 / 3) * math.log(t) ** (1 / 3)
    for a in range(state.plays.shape[0]):
        playable = allowed[a] == 1
        if not playable and observing[a] == 1 and parameters.explore == 1 and parameters.informative[a] == 1:
            playable = parameters.rate[a] * rate * state.norm[a] * state.norm[a] > 1.0  # 1 / |x|^2 < eta f(t)
        if playable:
            score = 0.0
            if parameters.informative[a] == 1:
                width = parameters.factor[a] * (state.z[a] + parameters.offset[a]) * state.norm[a]
                score = parameters.weight[a] * width
            if score > highest:
                chosen, highest = a, score
    return chosen


@kernel
def choose(parameters: Any, state: Any, t: int) -> int:
    """Return the action for the decided signs, or UNANSWERED."""
    facts = parameters.plausible
    row = plausible_row(facts, state)
    state.open[0] = 1 if row == UNKNOWN else 0
    if row == UNKNOWN:
        return UNANSWERED
    if row < facts.rows:
        return best(parameters, state, facts.allowed[row], facts.observing[row], t)
    return best(parameters, state, state.allowed, state.observing, t)


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    t = state.clock[0]
    if parameters.settled >= 0:
        chosen = parameters.settled
    elif t < state.plays.shape[0]:
        chosen = t
    else:
        if state.open[0] == 0:
            set_features(parameters, state, context)
            predict(parameters, state)
            decide_signs(parameters, state, t, rng)
        chosen = choose(parameters, state, t)
        if chosen == UNANSWERED:
            return UNANSWERED
    state.clock[0] = t + 1
    state.plays[chosen] += 1.0
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    if parameters.informative[action] == 1:
        set_features(parameters, state, context)
        u = parameters.watch.place[action] + symbol
        for k in range(state.x.shape[0]):
            state.totals[u, k] += state.x[k]
        add_observation(state.gram[action], state.inverse[action], state.x, state.solved[action], state.seen[action])
    state.seen[action] += 1.0
