"""Which cells and borders the outcome law can still be in, answered for millions of rounds with a handful of solves.

A strategy that decides the sign of some loss differences d_e p (one per pair e of neighbors) confines p to the open set
D = {p : sign_e d_e p > 0 for decided e}. Each round it asks which cells, and which borders between neighbors, meet D.

- Few pairs: a table over all sign vectors, filled as they are met.
- Two outcomes: cells are intervals in a row, and the decided signs leave a stretch of them: no solver at all.
- Otherwise: per cell and border, and for D itself, a pool of points (with the signs each satisfies) and a pool of
  certificates (few signs that cannot hold together there), as bit masks. A point that satisfies all decided signs means
  yes, a certificate that is contained in them means no. Only a question that neither pool answers leaves the round.
  And only what matters is asked: the best action first, in the cells and borders that would admit it.

Every fact in a pool (`plausible_program` finds most of them, `plausible_sets` the rest) is exact, so what is known, and
when and by which thread it was learned, can change how long a question takes but never its answer.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Bits, Flags, Floats, Integers

UNKNOWN, EMPTY = -1, -2
TABLE, INTERVALS, POOLS = 0, 1, 2


class Plausible(NamedTuple):
    """A snapshot of the facts about a game; its entries never change while compiled code uses it."""

    mode: int  # TABLE or INTERVALS; POOLS if the class is `Pooled`
    table: npt.NDArray[np.int32]  # of sign vectors in base 3: a row of `allowed` and `observing`, or a negative code
    rows: int  # how many of those rows this snapshot may use
    allowed: Flags  # (rows, actions): P(t) u N+(t)
    observing: Flags  # (rows, actions): V(t)
    only: Integers  # (rows,): the one action that a row leaves, else -1
    rank: Integers  # of each pair's breakpoint along the interval of two-outcome games
    side: Integers  # 1 where a positive sign means right of the breakpoint, else -1
    points: Bits  # (borders, cells, D; pool; words)
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
    # The same seen from the actions.
    cell_of: Integers  # the cell (by position) of an action or of its duplicate, else -1
    near_start: Integers
    near: Integers  # of each action: the pairs in whose N+ it is
    observed_start: Integers
    observed: Integers  # of each action: the pairs in whose V it is


class Pooled(Plausible):
    """The same where there is neither a table nor intervals: another class, so that other games do not compile it."""

    __slots__ = ()


class Differences(NamedTuple):
    """The loss differences of all pairs of neighbors, as a round estimated and decided them."""

    delta: Annotated[Floats, "pairs"]
    reach: Annotated[Floats, "pairs"]  # the width for Z = 1; 0 where nothing is known yet
    width: Annotated[Floats, "pairs"]
    signs: Annotated[Integers, "pairs"]  # 0 where the confidence interval holds both


class Scratch(NamedTuple):
    """Work arrays of a round; it sets the scores and which actions may explore."""

    score: Annotated[Floats, "actions"]
    explorable: Annotated[Flags, "actions"]  # R(t)
    allowed: Annotated[Flags, "actions"]  # P(t) u N+(t), or what may still turn out to be in it
    observing: Annotated[Flags, "actions"]  # V(t), likewise
    alive: Annotated[Flags, "targets"]  # by border, cell and D: 0 for what does not meet D
    wanted: Annotated[Bits, "words"]  # the decided signs as a mask
    hints: Annotated[Integers, "targets", 2]  # the point and the certificate that answered last
    asked: Annotated[Integers, 1]  # the border or cell in question


@kernel
def answer_from_plausible_pools(facts: Plausible, target: int, wanted: Bits, hints: Integers) -> int:
    """Say whether a border or cell meets D, `wanted` being the mask of the decided signs: 1, 0 or UNKNOWN."""
    count, hint = facts.n_points[target], hints[target, 0]
    for step in range(-1, count):
        which = hint if step < 0 else step
        if which < count and is_subset_of_sign_mask(wanted, facts.points[target, which]):
            hints[target, 0] = which
            return 1
    count, hint = facts.n_certificates[target], hints[target, 1]
    for step in range(-1, count):
        which = hint if step < 0 else step
        if which < count and is_subset_of_sign_mask(facts.certificates[target, which], wanted):
            hints[target, 1] = which
            return 0
    return UNKNOWN


@kernel
def is_subset_of_sign_mask(mask: Bits, other: Bits) -> bool:
    """Say whether all bits of a mask are in another."""
    for w in range(mask.shape[0]):  # noqa: SIM110 - kernels have no generators
        if mask[w] & ~other[w] != 0:
            return False
    return True


@kernel
def clear_sign_mask(mask: Bits) -> None:
    """Clear all bits of a mask."""
    for w in range(mask.shape[0]):
        mask[w] = np.uint64(0)


@kernel
def set_sign_in_mask(mask: Bits, e: int, sign: int) -> None:
    """Put a sign into a mask: bit 2 e for a positive sign of pair e, 2 e + 1 for a negative one."""
    bit = 2 * e + (1 if sign < 0 else 0)
    mask[bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)


@kernel
def has_sign_in_mask(mask: Bits, e: int, sign: int) -> bool:
    """Say whether a sign is in a mask."""
    bit = 2 * e + (1 if sign < 0 else 0)
    return (mask[bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1) != 0


@kernel
def sign_mask_of(signs: Integers, wanted: Bits) -> None:
    """Write the decided signs as a mask."""
    clear_sign_mask(wanted)
    for e in range(signs.shape[0]):
        if signs[e] != 0:
            set_sign_in_mask(wanted, e, signs[e])


@kernel
def rule_out_plausible_regions(facts: Plausible, signs: Integers, alive: Flags) -> None:
    """Mark in `alive` the regions that a single decided pair rules out: the cell of the worse action, and borders."""
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
def choose_pooled_plausible_action(facts: Pooled, found: Differences, scratch: Scratch, slack: float) -> int:
    """Return the action of highest score in P(t) u N+(t) u (V(t) n R(t)), or UNKNOWN with the question in `asked`.

    Contradictory signs are withdrawn. Scores that differ by less than a relative `slack` tie; the lowest index wins.
    """
    whole = facts.points.shape[0] - 1
    while True:
        sign_mask_of(found.signs, scratch.wanted)
        rule_out_plausible_regions(facts, found.signs, scratch.alive)
        for a in range(scratch.allowed.shape[0]):
            scratch.allowed[a] = 1  # until it turns out that nothing admits it
            scratch.observing[a] = 0
        consistent = UNKNOWN
        while consistent != 0:
            action = plausible_action_of_highest_score(scratch, scratch.allowed, scratch.observing, slack)
            answer = UNKNOWN if action < 0 else plausible_region_admits(facts, action, scratch)
            if answer == 1:
                return action
            if consistent == UNKNOWN:
                consistent = answer_from_plausible_pools(facts, whole, scratch.wanted, scratch.hints)
                if consistent == UNKNOWN:
                    # If signs have never contradicted each other, asking about the action itself is better.
                    if action < 0 or answer == 0 or facts.n_certificates[whole] > 0:
                        scratch.asked[0] = whole
                    return UNKNOWN
            if consistent == 1:
                if answer == UNKNOWN:
                    return UNKNOWN
                scratch.allowed[action] = 0
        withdraw_contradictory_cbp_signs(facts.certificates[whole, scratch.hints[whole, 1]], found)


@kernel
def plausible_action_of_highest_score(scratch: Scratch, allowed: Flags, observing: Flags, slack: float) -> int:
    """Return the action of highest score among those that may be played; -1 if there is none."""
    chosen, score = -1, 0.0
    for a in range(scratch.score.shape[0]):
        playable = allowed[a] == 1 or (observing[a] == 1 and scratch.explorable[a] == 1)
        if playable and (chosen < 0 or scratch.score[a] > score * (1.0 + slack)):
            chosen, score = a, scratch.score[a]
    return chosen


@kernel
def plausible_region_admits(facts: Plausible, action: int, scratch: Scratch) -> int:
    """Say whether a cell or border that meets D admits an action: 1, 0, or UNKNOWN with the target in `asked`."""
    pairs = facts.first.shape[0]
    scratch.asked[0] = UNKNOWN
    cell = facts.cell_of[action]
    if cell >= 0 and plausible_region_meets_signs(facts, pairs + cell, scratch) == 1:
        return 1
    for n in range(facts.near_start[action], facts.near_start[action + 1]):
        if plausible_region_meets_signs(facts, facts.near[n], scratch) == 1:
            return 1
    if scratch.explorable[action] == 1:
        for n in range(facts.observed_start[action], facts.observed_start[action + 1]):
            if plausible_region_meets_signs(facts, facts.observed[n], scratch) == 1:
                return 1
    return 0 if scratch.asked[0] == UNKNOWN else UNKNOWN


@kernel
def plausible_region_meets_signs(facts: Plausible, target: int, scratch: Scratch) -> int:
    """Say whether D meets a border or cell; remember a no in `alive`, and the first unknown one in `asked`."""
    if scratch.alive[target] == 0:
        return 0
    answer = answer_from_plausible_pools(facts, target, scratch.wanted, scratch.hints)
    if answer == 0:
        scratch.alive[target] = 0
    elif answer == UNKNOWN and scratch.asked[0] == UNKNOWN:
        scratch.asked[0] = target
    return answer


@kernel
def withdraw_contradictory_cbp_signs(certificate: Bits, found: Differences) -> None:
    """Withdraw contradictory signs from the least certain on, up to the first that the certificate needs.

    Certainty is measured by |delta| / reach (a Z of 0 must not count as certainty). As long as all signs of the
    certificate stand, they contradict each other, so the result is the same as withdrawing one by one.
    """
    signs = found.signs
    weakest, least = -1, math.inf
    for e in range(signs.shape[0]):
        if signs[e] != 0 and has_sign_in_mask(certificate, e, signs[e]):
            certainty = abs(found.delta[e]) / found.reach[e]
            if weakest < 0 or certainty < least:
                weakest, least = e, certainty
    for e in range(signs.shape[0]):
        if signs[e] != 0:
            certainty = abs(found.delta[e]) / found.reach[e]
            if certainty < least or (certainty == least and e <= weakest):
                signs[e] = 0


@kernel
def mark_plausible_interval(facts: Plausible, signs: Integers, alive: Flags) -> int:
    """Mark the cells and borders that the decided signs leave in a game of two outcomes; return how many cells.

    Cells lie in a row, with the breakpoints 0, 1, ... between them.
    """
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
def look_up_plausible_actions(facts: Plausible, signs: Integers, scratch: Scratch) -> int:
    """Find P(t) u N+(t) and V(t) for the decided signs, in a game with few pairs or two outcomes.

    Returns a row of the table; or the number of rows, with the answer in `allowed` and `observing`; or EMPTY if no law
    has these signs; or UNKNOWN.
    """
    if facts.mode == TABLE:
        index = 0
        for e in range(signs.shape[0]):
            index = 3 * index + signs[e] + 1
        row = int(facts.table[index])
        return UNKNOWN if row >= facts.rows else row
    if mark_plausible_interval(facts, signs, scratch.alive) == 0:
        return EMPTY
    collect_plausible_actions(facts, scratch.alive, scratch.allowed, scratch.observing)
    return facts.rows


@kernel
def collect_plausible_actions(facts: Plausible, alive: Flags, allowed: Flags, observing: Flags) -> None:
    """Mark the actions of cells, and the neighborhoods and observers of borders, that meet the confidence set D."""
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
