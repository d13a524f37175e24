"""The cheapest plays of the other actions that make the optimal one certain.

With action j optimal for the law p, gaps Delta_a = (L_a - L_j) p, and the alternatives q behind the borders of j's cell
(see `sidelight.optimization.divergence`), the least cost of certainty is the linear program with infinitely many rows

    C*(p) = min sum_a Delta_a r_a   subject to   r >= 0,   sum_a r_a KL(S_a p | S_a q) >= 1 for every alternative q.

Only the borders to neighbors matter. The cell of j is the part of the simplex that its neighbors leave, so an
alternative is a law under which some neighbor k is no worse than j. On the way from p to such a law the divergences
grow, so the first one met, with (L_k - L_j) q = 0, demands most.

Rows are made when they are needed (cutting planes). The master problem is kept in its dual form, max sum y subject to
sum_c y_c KL(S_a p | S_a q_c) <= Delta_a, in which a new alternative is a new column (column generation) and the simplex
method continues from where it was; its basis has one row per action, and r are the multipliers.

What counts as an alternative, and how a border is searched, may differ from this (`sidelight.optimization.hinge`): the
functions `search_border`, `column_entry` and `ask_for` depend on the kind of problem.

References
----------
J. Komiyama, J. Honda, H. Nakagawa, "Regret lower bound and optimal algorithm in finite stochastic partial monitoring",
NeurIPS 2015.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from sidelight.game_arrays import Signals
from sidelight.kernels import generic, implements, kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import copy, fill
from sidelight.optimization.divergence import divergence, minimize_divergence
from sidelight.optimization.geometry import Geometry
from sidelight.optimization.likelihood import is_informative
from sidelight.optimization.master import Master, place_of_master_column, reset_master_program, solve_master_program
from sidelight.optimization.search import Search, set_search_directions

_MOST_CUTS = 60
# A symbol of this probability under p confines the alternatives to none of its outcomes.
_IMPOSSIBLE = 1e-13
# Loss differences are at most 1 (see `sidelight.optimization.geometry`); a border this near is touched.
_TOUCHING = 1e-12
# By so much the weights may fall short of 1: sums that equal it must not depend on rounding.
_EQUAL = 1e-9
# How near to 1 a proof that the weights suffice must come.
_CLOSE = 1e-7
SUFFICIENT, FOUND, IMPOSSIBLE = 0, 1, 2
# Stands for an infinite divergence.
_CERTAIN = 1e9


class Allocation(NamedTuple):
    """An allocation problem; by border, an alternative found before and its multiplier, zero if none was."""

    search: Search
    master: Master
    points: Annotated[Floats, "borders", "outcomes"]
    multipliers: Annotated[Floats, "borders"]
    bound: Annotated[Floats, 1]  # see `optimize_allocation`


search_border = generic("search_border", ("problem", "game", "j", "e", "tolerance", "first"))
"""Return a lower bound of what is revealed about the alternatives behind border e, and its value at one of them.

Both are infinite if there is none. `first` says that the weights are those that were given.
"""
column_entry = generic("column_entry", ("problem", "signals", "a"))
"""Return what one play of a reveals about the alternative that was found last."""
ask_for = generic("ask_for", ("problem", "share"))
"""Set the weights to an allocation."""


@kernel
def optimize_allocation(problem: Any, allocation: Allocation, game: Geometry, j: int, tolerance: float) -> int:
    """Return whether the weights rule every alternative out; if not, set `share` to weights that do.

    Returns SUFFICIENT; or FOUND, if `share` holds an allocation that costs at most 1 + tolerance times the least; or
    IMPOSSIBLE. The symbol laws under p, the gaps, positive but for that of j, and the weights are set before; `bound`
    is then a lower bound of what the weights, or the last allocation, reveal about any alternative. The problem, which
    decides what an alternative is, is the allocation itself or holds it.
    """
    master, bound = allocation.master, allocation.bound
    answer = SUFFICIENT
    for turn in range(_MOST_CUTS):
        bound[0] = math.inf
        enough = 1.0 - (_EQUAL if turn == 0 else 0.5 * tolerance)
        added = 0
        for e in range(game.start[j], game.start[j + 1]):
            low, value = search_border(problem, game, j, e, tolerance, turn == 0)
            bound[0] = min(bound[0], low)
            if value < enough:
                if answer == SUFFICIENT:
                    answer = FOUND
                    reset_master_program(master, j)
                added += 1 if add_alternative_column(problem, master, game.signals, j) >= 0 else 0
        if added == 0:
            break
        if not solve_master_program(master):
            return IMPOSSIBLE
        ask_for(problem, master.share)
    if answer == FOUND:
        if bound[0] <= 0.0:
            return IMPOSSIBLE
        for a in range(master.share.shape[0]):
            master.share[a] /= min(bound[0], 1.0)
    return answer


@implements(search_border, Allocation)
def _search_allocation_border(
    problem: Allocation, game: Geometry, j: int, e: int, tolerance: float, first: bool
) -> tuple[float, float]:
    search = problem.search
    if not start_border_search(problem, game, j, e):
        return math.inf, math.inf
    low, value = minimize_divergence(game.signals, j, search, _CLOSE if first else 0.3 * tolerance, 0.1)
    if first and low < 1.0:
        problem.multipliers[e] = search.equations.multipliers[0]
        copy(search.point, problem.points[e])
    return low, value


@implements(column_entry, Allocation)
def _allocation_column_entry(problem: Allocation, signals: Signals, a: int) -> float:
    return divergence(signals, problem.search.base, problem.search.image, a)


@implements(ask_for, Allocation)
def _ask_for_allocation(problem: Allocation, share: Floats) -> None:
    copy(share, problem.search.weight)


@kernel
def start_border_search(problem: Allocation, game: Geometry, j: int, e: int) -> bool:
    """Prepare the search of border e, trying the result of an earlier search first; False if it is empty."""
    search = problem.search
    copy(game.difference[e], search.equations.rows[0])
    if not set_start_inside_border(game.signals, j, search):
        return False
    set_search_directions(game.signals, j, search)
    set_trial_point(search, problem.points[e])
    search.equations.multipliers[0] = problem.multipliers[e]
    return True


@kernel
def set_trial_point(search: Search, former: Floats) -> None:
    """Set the trial point to a former one, confined to the active outcomes."""
    total = 0.0
    for m in range(former.shape[0]):
        search.trial[m] = former[m] if search.active[m] == 1 else 0.0
        total += search.trial[m]
    for m in range(former.shape[0]):
        search.trial[m] /= max(total, 1e-300)


@kernel
def set_start_inside_border(signals: Signals, j: int, search: Search) -> bool:
    """Set the active outcomes and a start inside the border q: S_j q = S_j p, e q = 0; False if there is none.

    S_j q = S_j p gives each symbol u of j a mass to spread over its outcomes, so the least of e q is
    sum_u (S_j p)_u min_m e_m, and a point between the center and an extreme one lies on the border.
    """
    least, middle, most = 0.0, 0.0, 0.0
    share, side = 0.0, -1.0
    fill(search.active, 0)
    fill(search.point, 0.0)
    for turn in range(2):
        for u in range(signals.first[j], signals.first[j + 1]):
            if search.base[u] > _IMPOSSIBLE:
                low, mean, high = spread_symbol_mass(signals, j, search, u, share, side)
                least += search.base[u] * low
                middle += search.base[u] * mean
                most += search.base[u] * high
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
def spread_symbol_mass(
    signals: Signals, j: int, search: Search, u: int, share: float, side: float
) -> tuple[float, float, float]:
    """Spread the mass of symbol u of j: a share over its outcomes of least e (side -1) or largest, the rest evenly.

    Returns the least, mean and largest e of its outcomes. With a share of 1 the other outcomes are not active.
    """
    row = search.equations.rows[0]
    low, total, high, count = math.inf, 0.0, -math.inf, 0.0
    for m in range(search.point.shape[0]):
        if signals.shown[j, m] == u:
            low = min(low, row[m])
            high = max(high, row[m])
            total += row[m]
            count += 1.0
    edge = low if side < 0.0 else high
    extreme = 0.0
    for m in range(search.point.shape[0]):
        if signals.shown[j, m] == u and abs(row[m] - edge) <= _TOUCHING:
            extreme += 1.0
    for m in range(search.point.shape[0]):
        if signals.shown[j, m] == u:
            at_edge = abs(row[m] - edge) <= _TOUCHING
            mass = (1.0 - share) / count + (share / extreme if at_edge else 0.0)
            search.point[m] = search.base[u] * mass
            search.active[m] = 1 if at_edge or share < 1.0 else 0
    return low, total / count, high


@kernel
def add_alternative_column(problem: Any, master: Master, signals: Signals, j: int) -> int:
    """Add the alternative that was found last; return its place, -1 for none."""
    place = place_of_master_column(master)
    if place >= 0:
        for a in range(master.cost.shape[0]):
            master.pool[place, a] = 0.0
            if a != j and is_informative(signals, a):
                master.pool[place, a] = min(column_entry(problem, signals, a), _CERTAIN)
    return place
