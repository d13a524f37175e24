"""How far a point is from the cell of an action, in the metric of a precision matrix: an exact convex program.

The cell of action i is {q : (L_k - L_i) q >= 0 for all k, q >= 0} on the hyperplane of laws. For a Pareto-optimal
action its neighbors suffice as k. With precision R R' and y = R' (x - mean) the distance is that of the origin from
{y : a_k . y >= g_k}, a_k = R^-1 row_k / |R^-1 row_k|: a least distance program, solved through its dual

    min over u >= 0 of |sum_k u_k (a_k, g_k) - (0, 1)|^2,    y = sum_k u_k a_k / rho,    rho = 1 - g . u,

by an active set method (C. Lawson, R. Hanson, "Solving least squares problems", 1974, chapter 23), which starts from
the active set of the last call. With two outcomes cells are intervals and nothing needs solving.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.analysis import Analysis
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import cholesky, dot, fill, solve, solve_lower
from sidelight.optimization.geometry import neighbors_in_search_geometry
from sidelight.strategies.shared.candidates import candidates
from sidelight.strategies.shared.gaussian import GaussianBelief

# Relative to the largest violation, which is scaled to 1.
_TOLERANCE = 1e-11


class Cells(NamedTuple):
    """The cells of the actions that are not dominated, one per class of duplicates.

    Inequalities row . x + offset >= 0: those of cell c are start[c] to start[c + 1], the last M, from `units` on, say
    that no probability is negative and belong to every cell. With two outcomes cell c is [low[c], high[c]] instead.
    """

    number: Integers  # the cell of each action; -1 for one that is not worth playing
    start: Integers
    units: int
    row: Floats
    offset: Floats
    low: Floats
    high: Floats


def lay_out_cells_for_posterior(analysis: Analysis) -> Cells:
    """Lay out the cells of a game."""
    game = analysis.game
    groups = candidates(analysis)
    start, rows = [0], []
    for i in groups:
        for k in _confining_actions_of_posterior_cell(analysis, i):
            difference = [a - b for a, b in zip(game.loss[k], game.loss[i], strict=True)]
            if len(set(difference)) > 1:  # else k is worse by the same amount everywhere
                rows.append(difference)
        start.append(len(rows))
    units = len(rows)
    rows += [[Fraction(int(m == j)) for j in range(game.n_outcomes)] for m in range(game.n_outcomes)]
    ends = [_interval_of_posterior_cell(rows[first:last]) for first, last in pairwise(start)]
    # Exact differences first: large losses may differ by little.
    values = np.array([[float(value / max(map(abs, row))) for value in row] for row in rows])
    numbers = {a: c for c, group in enumerate(groups.values()) for a in group}
    return Cells(
        number=np.array([numbers.get(a, -1) for a in range(game.n_actions)], np.int64),
        start=np.array(start, np.int64),
        units=units,
        row=np.ascontiguousarray(values[:, :-1] - values[:, -1:]),
        offset=np.ascontiguousarray(values[:, -1]),
        low=np.array([low for low, _ in ends]),
        high=np.array([high for _, high in ends]),
    )


def _confining_actions_of_posterior_cell(analysis: Analysis, i: int) -> list[int]:
    """Return actions whose half-spaces, together with the simplex, bound the cell of action i."""
    if analysis.status(i) == "pareto":
        return neighbors_in_search_geometry(analysis, i)
    return [k for k in analysis.cells.classes if k != i]


def _interval_of_posterior_cell(rows: list[list[Fraction]]) -> tuple[float, float]:
    """Return the cell of a game of two outcomes as an interval of the first probability."""
    low, high = Fraction(0), Fraction(1)
    for row in rows:
        rise, at_zero = row[0] - row[-1], row[-1]
        if rise > 0:
            low = max(low, -at_zero / rise)
        elif rise < 0:
            high = min(high, -at_zero / rise)
    return float(low), float(high)


class Distances(NamedTuple):
    """Distances from a mean, and what computing them needs; the active sets are where the next call starts."""

    root: Annotated[Floats, "size", "size"]  # R, the precision being R R'
    mean: Annotated[Floats, "size"]
    white: Annotated[Floats, "rows", "size"]  # a
    missing: Annotated[Floats, "rows"]  # g
    known: Annotated[Integers, "cells"]  # for each cell, 1 if its distance is
    distance: Annotated[Floats, "cells"]  # squared, of each cell
    active: Annotated[Integers, "cells", "corner"]  # (cells, size + 2): the active inequalities
    active_size: Annotated[Integers, "cells"]
    gram: Annotated[Floats, "corner", "corner"]
    multiplier: Annotated[Floats, "corner"]  # u
    trial: Annotated[Floats, "corner"]
    nearest: Annotated[Floats, "size"]  # y


@kernel
def set_posterior_cell_metric(cell: Cells, work: Distances, belief: GaussianBelief) -> None:
    """Prepare distances from the mean of a Gaussian belief in the metric of its precision; forget the old ones."""
    size = work.mean.shape[0]
    cholesky(belief.precision, work.root, size, 0.0, 0.0)
    solve(work.root, belief.information, work.mean)
    if size > 1:
        for k in range(cell.row.shape[0]):
            white = work.white[k]
            solve_lower(work.root, cell.row[k], white)
            length, value = 0.0, cell.offset[k]
            for i in range(size):
                length += white[i] * white[i]
                value += cell.row[k, i] * work.mean[i]
            length = math.sqrt(length)
            work.missing[k] = -value / length
            for i in range(size):
                white[i] /= length
    fill(work.known, 0)


@kernel
def squared_posterior_cell_distance(cell: Cells, work: Distances, c: int) -> float:
    """Return min over q in cell c of (q - mean)' precision (q - mean)."""
    if work.known[c] == 0:
        work.known[c] = 1
        if work.mean.shape[0] == 1:
            x = work.mean[0]
            away = max(cell.low[c] - x, x - cell.high[c], 0.0) * work.root[0, 0]
            work.distance[c] = away * away
        else:
            work.distance[c] = least_posterior_cell_distance(cell, work, c)
    return work.distance[c]


@kernel
def least_posterior_cell_distance(cell: Cells, work: Distances, c: int) -> float:
    """Solve the least distance program of cell c, in units of its largest violation so that the numbers are near 1."""
    unit = 0.0
    for k in range(cell.start[c], cell.start[c + 1]):
        unit = max(unit, work.missing[k])
    for k in range(cell.units, cell.row.shape[0]):
        unit = max(unit, work.missing[k])
    if unit == 0.0:
        return 0.0
    # The active set of the last time serves as long as its multipliers are positive. Each pass then finds a strictly
    # better point of the dual, so only rounding could reach the bound.
    warm, fresh = True, False
    for _ in range(50 * cell.row.shape[0]):
        sound = solve_active_cell_inequalities(work, c, unit)
        if not sound and warm:
            work.active_size[c] = 0
            continue
        if fresh and not (sound and work.trial[work.active_size[c] - 1] > 0.0):
            work.active_size[c] -= 1  # what was violated is so by rounding only
            break
        fresh = False
        if advance_cell_distance_multipliers(work, c, warm):
            continue
        warm = False
        entering = (
            most_violated_cell_inequality(cell, work, c, unit) if nearest_point_of_posterior_cell(work, c, unit) else -1
        )
        if entering < 0 or work.active_size[c] == work.trial.shape[0]:
            break
        work.active[c, work.active_size[c]] = entering
        work.multiplier[work.active_size[c]] = 0.0
        work.active_size[c] += 1
        fresh = True
    return dot(work.nearest, work.nearest) * unit * unit


@kernel
def solve_active_cell_inequalities(work: Distances, c: int, unit: float) -> bool:
    """Set the trial multipliers that minimize the dual over the active set; False if that is degenerate."""
    count, size = work.active_size[c], work.mean.shape[0]
    for n in range(count):
        a = work.active[c, n]
        for m in range(n + 1):
            b = work.active[c, m]
            total = (work.missing[a] / unit) * (work.missing[b] / unit)
            for i in range(size):
                total += work.white[a, i] * work.white[b, i]
            work.gram[n, m] = total
    independent = cholesky(work.gram, work.gram, count, 0.0, 1e-14)
    for n in range(independent):
        work.trial[n] = work.missing[work.active[c, n]] / unit
    if independent < count:
        return False
    trial = work.trial[:count]
    solve(work.gram, trial, trial)
    return True


@kernel
def nearest_point_of_posterior_cell(work: Distances, c: int, unit: float) -> bool:
    """Set the point y that belongs to the multipliers; False if it is lost in rounding.

    At the optimum over an active set rho = |sum_k u_k a_k|^2 / (g . u), which takes no difference of nearly equal
    numbers when the cell is thin and y far. A cell so thin that even this vanishes keeps the last point, which is no
    further than the cell.
    """
    height, square = 0.0, 0.0
    for n in range(work.active_size[c]):
        height += work.multiplier[n] * work.missing[work.active[c, n]] / unit
    for i in range(work.nearest.shape[0]):
        work.trial[i] = 0.0
        for n in range(work.active_size[c]):
            work.trial[i] += work.multiplier[n] * work.white[work.active[c, n], i]
        square += work.trial[i] * work.trial[i]
    if square == 0.0 and work.active_size[c] > 0:
        return False
    for i in range(work.nearest.shape[0]):
        work.nearest[i] = work.trial[i] * height / square if square > 0.0 else 0.0
    return True


@kernel
def most_violated_cell_inequality(cell: Cells, work: Distances, c: int, unit: float) -> int:
    """Return the inequality of cell c that the point y violates most; -1 if none."""
    first = cell.start[c]
    own = cell.start[c + 1] - first
    found, worst = -1, _TOLERANCE
    for n in range(own + cell.row.shape[0] - cell.units):
        k = first + n if n < own else cell.units + n - own
        violation = work.missing[k] / unit
        for i in range(work.nearest.shape[0]):
            violation -= work.white[k, i] * work.nearest[i]
        if violation > worst:
            found, worst = k, violation
    return found


@kernel
def advance_cell_distance_multipliers(work: Distances, c: int, warm: bool) -> bool:
    """Move the multipliers to the trial ones, or until one of them is 0 and leaves; say whether any left.

    A warm start has no multipliers yet: it takes the trial ones and drops all that are not positive.
    """
    step, leaving = 1.0, -1
    if not warm:
        for n in range(work.active_size[c]):
            if work.trial[n] <= 0.0:
                fall = work.multiplier[n] - work.trial[n]
                part = work.multiplier[n] / fall if fall > 0.0 else 0.0
                if leaving < 0 or part < step:
                    step, leaving = part, n
    kept = 0
    for n in range(work.active_size[c]):
        old = work.trial[n] if warm else work.multiplier[n]
        value = old + step * (work.trial[n] - old)
        if n != leaving and value > 0.0:
            work.active[c, kept] = work.active[c, n]
            work.multiplier[kept] = value
            kept += 1
    left = kept < work.active_size[c]
    work.active_size[c] = kept
    return left
