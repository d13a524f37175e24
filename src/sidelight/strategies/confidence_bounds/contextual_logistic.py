"""The logistic model of the contextual CBP strategies: the round of `contextual_round` with another prediction.

The symbols of action a follow the law softmax(Theta_a x); Theta_a is fitted anew when its observations have grown by a
few percent, and the size of each term is its local standard error (see `softmax`).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import copy, quadratic_form
from sidelight.strategies.base import UNANSWERED, Context, act, observe
from sidelight.strategies.confidence_bounds import contextual_round
from sidelight.strategies.confidence_bounds.contextual_round import choose_cbpside_action, decide_cbpside_signs
from sidelight.strategies.shared.ridge import add_ridge_observation, set_context_features
from sidelight.strategies.shared.rounds import count_play, play_first_rounds
from sidelight.strategies.shared.softmax import fit_softmax, set_softmax_law, standard_error_of_softmax

_ROOM = 256
_GROWTH = 1.02
_ALWAYS = 50  # below so many observations every one of them leads to a new fit


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    round: contextual_round.Parameters
    penalty: float
    tempering: float  # how many uniform symbols temper the standard errors


class History(NamedTuple):
    """The observations of each action, with room for more, and the model fitted to them."""

    features: Annotated[Floats, "actions", _ROOM, "features"]
    symbols: Annotated[Integers, "actions", _ROOM]
    theta: Annotated[Floats, "symbols", "features"]
    factor: Annotated[Floats, "actions", "coefficients", "coefficients"]  # R with R R' = F at the last fit
    fitted: Annotated[Floats, "actions"]  # observations at the last fit


class Scratch(NamedTuple):
    """Work arrays of a fit."""

    hessian: Annotated[Floats, "coefficients", "coefficients"]
    slope: Annotated[Floats, "coefficients"]
    trial: Annotated[Floats, "most_symbols", "features"]


class State(NamedTuple):
    """The state of play."""

    round: contextual_round.State
    history: History
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    inner = state.round
    chosen = play_first_rounds(parameters.round.settled, inner.clock[0], inner.plays)
    if chosen == UNANSWERED:
        if inner.open[0] == 0:
            for a in range(inner.plays.shape[0]):
                if inner.plays[a] >= state.history.symbols.shape[1] and parameters.round.informative[a] == 1:
                    return UNANSWERED  # no room for another observation
            set_context_features(inner.scratch.x, context, parameters.round.intercept)
            predict_logistic_cbpside(parameters, state)
            decide_cbpside_signs(parameters.round, inner, rng)
        chosen = choose_cbpside_action(parameters.round, inner)
    count_play(inner.clock, inner.plays, chosen)
    return chosen


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    inner = state.round
    if parameters.round.informative[action] == 1:
        x = inner.scratch.x
        set_context_features(x, context, parameters.round.intercept)
        n = int(inner.seen[action])
        copy(x, state.history.features[action, n])
        state.history.symbols[action, n] = symbol
        solved = inner.scratch.solved[action]
        add_ridge_observation(inner.gram[action], inner.inverse[action], x, solved, inner.seen[action])
    inner.seen[action] += 1.0


@kernel
def refit_logistic_cbpside(parameters: Parameters, state: State, a: int) -> None:
    """Refit the model of action a if its observations have grown enough."""
    history, scratch = state.history, state.scratch
    n = state.round.seen[a]
    if n == history.fitted[a] or (n > _ALWAYS and n < _GROWTH * history.fitted[a]):
        return
    low, high = parameters.round.watch.place[a], parameters.round.watch.place[a + 1]
    size = (high - low) * state.round.scratch.x.shape[0]
    fit_softmax(
        history.theta[low:high],
        history.features[a],
        history.symbols[a],
        int(n),
        parameters.penalty,
        state.round.scratch.law[low:high],
        scratch.slope[:size],
        scratch.hessian[:size, :size],
        history.factor[a, :size, :size],
        scratch.trial[: high - low],
    )
    history.fitted[a] = n


@kernel
def predict_logistic_cbpside(parameters: Parameters, state: State) -> None:
    """Set norms, predicted symbol laws and the standard error of each term."""
    watch, history, now = parameters.round.watch, state.history, state.round.scratch
    for a in range(state.round.plays.shape[0]):
        if parameters.round.informative[a] == 1:
            low, high = watch.place[a], watch.place[a + 1]
            now.norm[a] = math.sqrt(max(0.0, quadratic_form(state.round.inverse[a], now.x, now.solved[a])))
            refit_logistic_cbpside(parameters, state, a)
            set_softmax_law(history.theta[low:high], now.x, now.law[low:high])
    for k in range(watch.action.shape[0]):
        a = watch.action[k]
        now.size[k] = 0.0
        if history.fitted[a] > 0.0:
            low, high = watch.place[a], watch.place[a + 1]
            size = (high - low) * now.x.shape[0]
            root, slope = history.factor[a, :size, :size], state.scratch.slope[:size]
            added = parameters.tempering * now.norm[a] * now.norm[a]  # per observation near x
            doubt = added / (1.0 + added)
            now.size[k] = standard_error_of_softmax(
                now.law[low:high], doubt, watch.vector, watch.first[k], now.x, root, slope
            )


def double_room_of_logistic_cbpside(state: State) -> State:
    """Double the room for observations."""
    old = state.history
    features = np.concatenate([old.features, np.zeros_like(old.features)], axis=1)
    symbols = np.concatenate([old.symbols, np.zeros_like(old.symbols)], axis=1)
    return state._replace(history=old._replace(features=features, symbols=symbols))
