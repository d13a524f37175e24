"""Whether a cell, a border or the simplex itself meets D: a small compiled linear program, proved in integers.

D = {p : sign_e d_e p > 0 for decided e}; see `plausible`. A region R is given by rows that are not negative there
and, for a border, by its equation. D is open and every row of a region is positive in its (relative) interior, so R
meets D exactly if s* > 0 in

    max s   subject to   g_r q >= s  (r over the decided signs and the rows of R),   e q = 0,   q >= 0,   sum q = 1.

It is solved by the dual simplex method over x = (q, s), whose M + 1 constraints that are tight make up the basis. The
objective falls with every pivot: below zero the answer is no, and the multipliers y of the basis prove it; it is yes
once no row is violated any more. Floating point only proposes. A point is rounded to integers and every row is checked;
multipliers are rounded, and sum_r y_r g_r <= 0 is checked in every column. What 64 bits cannot prove (sets that touch,
so that s* = 0, or huge numbers) stays UNDECIDED and is left to exact fractions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.kernels import kernel, loop
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.confidence_bounds.plausible import (
    UNKNOWN,
    Differences,
    Plausible,
    Pooled,
    Scratch,
    choose_pooled_plausible_action,
    clear_sign_mask,
    set_sign_in_mask,
)

NO, YES, UNDECIDED = 0, 1, -1
_SUM = -(1 << 40)  # the basis entry of sum q = 1, which never leaves
_SLACK = 1e-9
_PIVOT = 1e-11
# A sign this many widths away from zero is decided in nearly every round, so proofs that use such signs are reusable.
_SURE = 2.5
_MOST_HOPES = 6  # undecided pairs that a point is made to agree with: more cost more than they save
_POINT_GRID = 1 << 24
_MULTIPLIER_GRID = 1 << 30


class Program(NamedTuple):
    """The rows of a game's pairs of neighbors, and scratch arrays."""

    exact_enough: int  # 1 if 64 bits hold all products of rows, points and multipliers
    rows: Floats  # (pairs, outcomes): d_e, scaled to a largest entry of 1
    exact: Integers  # the same as integers
    scale: Floats  # (pairs,): exact = scale rows
    required: Integers  # (pairs,): the signs of the region's rows, or 0
    sign: Integers  # (pairs,): the sign with which a row takes part, whatever for, or 0
    basis: Integers  # (M + 1,): a pair, -1 - m for q_m = 0, or _SUM
    inverse: Floats  # (M + 1, M + 1): column k is the direction in which only the k-th tight constraint grows
    along: Floats  # (M + 1,): the entering constraint along each column
    point: Floats  # (M,): the point that was found
    grid: Integers  # (M,): the same on a grid of integers
    column: Integers  # (M,): sum y g


def new_plausible_program(rows: npt.NDArray[Any]) -> Program:
    """Prepare the program of integer rows d_e, without exact arithmetic if the integers are too large for it."""
    pairs, size = rows.shape
    largest = max((abs(int(value)) for value in rows.flat), default=1)
    # A point on the hyperplane of a border has entries of up to |d| _POINT_GRID.
    enough = size * largest * largest * _POINT_GRID < 1 << 62 and (size + 1) * largest * _MULTIPLIER_GRID < 1 << 62
    tops = [max(map(abs, row)) for row in rows]
    return Program(
        exact_enough=int(enough),
        rows=np.array([[value / top for value in row] for row, top in zip(rows, tops, strict=True)]).reshape(
            pairs, size
        ),
        exact=rows.astype(np.int64) if enough else np.zeros((pairs, size), np.int64),
        scale=np.array(tops, float).reshape(pairs),
        required=np.zeros(pairs, np.int64),
        sign=np.zeros(pairs, np.int64),
        basis=np.zeros(size + 1, np.int64),
        inverse=np.zeros((size + 1, size + 1)),
        along=np.zeros(size + 1),
        point=np.zeros(size),
        grid=np.zeros(size, np.int64),
        column=np.zeros(size, np.int64),
    )


@loop
def settle_plausible_questions(
    facts: Pooled, program: Program, found: Differences, scratch: Scratch, slack: float
) -> int:
    """Answer questions until `choose_pooled_plausible_action` finds an action to return; UNKNOWN if Python must answer.

    New facts are appended to the pools, whose counts must not be shared with other readers.
    """
    while True:
        action = choose_pooled_plausible_action(facts, found, scratch, slack)
        target = scratch.asked[0]
        if action != UNKNOWN or program.exact_enough == 0 or is_plausible_pool_full(facts, target):
            return action
        own = require_plausible_region(facts, program, target)
        answer = solve_plausible_program(program, found, own)
        if answer == UNDECIDED:
            return UNKNOWN
        if answer == YES:
            add_point_to_plausible_pool(facts, program, target)
        else:
            add_certificate_to_plausible_pool(facts, program, found.signs, target, own)


@kernel
def is_plausible_pool_full(facts: Plausible, target: int) -> bool:
    """Say whether a pool of a target has no room left."""
    capacity = facts.points.shape[1]
    return facts.n_points[target] == capacity or facts.n_certificates[target] == capacity


@kernel
def require_plausible_region(facts: Plausible, program: Program, target: int) -> int:
    """Set the rows of a region; return the pair of a border, else -1.

    Where i is better than j, d_ij q <= 0. A cell is bounded by its neighbors alone, a border is a face of both cells,
    and D itself has no rows.
    """
    pairs = facts.first.shape[0]
    own = target if target < pairs else -1
    one = facts.first[own] if own >= 0 else target - pairs
    two = facts.second[own] if own >= 0 else -1
    for e in range(pairs):
        better = 1 if facts.first[e] == one or facts.first[e] == two else 0
        worse = 1 if facts.second[e] == one or facts.second[e] == two else 0
        program.required[e] = worse - better
    return own


@kernel
def add_point_to_plausible_pool(facts: Plausible, program: Program, target: int) -> None:
    """Append the signs of the point in `grid` to the pool of a region."""
    mask = facts.points[target, facts.n_points[target]]
    clear_sign_mask(mask)
    for e in range(program.exact.shape[0]):
        value = 0
        for m in range(program.grid.shape[0]):
            value += program.exact[e, m] * program.grid[m]
        if value != 0:
            set_sign_in_mask(mask, e, value)
    facts.n_points[target] += 1


@kernel
def add_certificate_to_plausible_pool(
    facts: Plausible, program: Program, signs: Integers, target: int, own: int
) -> None:
    """Append the decided signs that the multipliers in the basis use to the pool of a region."""
    mask = facts.certificates[target, facts.n_certificates[target]]
    clear_sign_mask(mask)
    for k in range(program.basis.shape[0]):
        e = program.basis[k]
        if e != own and multiplier_of_plausible_program(program, k) > 0 and signs[e] != 0:
            set_sign_in_mask(mask, e, signs[e])
    facts.n_certificates[target] += 1


@kernel
def solve_plausible_program(program: Program, found: Differences, own: int) -> int:
    """Answer whether the region meets D: YES with a point in `grid`, NO with multipliers in the basis, or UNDECIDED.

    `program.required` describes the region; `own` is the pair of a border, else -1. Estimates delta of undecided pairs
    are hints: a point that also agrees with them answers later questions.
    """
    signs = found.signs
    for e in range(signs.shape[0]):
        program.sign[e] = signs[e] if signs[e] != 0 else program.required[e]
    if not start_plausible_program(program, found):
        return UNDECIDED
    size = program.point.shape[0]
    inside, agreeing = False, 0
    for _ in range(100 + 20 * size):
        s = program.inverse[size, 0]
        if s < -_SLACK:
            if inside:
                return YES if round_plausible_point(program, signs, own) else UNDECIDED
            return NO if round_plausible_multipliers(program, signs, own) else UNDECIDED
        entering = most_violated_cbp_sign(program, found, own)
        if entering == program.rows.shape[0]:
            if s <= _SLACK:
                break
            for m in range(size):
                program.point[m] = program.inverse[m, 0]
            inside = True
            entering = most_contradicted_cbp_pair(program, found.delta, own) if agreeing < _MOST_HOPES else -1
            agreeing += 1
            if entering < 0:
                break
        if not pivot_plausible_program(program, entering, own):
            break
    return YES if inside and round_plausible_point(program, signs, own) else UNDECIDED


@kernel
def start_plausible_program(program: Program, found: Differences) -> bool:
    """Begin at the vertex that is best for the most certain sign; False if none is decided."""
    signs = found.signs
    first, most = -1, -1.0
    for e in range(signs.shape[0]):
        if signs[e] != 0 and abs(found.delta[e]) > most * found.reach[e]:
            first, most = e, abs(found.delta[e]) / found.reach[e]
    if first < 0:
        return False
    size, sign = program.point.shape[0], signs[first]
    top = 0
    for m in range(size):
        if sign * program.rows[first, m] > sign * program.rows[first, top]:
            top = m
    for k in range(size + 1):
        for m in range(size + 1):
            program.inverse[m, k] = 0.0
    program.basis[0], program.basis[1] = _SUM, first
    program.inverse[top, 0] = 1.0
    program.inverse[size, 0] = sign * program.rows[first, top]
    program.inverse[size, 1] = -1.0
    k = 2
    for m in range(size):
        if m != top:
            program.basis[k] = -1 - m
            program.inverse[m, k] = 1.0
            program.inverse[top, k] = -1.0
            program.inverse[size, k] = sign * (program.rows[first, m] - program.rows[first, top])
            k += 1
    return True


@kernel
def most_violated_cbp_sign(program: Program, found: Differences, own: int) -> int:
    """Return the constraint that is violated most: a pair, -1 - m, or the number of pairs if there is none.

    Rows that appear in nearly every question come first, so that proofs resemble each other.
    """
    pairs, size = program.rows.shape
    s = program.inverse[size, 0]
    sure, other, worst, worst_other = pairs, pairs, -_SLACK, -_SLACK
    for m in range(size):
        if program.inverse[m, 0] < worst:
            sure, worst = -1 - m, program.inverse[m, 0]
    for e in range(pairs):
        if program.sign[e] != 0 or e == own:
            value = 0.0
            for m in range(size):
                value += program.rows[e, m] * program.inverse[m, 0]
            if e == own:
                if -abs(value) < worst:
                    sure, worst = e, -abs(value)
                    program.sign[e] = 1 if value < 0.0 else -1
            else:
                value = program.sign[e] * value - s
                if found.signs[e] == 0 or abs(found.delta[e]) >= _SURE * found.reach[e]:
                    if value < worst:
                        sure, worst = e, value
                elif value < worst_other:
                    other, worst_other = e, value
    return other if sure == pairs else sure


@kernel
def most_contradicted_cbp_pair(program: Program, delta: Floats, own: int) -> int:
    """Add the undecided pair whose estimate the point contradicts most; -1 if there is none."""
    pairs, size = program.rows.shape
    s = program.inverse[size, 0]
    chosen, worst = -1, -_SLACK
    for e in range(pairs):
        if program.sign[e] == 0 and e != own and delta[e] != 0.0:
            value = 0.0
            for m in range(size):
                value += program.rows[e, m] * program.inverse[m, 0]
            value = (value if delta[e] > 0.0 else -value) - s
            if value < worst:
                chosen, worst = e, value
    if chosen >= 0:
        program.sign[chosen] = 1 if delta[chosen] > 0.0 else -1
    return chosen


@kernel
def pivot_plausible_program(program: Program, entering: int, own: int) -> bool:
    """Make a violated constraint tight in place of the one whose multiplier reaches zero first; False if none does."""
    size = program.point.shape[0]
    leaving, least = -1, math.inf
    for k in range(size + 1):
        if entering < 0:
            value = program.inverse[-1 - entering, k]
        else:
            value = 0.0
            for m in range(size):
                value += program.rows[entering, m] * program.inverse[m, k]
            value *= program.sign[entering]
            if entering != own:
                value -= program.inverse[size, k]
        program.along[k] = value
        if k > 0 and value > _PIVOT:
            ratio = max(0.0, -program.inverse[size, k]) / value
            if ratio < least or (ratio == least and value > program.along[leaving]):
                leaving, least = k, ratio
    if leaving < 0:
        return False
    program.basis[leaving] = entering
    inverse, divisor = program.inverse, program.along[leaving]
    for m in range(size + 1):
        unit = inverse[m, leaving] / divisor
        for k in range(size + 1):
            inverse[m, k] -= program.along[k] * unit
        inverse[m, leaving] = unit
    return True


@kernel
def round_plausible_point(program: Program, signs: Integers, own: int) -> bool:
    """Round the point to integers in `grid`; say whether every row holds there exactly, decided ones strictly."""
    grid, size = program.grid, program.point.shape[0]
    for m in range(size):
        grid[m] = math.floor(max(0.0, program.point[m]) * _POINT_GRID + 0.5)
    if own >= 0:
        # As `alternative.move_onto_hyperplane`: the coordinate that can carry the rest best takes it.
        rest, top = 0, 0
        for m in range(size):
            rest += program.exact[own, m] * grid[m]
            if abs(program.exact[own, m]) * grid[m] > abs(program.exact[own, top]) * grid[top]:
                top = m
        weight = program.exact[own, top]
        for m in range(size):
            grid[m] *= abs(weight)
        grid[top] -= rest if weight > 0 else -rest
    for m in range(size):
        if grid[m] < 0:
            return False
    for e in range(signs.shape[0]):
        needed = signs[e] if signs[e] != 0 else program.required[e]
        if needed != 0 or e == own:
            value = 0
            for m in range(size):
                value += program.exact[e, m] * grid[m]
            if e == own:
                if value != 0:
                    return False
            elif needed * value < abs(signs[e]):
                return False
    return True


@kernel
def multiplier_of_plausible_program(program: Program, k: int) -> int:
    """Return the multiplier of the k-th tight constraint for integer rows, on a grid."""
    e, size = program.basis[k], program.point.shape[0]
    if e < 0:
        return 0
    return math.floor(max(0.0, -program.inverse[size, k]) / program.scale[e] * _MULTIPLIER_GRID + 0.5)


@kernel
def round_plausible_multipliers(program: Program, signs: Integers, own: int) -> bool:
    """Round the multipliers to integers; say whether they prove, exactly, that no point has all signs.

    Where decided rows are positive and the region's are not negative, sum y g q > 0 as soon as some decided y is; that
    cannot be if sum y g <= 0 in every column.
    """
    column, size = program.column, program.point.shape[0]
    for m in range(size):
        column[m] = 0
    strict = False
    for k in range(size + 1):
        y, e = multiplier_of_plausible_program(program, k), program.basis[k]
        if y > 0:
            strict = strict or (e != own and signs[e] != 0)
            for m in range(size):
                column[m] += y * program.sign[e] * program.exact[e, m]
    for m in range(size):
        if column[m] > 0:
            return False
    return strict
