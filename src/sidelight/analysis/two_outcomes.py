"""Games with two outcomes: cells are intervals of p_0, and borders the points between them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from sidelight.kernels.arrays import Integers

if TYPE_CHECKING:
    from sidelight.analysis.analysis import Analysis


def breakpoints(analysis: Analysis) -> tuple[Integers, Integers]:
    """Return the order of the breakpoints of a two-outcome game along p_0, and the side of a positive sign.

    d_0 s + d_1 (1 - s) = 0 at s = d_1 / (d_1 - d_0), and the difference grows with s where d_0 > d_1.
    """
    if analysis.game.n_outcomes != 2:
        nothing = np.zeros(len(analysis.neighbors), np.int64)
        return nothing, nothing
    rows = [analysis.cells.difference(*pair) for pair in analysis.neighbors]
    breaks = [Fraction(d1, d1 - d0) for d0, d1 in rows]
    place = {value: index for index, value in reversed(list(enumerate(sorted(breaks))))}
    rank = np.array([place[value] for value in breaks], np.int64)
    return rank, np.array([1 if d0 > d1 else -1 for d0, d1 in rows], np.int64)


def row_of_cells(analysis: Analysis) -> tuple[int, ...]:
    """Return the cells of a two-outcome game along p_0: right of a breakpoint lies the cell that is better there."""
    if not analysis.neighbors:
        return analysis.cells.pareto
    rank, side = breakpoints(analysis)
    # Where d_ij p > 0, action j is better than action i.
    sides = [(i, j) if s > 0 else (j, i) for (i, j), s in zip(analysis.neighbors, side, strict=True)]
    ordered = [sides[e] for e in np.argsort(rank)]
    return (ordered[0][0], *(right for _, right in ordered))
