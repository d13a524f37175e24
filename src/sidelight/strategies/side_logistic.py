"""The logistic model of the contextual CBP strategies: the same round as in `side`, with another prediction."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis.plausible import Plausible
from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Bits, Flags, Floats, Integers
from sidelight.kernels.linear_algebra import quadratic_form
from sidelight.strategies.base import UNANSWERED, Context, act, observe
from sidelight.strategies.observers import Observation
from sidelight.strategies.ridge import add_observation
from sidelight.strategies.side import State, choose, decide_signs, set_features
from sidelight.strategies.softmax import fit, softmax, standard_error

_ROOM = 256
_GROWTH = 1.02
_ALWAYS = 50  # below so many observations every one of them leads to a new fit


class LogisticParameters(NamedTuple):
    """The parameters of `side`, the penalty of the fits, and how many uniform symbols temper the standard errors."""

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
    penalty: float
    tempering: float


class LogisticState(NamedTuple):
    """The state of `side`, with the history that a fit needs; `features` and `symbols` have room for more."""

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
    features: Floats  # (actions, room, d)
    symbols: Integers  # (actions, room)
    theta: Floats  # (symbols, d)
    factor: Floats  # (actions, most symbols d, most symbols d): R with R R' = F at the last fit
    hessian: Floats
    slope: Floats
    trial: Floats
    fitted: Floats  # (actions,): observations at the last fit


def with_history(state: State, actions: int, symbols: int, most: int, d: int) -> LogisticState:
    """Add an empty history to a fresh state."""
    size = most * d
    return LogisticState(
        *state,
        features=np.zeros((actions, _ROOM, d)),
        symbols=np.zeros((actions, _ROOM), np.int64),
        theta=np.zeros((symbols, d)),
        factor=np.zeros((actions, size, size)),
        hessian=np.zeros((size, size)),
        slope=np.zeros(size),
        trial=np.zeros((most, d)),
        fitted=np.zeros(actions),
    )


def more_room(state: Any) -> Any:
    """Double the room for observations."""
    doubled = {
        key: np.concatenate([old, np.zeros_like(old)], axis=1)
        for key, old in state._asdict().items()
        if key in _GROWING
    }
    return state._replace(**doubled)


_GROWING = ("features", "symbols")


@kernel
def refit(parameters: LogisticParameters, state: LogisticState, a: int) -> None:
    """Fit the model of action a to what was seen of it, if that has grown enough."""
    n = state.seen[a]
    if n == state.fitted[a] or (n > _ALWAYS and n < _GROWTH * state.fitted[a]):
        return
    low, high = parameters.watch.place[a], parameters.watch.place[a + 1]
    size = (high - low) * state.x.shape[0]
    fit(
        state.theta[low:high],
        state.features[a],
        state.symbols[a],
        int(n),
        parameters.penalty,
        state.law[low:high],
        state.slope[:size],
        state.hessian[:size, :size],
        state.factor[a, :size, :size],
        state.trial[: high - low],
    )
    state.fitted[a] = n


@kernel
def predict(parameters: LogisticParameters, state: LogisticState) -> None:
    """Set norms, predicted symbol laws and the standard error of each term."""
    watch, x = parameters.watch, state.x
    for a in range(state.plays.shape[0]):
        if parameters.informative[a] == 1:
            state.norm[a] = math.sqrt(max(0.0, quadratic_form(state.inverse[a], x, state.solved[a])))
            refit(parameters, state, a)
            softmax(state.theta[watch.place[a] : watch.place[a + 1]], x, state.law[watch.place[a] : watch.place[a + 1]])
    for k in range(watch.action.shape[0]):
        a = watch.action[k]
        state.size[k] = 0.0
        if state.fitted[a] > 0.0:
            low, high = watch.place[a], watch.place[a + 1]
            size = (high - low) * x.shape[0]
            root, scratch = state.factor[a, :size, :size], state.slope[:size]
            added = parameters.tempering * state.norm[a] * state.norm[a]  # per observation near x
            doubt = added / (1.0 + added)
            state.size[k] = standard_error(state.law[low:high], doubt, watch.vector, watch.first[k], x, root, scratch)


@implements(act, LogisticParameters)
def _act(parameters: LogisticParameters, state: LogisticState, context: Context, rng: np.random.Generator) -> int:
    t = state.clock[0]
    if parameters.settled >= 0:
        chosen = parameters.settled
    elif t < state.plays.shape[0]:
        chosen = t
    else:
        if state.open[0] == 0:
            for a in range(state.plays.shape[0]):
                if state.plays[a] >= state.symbols.shape[1] and parameters.informative[a] == 1:
                    return UNANSWERED  # no room for another observation
            set_features(parameters, state, context)
            predict(parameters, state)
            decide_signs(parameters, state, t, rng)
        chosen = choose(parameters, state, t)
        if chosen == UNANSWERED:
            return UNANSWERED
    state.clock[0] = t + 1
    state.plays[chosen] += 1.0
    return chosen


@implements(observe, LogisticParameters)
def _observe(parameters: LogisticParameters, state: LogisticState, action: int, symbol: int, context: Context) -> None:
    if parameters.informative[action] == 1:
        set_features(parameters, state, context)
        n = int(state.seen[action])
        for k in range(state.x.shape[0]):
            state.features[action, n, k] = state.x[k]
        state.symbols[action, n] = symbol
        add_observation(state.gram[action], state.inverse[action], state.x, state.solved[action], state.seen[action])
    state.seen[action] += 1.0
