"""The master problem of an allocation, by the simplex method.

It is max sum y subject to y >= 0 and sum_c y_c k_ca <= Delta_a for every action a, k_ca being what a play of a reveals
about alternative c. Alternatives come one after the other (see `sidelight.optimization.allocation`).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers

# How many columns are kept; the one least likely to be needed again is dropped first.
_POOL = 96
_MOST_PIVOTS = 400
# How much, relatively, a condition of the linear program may be violated.
_OPTIMAL = 1e-10


class Master(NamedTuple):
    """The master problem in its dual form, and the basis of the simplex method."""

    cost: Annotated[Floats, "actions"]  # Delta
    share: Annotated[Floats, "actions"]  # r
    inverse: Annotated[Floats, "actions", "actions"]  # of the basis, transposed
    level: Annotated[Floats, "actions"]  # the values of its columns
    basic: Annotated[Integers, "actions"]  # which those are; negative for a slack
    pool: Annotated[Floats, _POOL, "actions"]  # the alternatives' columns
    pooled: Annotated[Integers, 1]  # how many there are
    column: Annotated[Floats, "actions"]


@kernel
def reset_master_program(master: Master, j: int) -> None:
    """Begin the linear program with no alternatives: nothing need be played."""
    actions = master.cost.shape[0]
    master.cost[j] = 1.0  # no alternative has an entry in this row
    master.pooled[0] = 0
    for i in range(actions):
        for a in range(actions):
            master.inverse[i, a] = 1.0 if i == a else 0.0
        master.level[i] = master.cost[i]
        master.basic[i] = -1
        master.share[i] = 0.0


@kernel
def place_of_master_column(master: Master) -> int:
    """Return where a new alternative may go, if need be in place of the one that asks for least; -1 for nowhere."""
    place = master.pooled[0]
    if place < _POOL:
        master.pooled[0] += 1
        return place
    place, worst = -1, 0.0
    for c in range(_POOL):
        rest = surplus_of_master_alternative(master, c)
        if rest > worst:
            used = False
            for i in range(master.basic.shape[0]):
                used = used or master.basic[i] == c
            if not used:
                place, worst = c, rest
    return place


@kernel
def surplus_of_master_alternative(master: Master, c: int) -> float:
    """Return the information of the allocation about alternative c, minus 1."""
    total = -1.0
    for a in range(master.cost.shape[0]):
        if master.share[a] != 0.0:
            total += master.pool[c, a] * master.share[a]
    return total


@kernel
def entering_master_column(master: Master) -> int:
    """Return the column that violates its condition most: an alternative c, or -1 - a for the slack of row a.

    It is the number of alternatives that are kept if none does.
    """
    best, worst = master.pooled[0], -_OPTIMAL
    for c in range(master.pooled[0]):
        rest = surplus_of_master_alternative(master, c)
        if rest < worst:
            best, worst = c, rest
    largest = 0.0
    for a in range(master.cost.shape[0]):
        largest = max(largest, abs(master.share[a]))
    for a in range(master.cost.shape[0]):
        if master.share[a] < worst * largest:
            best, worst = -1 - a, master.share[a] / largest
    return best


@kernel
def solve_master_program(master: Master) -> bool:
    """Bring columns in until none would help; False if the alternatives admit no allocation."""
    actions = master.cost.shape[0]
    for _ in range(_MOST_PIVOTS):
        new = entering_master_column(master)
        if new == master.pooled[0]:
            break
        set_master_column(master, new)
        largest = 0.0
        for i in range(actions):
            largest = max(largest, master.column[i])
        leaving, ratio = -1, math.inf
        for i in range(actions):
            if master.column[i] > 1e-11 * largest and master.level[i] < ratio * master.column[i]:
                leaving, ratio = i, master.level[i] / master.column[i]
        if leaving < 0:
            return False
        pivot_master_program(master, leaving, new)
    for a in range(actions):
        master.share[a] = max(master.share[a], 0.0)
    return True


@kernel
def set_master_column(master: Master, new: int) -> None:
    """Set the column that is to enter, in terms of the basis."""
    for i in range(master.column.shape[0]):
        master.column[i] = 0.0 if new >= 0 else master.inverse[-1 - new, i]
    if new >= 0:
        for a in range(master.cost.shape[0]):
            entry = master.pool[new, a]
            if entry != 0.0:
                for i in range(master.column.shape[0]):
                    master.column[i] += master.inverse[a, i] * entry


@kernel
def pivot_master_program(master: Master, leaving: int, new: int) -> None:
    """Put a column into the basis in place of another and set the multipliers, which are r."""
    actions, column = master.cost.shape[0], master.column
    divisor = column[leaving]
    master.level[leaving] /= divisor
    for i in range(actions):
        if i != leaving and column[i] != 0.0:
            master.level[i] = max(master.level[i] - column[i] * master.level[leaving], 0.0)
    master.basic[leaving] = new
    for a in range(actions):
        entry = master.inverse[a, leaving] / divisor
        if entry != 0.0:
            for i in range(actions):
                master.inverse[a, i] -= column[i] * entry
        master.inverse[a, leaving] = entry
        master.share[a] = 0.0
    for i in range(actions):
        if master.basic[i] >= 0:
            for a in range(actions):
                master.share[a] += master.inverse[a, i]
