"""The layout of figures with panels: a grid, a heading and keys above it, and numbers at the axes.

Panels get the requested size, Matplotlib's constrained layout finds room for what surrounds them, and the figure grows
to fit both. This is done once, so that the layout is the same in every format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation, Transform

from sidelight.report.figures.canvas import FONT, Spot, measure
from sidelight.report.figures.colors import FAINT, INK, PALE
from sidelight.report.figures.labels import drawable_line, shortened_label, wrapped_label

TEXT, TICK_TEXT, PANEL_TITLE, _TITLE = 8.5, 7.5, 9.5, 13
_LONGEST, _LONGEST_TITLE = 96, 160  # characters
_MARGIN, _BETWEEN, _NARROWEST = 0.16, 0.1, 5.4  # inches

SETTINGS = {
    "font.family": FONT,
    "font.size": TEXT,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": PALE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": PANEL_TITLE,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    **dict.fromkeys(("xtick.color", "ytick.color"), PALE),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), TICK_TEXT),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 3),
    **dict.fromkeys(("xtick.minor.size", "ytick.minor.size"), 1.5),
    "legend.frameon": False,
    "legend.fontsize": TEXT,
    "legend.handlelength": 2.8,
    **dict.fromkeys(("legend.borderpad", "legend.borderaxespad"), 0),
}
"""The look of all figures with panels, whatever the user's settings."""


class Heading(NamedTuple):
    """What stands above all panels: title, subtitle, and rows of samples whose labels say what they mean."""

    title: str
    subtitle: str
    keys: Sequence[Sequence[Any]] = ()


def make_panels(count: int) -> tuple[Figure, list[Axes]]:
    """Return a figure with this many panels, at most two in a row."""
    rows, columns = _shape(count)
    figure = Figure(figsize=(6 * columns, 4 * rows), dpi=100, facecolor="white")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for empty in grid[count:]:
        empty.remove()
    return figure, list(grid[:count])


def arrange(figure: Figure, panel: Spot, heading: Heading, flush: bool = False) -> None:
    """Give all panels a size in inches and write the heading above them.

    The heading begins where the first panel does, or, if `flush`, at the left margin.
    """
    ConstrainedLayoutEngine(w_pad=_MARGIN, h_pad=_MARGIN, wspace=0, hspace=0).execute(figure)
    size, boxes = figure.get_size_inches(), [axes.get_position().frozen() for axes in figure.axes]
    rows, columns = _shape(len(boxes))
    # What surrounds the panels keeps its size, so the figure has to grow by what the panels lack.
    width, height = size + (columns, rows) * (np.array(panel) - size * boxes[0].size)
    width = max(width, _NARROWEST)
    left = _MARGIN if flush else boxes[0].x0 * size[0]
    above = _write_heading(figure, heading, left, width - left - _MARGIN)
    figure.set_size_inches(width, height + above)
    growth = ((width, height) - size) / (columns, rows)
    for place, (axes, box) in enumerate(zip(figure.axes, boxes, strict=True)):
        row, column = divmod(place, columns)
        corner = size * box.p0 + growth * (column, rows - 1 - row)
        axes.set_position(np.append(corner, size * box.size + growth) / np.tile((width, height + above), 2))
    figure.align_ylabels()


def _shape(count: int) -> tuple[int, int]:
    """Return how many rows and columns of panels there are."""
    return -(-count // 2), min(2, count)


def _write_heading(figure: Figure, heading: Heading, left: float, room: float) -> float:
    """Write a heading from the upper left corner down; return how high it is."""
    down = _MARGIN
    title = broken_to_fit(shortened_label(drawable_line(heading.title), _LONGEST_TITLE), _TITLE, True, room)
    subtitle = broken_to_fit(drawable_line(heading.subtitle), TEXT, False, room)
    for text, look in ((title, {"size": _TITLE, "weight": "bold"}), (subtitle, {"color": FAINT})):
        if text:
            place = moved_by_inches(figure, figure.transFigure, left, -down)
            artist = figure.text(0, 1, text, va="top", linespacing=1.15, transform=place, **look)
            down += artist.get_window_extent().height / figure.dpi + _BETWEEN
    for samples in heading.keys:
        legend = _key(figure, samples, moved_by_inches(figure, figure.transFigure, left, -down), room)
        down += legend.get_window_extent().height / figure.dpi + _BETWEEN
    return down - _MARGIN / 2


def _key(figure: Figure, samples: Sequence[Any], place: Transform, room: float) -> Legend:
    """Explain samples in as few lines as fit."""
    for sample in samples:
        sample.set_label(
            broken_to_fit(shortened_label(drawable_line(sample.get_label()), _LONGEST), TEXT, False, room - 0.5)
        )
    corner = {"loc": "upper left", "bbox_to_anchor": (0, 1), "bbox_transform": place}
    narrow = {"handlelength": 0.8} if all(sample.get_linestyle() == "None" for sample in samples) else {}
    columns = len(samples)
    while True:
        legend = figure.legend(handles=samples, ncols=columns, **corner, **narrow)
        if columns == 1 or legend.get_window_extent().width <= room * figure.dpi:
            return legend
        legend.remove()
        columns -= 1


def moved_by_inches(figure: Figure | SubFigure, transform: Transform, right: float, up: float) -> Transform:
    """Return a transform whose results are moved by inches."""
    return transform + ScaledTranslation(right, up, figure.dpi_scale_trans)


def published_marker(color: str) -> dict[str, Any]:
    """Return the look of a published value: a hollow diamond."""
    return {"color": color, "marker": "D", "mfc": "white", "mec": color, "mew": 1.2, "ms": 4.8, "ls": "none"}


def broken_to_fit(text: str, points: float, bold: bool, room: float) -> str:
    """Break a text into lines that fit."""
    width = len(text)
    while width > 12 and measure(wrapped_label(text, width), points, bold)[0] > room:
        width -= 2
    return wrapped_label(text, width) if text else text


def label_lines(text: str, width: int, longest: int = _LONGEST) -> str:
    """Return a label that can be drawn, in several lines if it is long."""
    return (
        wrapped_label(shortened_label(drawable_line(text), longest), width)
        if len(text) > width
        else drawable_line(text)
    )


def logarithmic_ticks(axis: Any, detailed: float) -> None:
    """Use few ticks: at 1, 2 and 5 on up to this many decades, else at some powers of ten."""
    low, high = axis.get_view_interval()
    decades = np.log10(high / low)
    subs: tuple[int, ...] = (1, 2, 5) if decades < detailed else (1,)
    step = max(1, round(decades / 5))
    axis.set_major_locator(LogLocator(10 ** (step if subs == (1,) else 1), subs=subs, numticks=20))
    axis.set_minor_locator(LogLocator(10, subs=tuple(range(2, 10)) if decades < 7 else (1,), numticks=50))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(tick))


def short_number(value: float) -> str:
    """Write a value to three digits, or as a whole number if it has more."""
    if abs(value) < 1e-12:
        return "0"
    if 999.5 <= abs(value) < 1e12:
        return _typeset(f"{value:,.0f}")
    return _typeset(_power(f"{value:#.3g}".rstrip(".")))


def tick(value: float, position: int | None = None) -> str:
    """Write a number at an axis."""
    return _typeset(_power(f"{value:.0e}") if abs(value) >= 1e7 or 0 < abs(value) < 1e-3 else f"{value:,.7g}")


def _power(text: str) -> str:
    """Write a power of ten without the plus and the leading zero."""
    return text.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def _typeset(text: str) -> str:
    """Set thousands apart by a thin space, and write a minus as one."""
    return text.replace(",", "\N{THIN SPACE}").replace("-", "\N{MINUS SIGN}")
