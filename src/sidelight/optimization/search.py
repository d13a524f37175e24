"""The variables of a search over a border, and the directions in which it may go.

A border is given by S_j q = S_j p and equations e_i q = b_i (see `sidelight.optimization.divergence`). Two outcomes for
which j shows the same give a direction along which S_j q stays; each equation takes one direction away.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

from sidelight.game_arrays import Signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_multiple, dot, fill

# An equation whose part along the directions left is smaller than this follows from the others.
_DEPENDENT = 1e-11


class Equations(NamedTuple):
    """The equations e_i q = b_i besides S_j q = S_j p."""

    rows: Annotated[Floats, "equations", "outcomes"]  # e
    levels: Annotated[Floats, "equations"]  # b
    multipliers: Annotated[Floats, "equations"]  # eta
    pivots: Annotated[Integers, "equations"]  # the direction that each equation took, -1 for none


class Scratch(NamedTuple):
    """The work arrays of a search, allocated once."""

    gradient: Annotated[Floats, "outcomes"]
    hessian: Annotated[Floats, "outcomes", "outcomes"]  # its lower half, then Cholesky's factor of it
    right: Annotated[Floats, "outcomes"]
    step: Annotated[Floats, "outcomes"]
    rate: Annotated[Floats, "symbols"]  # by symbol
    support: Annotated[Integers, "outcomes", "outcomes"]  # by direction, the outcomes at which it is not zero
    supports: Annotated[Integers, "outcomes"]  # how many these are
    curved: Annotated[Integers, 2, "symbols"]  # the symbols that make F curved, and the actions that show them
    change: Annotated[Floats, "symbols", "outcomes"]  # how their probabilities grow along each direction


class Search(NamedTuple):
    """The search for the least of F over a border."""

    base: Annotated[Floats, "symbols"]  # the law of every action's symbols under p
    weight: Annotated[Floats, "actions"]  # r
    point: Annotated[Floats, "outcomes"]  # q, positive where active is 1, else 0
    image: Annotated[Floats, "symbols"]  # the law of every action's symbols under q
    active: Annotated[Integers, "outcomes"]
    dual: Annotated[Floats, "outcomes"]  # z
    trial: Annotated[Floats, "outcomes"]  # a point to try first; all zero for none
    directions: Annotated[Floats, "outcomes", "outcomes"]  # v, the free ones first, then those that the equations took
    size: Annotated[Integers, 2]  # how many directions are free, how many outcomes active
    equations: Equations
    scratch: Scratch


@kernel
def set_search_directions(signals: Signals, j: int, search: Search) -> None:
    """Set the directions along which S_j q and all e q stay, and the pivots that the equations took."""
    outcomes = search.point.shape[0]
    count, active = 0, 0
    for m in range(outcomes):
        if search.active[m] == 1:
            active += 1
            partner = -1
            for other in range(m):
                if search.active[other] == 1 and signals.shown[j, other] == signals.shown[j, m]:
                    partner = other
                    break
            if partner >= 0:
                fill(search.directions[count], 0.0)
                search.directions[count, m] = 1.0
                search.directions[count, partner] = -1.0
                count += 1
    every = count
    for i in range(search.equations.rows.shape[0]):
        if eliminate_search_equation(search, i, count):
            count -= 1
    search.size[0] = count
    search.size[1] = active
    if count > 0:
        set_support_of_directions(search, every)


@kernel
def set_support_of_directions(search: Search, count: int) -> None:
    """Set where the directions are not zero: most of them are at a few outcomes only."""
    for v in range(count):
        size = 0
        for m in range(search.point.shape[0]):
            if search.directions[v, m] != 0.0:
                search.scratch.support[v, size] = m
                size += 1
        search.scratch.supports[v] = size


@kernel
def add_curved_symbols_to_search(signals: Signals, search: Search, a: int, size: int) -> int:
    """Add the symbols of an action to the `size` ones that make F curved; return how many there are then."""
    scratch = search.scratch
    for u in range(signals.first[a], signals.first[a + 1]):
        if search.base[u] > 0.0:
            scratch.curved[0, size] = u
            scratch.curved[1, size] = a
            for v in range(search.size[0]):
                total = 0.0
                for k in range(scratch.supports[v]):
                    m = scratch.support[v, k]
                    if signals.shown[a, m] == u:
                        total += search.directions[v, m]
                scratch.change[size, v] = total
            size += 1
    return size


@kernel
def eliminate_search_equation(search: Search, i: int, count: int) -> bool:
    """Make all directions but one, the pivot, orthogonal to e_i and move that one behind the others.

    False if all are orthogonal already.
    """
    directions, along = search.directions, search.scratch.right
    best, largest = -1, _DEPENDENT
    for v in range(count):
        along[v] = dot(search.equations.rows[i], directions[v])
        if abs(along[v]) > largest:
            best, largest = v, abs(along[v])
    if best < 0:
        search.equations.pivots[i] = -1
        return False
    last = count - 1
    pivot = along[best]
    along[best] = along[last]
    for m in range(directions.shape[1]):
        kept = directions[last, m]
        directions[last, m] = directions[best, m]
        directions[best, m] = kept
    for v in range(last):
        add_multiple(directions[v], -along[v] / pivot, directions[last])
    search.equations.pivots[i] = last
    return True
