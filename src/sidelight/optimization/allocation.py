"""The cheapest plays of the other actions after which the optimal one can be trusted.

With action j optimal for the law p, gaps Delta_a = (L_a - L_j) p, and the alternatives q behind the borders of j's cell
(see `sidelight.optimization.divergence`), the least cost of certainty is the linear program with infinitely many rows

    C*(p) = min sum_a Delta_a r_a   subject to   r >= 0,   sum_a r_a KL(S_a p | S_a q) >= 1 for every alternative q.

Only the borders to neighbors matter. The cell of j is what its neighbors leave of the simplex, so an alternative is a
law that some neighbor k makes no worse than j; and on the way from p to such a law the divergences grow, so that the
first one met, with (L_k - L_j) q = 0, asks for most.

Rows are made when they are needed (cutting planes). The program is kept in its dual form, max sum y subject to
sum_c y_c KL(S_a p | S_a q_c) <= Delta_a, in which a new alternative is a new column and the simplex method goes on from
where it was; its basis has one row per action, and r are the multipliers.

References
----------
J. Komiyama, J. Honda, H. Nakagawa, "Regret lower bound and optimal algorithm in finite stochastic partial monitoring",
NeurIPS 2015.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis.analysis import Analysis
from sidelight.game_arrays import Signals, float_rows, signals
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.optimization.divergence import border_room, descend, divergence, span
from sidelight.optimization.likelihood import Room, informative

# Columns that are kept; the one that is least likely to come back gives way.
_POOL = 96
_MOST_PIVOTS = 400
# How much, relatively, a condition of the linear program may be violated.
_OPTIMAL = 1e-10
_MOST_CUTS = 60
# A symbol of this probability under p confines the alternatives to none of its outcomes.
_IMPOSSIBLE = 1e-13
# Loss differences are at most 1 (see `geometry`); a border this near is touched.
_TOUCHING = 1e-12
# By so much the weights may fall short of 1: sums that equal it must not depend on rounding.
_EQUAL = 1e-9
# How near to 1 a proof that the weights suffice must come.
_CLOSE = 1e-7
SUFFICIENT, FOUND, IMPOSSIBLE = 0, 1, 2
# Stands for an infinite divergence.
_CERTAIN = 1e9


class Geometry(NamedTuple):
    """What does not depend on the law. The borders of action j are start[j] to start[j + 1]; none but Pareto ones."""

    signals: Signals
    loss: Floats  # shifted by outcome and scaled to [0, 1]
    twin: Integers  # the first action with the same losses
    candidate: Integers  # 1 for the first of each class of Pareto-optimal actions
    start: Integers
    difference: Floats  # L_k - L_j, a row for each border


class Work(NamedTuple):
    """Room for one allocation problem outside of a strategy."""

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


def master_room(actions: int, outcomes: int, symbols: int, borders: int, equations: int = 1) -> dict[str, Any]:
    """Return the arrays of the linear program, by name, and those of the search for alternatives.

    cost: Delta, the right side of the dual; share: r; inverse, level, basic: the inverse of the basis, the values of
    its columns, and which those are (negative for a slack); pool, pooled: the alternatives' columns, and how many;
    kept, prices: by border, an alternative found before and its multiplier, zero if none was; lowest: see `allocate`.
    """
    arrays = border_room(actions, outcomes, symbols, equations)
    arrays |= {name: np.zeros(actions) for name in ("cost", "share", "level", "column")}
    arrays |= {"inverse": np.zeros((actions, actions)), "basic": np.zeros(actions, np.int64)}
    arrays |= {"kept": np.zeros((borders, outcomes)), "prices": np.zeros(borders), "lowest": np.zeros(1)}
    arrays |= {"pool": np.zeros((_POOL, actions)), "pooled": np.zeros(1, np.int64)}
    return arrays


def scaled_losses(analysis: Analysis) -> tuple[list[list[Fraction]], Fraction]:
    """Return losses minus the least one of each outcome, scaled to [0, 1], and the scale: no difference changes."""
    loss = analysis.game.loss
    least = [min(column) for column in zip(*loss, strict=True)]
    rest = [[value - low for value, low in zip(row, least, strict=True)] for row in loss]
    scale = max(max(row) for row in rest) or Fraction(1)
    return [[value / scale for value in row] for row in rest], scale


def geometry(analysis: Analysis) -> Geometry:
    """Lay out a game for the search."""
    exact, _ = scaled_losses(analysis)
    game, twins = analysis.game, analysis.cells.representative
    start, rows = [0], []
    for j in range(game.n_actions):
        for k in rivals(analysis, j):
            rows.append([float(b - a) for a, b in zip(exact[j], exact[k], strict=True)])
        start.append(len(rows))
    candidates = [int(i in analysis.pareto and twins[i] == i) for i in range(game.n_actions)]
    return Geometry(
        signals=signals(game),
        loss=float_rows(exact),
        twin=np.array(list(twins), np.int64),
        candidate=np.array(candidates, np.int64),
        start=np.array(start, np.int64),
        difference=np.array(rows, float).reshape(len(rows), game.n_outcomes),
    )


def rivals(analysis: Analysis, j: int) -> list[int]:
    """Return the neighbors of action j, none for a duplicate of another action."""
    return [k if i == j else i for i, k in analysis.neighbors if j in (i, k)]


@kernel
def enter(signals: Signals, j: int, work: Room) -> bool:
    """Set the active outcomes and a start inside the border q: S_j q = S_j p, e q = 0; False if there is none.

    S_j q = S_j p gives each symbol u of j a mass to spread over its outcomes, so the least of e q is
    sum_u (S_j p)_u min_m e_m, and a point between the center and an extreme one lies on the border.
    """
    least, middle, most = 0.0, 0.0, 0.0
    share, side = 0.0, -1.0
    for m in range(work.point.shape[0]):
        work.active[m] = 0
        work.point[m] = 0.0
    for turn in range(2):
        for u in range(signals.first[j], signals.first[j + 1]):
            if work.base[u] > _IMPOSSIBLE:
                low, mean, high = spread(signals, j, work, u, share, side)
                least += work.base[u] * low
                middle += work.base[u] * mean
                most += work.base[u] * high
        if turn == 0:
            if least > _TOUCHING:
                return False
            if least > -_TOUCHING:
                share = 1.0
            elif middle > 0.0:
                share = middle / (middle - least)
            elif most > middle:
                side = 1.0
                share = -middle / (most - middle)
    return True


@kernel
def spread(signals: Signals, j: int, work: Room, u: int, share: float, side: float) -> tuple[float, float, float]:
    """Spread the mass of symbol u of j: a share over its outcomes of least e (side -1) or largest, the rest evenly.

    Returns the least, mean and largest e of its outcomes. With a share of 1 the other outcomes are not active.
    """
    low, total, high, count = math.inf, 0.0, -math.inf, 0.0
    for m in range(work.point.shape[0]):
        if signals.shown[j, m] == u:
            low = min(low, work.rows[0, m])
            high = max(high, work.rows[0, m])
            total += work.rows[0, m]
            count += 1.0
    edge = low if side < 0.0 else high
    extreme = 0.0
    for m in range(work.point.shape[0]):
        if signals.shown[j, m] == u and abs(work.rows[0, m] - edge) <= _TOUCHING:
            extreme += 1.0
    for m in range(work.point.shape[0]):
        if signals.shown[j, m] == u:
            at_edge = abs(work.rows[0, m] - edge) <= _TOUCHING
            mass = (1.0 - share) / count + (share / extreme if at_edge else 0.0)
            work.point[m] = work.base[u] * mass
            work.active[m] = 1 if at_edge or share < 1.0 else 0
    return low, total / count, high


@kernel
def restart(work: Room, j: int) -> None:
    """Begin the linear program with no alternatives: nothing need be played."""
    actions = work.cost.shape[0]
    work.cost[j] = 1.0  # no alternative has an entry in this row
    work.pooled[0] = 0
    for i in range(actions):
        for a in range(actions):
            work.inverse[i, a] = 1.0 if i == a else 0.0
        work.level[i] = work.cost[i]
        work.basic[i] = -1
        work.share[i] = 0.0


@kernel
def place_for_column(work: Room) -> int:
    """Return where a new alternative may go, if need be in place of the one that asks for least; -1 for nowhere."""
    place = work.pooled[0]
    if place < _POOL:
        work.pooled[0] += 1
        return place
    place, worst = -1, 0.0
    for c in range(_POOL):
        rest = surplus(work, c)
        if rest > worst:
            used = False
            for i in range(work.basic.shape[0]):
                used = used or work.basic[i] == c
            if not used:
                place, worst = c, rest
    return place


@kernel
def add_column(signals: Signals, j: int, work: Room) -> int:
    """Add the point (whose image is set) to the alternatives; return its place, -1 if there is no room."""
    place = place_for_column(work)
    if place >= 0:
        for a in range(work.cost.shape[0]):
            work.pool[place, a] = 0.0
            if a != j and informative(signals, a):
                work.pool[place, a] = min(divergence(signals, work.base, work.image, a), _CERTAIN)
    return place


@kernel
def surplus(work: Room, c: int) -> float:
    """Return what the allocation reveals about alternative c beyond 1."""
    total = -1.0
    for a in range(work.cost.shape[0]):
        total += work.pool[c, a] * work.share[a]
    return total


@kernel
def entering(work: Room) -> int:
    """Return the column that violates its condition most: an alternative c, or -1 - a for the slack of row a.

    It is the number of alternatives that are kept if none does.
    """
    best, worst = work.pooled[0], -_OPTIMAL
    for c in range(work.pooled[0]):
        rest = surplus(work, c)
        if rest < worst:
            best, worst = c, rest
    largest = 0.0
    for a in range(work.cost.shape[0]):
        largest = max(largest, abs(work.share[a]))
    for a in range(work.cost.shape[0]):
        if work.share[a] < worst * largest:
            best, worst = -1 - a, work.share[a] / largest
    return best


@kernel
def reoptimize(work: Room) -> bool:
    """Bring columns in until none would help; False if the alternatives admit no allocation."""
    actions = work.cost.shape[0]
    for _ in range(_MOST_PIVOTS):
        new = entering(work)
        if new == work.pooled[0]:
            break
        largest = 0.0
        for i in range(actions):
            total = work.inverse[i, max(-1 - new, 0)]
            if new >= 0:
                total = 0.0
                for a in range(actions):
                    total += work.inverse[i, a] * work.pool[new, a]
            work.column[i] = total
            largest = max(largest, total)
        leaving, ratio = -1, math.inf
        for i in range(actions):
            if work.column[i] > 1e-11 * largest and work.level[i] < ratio * work.column[i]:
                leaving, ratio = i, work.level[i] / work.column[i]
        if leaving < 0:
            return False
        exchange(work, leaving, new)
    for a in range(actions):
        work.share[a] = max(work.share[a], 0.0)
    return True


@kernel
def exchange(work: Room, leaving: int, new: int) -> None:
    """Put a column into the basis in place of another and set the multipliers, which are r."""
    actions = work.cost.shape[0]
    pivot = work.column[leaving]
    for a in range(actions):
        work.inverse[leaving, a] /= pivot
    work.level[leaving] /= pivot
    for i in range(actions):
        if i != leaving and work.column[i] != 0.0:
            for a in range(actions):
                work.inverse[i, a] -= work.column[i] * work.inverse[leaving, a]
            work.level[i] = max(work.level[i] - work.column[i] * work.level[leaving], 0.0)
    work.basic[leaving] = new
    for a in range(actions):
        total = 0.0
        for i in range(actions):
            if work.basic[i] >= 0:
                total += work.inverse[i, a]
        work.share[a] = total


@kernel
def approach(game: Geometry, j: int, work: Room, e: int) -> bool:
    """Prepare the search of border e; False if it is empty. What a former search came to is put into `former`."""
    outcomes = work.point.shape[0]
    for m in range(outcomes):
        work.rows[0, m] = game.difference[e, m]
    if not enter(game.signals, j, work):
        return False
    span(game.signals, j, work)
    total = 0.0
    for m in range(outcomes):
        work.former[m] = work.kept[e, m] if work.active[m] == 1 else 0.0
        total += work.former[m]
    for m in range(outcomes):
        work.former[m] /= max(total, 1e-300)
    work.multipliers[0] = work.prices[e]
    return True


@kernel
def keep(work: Room, e: int) -> None:
    """Remember what the search of border e came to."""
    work.prices[e] = work.multipliers[0]
    for m in range(work.point.shape[0]):
        work.kept[e, m] = work.point[m]


@kernel
def allocate(game: Geometry, j: int, work: Room, tolerance: float) -> int:
    """Say whether the weights rule every alternative out; if not, set `share` to what would.

    Returns SUFFICIENT; or FOUND, if `share` holds an allocation that costs at most 1 + tolerance times the least; or
    IMPOSSIBLE. `base` are the symbol laws under p, `cost` the gaps, positive but for that of j, and `weight` what was
    seen. `lowest` is what is proven to be revealed about any alternative by the weights or by the last allocation.
    """
    actions = work.cost.shape[0]
    answer = SUFFICIENT
    for turn in range(_MOST_CUTS):
        work.lowest[0] = math.inf
        enough = 1.0 - (_EQUAL if turn == 0 else 0.5 * tolerance)
        added = 0
        for e in range(game.start[j], game.start[j + 1]):
            if not approach(game, j, work, e):
                continue
            low, value = descend(game.signals, j, work, _CLOSE if turn == 0 else 0.3 * tolerance, 0.1)
            work.lowest[0] = min(work.lowest[0], low)
            if turn == 0 and low < 1.0:
                keep(work, e)
            if value < enough:
                if answer == SUFFICIENT:
                    answer = FOUND
                    restart(work, j)
                added += 1 if add_column(game.signals, j, work) >= 0 else 0
        if added == 0:
            break
        if not reoptimize(work):
            return IMPOSSIBLE
        for a in range(actions):
            work.weight[a] = work.share[a]
    if answer == FOUND:
        if work.lowest[0] <= 0.0:
            return IMPOSSIBLE
        for a in range(actions):
            work.share[a] /= min(work.lowest[0], 1.0)
    return answer
