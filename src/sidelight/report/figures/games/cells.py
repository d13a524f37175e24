"""Where in the space of laws each action is best: its cell, cut out exactly.

A law over two outcomes is a point of a segment, one over three a point of a triangle; both are small enough to draw.
The cell of action `i` is what is left of that segment or triangle after cutting away, for every other action `k`, the
side of (L_k - L_i) p = 0 on which `k` is better. Points are laws: tuples of fractions that sum to one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sidelight.game import Game

Law = tuple[Fraction, ...]


def corners_of_law_simplex(outcomes: int) -> list[Law]:
    """Return the corners of the space of laws: in each of them one outcome is certain."""
    return [tuple(Fraction(int(j == corner)) for j in range(outcomes)) for corner in range(outcomes)]


def corners_of_drawn_cell(game: Game, action: int) -> list[Law]:
    """Return the corners of the cell of `action` in order around it: none, one, two, or those of a polygon.

    Only games of at most three outcomes have cells that are at most polygons.
    """
    corners = corners_of_law_simplex(game.n_outcomes)
    for row in dict.fromkeys(game.loss):
        corners = _cut_polygon(corners, [other - own for other, own in zip(row, game.loss[action], strict=True)])
    return _drop_flat_polygon_corners(corners)


def ends_of_drawn_border(game: Game, one: int, other: int) -> list[Law]:
    """Return the two end points of the border between the cells of two neighbors (one point if M is 2)."""
    difference = [a - b for a, b in zip(game.loss[one], game.loss[other], strict=True)]
    return [corner for corner in corners_of_drawn_cell(game, one) if _value_at_polygon_corner(difference, corner) == 0]


def _cut_polygon(corners: Sequence[Law], direction: Sequence[Fraction]) -> list[Law]:
    """Keep the part of a convex polygon where `direction` times the law is at least zero."""
    kept: list[Law] = []
    for here, there in zip(corners, [*corners[1:], *corners[:1]], strict=True):
        value, next_value = _value_at_polygon_corner(direction, here), _value_at_polygon_corner(direction, there)
        if value >= 0:
            kept.append(here)
        if value * next_value < 0:
            share = value / (value - next_value)
            kept.append(tuple(a + share * (b - a) for a, b in zip(here, there, strict=True)))
    return list(dict.fromkeys(kept))


def _value_at_polygon_corner(direction: Sequence[Fraction], law: Law) -> Fraction:
    return sum((d * p for d, p in zip(direction, law, strict=True)), Fraction(0))


def _drop_flat_polygon_corners(corners: list[Law]) -> list[Law]:
    """Drop the corners at which a polygon does not turn; of a segment the end points stay."""
    if len(corners) < 3:
        return corners
    around = zip([corners[-1], *corners[:-1]], corners, [*corners[1:], corners[0]], strict=True)
    turning = [here for before, here, after in around if _turn_at_polygon_corner(before, here, after) != 0]
    return turning or [min(corners), max(corners)]


def _turn_at_polygon_corner(before: Law, here: Law, after: Law) -> Fraction:
    """Return twice the signed area of a triangle, from the first two entries of its corners."""
    (a, b), (c, d), (e, f) = before[:2], here[:2], after[:2]
    return (c - a) * (f - b) - (e - a) * (d - b)
