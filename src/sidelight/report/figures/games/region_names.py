"""Names for regions of a triangle: inside where there is room, outside with a leader where there is not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from sidelight.report.figures.canvas import Box, Spot, measure
from sidelight.report.figures.labels import spread, wrapped

_GAP = 0.09
_AWAY = 0.3


class Inside(NamedTuple):
    """A name that found room in its region."""

    key: int
    spot: Spot
    text: str
    size: float


class Outside(NamedTuple):
    """A name beside the triangle, and the leader from its region to it."""

    key: int
    anchor: Spot
    end: Spot
    spot: Spot
    text: str
    align: str


class Triangle(NamedTuple):
    """An equilateral triangle that stands on its base, from (0, 0) to (side, 0), with two names under the base."""

    side: float
    under: tuple[Box, Box]

    @property
    def height(self) -> float:
        """The height of the triangle."""
        return self.side * math.sqrt(3) / 2

    @property
    def free(self) -> Spot:
        """The range under the base that is free for names."""
        return self.under[0].right + _GAP, self.under[1].left - _GAP

    def nearest(self, spot: Spot) -> str:
        """Return the side where the name of a spot belongs: left, right, or bottom if it lies low in the middle."""
        x, y = spot
        slope = math.sqrt(3) / 2
        left, right = slope * x - y / 2, slope * (self.side - x) - y / 2
        if y < min(left, right) and self.free[0] < x < self.free[1]:
            return "bottom"
        return "left" if left <= right else "right"


def center(corners: Sequence[Spot]) -> Spot:
    """Return the point of a convex polygon that is farthest from its edges (of a segment: a point on it)."""
    if len(corners) < 3:
        (a, b), (c, d) = corners[0], corners[-1]
        return a + 0.36 * (c - a), b + 0.36 * (d - b)  # off the middle, where the mark of the border is
    return _roomiest(corners, (0.0, 0.0), [])[0]


def place(
    triangle: Triangle, regions: dict[int, list[Spot]], names: dict[int, str], beside: Sequence[int]
) -> tuple[list[Inside], list[Outside]]:
    """Find room for the name of every region; those listed in `beside` never go inside."""
    anchors = {key: center(corners) for key, corners in regions.items()}
    outer = list(beside)
    while True:
        callouts = _place_outside(triangle, {key: anchors[key] for key in outer}, names)
        leaders = [(callout.anchor, callout.end) for callout in callouts]
        inside, failed = [], []
        for key in [key for key in regions if key not in outer]:
            found = _place_inside(key, regions[key], names[key], leaders)
            if found:
                inside.append(found)
            else:
                failed.append(key)
        if not failed:
            return inside, callouts
        outer += failed


def _place_inside(key: int, corners: Sequence[Spot], name: str, leaders: Sequence[tuple[Spot, Spot]]) -> Inside | None:
    """Try the name on one line, then on several, then in a smaller type."""
    for text, size in ((name, 9.5), (wrapped(name), 9.5), (wrapped(name, 9), 9.0), (wrapped(name), 8.0)):
        spot, room = _roomiest(corners, measure(text, size), leaders)
        if room >= _GAP:
            return Inside(key, spot, text, size)
    return None


def _place_outside(triangle: Triangle, anchors: dict[int, Spot], names: dict[int, str]) -> list[Outside]:
    sides: dict[str, list[int]] = {"left": [], "right": [], "bottom": []}
    for key, anchor in anchors.items():
        sides[triangle.nearest(anchor)].append(key)
    texts = {key: wrapped(names[key], 18) for key in anchors}
    low, high = triangle.free
    widths = {key: measure(texts[key])[0] + 2 * _GAP for key in anchors}
    while sum(widths[key] for key in sides["bottom"]) > high - low:
        moved = max(sides["bottom"], key=lambda key: (abs(anchors[key][0] - triangle.side / 2), key))
        sides["bottom"].remove(moved)
        sides["left" if anchors[moved][0] < triangle.side / 2 else "right"].append(moved)
    placed = []
    below = sides["bottom"]
    for key, x in zip(
        below, spread([anchors[k][0] for k in below], [widths[k] for k in below], low, high), strict=True
    ):
        placed.append(Outside(key, anchors[key], (x, -_AWAY + 0.03), (x, -_AWAY), texts[key], "center"))
    for side in ("left", "right"):
        placed += _beside(triangle, side, {key: anchors[key] for key in sides[side]}, texts)
    return placed


def _beside(triangle: Triangle, side: str, anchors: dict[int, Spot], texts: dict[int, str]) -> list[Outside]:
    """Stack names along the left or the right side, each near where a straight line from its region leads."""
    slope = math.sqrt(3)
    wanted, sizes = [], []
    for key, (x, y) in anchors.items():
        depth = (slope * (x if side == "left" else triangle.side - x) - y) / 2
        wanted.append(y + (depth + _AWAY) / 2)
        sizes.append(measure(texts[key])[1] + 0.08)
    heights = spread(wanted, sizes, 0.0, max(triangle.height, sum(sizes)))
    placed = []
    for (key, anchor), y, size in zip(anchors.items(), heights, sizes, strict=True):
        x = max(0.0, (y - size / 2)) / slope - _AWAY
        x = x if side == "left" else triangle.side - x
        toward = 1 if side == "left" else -1
        align = "right" if side == "left" else "left"
        placed.append(Outside(key, anchor, (x + 0.04 * toward, y), (x, y), texts[key], align))
    return placed


def _roomiest(corners: Sequence[Spot], size: Spot, leaders: Sequence[tuple[Spot, Spot]]) -> tuple[Spot, float]:
    """Return where in a convex polygon a box of this size is farthest from the edges, and how far that is.

    A grid is searched, then refined around the best spot. Boxes that a leader would cross do not count.
    """
    edges = _edges(corners)
    half_width, half_height = size[0] / 2, size[1] / 2

    def room(x: float, y: float) -> float:
        free = min(a * x + b * y - c - abs(a) * half_width - abs(b) * half_height for a, b, c in edges)
        box = Box(x - half_width, y - half_height, x + half_width, y + half_height)
        return -math.inf if free >= _GAP and any(_crosses(leader, box) for leader in leaders) else free

    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    bottom, top = min(y for _, y in corners), max(y for _, y in corners)
    steps = ((right - left) / 24, (top - bottom) / 24)
    spots = [(left + steps[0] * i, bottom + steps[1] * j) for i in range(25) for j in range(25)]
    best = max(spots, key=lambda spot: room(*spot))
    for _ in range(5):
        steps = (steps[0] / 2, steps[1] / 2)
        spots = [(best[0] + steps[0] * i, best[1] + steps[1] * j) for i in (0, -1, 1) for j in (0, -1, 1)]
        best = max(spots, key=lambda spot: room(*spot))
    return best, room(*best)


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


def _crosses(leader: tuple[Spot, Spot], box: Box, gap: float = 0.05) -> bool:
    """Say whether a straight line runs through a box or close by it."""
    (x, y), (to_x, to_y) = leader
    start, stop = 0.0, 1.0
    sides = ((x, to_x - x, box.left - gap, box.right + gap), (y, to_y - y, box.bottom - gap, box.top + gap))
    for at, by, low, high in sides:
        if by == 0:
            if not low <= at <= high:
                return False
            continue
        first, last = sorted(((low - at) / by, (high - at) / by))
        start, stop = max(start, first), min(stop, last)
    return start <= stop
