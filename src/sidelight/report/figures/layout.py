"""The layout of figures with panels: a title above, panels in two columns, and a key with a note below.

Matplotlib's constrained layout finds room for all of it. It runs once, so that the layout is the same in every format.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from sidelight.report.figures.colors import FAINT, INK, PALE
from sidelight.report.figures.fonts import installed_font_families
from sidelight.report.figures.labels import drawable_line_of_text, shorten_figure_label, wrap_figure_label

TEXT, _TITLE = 8.5, 13
_LONGEST, _LONGEST_NOTE = 96, 300  # characters

SETTINGS = {
    "font.family": list(installed_font_families()),
    "font.size": TEXT,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": PALE,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    **dict.fromkeys(("xtick.color", "ytick.color"), PALE),
    **dict.fromkeys(("xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), 7.5),
    **dict.fromkeys(("xtick.major.size", "ytick.major.size"), 3),
    **dict.fromkeys(("xtick.minor.size", "ytick.minor.size"), 1.5),
    "figure.titlesize": _TITLE,
    "figure.titleweight": "bold",
    "figure.constrained_layout.h_pad": 0.08,
    "figure.constrained_layout.w_pad": 0.1,
    "legend.frameon": False,
    "legend.fontsize": TEXT,
    "legend.title_fontsize": TEXT,
    "legend.handlelength": 2.8,
}
"""The look of all figures with panels, whatever the user's settings."""


def make_figure_panels(
    titles: Sequence[str], width: float, height: float, least: float = 5.4
) -> tuple[Figure, list[Axes]]:
    """Return a figure with one panel per title, of about this size in inches and at most two in a row."""
    rows, columns = -(-len(titles) // 2), min(2, len(titles))
    size = max(width * columns, least), height * rows
    figure = Figure(size, dpi=100, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, title in zip(grid, titles, strict=False):
        axes.set_title(_fit_to_figure(title, 9.5, size[0] / columns - 1.6))
    for empty in grid[len(titles) :]:
        empty.remove()
    return figure, list(grid[: len(titles)])


def finish_figure(figure: Figure, title: str, note: str, samples: Sequence[Any], grows: bool = True) -> Figure:
    """Write the title above all panels and the key and a note below, make room for them if it grows, and fix it."""
    room = figure.get_figwidth() - 0.2
    above = figure.suptitle(_fit_to_figure(title, _TITLE, room), x=0.1 / figure.get_figwidth(), ha="left")
    for sample in samples:
        sample.set_label(shorten_figure_label(drawable_line_of_text(sample.get_label()), _LONGEST))
    below = None
    for columns in range(len(samples), 0, -1):
        below = figure.legend(
            handles=samples,
            ncols=columns,
            loc="outside lower left",
            title=_fit_to_figure(note, TEXT, room, _LONGEST_NOTE) or None,
            alignment="left",
        )
        below.get_title().set_color(FAINT)
        if columns == 1 or below.get_window_extent().width <= room * figure.dpi:
            break
        below.remove()
    if grows:
        surrounding = sum(each.get_window_extent().height for each in (above, below) if each is not None)
        figure.set_figheight(figure.get_figheight() + surrounding / figure.dpi)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def _fit_to_figure(text: str, points: float, room: float, longest: int = _LONGEST) -> str:
    """Break a text into lines of about this many inches."""
    return wrap_figure_label(
        shorten_figure_label(drawable_line_of_text(text), longest), max(12, int(room * 72 / (0.62 * points)))
    )


def published_value_marker(color: str) -> dict[str, Any]:
    """Return the look of a published value: a hollow diamond."""
    return {"color": color, "marker": "D", "mfc": "white", "mec": color, "mew": 1.2, "ms": 4.8, "ls": "none"}


def logarithmic_axis_ticks(axis: Any, detailed: float) -> None:
    """Use few ticks: at 1, 2 and 5 on up to this many decades, else at some powers of ten."""
    low, high = axis.get_view_interval()
    decades = np.log10(high / low)
    subs: tuple[int, ...] = (1, 2, 5) if decades < detailed else (1,)
    step = max(1, round(decades / 5))
    axis.set_major_locator(LogLocator(10 ** (step if subs == (1,) else 1), subs=subs, numticks=20))
    axis.set_minor_locator(LogLocator(10, subs=tuple(range(2, 10)) if decades < 7 else (1,), numticks=50))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(FuncFormatter(format_axis_tick))


def format_axis_tick(value: float, position: int | None = None) -> str:
    """Write a number at an axis: thousands apart by a thin space, powers of ten in short, a minus as one."""
    large = abs(value) >= 1e7 or 0 < abs(value) < 1e-3
    text = f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e") if large else f"{value:,.7g}"
    return text.replace(",", "\N{THIN SPACE}").replace("-", "\N{MINUS SIGN}")
