"""A drawing surface measured in inches that grows with what is put on it.

Layout comes first, size second: texts are measured before they are placed, and the figure becomes as large as its
contents. This is what keeps labels apart from each other whatever the game.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from matplotlib.text import Text

from sidelight.report.figures.colors import ALARM, INK

Spot = tuple[float, float]
FONT = "DejaVu Sans"  # ships with Matplotlib, so figures look the same everywhere
_DPI = 100


@functools.lru_cache(maxsize=10_000)
def measure(text: str, size: float = 9, bold: bool = False, math: bool = False) -> Spot:
    """Return the width and height of a text in inches (before any rotation)."""
    paper = _paper()
    artist = Text(0, 0, text, **_face(size, bold), parse_math=math, linespacing=1.15)
    artist.set_figure(paper.figure)
    extent = artist.get_window_extent(paper.get_renderer())
    return extent.width / _DPI, extent.height / _DPI


@functools.cache
def _paper() -> FigureCanvasAgg:
    return FigureCanvasAgg(Figure(dpi=_DPI))


class Box(NamedTuple):
    """An upright rectangle."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Say whether two boxes come closer to each other than `gap`."""
        apart = (
            self.right + gap <= other.left
            or other.right + gap <= self.left
            or self.top + gap <= other.bottom
            or other.top + gap <= self.bottom
        )
        return not apart

    def around(self, other: Box) -> Box:
        """Return the smallest box that holds both."""
        left, bottom = min(self.left, other.left), min(self.bottom, other.bottom)
        return Box(left, bottom, max(self.right, other.right), max(self.top, other.top))


class Canvas:
    """A figure under construction: everything is placed in inches, in any range, and `finish` fits the size to it."""

    def __init__(self) -> None:
        self.figure: Figure = Figure(dpi=_DPI, facecolor="white")
        self._renderer: Any = FigureCanvasAgg(self.figure).get_renderer()
        self._axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self._axes.set_axis_off()
        self.bounds: Box | None = None

    def text(self, spot: Spot, text: str, size: float = 9, bold: bool = False, math: bool = False, **style: Any) -> Box:
        """Write a text (`ha`, `va`, `rotation` and other properties as in Matplotlib) and return its box."""
        options: dict[str, Any] = {
            "ha": "center",
            "va": "center",
            "color": INK,
            "zorder": 9,
            "linespacing": 1.15,
        } | style
        artist = self._axes.text(spot[0], spot[1], text, **_face(size, bold), parse_math=math, **options)
        extent = artist.get_window_extent(self._renderer)
        middle = self._axes.transData.transform(spot)
        shifts = (extent.x0 - middle[0], extent.y0 - middle[1], extent.x1 - middle[0], extent.y1 - middle[1])
        left, bottom, right, top = (shift / _DPI for shift in shifts)
        return self._grow(Box(spot[0] + left, spot[1] + bottom, spot[0] + right, spot[1] + top))

    def line(self, spots: Sequence[Spot], **style: Any) -> None:
        """Draw a line (or markers) through the given spots."""
        options: dict[str, Any] = {
            "color": INK,
            "lw": 1.0,
            "solid_capstyle": "round",
            "solid_joinstyle": "round",
        } | style
        self._axes.plot([x for x, _ in spots], [y for _, y in spots], **options)
        for x, y in spots:
            self._grow(Box(x, y, x, y))

    def cross(self, spot: Spot, size: float = 7, **style: Any) -> None:
        """Draw the cross of a border that is not observable."""
        options = {"marker": "x", "ms": size, "mew": 2.0, "ls": "none", "zorder": 6} | style
        self.line([spot], **{"color": "white", **options, "mew": 4.0, "ms": size + 1.5})
        self.line([spot], color=ALARM, **options)

    def area(self, spots: Sequence[Spot], **style: Any) -> None:
        """Fill a polygon."""
        self._axes.add_patch(Polygon(spots, closed=True, **style))
        for x, y in spots:
            self._grow(Box(x, y, x, y))

    def finish(self, margin: float = 0.18) -> Figure:
        """Fit the size to what was drawn and return the figure."""
        box = self.bounds or Box(0, 0, 1, 1)
        self._axes.set_xlim(box.left - margin, box.right + margin)
        self._axes.set_ylim(box.bottom - margin, box.top + margin)
        self.figure.set_size_inches(box.right - box.left + 2 * margin, box.top - box.bottom + 2 * margin)
        return self.figure

    def _grow(self, box: Box) -> Box:
        self.bounds = box if self.bounds is None else self.bounds.around(box)
        return box


def _face(size: float, bold: bool) -> dict[str, Any]:
    return {"family": FONT, "fontsize": size, "fontweight": "bold" if bold else "normal"}
