"""Which cells and borders can the outcome law still be in? Answered for millions of rounds with a handful of solves.

A strategy that decides the sign of some loss differences d_e p (one per pair e of neighbors) confines p to the open set
D = {p : sign_e d_e p > 0 for decided e}. Each round it asks which cells, and which borders between neighbors, meet D.

- Few pairs: a table over all sign vectors, filled as they are met.
- Two outcomes: cells are intervals in a row, and the decided signs leave a stretch of them: no solver at all.
- Otherwise: per cell and border a pool of points (with the signs each satisfies) and a pool of certificates (few signs
  that cannot hold together there), as bit masks. A point that satisfies all decided signs means yes, a certificate that
  is contained in them means no. Only a question that neither pool answers leaves the compiled loop.

Every fact in a pool (`plausible_sets` finds them) is exact (see `alternative`), so what is known, in which order it was
learnt and by which thread, can change the time a question takes but never its answer.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Bits, Flags, Integers

UNKNOWN, EMPTY = -1, -2
KNOWN = 2  # to meet D, while the rest is still being asked
TABLE, INTERVALS, POOLS = 0, 1, 2


class Plausible(NamedTuple):
    """What compiled code may know: a snapshot whose entries never change while it is in use."""

    mode: int
    table: npt.NDArray[np.int32]  # of sign vectors in base 3: a row of `allowed` and `observing`, or a negative code
    rows: int  # how many of those rows this snapshot may use
    allowed: Flags  # (rows, actions): P(t) u N+(t)
    observing: Flags  # (rows, actions): V(t)
    only: Integers  # (rows,): the one action that a row leaves, else -1
    rank: Integers  # of each pair's breakpoint along the interval of two-outcome games
    side: Integers  # 1 where a positive sign means right of the breakpoint, else -1
    points: Bits  # (borders then cells, pool, words)
    n_points: Integers
    certificates: Bits
    n_certificates: Integers
    first: Integers  # the cells (by position) on both sides of each pair
    second: Integers
    # Lists of actions, one after the other: those of cell c are members[member_start[c]], ... before that of c + 1.
    member_start: Integers
    members: Integers  # of each cell: its action and the duplicates of that
    neighborhood_start: Integers
    neighborhood: Integers  # of each pair: N+
    observer_start: Integers
    observers: Integers  # of each pair: V


class Scratch(NamedTuple):
    """Where the question of a round is worked on; `allowed` and `observing` hold the answer if no table does."""

    wanted: Bits  # the decided signs as a mask
    hints: Integers  # (borders and cells, 2): the point and the certificate that answered last
    alive: Flags  # which borders and cells meet D
    allowed: Flags
    observing: Flags


@kernel
def meets(facts: Plausible, target: int, wanted: Bits, hints: Integers) -> int:
    """Say whether a border or cell meets D, `wanted` being the mask of the decided signs: 1, 0 or UNKNOWN."""
    words = wanted.shape[0]
    count = facts.n_points[target]
    hint = hints[target, 0]
    for step in range(-1, count):
        which = hint if step < 0 else step
        if which < count:
            inside = True
            for w in range(words):
                if wanted[w] & ~facts.points[target, which, w] != 0:
                    inside = False
                    break
            if inside:
                hints[target, 0] = which
                return 1
    count = facts.n_certificates[target]
    hint = hints[target, 1]
    for step in range(-1, count):
        which = hint if step < 0 else step
        if which < count:
            outside = True
            for w in range(words):
                if facts.certificates[target, which, w] & ~wanted[w] != 0:
                    outside = False
                    break
            if outside:
                hints[target, 1] = which
                return 0
    return UNKNOWN


@kernel
def mask_of(signs: Integers, wanted: Bits) -> None:
    """Write the decided signs as bits: 2 e for a positive sign of pair e, 2 e + 1 for a negative one."""
    one = np.uint64(1)
    for w in range(wanted.shape[0]):
        wanted[w] = np.uint64(0)
    for e in range(signs.shape[0]):
        if signs[e] != 0:
            bit = 2 * e + (1 if signs[e] < 0 else 0)
            wanted[bit >> 6] |= one << np.uint64(bit & 63)


@kernel
def rule_out(facts: Plausible, signs: Integers, alive: Flags) -> None:
    """Mark in `alive` what a single decided pair rules out: the cell of the worse action, and borders of either."""
    pairs, cells = signs.shape[0], facts.member_start.shape[0] - 1
    for c in range(cells):
        alive[pairs + c] = 1
    for e in range(pairs):
        if signs[e] > 0:  # L_i - L_j > 0
            alive[pairs + facts.first[e]] = 0
        elif signs[e] < 0:
            alive[pairs + facts.second[e]] = 0
    for e in range(pairs):
        open_sides = alive[pairs + facts.first[e]] == 1 and alive[pairs + facts.second[e]] == 1
        alive[e] = 1 if open_sides and signs[e] == 0 else 0


@kernel
def pooled(facts: Plausible, signs: Integers, scratch: Scratch) -> int:
    """Mark in `alive` which borders (first) and cells meet D; return how many cells do, or UNKNOWN."""
    wanted, hints, alive = scratch.wanted, scratch.hints, scratch.alive
    mask_of(signs, wanted)
    rule_out(facts, signs, alive)
    pairs, cells = signs.shape[0], facts.member_start.shape[0] - 1
    for e in range(pairs):
        if alive[e] == 1:
            answer = meets(facts, e, wanted, hints)
            if answer == UNKNOWN:
                return UNKNOWN
            alive[e] = answer
            if answer == 1:  # a border's point lies in both cells
                alive[pairs + facts.first[e]] = KNOWN
                alive[pairs + facts.second[e]] = KNOWN
    count = 0
    for c in range(cells):
        if alive[pairs + c] == 1:
            answer = meets(facts, pairs + c, wanted, hints)
            if answer == UNKNOWN:
                return UNKNOWN
            alive[pairs + c] = answer
        elif alive[pairs + c] == KNOWN:
            alive[pairs + c] = 1
        count += alive[pairs + c]
    return count


@kernel
def between(facts: Plausible, signs: Integers, alive: Flags) -> int:
    """Do the same for a game of two outcomes, whose cells lie in a row with the breakpoints 0, 1, ... between them."""
    pairs = signs.shape[0]
    low, high = -1, pairs
    for e in range(pairs):
        if signs[e] * facts.side[e] > 0:
            low = max(low, facts.rank[e])
        elif signs[e] != 0:
            high = min(high, facts.rank[e])
    for e in range(pairs):
        alive[e] = 1 if low < facts.rank[e] < high else 0
    for c in range(pairs + 1):
        alive[pairs + c] = 1 if low < c <= high else 0
    return max(0, high - low)


@kernel
def look_up(facts: Plausible, signs: Integers, scratch: Scratch) -> int:
    """Find P(t) u N+(t) and V(t) for the decided signs.

    Returns a row of the table; or the number of rows, with the answer in the scratch; or EMPTY if no law has these
    signs; or UNKNOWN.
    """
    if facts.mode == TABLE:
        index = 0
        for e in range(signs.shape[0]):
            index = 3 * index + signs[e] + 1
        row = int(facts.table[index])
        return UNKNOWN if row >= facts.rows else row
    two = facts.mode == INTERVALS
    count = between(facts, signs, scratch.alive) if two else pooled(facts, signs, scratch)
    if count <= 0:
        return UNKNOWN if count == UNKNOWN else EMPTY
    unite(facts, scratch.alive, scratch.allowed, scratch.observing)
    return facts.rows


@kernel
def unite(facts: Plausible, alive: Flags, allowed: Flags, observing: Flags) -> None:
    """Join the members of the cells and the neighborhoods and observers of the borders that meet D."""
    pairs = facts.first.shape[0]
    for a in range(allowed.shape[0]):
        allowed[a] = 0
        observing[a] = 0
    for e in range(pairs):
        if alive[e] == 1:
            for n in range(facts.neighborhood_start[e], facts.neighborhood_start[e + 1]):
                allowed[facts.neighborhood[n]] = 1
            for n in range(facts.observer_start[e], facts.observer_start[e + 1]):
                observing[facts.observers[n]] = 1
    for c in range(facts.member_start.shape[0] - 1):
        if alive[pairs + c] == 1:
            for n in range(facts.member_start[c], facts.member_start[c + 1]):
                allowed[facts.members[n]] = 1
