"""The loops of PM-DMED: which actions still wait in the current loop, and which are in the next."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Flags, Floats, Integers, new_arrays
from sidelight.kernels.linear_algebra import dot

# Expected losses (scaled to [0, 1]) that differ by less are equal.
TIE = 1e-9
# A sum must fall short of log t by this fraction: the two may be equal, and then rounding must not matter.
SHORT = 1e-9


class Schedule(NamedTuple):
    """The actions played so far, those left in this loop, and those of the next."""

    clock: Annotated[Integers, 1]  # rounds played
    plays: Annotated[Floats, "actions"]  # of each action
    seen: Annotated[Floats, "actions"]  # symbols received of each action
    waiting: Annotated[Flags, "actions"]  # 1 for actions that wait in this loop
    following: Annotated[Flags, "actions"]  # 1 for actions that are in the next one
    leader: Annotated[Integers, 1]  # the action that is optimal for the best guess
    tied: Annotated[Integers, 1]  # 1 if another action is as good


def new_dmed_schedule(actions: int) -> Schedule:
    """Return the schedule before the first round: every action waits."""
    schedule = new_arrays(Schedule, actions=actions)
    return schedule._replace(waiting=np.ones(actions, np.uint8), tied=np.ones(1, np.int64))


@kernel
def log_rounds_of_dmed(schedule: Schedule) -> float:
    """Return log t, bounded below by a small positive number since plays are divided by it."""
    return max(math.log(schedule.clock[0]), 1e-9)


@kernel
def add_action_to_dmed_loop(schedule: Schedule, action: int) -> None:
    """Put an action into the next loop unless it waits in this one."""
    if schedule.waiting[action] == 0:
        schedule.following[action] = 1


@kernel
def add_all_actions_to_dmed_loop(schedule: Schedule) -> None:
    """Put every action into the next loop that does not wait in this one."""
    for a in range(schedule.plays.shape[0]):
        add_action_to_dmed_loop(schedule, a)


@kernel
def add_leader_and_rarely_played_to_dmed_loop(schedule: Schedule, c: float, log_t: float) -> None:
    """Add the leader and every action with n < c sqrt(log t); add all actions if another one is as good."""
    add_action_to_dmed_loop(schedule, schedule.leader[0])
    least = c * math.sqrt(log_t)
    for a in range(schedule.plays.shape[0]):
        if schedule.plays[a] < least or schedule.tied[0] == 1:
            add_action_to_dmed_loop(schedule, a)


@kernel
def add_rarely_seen_to_dmed_loop(schedule: Schedule, share: Floats, log_t: float) -> None:
    """Add every action that was seen less often than its share of log t."""
    for a in range(schedule.plays.shape[0]):
        if share[a] * log_t > schedule.seen[a]:
            add_action_to_dmed_loop(schedule, a)


@kernel
def next_action_of_dmed_loop(schedule: Schedule) -> int:
    """Take the next action of the loop, beginning the next loop if this one is done."""
    actions = schedule.plays.shape[0]
    chosen = 0
    while chosen < actions and schedule.waiting[chosen] == 0:
        chosen += 1
    if chosen == actions:
        for a in range(actions):
            schedule.waiting[a] = schedule.following[a]
            schedule.following[a] = 0
        chosen = 0
        while schedule.waiting[chosen] == 0:
            chosen += 1
    schedule.waiting[chosen] = 0
    schedule.clock[0] += 1
    schedule.plays[chosen] += 1.0
    return chosen


@kernel
def set_dmed_leader(schedule: Schedule, loss: Floats, candidate: Integers, law: Floats, gaps: Floats) -> None:
    """Find the action that is optimal for a law, the gap of every action, and whether a different one is as good.

    Candidates are the Pareto-optimal actions, duplicates once: another action can tie with them, but never alone.
    """
    best, chosen = math.inf, 0
    for a in range(loss.shape[0]):
        gaps[a] = dot(loss[a], law)
        if candidate[a] == 1 and gaps[a] < best:
            best, chosen = gaps[a], a
    schedule.leader[0] = chosen
    schedule.tied[0] = 0
    for a in range(loss.shape[0]):
        gaps[a] = max(gaps[a] - best, 0.0)
        if a != chosen and candidate[a] == 1 and gaps[a] <= TIE:
            schedule.tied[0] = 1
