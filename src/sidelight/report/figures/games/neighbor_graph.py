"""The figure of a game whose cells cannot be drawn: the graph of neighbors."""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

from sidelight.analysis import Analysis
from sidelight.report.figures.canvas import Box, Canvas, Spot, measure
from sidelight.report.figures.colors import BORDERS, FAINT, INK, Border, border_style
from sidelight.report.figures.games.title_and_legend import draw_legend, draw_title
from sidelight.report.figures.labels import action_labels, shortened_label

_NODE = "#9fc9e4"
_ROW = 0.22
_MOST_CROSSES = 45
_MOST_LISTED = 60


class _Node(NamedTuple):
    """A Pareto-optimal action on the circle."""

    label: str
    angle: float
    spot: Spot


def draw_neighbor_graph(canvas: Canvas, analysis: Analysis) -> None:
    """Draw the actions that can be best as a circle, neighbors joined, and the others at the side."""
    labels = action_labels(analysis)
    best = [action for action in labels if analysis.status(action) == "pareto"]
    radius = max(1.55, 0.24 * len(best) / math.tau) if len(best) > 1 else 0.0
    nodes = {}
    for rank, action in enumerate(best):
        angle = math.pi / 2 if len(best) != 2 else math.pi
        angle -= math.tau * rank / len(best)
        nodes[action] = _Node(labels[action], angle, (radius * math.cos(angle), radius * math.sin(angle)))
    _draw_edges(canvas, analysis, nodes)
    size = 15.0 if len(best) <= 12 else 10.0 if len(best) <= 26 else 7.0
    for node in nodes.values():
        canvas.line([node.spot], marker="o", ms=size, mfc=_NODE, mec=INK, mew=1.0, ls="none", zorder=6)
    _write_names(canvas, list(nodes.values()), size / 144 + 0.09)
    marks = [("full", "best for some laws (Pareto-optimal)")]
    for status, mark, meaning in (
        ("degenerate", "small", "degenerate: best only where others are as good"),
        ("dominated", "hollow", "dominated: never best"),
    ):
        others = [labels[action] for action in labels if analysis.status(action) == status]
        if others:
            marks.append((mark, meaning))
            _list_beside(canvas, status, mark, others, radius)
    draw_title(canvas, analysis)
    note = "Neighbors: their cells share a border." if analysis.neighbors else "No two actions are neighbors."
    draw_legend(canvas, analysis, marks, note)


def _draw_edges(canvas: Canvas, analysis: Analysis, nodes: dict[int, _Node]) -> None:
    """Draw neighbor pairs, thinner and paler the more there are of a kind, the rarer kinds on top."""
    edges: dict[Border, list[tuple[Spot, Spot]]] = {style: [] for style in BORDERS.values()}
    for one, other in analysis.neighbors:
        edges[border_style(analysis, one, other)].append((nodes[one].spot, nodes[other].spot))
    for layer, (style, pairs) in enumerate(sorted(edges.items(), key=lambda item: -len(item[1]))):
        crowd = (16 / max(len(pairs), 16)) ** 0.4
        for pair in pairs:
            canvas.line(
                pair,
                color=style.color,
                ls=style.dashes,
                lw=2.0 * crowd,
                alpha=crowd,
                zorder=1 + layer,
                dash_capstyle="butt",
            )
        if style.crossed and len(pairs) <= _MOST_CROSSES:
            for place, ((a, b), (c, d)) in enumerate(pairs):
                # Crosses of edges that meet in the middle of the circle would hide each other.
                share = 0.5 if len(pairs) < 4 else 0.36 + 0.07 * (place % 3)
                canvas.cross((a + share * (c - a), b + share * (d - b)), size=5 if len(pairs) > 12 else 7)


def _write_names(canvas: Canvas, nodes: list[_Node], away: float) -> None:
    """Write names around the circle: upright if they keep clear of each other, else along the rays."""
    size = 9.0 if len(nodes) <= 26 else 8.0
    boxes = [_upright_box(canvas, node, away, size) for node in nodes]
    upright = not any(one.meets(other, 0.04) for one, other in combinations(boxes, 2))
    for node, box in zip(nodes, boxes, strict=True):
        if upright:
            canvas.text(((box.left + box.right) / 2, (box.bottom + box.top) / 2), node.label, size=size)
            continue
        along = math.degrees(node.angle) % 360
        leftwards = 90 < along < 270
        spot = (node.spot[0] + away * math.cos(node.angle), node.spot[1] + away * math.sin(node.angle))
        canvas.text(
            spot,
            shortened_label(node.label, 20),
            size=size,
            rotation=along - 180 if leftwards else along,
            rotation_mode="anchor",
            ha="right" if leftwards else "left",
            va="center",
        )


def _upright_box(canvas: Canvas, node: _Node, away: float, size: float) -> Box:
    """Return the box of a name that touches a ring around the node in the direction away from the center."""
    width, height = measure(node.label, size)
    dx, dy = math.cos(node.angle), math.sin(node.angle)
    x = node.spot[0] + away * dx + width / 2 * max(-1.0, min(1.0, 1.6 * dx))
    y = node.spot[1] + away * dy + height / 2 * dy
    return Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _list_beside(canvas: Canvas, status: str, mark: str, names: list[str], radius: float) -> None:
    """List actions in columns to the right of everything so far, beginning at the height of the topmost node."""
    box = canvas.bounds or Box(0, 0, 0, 0)
    size, face = (5.5, FAINT) if mark == "small" else (8.0, "white")
    top, left = radius, box.right + 0.45
    canvas.text((left, top), status, ha="left", color=FAINT, va="center_baseline")
    shown = names if len(names) <= _MOST_LISTED else [*names[: _MOST_LISTED - 1], ""]
    most = max(4, int(2 * radius / _ROW))
    rows = math.ceil(len(shown) / math.ceil(len(shown) / most))
    x, widest = left, 0.0
    for place, name in enumerate(shown):
        if place and place % rows == 0:
            x, widest = x + widest + 0.5, 0.0
        y = top - _ROW * (place % rows + 1)
        if name:
            canvas.line([(x + 0.07, y)], marker="o", ms=size, mfc=face, mec=FAINT, mew=1.0, ls="none")
        text = name or f"and {len(names) - _MOST_LISTED + 1} more"
        written = canvas.text((x + 0.2, y), text, ha="left", va="center_baseline", color=FAINT)
        widest = max(widest, written.right - x)
