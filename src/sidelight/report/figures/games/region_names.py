"""Where the names of regions stand: inside where there is room, else in a column beside, each with a leader."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sidelight.report.figures.canvas import Spot, measure
from sidelight.report.figures.labels import spread, wrapped_label

_GAP = 0.09


class NamePlace(NamedTuple):
    """Where a name stands, and the point in its region from which a leader starts if it stands beside."""

    key: int
    text: str
    spot: Spot
    size: float = 9.0
    anchor: Spot | None = None


def place_names(
    regions: dict[int, list[Spot]], names: dict[int, str], beside: Sequence[int], column: Spot
) -> list[NamePlace]:
    """Find room for the name of every region; those listed in `beside` never go inside.

    The column of the others begins at the first number of `column` and reaches up to the second, or higher.
    """
    inside = {key: _inside(key, regions[key], names[key]) for key in regions if key not in beside}
    outer = {key: _center(corners) for key, corners in regions.items() if inside.get(key) is None}
    texts = {key: wrapped_label(names[key], 24) for key in outer}
    sizes = [measure(text)[1] + 0.08 for text in texts.values()]
    heights = spread([y for _, y in outer.values()], sizes, 0.0, max(column[1], sum(sizes)))
    found = [each for each in inside.values() if each is not None]
    for (key, anchor), y in zip(outer.items(), heights, strict=True):
        found.append(NamePlace(key, texts[key], (column[0], y), anchor=anchor))
    return found


def _inside(key: int, corners: Sequence[Spot], name: str) -> NamePlace | None:
    """Try the name on one line, then on several, then in a smaller type."""
    for text, size in (
        (name, 9.5),
        (wrapped_label(name), 9.5),
        (wrapped_label(name, 9), 9.0),
        (wrapped_label(name), 8.0),
    ):
        spot, room = _roomiest(corners, measure(text, size))
        if room >= _GAP:
            return NamePlace(key, text, spot, size)
    return None


def _center(corners: Sequence[Spot]) -> Spot:
    """Return the point of a convex polygon that is farthest from its edges (of a segment: a point on it)."""
    if len(corners) < 3:
        (a, b), (c, d) = corners[0], corners[-1]
        return a + 0.36 * (c - a), b + 0.36 * (d - b)  # off the middle, where the mark of the border is
    return _roomiest(corners, (0.0, 0.0))[0]


def _roomiest(corners: Sequence[Spot], size: Spot) -> tuple[Spot, float]:
    """Return where in a convex polygon a box of this size is farthest from the edges, and how far that is.

    A grid is searched, then refined around the best spot.
    """
    edges = _edges(corners)

    def room(spot: Spot) -> float:
        x, y = spot
        return min(a * x + b * y - c - abs(a) * size[0] / 2 - abs(b) * size[1] / 2 for a, b, c in edges)

    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    bottom, top = min(y for _, y in corners), max(y for _, y in corners)
    steps = ((right - left) / 24, (top - bottom) / 24)
    best = max(((left + steps[0] * i, bottom + steps[1] * j) for i in range(25) for j in range(25)), key=room)
    for _ in range(5):
        steps = (steps[0] / 2, steps[1] / 2)
        best = max(((best[0] + steps[0] * i, best[1] + steps[1] * j) for i in (0, -1, 1) for j in (0, -1, 1)), key=room)
    return best, room(best)


def _edges(corners: Sequence[Spot]) -> list[tuple[float, float, float]]:
    """Return (a, b, c) with a x + b y - c the distance from each edge, positive inside."""
    pairs = list(zip(corners, [*corners[1:], corners[0]], strict=True))
    turn = 1.0 if sum(a * d - c * b for (a, b), (c, d) in pairs) > 0 else -1.0
    edges = []
    for (x, y), (to_x, to_y) in pairs:
        length = math.hypot(to_x - x, to_y - y)
        a, b = -turn * (to_y - y) / length, turn * (to_x - x) / length
        edges.append((a, b, a * x + b * y))
    return edges
