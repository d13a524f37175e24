"""The figure of a game with three outcomes: the triangle of laws and its cells."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sidelight.analysis import Analysis
from sidelight.report.figures.canvas import Canvas, Spot
from sidelight.report.figures.colors import FAINT, INK, border_style, fill, text_background
from sidelight.report.figures.games.cells import Law, border, cell, whole_space
from sidelight.report.figures.games.region_names import place_names
from sidelight.report.figures.games.title_and_legend import draw_legend, draw_title
from sidelight.report.figures.labels import action_labels, listed_in_label, outcome_label, wrapped_label

_SIDE = 4.6


def draw_triangle(canvas: Canvas, analysis: Analysis) -> None:
    """Draw a game of three outcomes."""
    labels = action_labels(analysis)
    cells = {action: cell(analysis.game, action) for action in labels}
    best = [action for action in labels if analysis.status(action) == "pareto"]
    thin = _thin_cells(analysis, cells)
    ranks = {action: rank for rank, action in enumerate(best)}
    for action in best:
        color, hatch = fill(ranks[action])
        canvas.area(_spots(cells[action]), fc=color, ec="white", lw=0.6, hatch=hatch, zorder=1)
    canvas.area(_spots(whole_space(3)), fc="none", ec=FAINT, lw=1.0, zorder=2)
    for corners in thin:
        _draw_thin_cell(canvas, _spots(corners))
    _draw_borders(canvas, analysis)
    _draw_corners(canvas, analysis)
    regions = {action: _spots(cells[action]) for action in best}
    names = {action: labels[action] for action in best}
    for corners, members in thin.items():
        regions[members[0]] = _spots(corners)
        names[members[0]] = f"{listed_in_label([labels[member] for member in members], 3)} (degenerate)"
    _write_names(canvas, regions, names, ranks)
    draw_title(canvas, analysis)
    marks = [("touch", "degenerate: best at one point only")] if any(len(c) == 1 for c in thin) else []
    marks += [("band", "degenerate: best on a line only")] if any(len(c) == 2 for c in thin) else []
    empty = [labels[action] for action in labels if analysis.status(action) == "dominated"]
    draw_legend(canvas, analysis, marks, f"Dominated, never best: {listed_in_label(empty)}" if empty else "")


def _spots(laws: Sequence[Law]) -> list[Spot]:
    """Return where laws lie on the canvas; the outcomes are certain bottom left, bottom right and on top."""
    return [((float(q) + float(r) / 2) * _SIDE, float(r) * math.sqrt(3) / 2 * _SIDE) for _, q, r in laws]


def _thin_cells(analysis: Analysis, cells: dict[int, list[Law]]) -> dict[tuple[Law, ...], list[int]]:
    """Return the cells that are points or segments, with the degenerate actions that share each."""
    thin: dict[tuple[Law, ...], list[int]] = {}
    for action, corners in cells.items():
        if analysis.status(action) == "degenerate":
            thin.setdefault(tuple(sorted(corners)), []).append(action)
    return thin


def _draw_thin_cell(canvas: Canvas, spots: list[Spot]) -> None:
    if len(spots) == 1:
        canvas.line(spots, marker="o", ms=7, mfc="white", mec=INK, mew=1.2, ls="none", zorder=7)
    else:
        canvas.line(spots, lw=8.5, zorder=3, solid_capstyle="butt")
        canvas.line(spots, color="white", lw=6.5, zorder=3, solid_capstyle="butt")


def _draw_borders(canvas: Canvas, analysis: Analysis) -> None:
    for one, other in analysis.neighbors:
        style = border_style(analysis, one, other)
        start, end = _spots(border(analysis.game, one, other))
        canvas.line([start, end], color="white", lw=4.2, zorder=4, solid_capstyle="butt")
        canvas.line([start, end], color=style.color, ls=style.dashes, lw=2.2, zorder=5, dash_capstyle="butt")
        if style.crossed:
            canvas.cross(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2))


def _draw_corners(canvas: Canvas, analysis: Analysis) -> None:
    """Name the corners by the outcomes that are certain there."""
    for outcome, (x, y) in enumerate(_spots(whole_space(3))):
        name = wrapped_label(f"always {outcome_label(analysis.game, outcome)}", 18)
        below = outcome < 2
        canvas.text((x, y - 0.12 if below else y + 0.1), name, va="top" if below else "bottom", color=FAINT)


def _write_names(canvas: Canvas, regions: dict[int, list[Spot]], names: dict[int, str], ranks: dict[int, int]) -> None:
    """Write the names of the actions, and draw leaders to those that stand beside the triangle."""
    thin = [key for key in regions if key not in ranks]
    for each in place_names(regions, names, thin, (_SIDE + 0.3, _SIDE * math.sqrt(3) / 2)):
        if each.anchor is None:
            canvas.text(each.spot, each.text, size=each.size, bbox=text_background(*fill(ranks[each.key])))
            continue
        end = (each.spot[0] - 0.04, each.spot[1])
        canvas.line([each.anchor, end], color="white", lw=2.2, zorder=6)
        canvas.line([each.anchor, end], color=INK, lw=0.8, zorder=6)
        if each.key in ranks:
            canvas.line([each.anchor], marker="o", ms=3, color=INK, ls="none", zorder=6)
        canvas.text(each.spot, each.text, ha="left", va="center", color=INK if each.key in ranks else FAINT)
