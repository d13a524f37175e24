"""PM-DMED-Hinge, for any number of outcomes; see `sidelight.strategies.dmed`.

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
from typing import NamedTuple

import numpy as np

from sidelight.kernels import implements, kernel
from sidelight.kernels.arrays import Flags, Floats, Integers
from sidelight.optimization.allocation import FOUND, IMPOSSIBLE, SUFFICIENT, Geometry
from sidelight.optimization.divergence import divergence
from sidelight.optimization.hinge import allocate_hinged, hinged_room, reconcile
from sidelight.optimization.likelihood import fit, informative
from sidelight.strategies.base import UNANSWERED, Context, act, observe
from sidelight.strategies.dmed_sets import add_all, add_short, add_usual, lead, set_room, take

_LEAST_COST = 1e-7
_OPEN = -1
# The radius of an action that nothing was seen of.
_UNSEEN = 1e9
# The best guess is within all radii; a law that is has to be looked for; there is none.
AGREED, ASKED, CONFLICT = 0, 1, 2


class Parameters(NamedTuple):
    """What PM-DMED-Hinge knows before the first round. The geometry has a silent action behind the last one."""

    force: float
    tolerance: float
    margin: float  # a, in units of the scaled losses
    width: float  # b
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
    stale: Integers
    standing: Integers  # of the best guess: AGREED, ASKED or CONFLICT
    answered: Integers  # 1 if the last question was
    gap: Floats  # the least one under the best guess
    answer: Integers
    proven: Floats
    gaps: Floats
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
    asked: Floats
    radius: Floats
    excess: Floats
    curve: Floats
    ball: Integers


def start(game: Geometry) -> State:
    """Return the state before the first round."""
    actions, outcomes = game.loss.shape
    symbols, borders = int(game.signals.first[-1]), len(game.difference)
    return State(
        **set_room(actions),
        **hinged_room(actions + 1, outcomes, symbols, borders),
        counts=np.zeros(symbols),
        stale=np.ones(1, np.int64),
        standing=np.zeros(1, np.int64),
        answered=np.zeros(1, np.int64),
        gap=np.zeros(1),
        answer=np.full(1, _OPEN),
        proven=np.zeros(1),
        gaps=np.zeros(actions),
    )


@kernel
def measure(game: Geometry, state: State, width: float) -> None:
    """Set frequencies and radii, and whether the law is within all of them."""
    signals = game.signals
    state.standing[0] = AGREED
    for a in range(state.asked.shape[0]):
        n = 0.0
        for u in range(signals.first[a], signals.first[a + 1]):
            n += state.counts[u]
        state.radius[a] = width / math.sqrt(n) if n > 0.0 else _UNSEEN
        for u in range(signals.first[a], signals.first[a + 1]):
            state.base[u] = state.counts[u] / n if n > 0.0 else 0.0
        state.asked[a] = n if informative(signals, a) else 0.0
        if state.asked[a] > 0.0 and divergence(signals, state.base, state.image, a) > state.radius[a]:
            state.standing[0] = ASKED
    state.base[signals.first[state.asked.shape[0] - 1]] = 1.0


@kernel
def follow(game: Geometry, state: State) -> None:
    """Find who leads under the law, and by how much."""
    lead(state, game.loss, game.candidate, state.law, state.gaps)
    j = state.leader[0]
    state.gap[0] = math.inf
    for a in range(state.gaps.shape[0]):
        state.cost[a] = max(state.gaps[a], _LEAST_COST)
        if game.twin[a] != game.twin[j]:
            state.gap[0] = min(state.gap[0], state.gaps[a])
    state.cost[state.gaps.shape[0]] = 1.0
    state.stale[0] = 0
    state.answer[0] = _OPEN


@kernel
def weigh(game: Geometry, state: State, level: float) -> None:
    """Ask about what was seen of the informative actions, relative to log t; the leader's does not count."""
    for a in range(state.seen.shape[0]):
        counts = a != state.leader[0] and informative(game.signals, a)
        state.asked[a] = state.seen[a] / level if counts else 0.0
    state.asked[state.seen.shape[0]] = 0.0


@kernel
def slack_of_time(margin: float, t: int) -> float:
    """Return alpha(t)."""
    return margin / max(math.log(max(math.log(t), 1.0)), 1.0)


@implements(act, Parameters)
def _act(parameters: Parameters, state: State, context: Context, rng: np.random.Generator) -> int:
    if state.clock[0] > 0:
        game = parameters.game
        level = max(math.log(state.clock[0]), 1e-9)
        if state.stale[0] == 1:
            if state.answered[0] == 0:
                fit(game.signals, state.counts, state)
                measure(game, state, parameters.width)
                if state.standing[0] == ASKED:
                    return UNANSWERED
            state.answered[0] = 0
            follow(game, state)
        add_usual(state, parameters.force, level)
        if state.standing[0] == CONFLICT or state.gap[0] < slack_of_time(parameters.margin, state.clock[0]):
            add_all(state)
        elif state.tied[0] == 0:
            if state.answer[0] == _OPEN or (state.answer[0] == SUFFICIENT and state.proven[0] < level):
                weigh(game, state, level)
                state.answer[0] = allocate_hinged(game, state.leader[0], state, parameters.tolerance)
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


def answer(parameters: Parameters, state: State) -> Parameters:
    """Look for a law within all radii, since the most likely one is not; the answer goes into the state."""
    state.standing[0] = AGREED if reconcile(parameters.game.signals, state) else CONFLICT
    state.answered[0] = 1
    return parameters
