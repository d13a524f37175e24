"""The loops of PM-DMED: who still waits in the current one, who is in the next."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers

# Expected losses (scaled to [0, 1]) that differ by less are equal.
TIE = 1e-9
# By so much, relatively, a sum has to fall short of log t: it may equal it, and rounding must not matter then.
SHORT = 1e-9


@kernel
def add(state: Any, action: int) -> None:
    """Put an action into the next loop unless it waits in this one."""
    if state.waiting[action] == 0:
        state.following[action] = 1


@kernel
def add_all(state: Any) -> None:
    """Put every action into the next loop that does not wait in this one."""
    for a in range(state.plays.shape[0]):
        add(state, a)


@kernel
def add_usual(state: Any, force: float, level: float) -> None:
    """Add the leader and every action with n < c sqrt(log t); everything if the leader is not alone."""
    add(state, state.leader[0])
    least = force * math.sqrt(level)
    for a in range(state.plays.shape[0]):
        if state.plays[a] < least or state.tied[0] == 1:
            add(state, a)


@kernel
def add_short(state: Any, share: Floats, level: float) -> None:
    """Add every action that was seen less often than its share of log t."""
    for a in range(state.plays.shape[0]):
        if share[a] * level > state.seen[a]:
            add(state, a)


@kernel
def take(state: Any) -> int:
    """Take the next action of the loop, beginning the next loop if this one is done."""
    actions = state.plays.shape[0]
    chosen = 0
    while chosen < actions and state.waiting[chosen] == 0:
        chosen += 1
    if chosen == actions:
        for a in range(actions):
            state.waiting[a] = state.following[a]
            state.following[a] = 0
        chosen = 0
        while state.waiting[chosen] == 0:
            chosen += 1
    state.waiting[chosen] = 0
    state.clock[0] += 1
    state.plays[chosen] += 1.0
    return chosen


@kernel
def lead(state: Any, loss: Floats, candidate: Integers, law: Floats, cost: Floats) -> None:
    """Find the action that is optimal for a law, the gap of every action, and whether a different one is as good.

    Candidates are the Pareto-optimal actions, duplicates once: another action can tie with them, but never alone.
    """
    best, chosen = math.inf, 0
    for a in range(loss.shape[0]):
        total = 0.0
        for m in range(law.shape[0]):
            total += loss[a, m] * law[m]
        cost[a] = total
        if candidate[a] == 1 and total < best:
            best, chosen = total, a
    state.leader[0] = chosen
    state.tied[0] = 0
    for a in range(loss.shape[0]):
        cost[a] = max(cost[a] - best, 0.0)
        if a != chosen and candidate[a] == 1 and cost[a] <= TIE:
            state.tied[0] = 1


def set_room(actions: int) -> dict[str, Any]:
    """Return the part of the state that the loops need, by name; at first everybody waits.

    clock: rounds played; plays, seen: by action, rounds and symbols received; waiting, following: who waits in this
    loop, who is in the next; leader: the action that is optimal for the best guess; tied: 1 if another is as good.
    """
    return {
        "clock": np.zeros(1, np.int64),
        "plays": np.zeros(actions),
        "seen": np.zeros(actions),
        "waiting": np.ones(actions, np.uint8),
        "following": np.zeros(actions, np.uint8),
        "leader": np.zeros(1, np.int64),
        "tied": np.ones(1, np.int64),
    }
