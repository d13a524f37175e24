"""PM-DMED for any number of outcomes; see `sidelight.strategies.dmed`.

Most rounds need no search. An alternative and its multipliers, found some rounds ago, prove by convexity a lower end
for what is revealed about every law behind the same border now (see `sidelight.optimization.divergence`): if that
suffices, the round costs one look at each border. And as long as no symbol came in, only log t has changed.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Flags, Floats, Integers
from sidelight.optimization.allocation import FOUND, IMPOSSIBLE, SUFFICIENT, Geometry, allocate, master_room
from sidelight.optimization.likelihood import fit, informative
from sidelight.strategies.base import Context, act, observe
from sidelight.strategies.dmed_sets import add_all, add_short, add_usual, lead, set_room, take

# Gaps below this (of losses scaled to [0, 1]) are raised to it: what costs nothing would be asked for without end.
_LEAST_COST = 1e-7
_OPEN = -1


class Parameters(NamedTuple):
    """What PM-DMED knows before the first round of a game with more than two outcomes."""

    force: float
    tolerance: float
    game: Geometry


class State(NamedTuple):
    """What play changes, and room to compute in."""

    clock: Integers
    plays: Floats
    seen: Floats
    waiting: Flags
    following: Flags
    leader: Integers
    tied: Integers
    counts: Floats
    stale: Integers  # 1 if symbols came in since the best guess was made
    answer: Integers  # of `allocate` for the best guess
    proven: Floats  # a lower end for sum_a n_a KL(S_a p | S_a q) over all alternatives q
    law: Floats
    image: Floats
    gradient: Floats
    step: Floats
    right: Floats
    matrix: Floats
    free: Integers
    base: Floats
    weight: Floats
    point: Floats
    active: Integers
    slack: Floats
    former: Floats
    directions: Floats
    rows: Floats
    levels: Floats
    multipliers: Floats
    size: Integers
    cost: Floats
    share: Floats
    inverse: Floats
    level: Floats
    basic: Integers
    pool: Floats
    pooled: Integers
    column: Floats
    kept: Floats
    prices: Floats
    lowest: Floats


def start(game: Geometry) -> State:
    """Return the state before the first round."""
    actions, outcomes = game.loss.shape
    symbols, borders = int(game.signals.first[-1]), len(game.difference)
    return State(
        **set_room(actions),
        **master_room(actions, outcomes, symbols, borders),
        counts=np.zeros(symbols),
        stale=np.ones(1, np.int64),
        answer=np.full(1, _OPEN),
        proven=np.zeros(1),
    )


@kernel
def follow(game: Geometry, state: State) -> None:
    """Find who leads under the law that was fitted."""
    for u in range(state.base.shape[0]):
        state.base[u] = state.image[u]
    lead(state, game.loss, game.candidate, state.law, state.cost)
    for a in range(state.cost.shape[0]):
        state.cost[a] = max(state.cost[a], _LEAST_COST)
    state.stale[0] = 0
    state.answer[0] = _OPEN


@kernel
def weigh(game: Geometry, state: State, level: float) -> None:
    """Set the weights to what was seen of the informative actions, relative to log t; the leader's does not count."""
    for a in range(state.weight.shape[0]):
        counts = a != state.leader[0] and informative(game.signals, a)
        state.weight[a] = state.seen[a] / level if counts else 0.0


# Few levels between this and the searches: the compiler works through all of their code anew on each.
@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if state.clock[0] > 0:
        level = max(math.log(state.clock[0]), 1e-9)
        if state.stale[0] == 1:
            fit(parameters.game.signals, state.counts, state)
            follow(parameters.game, state)
        add_usual(state, parameters.force, level)
        if state.tied[0] == 0:
            if state.answer[0] == _OPEN or (state.answer[0] == SUFFICIENT and state.proven[0] < level):
                weigh(parameters.game, state, level)
                state.answer[0] = allocate(parameters.game, state.leader[0], state, parameters.tolerance)
                state.proven[0] = state.lowest[0] * level
            if state.answer[0] == FOUND:
                add_short(state, state.share, level)
            elif state.answer[0] == IMPOSSIBLE:
                add_all(state)
    return take(state)


@implements(observe, Parameters)
def _observe(parameters: Parameters, state: State, action: int, symbol: int, context: Context) -> None:
    signals = parameters.game.signals
    state.counts[signals.first[action] + symbol] += 1.0
    state.seen[action] += 1.0
    if informative(signals, action):
        state.stale[0] = 1
