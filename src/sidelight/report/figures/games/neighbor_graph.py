"""The figure of a game whose cells cannot be drawn: the graph of neighbors."""

from __future__ import annotations

import math
from typing import Any

from matplotlib.axes import Axes

from sidelight.analysis import Analysis
from sidelight.report.figures.colors import BORDERS, INK, border_style_in_figure
from sidelight.report.figures.labels import action_labels_in_figure, shorten_figure_label
from sidelight.text import list_some

_NODE = "#9fc9e4"
_UPRIGHT = 8  # names around the circle that need not be turned
_MOST_CROSSES = 45


def draw_neighbor_graph(axes: Axes, analysis: Analysis) -> tuple[list[Any], str]:
    """Draw the actions that can be best as a circle, neighbors joined; return the samples of its key, and a note."""
    labels = action_labels_in_figure(analysis)
    best = [action for action in labels if analysis.status(action) == "pareto"]
    axes.set_axis_off()
    axes.set(aspect="equal", xlim=(-1.1, 1.1), ylim=(-1.1, 1.1))
    angles = {action: math.pi / 2 - math.tau * rank / len(best) for rank, action in enumerate(best)}
    nodes = {action: (math.cos(angle), math.sin(angle)) for action, angle in angles.items()}
    _draw_neighbor_edges(axes, analysis, nodes)
    look: dict[str, Any] = {"ms": 13.0 if len(best) <= 12 else 7.0, "mfc": _NODE, "mec": INK, "zorder": 6}
    drawn = axes.plot(*zip(*nodes.values(), strict=True), "o", label="best for some laws (Pareto-optimal)", **look)
    for action, angle in angles.items():
        _write_action_name_in_graph(axes, labels[action], angle, len(best) > _UPRIGHT)
    notes = ["Neighbors: their cells share a border." if analysis.neighbors else "No two actions are neighbors."]
    for status, meaning in (("degenerate", "best only where others are as good"), ("dominated", "never best")):
        others = [labels[action] for action in labels if analysis.status(action) == status]
        if others:
            notes.append(f"{status.capitalize()} ({meaning}): {list_some(others, 12)}.")
    return list(drawn), " ".join(notes)


def _draw_neighbor_edges(axes: Axes, analysis: Analysis, nodes: dict[int, tuple[float, float]]) -> None:
    """Draw neighbor pairs, thinner and paler the more there are of a kind, the rarer kinds on top."""
    styles = {pair: border_style_in_figure(analysis, *pair) for pair in analysis.neighbors}
    pairs = {style: [pair for pair in styles if styles[pair] == style] for style in BORDERS.values()}
    for layer, (style, found) in enumerate(sorted(pairs.items(), key=lambda item: -len(item[1]))):
        crowd = (16 / max(len(found), 16)) ** 0.4
        for place, (one, other) in enumerate(found):
            (a, b), (c, d) = nodes[one], nodes[other]
            axes.plot((a, c), (b, d), color=style.color, ls=style.dashes, lw=2.0 * crowd, alpha=crowd, zorder=1 + layer)
            if style.crossed and len(found) <= _MOST_CROSSES:
                # Crosses of edges that meet in the middle of the circle would hide each other.
                share = 0.5 if len(found) < 4 else 0.36 + 0.07 * (place % 3)
                axes.plot(a + share * (c - a), b + share * (d - b), "x", color=style.color, ms=6, mew=2, zorder=5)


def _write_action_name_in_graph(axes: Axes, name: str, angle: float, turned: bool) -> None:
    """Write a name outside the circle, upright or along the ray."""
    x, y = 1.12 * math.cos(angle), 1.12 * math.sin(angle)
    along = math.degrees(angle) % 360
    leftwards = 90 < along < 270
    beside = abs(x) > 0.2 or turned
    axes.text(
        x,
        y,
        shorten_figure_label(name, 20) if turned else name,
        ha=("right" if leftwards else "left") if beside else "center",
        va="center" if turned else "center_baseline",
        rotation=(along - 180 if leftwards else along) if turned else 0,
        rotation_mode="anchor",
    )
