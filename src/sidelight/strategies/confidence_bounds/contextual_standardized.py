"""The linear model of the contextual CBP strategies in standardized units, fitted only to what it does not yet predict.

The round is that of `contextual_round` with two optional changes.

Contexts are measured in standard deviations from their mean, z = (x - mean) / s, so that the penalty lambda means the
same for all units and offsets. The units are those of all contexts so far, taken anew whenever their number has
doubled. From old units to new ones the features change by z_k -> (s_k / s_k') z_k + (m_k - m_k') / s_k', a linear map A
of (z, 1), and so what was learned is restated exactly: G - lambda I becomes A (G - lambda I) A', and sum e(y) z'
becomes sum e(y) z' A'.

An observation whose symbol the model predicts with a probability of 1 or more is left out: instead of least squares,
the squared hinge is fitted. Laws saturate: none is linear in a context without limit. If, in addition, outcomes are
seen mostly on one side (tasted apples are mostly rotten), least squares turn the many equal observations into a large
constant, and the border between the actions moves; the hinge is fitted to observations near the border.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import copy, dot, invert, multiply
from sidelight.strategies.base import Context, act, observe
from sidelight.strategies.confidence_bounds import contextual_round
from sidelight.strategies.shared.ridge import set_context_features
from sidelight.strategies.shared.standardization import Moments, add_context, standardize


class Parameters(NamedTuple):
    """The constants of the strategies, fixed before the first round."""

    round: contextual_round.Parameters
    penalty: float  # lambda
    standardize: int
    hinge: int


class Scratch(NamedTuple):
    """The context in the present units, how features change with the units, and room for a column."""

    z: Annotated[Floats, "dimension"]
    stretch: Annotated[Floats, "dimension"]
    shift: Annotated[Floats, "dimension"]
    column: Annotated[Floats, "features"]


class State(NamedTuple):
    """The state of play: the moments of all contexts, and those that are the present units."""

    round: contextual_round.State
    moments: Moments
    units: Moments
    scratch: Scratch


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if parameters.standardize == 1 and state.round.open[0] == 0:
        add_context(state.moments, context)
        if state.moments.contexts[0] >= 2.0 * state.units.contexts[0]:
            take_cbpside_units(state)
            for a in range(state.round.gram.shape[0]):
                restate_cbpside_gram(state.scratch, state.round.gram[a], state.round.inverse[a], parameters.penalty)
            for u in range(state.round.totals.shape[0]):
                change_cbpside_units(state.scratch, state.round.totals[u])
    set_cbpside_units(parameters, state, context)
    return act(parameters.round, state.round, state.scratch.z, rng)


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    set_cbpside_units(parameters, state, context)
    if not is_predicted_by_cbpside(parameters, state, action, symbol):
        observe(parameters.round, state.round, action, symbol, state.scratch.z)


@kernel
def set_cbpside_units(parameters: Parameters, state: State, context: Context) -> None:
    """Set z to the context in the present units, or to the context itself if it is not standardized."""
    z = state.scratch.z
    if parameters.standardize == 1:
        standardize(state.units.mean, state.units.scale, context, z)
    else:
        copy(context, z)


@kernel
def is_predicted_by_cbpside(parameters: Parameters, state: State, action: int, symbol: int) -> bool:
    """Say whether the model gives the symbol a probability of 1 or more at z already."""
    if parameters.hinge == 0 or parameters.round.informative[action] == 0:
        return False
    inner = state.round
    x, solved = inner.scratch.x, inner.scratch.solved[action]
    set_context_features(x, state.scratch.z, parameters.round.intercept)
    multiply(inner.inverse[action], x, solved)
    return dot(inner.totals[parameters.round.watch.place[action] + symbol], solved) >= 1.0


@kernel
def take_cbpside_units(state: State) -> None:
    """Take the moments of all contexts as units, and set A. A feature that never changed becomes 0."""
    new, old, scratch = state.moments, state.units, state.scratch
    for k in range(scratch.z.shape[0]):
        scratch.stretch[k] = scratch.shift[k] = 0.0
        if new.scale[k] > 0.0:
            scratch.stretch[k] = old.scale[k] / new.scale[k]
            scratch.shift[k] = (old.mean[k] - new.mean[k]) / new.scale[k]
        old.mean[k] = new.mean[k]
        old.scale[k] = new.scale[k]
    old.contexts[0] = new.contexts[0]


@kernel
def change_cbpside_units(scratch: Scratch, row: Floats) -> None:
    """Replace a row of features by A times the row: the same features in the new units."""
    d = scratch.z.shape[0]
    for k in range(d):
        row[k] = scratch.stretch[k] * row[k] + scratch.shift[k] * row[d]


@kernel
def restate_cbpside_gram(scratch: Scratch, gram: Floats, inverse: Floats, penalty: float) -> None:
    """Set G = lambda I + A (G - lambda I) A', and its inverse."""
    size, column = gram.shape[0], scratch.column
    for i in range(size):
        gram[i, i] -= penalty
        change_cbpside_units(scratch, gram[i])
    for j in range(size):
        copy(gram[:, j], column)
        change_cbpside_units(scratch, column)
        copy(column, gram[:, j])
        gram[j, j] += penalty
    invert(gram, inverse, column)
