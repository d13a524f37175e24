"""The figure of a game with three outcomes: the triangle of laws and its cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon

from sidelight.analysis import Analysis
from sidelight.report.figures.colors import FAINT, INK, border_style_in_figure, fill_color_and_hatch
from sidelight.report.figures.games.cells import (
    Law,
    corners_of_drawn_cell,
    corners_of_law_simplex,
    ends_of_drawn_border,
)
from sidelight.report.figures.labels import action_labels_in_figure, outcome_label_in_figure, wrap_figure_label
from sidelight.text import list_some


def draw_three_outcome_triangle(axes: Axes, analysis: Analysis) -> tuple[list[Any], str]:
    """Draw a game of three outcomes; return the samples of its key, and a note."""
    labels = action_labels_in_figure(analysis)
    axes.set_axis_off()
    axes.set(aspect="equal", xlim=(-0.02, 1.02), ylim=(-0.02, 0.89))
    samples: list[Any] = []
    for rank, action in enumerate(action for action in labels if analysis.status(action) == "pareto"):
        color, hatch = fill_color_and_hatch(rank)
        look: dict[str, Any] = {"fc": color, "ec": "white", "lw": 0.6, "hatch": hatch}
        samples.append(
            Polygon(
                _spots_of_laws(corners_of_drawn_cell(analysis.game, action)), label=labels[action], zorder=1, **look
            )
        )
        axes.add_patch(samples[-1])
    axes.add_patch(Polygon(_spots_of_laws(corners_of_law_simplex(3)), fc="none", ec=FAINT, lw=1.0, zorder=2))
    for corners, members in _thin_cells(analysis).items():
        names = list_some([labels[member] for member in members], 3)
        samples.append(_draw_thin_cell(axes, corners, f"{names} (degenerate)"))
    for one, other in analysis.neighbors:
        style = border_style_in_figure(analysis, one, other)
        ends = _spots_of_laws(ends_of_drawn_border(analysis.game, one, other))
        axes.plot(*zip(*ends, strict=True), color="white", lw=4.2, zorder=4)
        axes.plot(*zip(*ends, strict=True), color=style.color, ls=style.dashes, lw=2.2, zorder=5)
        if style.crossed:
            axes.plot(*(sum(each) / 2 for each in zip(*ends, strict=True)), "x", color=style.color, ms=7, mew=2)
    for outcome, (x, y) in enumerate(_spots_of_laws(corners_of_law_simplex(3))):
        name = wrap_figure_label(f"always {outcome_label_in_figure(analysis.game, outcome)}", 18)
        axes.text(x, y - 0.02 if y == 0 else y + 0.02, name, ha="center", va="top" if y == 0 else "bottom", color=FAINT)
    empty = [labels[action] for action in labels if analysis.status(action) == "dominated"]
    return samples, f"Dominated, never best: {list_some(empty, 12)}." if empty else ""


def _spots_of_laws(laws: Sequence[Law]) -> list[tuple[float, float]]:
    """Return where laws lie; the outcomes are certain bottom left, bottom right and on top."""
    return [(float(q) + float(r) / 2, float(r) * math.sqrt(3) / 2) for _, q, r in laws]


def _thin_cells(analysis: Analysis) -> dict[tuple[Law, ...], list[int]]:
    """Return the cells that are points or segments, with the degenerate actions that share each."""
    thin: dict[tuple[Law, ...], list[int]] = {}
    for action in action_labels_in_figure(analysis):
        if analysis.status(action) == "degenerate":
            thin.setdefault(tuple(sorted(corners_of_drawn_cell(analysis.game, action))), []).append(action)
    return thin


def _draw_thin_cell(axes: Axes, corners: Sequence[Law], label: str) -> Line2D:
    """Draw a ring for a point and a band for a segment; return it for the key."""
    if len(corners) == 1:
        look: dict[str, Any] = {"marker": "o", "ms": 7, "mfc": "white", "mec": INK, "mew": 1.2, "ls": "none"}
    else:
        look = {"color": INK, "lw": 7.0, "solid_capstyle": "butt", "alpha": 0.5}
    return axes.plot(
        *zip(*_spots_of_laws(corners), strict=True), zorder=3 + 4 * (len(corners) == 1), label=label, **look
    )[0]
