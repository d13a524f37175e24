"""C*(p) between two proven bounds; `sidelight.optimization.allocation` says what it is.

Which alternatives exist is decided in exact arithmetic: for each border of the optimal action's cell, which outcomes
can carry mass on it. The numbers then come from cutting planes in floating point, but every bound is checked:

- the lower bound is sum y for weights y >= 0 of alternatives found, sum_c y_c KL(S_a p | S_a q_c) <= Delta_a checked;
- the upper bound is the cost of an allocation r, divided by what r is proven to reveal about every alternative.

Rounding is allowed for in both. Duplicates of the optimal action cost nothing and may be played at will, so
alternatives that any of them could tell from p do not count. A border on which some action would show symbols that
otherwise never occur costs nothing either, since an occasional look rules it out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from sidelight.analysis.alternative import Possible, decide_alternative
from sidelight.analysis.analysis import Analysis
from sidelight.analysis.cells import law_along_integer_direction
from sidelight.analysis.linear_algebra import integer_matrix
from sidelight.game_arrays import Signals, signals
from sidelight.kernels import loop
from sidelight.kernels.arrays import Floats, new_arrays
from sidelight.optimization.allocation import Allocation, add_alternative_column
from sidelight.optimization.divergence import minimize_divergence
from sidelight.optimization.geometry import neighbors_in_search_geometry
from sidelight.optimization.master import reset_master_program, solve_master_program
from sidelight.optimization.search import Search, set_search_directions

_MOST_TURNS = 300
_EPSILON = 64.0 * float(np.finfo(float).eps)
# With at least this many terms in a second derivative, compiling the search pays off.
_LARGE = 1500

Law = Sequence[Fraction]


class Alternatives(NamedTuple):
    """The laws behind one border: outcomes that can carry mass, a law inside, equations besides S_j q = S_j p."""

    active: Floats
    inside: Floats
    rows: Floats
    levels: Floats


class Certainty(NamedTuple):
    """Both bounds of C*(p), and an allocation that costs the upper one."""

    low: float
    high: float
    allocation: Floats


class Indistinguishable(NamedTuple):
    """A law that makes the rival no worse than the optimal action and that no action can tell from p."""

    rival: int
    law: tuple[Fraction, ...]


def find_equal_loss_actions(analysis: Analysis, j: int) -> list[int]:
    """Return the actions with the losses of j, j first."""
    same = analysis.cells.representative
    return [j, *(i for i in range(analysis.game.n_actions) if i != j and same[i] == same[j])]


def find_indistinguishable_law(analysis: Analysis, j: int, law: Law) -> Indistinguishable | None:
    """Return a law that looks like p to every action and for which j is not the only optimum; None if there is none."""
    first = analysis.cells.representative[j]
    for k in neighbors_in_search_geometry(analysis, first):
        if analysis.globally_observable(first, k):
            continue  # then (L_k - L_j) q follows from the symbol laws
        weak = _same_symbol_law_rows(analysis, range(analysis.game.n_actions), law)
        answer = decide_alternative([[1] * len(law)], weak, analysis.cells.difference(k, first))
        if isinstance(answer, Possible):
            return Indistinguishable(k, law_along_integer_direction(answer.point))
    return None


def find_alternative_borders(analysis: Analysis, j: int, law: Law) -> list[Alternatives]:
    """Return the borders behind which there are alternatives that cost something to rule out."""
    game, group = analysis.game, find_equal_loss_actions(analysis, j)
    found = []
    for k in neighbors_in_search_geometry(analysis, analysis.cells.representative[j]):
        difference = analysis.cells.difference(k, j)
        points = _points_on_alternative_border(_same_symbol_law_rows(analysis, group, law), difference)
        if not points:
            continue
        inside = np.array([[float(value) for value in point] for point in points]).mean(axis=0)
        if _is_unmistakable_alternative(analysis, group, law, inside > 0.0):
            continue
        size = max(map(abs, difference))
        rows, levels = [[value / size for value in difference]], [0.0]
        for i in group[1:]:
            for row in game.signal(i):
                rows.append([float(value) for value in row])
                levels.append(float(_mass_shown_under_law(row, law)))
        found.append(Alternatives(inside > 0.0, inside, np.array(rows), np.array(levels)))
    return found


def _mass_shown_under_law(row: Sequence[int], law: Law) -> Fraction:
    return sum((p for shown, p in zip(row, law, strict=True) if shown), Fraction(0))


def _same_symbol_law_rows(analysis: Analysis, actions: Sequence[int], law: Law) -> list[tuple[int, ...]]:
    """Return rows w with: w q >= 0 for all of them exactly if S_a q = S_a p sum(q) for these actions."""
    rows: list[list[Fraction]] = []
    for a in actions:
        if analysis.game.informative(a):
            for signal in analysis.game.signal(a):
                mass = _mass_shown_under_law(signal, law)
                rows.append([shown - mass for shown in signal])
    return [tuple(sign * value for value in integer_matrix([row])[0][0]) for row in rows for sign in (1, -1)]


def _points_on_alternative_border(weak: list[tuple[int, ...]], equal: tuple[int, ...]) -> list[tuple[Fraction, ...]]:
    """Return laws on a border, together positive wherever any law on it is."""
    points: list[tuple[Fraction, ...]] = []
    for m in range(len(equal)):
        if not any(point[m] > 0 for point in points):
            answer = decide_alternative([[int(m == k) for k in range(len(equal))]], weak, equal)
            if isinstance(answer, Possible):
                points.append(law_along_integer_direction(answer.point))
    return points


def _is_unmistakable_alternative(analysis: Analysis, group: list[int], law: Law, active: Any) -> bool:
    """Say whether some paid action shows, under p, a symbol that no alternative could make it show."""
    return any(
        _mass_shown_under_law(row, law) > 0
        and not any(shown and alive for shown, alive in zip(row, active, strict=True))
        for a in range(analysis.game.n_actions)
        if a not in group
        for row in analysis.game.signal(a)
    )


@loop
def search_alternatives_behind_border(
    signals: Signals, j: int, search: Search, tolerance: float
) -> tuple[float, float]:
    """Search one border; see `minimize_divergence`."""
    set_search_directions(signals, j, search)
    return minimize_divergence(signals, j, search, tolerance, 0.1)


class _CertaintySolver:
    """The cutting planes of one law."""

    def __init__(self, analysis: Analysis, j: int, law: Law, gaps: Floats, borders: list[Alternatives]) -> None:
        game = analysis.game
        self.j, self.borders, self.group = j, borders, find_equal_loss_actions(analysis, j)
        self.signals = signals(game)
        sizes = {"actions": game.n_actions, "outcomes": game.n_outcomes, "symbols": int(self.signals.first[-1])}
        self.problem = new_arrays(Allocation, **sizes, borders=1, equations=len(borders[0].rows))
        self.search, self.master = self.problem.search, self.problem.master
        self.search.base[:] = [
            float(_mass_shown_under_law(row, law)) for a in range(game.n_actions) for row in game.signal(a)
        ]
        self.gaps = gaps
        self.master.cost[:] = gaps
        self.master.cost[self.group] = 1.0
        self.paid = np.array([a not in self.group and game.informative(a) for a in range(game.n_actions)])
        large = game.n_outcomes**2 * int(self.paid.sum()) > _LARGE
        self.minimize = search_alternatives_behind_border if large else search_alternatives_behind_border.python

    def solve(self, tolerance: float) -> Certainty:
        """Close in on C*(p) until the bounds are within a relative tolerance, or rounding ends it."""
        reset_master_program(self.master, self.j)
        self._weigh(np.ones(len(self.gaps)))
        low, high, allocation, scale = 0.0, math.inf, np.full(len(self.gaps), math.inf), 1.0
        for turn in range(_MOST_TURNS):
            revealed, added = self._cut(0.1 * tolerance, turn == 0)
            if revealed > 0.0 and (cost := math.fsum(self.gaps * self.search.weight) / revealed) < high:
                high, allocation = cost, self.search.weight / revealed
            close = high < math.inf and high - low <= tolerance * high
            if close or not added or not solve_master_program(self.master):
                break
            scale = math.sqrt(1.0 + float(self.master.share[self.paid].max()))
            low = max(low, self._dual() * (1.0 - _EPSILON * scale))
            self._weigh(self.master.share)
        return Certainty(float(min(low, high)), float(high * (1.0 + _EPSILON)), allocation)

    def _weigh(self, share: Floats) -> None:
        self.search.weight[:] = np.where(self.paid, share, 0.0)

    def _cut(self, tolerance: float, all_of_them: bool) -> tuple[float, int]:
        """Return the least proven information of the weights about any alternative; add those that need more."""
        search, bound, added = self.search, math.inf, 0
        allowance = _EPSILON * (1.0 + float(search.weight.sum()))
        for border in self.borders:
            search.active[:], search.point[:] = border.active, border.inside
            search.equations.rows[:], search.equations.levels[:] = border.rows, border.levels
            low, value = self.minimize(self.signals, self.j, search, tolerance)
            bound = min(bound, low - allowance)
            if all_of_them or value < 1.0 - tolerance:
                place = add_alternative_column(self.problem, self.master, self.signals, self.j)
                self.master.pool[place, self.group] = 0.0
                added += int(place >= 0)
        return bound, added

    def _dual(self) -> float:
        """Return sum y, shrunk until no action is charged more than its gap."""
        used = self.master.basic >= 0
        y = np.maximum(self.master.level[used], 0.0)
        charged = y @ self.master.pool[self.master.basic[used]]
        ratios = [self.gaps[a] / charged[a] for a in np.flatnonzero(self.paid) if charged[a] > 0.0]
        return math.fsum(y) * min(1.0, *ratios) if ratios else 0.0


def minimize_cost_of_certainty(
    analysis: Analysis, j: int, law: Law, gaps: Floats, tolerance: float
) -> Certainty | None:
    """Return C*(p) for the optimal action j and the gaps of all actions; None if there is nothing to rule out."""
    borders = find_alternative_borders(analysis, j, law)
    return _CertaintySolver(analysis, j, law, gaps, borders).solve(tolerance) if borders else None
