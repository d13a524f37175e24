"""Numbers of runs as quartiles: one row for each sample, on a logarithmic axis where all of them are above zero.

Else the axis is linear or, if the numbers differ by orders of magnitude, logarithmic on both sides of zero. Samples
are rows because their names are long. The median is also written out, so that nobody has to read it off such an axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from sidelight.kernels.arrays import Floats
from sidelight.report.figures import layout
from sidelight.report.figures.canvas import measure
from sidelight.report.figures.colors import CURVES, FAINT, INK, dark_color, light_color
from sidelight.report.figures.labels import drawable_line, shortened_label
from sidelight.report.figures.layout import (
    TEXT,
    TICK_TEXT,
    Heading,
    broken_to_fit,
    label_lines,
    moved_by_inches,
    published_marker,
    short_number,
)

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_NAME_WIDTH, _LONGEST = 24, 72  # characters of a sample's name

# Inches.
_PANEL, _ROW, _LINE, _GROUP_GAP, _BOX, _STROKE, _INDENT, _BESIDE = 2.6, 0.2, 0.15, 0.08, 0.1, 0.17, 0.1, 0.1
_WIDE = 50.0  # the ratio of two numbers that a linear axis cannot show well
_DECADES = 6  # on one side of zero, at most
_MIDDLE = "center_baseline"  # so that names and numbers stand on one line


class Sample(NamedTuple):
    """One sample: the values of all runs, and a published median, drawn as a hollow diamond."""

    label: str
    values: Floats
    published: float | None = None


Cases = Mapping[str, Mapping[str, Sequence[Sample]]]
"""By the title of a panel and the title of a group in it: samples under the same conditions."""


class _Row(NamedTuple):
    """A line of text and, unless it is the title of a group, a sample; places are in inches below the panel's top."""

    text: str
    middle: float
    bottom: float
    sample: Sample | None


def draw_quartiles(cases: Cases, title: str, subtitle: str, measured: str) -> Figure:
    """Draw the counts of several samples in all runs.

    Parameters
    ----------
    cases
        One panel each, in reading order. All share a horizontal axis, so that they can be compared.
    title, subtitle
        Written above all panels.
    measured
        What was counted, written under the horizontal axes.
    """
    with style.context(["default", layout.SETTINGS]):
        return _draw(cases, title, subtitle, measured)


def _draw(cases: Cases, title: str, subtitle: str, measured: str) -> Figure:
    """Put the figure together: panels in two columns, how to read them and the title above all."""
    figure, grid = layout.make_panels(len(cases))
    panels = [_rows(groups) for groups in cases.values()]
    samples = [row.sample for rows in panels for row in rows if row.sample]
    colors = {label: CURVES[k % len(CURVES)] for k, label in enumerate(dict.fromkeys(p.label for p in samples))}
    names = max(
        measure(row.text, TEXT, not row.sample)[0] + _INDENT * bool(row.sample) for each in panels for row in each
    )
    columns = _columns(samples)
    height = max(rows[-1].bottom for rows in panels) + 0.06
    for place, (axes, name, rows) in enumerate(zip(grid, cases, panels, strict=True)):
        axes.set(ylim=(height, 0), yticks=[])
        axes.spines["left"].set_visible(False)
        _scale(axes, samples)
        for row in rows:
            if row.sample:
                _draw_box(axes, row.sample, row.middle, colors[row.sample.label])
        _write_rows(axes, rows, names, columns)
        room = names + _BESIDE + _PANEL + max(columns.values())
        top = moved_by_inches(figure, axes.transAxes, -names - _BESIDE, 0.08)
        text = broken_to_fit(shortened_label(drawable_line(name), 120), layout.PANEL_TITLE, True, room)
        axes.text(0, 1, text, transform=top, size=layout.PANEL_TITLE, weight="bold", linespacing=1.15)
        if place >= len(cases) - min(2, len(cases)):
            axes.set_xlabel(broken_to_fit(drawable_line(measured), TEXT, False, _PANEL))
    heading = Heading(title, subtitle, [_key("published" in columns)])
    layout.arrange(figure, (_PANEL, height), heading, flush=True)
    return figure


def _rows(groups: Mapping[str, Sequence[Sample]]) -> list[_Row]:
    """Stack groups and their samples."""
    rows: list[_Row] = []
    bottom = 0.0
    for title, samples in groups.items():
        bottom += _GROUP_GAP if rows else 0.0
        for label, sample in [(title, None), *((sample.label, sample) for sample in samples)]:
            text = label_lines(label, _NAME_WIDTH, _LONGEST)
            height = _ROW + _LINE * text.count("\n")
            bottom += height
            rows.append(_Row(text, bottom - height / 2, bottom, sample))
    return rows


def _columns(samples: Sequence[Sample]) -> dict[str, float]:
    """Return the columns of numbers by their headings, and how far right of the panels they end."""
    columns, end = {}, 0.0
    for heading in ("median", "published"):
        texts = [text for sample in samples if (text := _number(sample, heading))]
        if texts:
            end += _BESIDE + max(measure(heading, TICK_TEXT)[0], *(measure(text, TEXT)[0] for text in texts))
            columns[heading] = end
    return columns


def _number(sample: Sample, heading: str) -> str:
    """Write a number of a sample for a column."""
    value = float(np.median(sample.values)) if heading == "median" else sample.published
    return "" if value is None else short_number(value)


def _scale(axes: Axes, samples: Sequence[Sample]) -> None:
    """Give a panel the axis that all panels share."""
    drawn = [float(value) for each in samples for value in np.quantile(each.values, _QUANTILES)]
    drawn += [sample.published for sample in samples if sample.published is not None]
    low, high = min(drawn), max(drawn)
    sizes = [abs(value) for value in drawn if value]
    if low > 0:
        slack = 1.3 if high > 1.5 * low else 3.0
        axes.set(xscale="log", xlim=(low / slack, high * slack))
        layout.logarithmic_ticks(axes.xaxis, 1.9)
        return
    if sizes and max(sizes) > _WIDE * min(sizes):
        _scale_both_sides(axes, low, high, min(sizes))
    else:
        slack = 0.08 * (high - low) or 1.0
        axes.set(xlim=(low - slack, high + slack))
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(layout.tick))
    axes.axvline(0, color=FAINT, lw=0.7, zorder=2)


def _scale_both_sides(axes: Axes, low: float, high: float, least: float) -> None:
    """Make an axis logarithmic on both sides of zero, and linear around it up to a power of ten near the least size."""
    top = int(np.ceil(np.log10(max(high, -low))))
    first = max(int(np.floor(np.log10(least))), top - _DECADES)
    axes.set_xscale("symlog", linthresh=10.0**first, linscale=0.5)
    axes.set_xlim(low * 1.3 if low < 0 else -0.4 * 10.0**first, high * 1.3 if high > 0 else 0.4 * 10.0**first)
    step = 2 if low >= 0 or high <= 0 else 3  # so that numbers keep apart
    powers = [10.0**power for power in range(top - 1, first, -step)]
    axes.xaxis.set_major_locator(FixedLocator([0.0, *(powers if high > 0 else []), *(-p for p in powers if low < 0)]))
    axes.xaxis.set_minor_locator(FixedLocator([]))


def _draw_box(axes: Axes, sample: Sample, y: float, color: str) -> None:
    """Draw quartiles, median and whiskers; outline and stroke are seen even if all values agree."""
    keys = ("whislo", "q1", "med", "q3", "whishi")
    line: dict[str, Any] = {"color": dark_color(color), "lw": 1.0, "solid_capstyle": "butt"}
    drawn = axes.bxp(
        [dict(zip(keys, np.quantile(sample.values, _QUANTILES), strict=True))],
        [y],
        widths=_BOX,
        capwidths=_BOX / 2,
        orientation="horizontal",
        patch_artist=True,
        showfliers=False,
        manage_ticks=False,
        boxprops={"fc": light_color(color), "ec": dark_color(color), "lw": 0.9},
        medianprops={**line, "lw": 2.2},
        whiskerprops=line,
        capprops=line,
        zorder=4,
    )
    drawn["medians"][0].set_ydata((y - _STROKE / 2, y + _STROKE / 2))
    axes.axhline(y, color="#eeeeee", lw=0.6, zorder=1)
    if sample.published is not None:
        axes.plot(sample.published, y, zorder=6, **published_marker(INK))


def _write_rows(axes: Axes, rows: Sequence[_Row], names: float, columns: Mapping[str, float]) -> None:
    """Write the names left of a panel and the numbers right of it."""
    sides = axes.get_yaxis_transform()
    right = {heading: moved_by_inches(axes.figure, sides, end, 0) for heading, end in columns.items()}
    for heading, place in right.items():
        axes.text(1, _ROW / 2, heading, transform=place, size=TICK_TEXT, color=FAINT, ha="right", va=_MIDDLE)
    for row in rows:
        left = moved_by_inches(axes.figure, sides, -names - _BESIDE + (_INDENT if row.sample else 0.0), 0)
        weight = "normal" if row.sample else "bold"
        axes.text(0, row.middle, row.text, transform=left, weight=weight, linespacing=1.15, va=_MIDDLE)
        if row.sample:
            for heading, place in right.items():
                axes.text(1, row.middle, _number(row.sample, heading), transform=place, ha="right", va=_MIDDLE)


def _key(published: bool) -> list[Any]:
    """Explain the marks of a row."""
    samples: list[Any] = [
        Patch(fc=light_color(FAINT), ec=FAINT, label="middle half of the runs"),
        Line2D([], [], color=FAINT, ls="none", marker="|", ms=9, mew=2.2, label="median"),
        Line2D([], [], color=FAINT, lw=1.0, label="5 to 95 % of the runs"),
    ]
    return samples + ([Line2D([], [], label="published median", **published_marker(INK))] if published else [])
