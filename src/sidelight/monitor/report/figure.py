"""The figure of a report: what is known about each class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sidelight.monitor.report.records import ClassReport, Report, rank_class_reports
from sidelight.monitor.report.wording import short_class_name
from sidelight.report.figures.colors import ALARM, FAINT, INK, PALE
from sidelight.report.figures.fonts import drawable_text, installed_font_families, measure_drawn_text
from sidelight.text import thousands

VERDICTS = {"above": ALARM, "below": "#00664f", "near": "#8a6d00", "unknown": FAINT}
"""Colors of verdicts; words stand beside them, so that no one has to tell colors apart."""
_ROW_HEIGHT = 0.27
_MANY = 100_000
# Columns right of the bars: place, alignment and heading.
_CELLS = ((1.04, "left", "verdict"), (1.50, "right", "errors / verified"), (1.79, "right", "still needed"))
_LONGEST_NAME = 22
_MOST_ROWS = 40
_SIZE, _NAME_WIDTH = 8.5, 1.42
SETTINGS = {"font.size": _SIZE, "axes.linewidth": 0.8, "axes.edgecolor": PALE}


def draw_class_figure_of_report(report: Report) -> Figure:
    """Draw the estimate, interval, tolerance and verdict of the classes that matter most, the worst ones on top."""
    with style.context(["default", SETTINGS, {"font.family": installed_font_families()}]):
        chosen = sorted(report.classes, key=rank_class_reports)[:_MOST_ROWS]
        rows = sorted(chosen, key=lambda one: 1.0 if one.estimate is None else -one.estimate)[::-1]
        height = 1.35 + _ROW_HEIGHT * max(len(rows), 1)
        figure = Figure(figsize=(7.6, height), facecolor="white")
        axes = figure.add_axes((0.2, 0.5 / height, 0.44, 1.0 - 1.3 / height))
        for y, one in enumerate(rows):
            _draw_class_row_of_report(axes, y, one)
        _frame_rows_of_report_figure(axes, rows)
        _write_headings_of_report_figure(axes, len(rows))
        percent = f"{100 * report.confidence:g} %"
        title = f"Error rates among {thousands(report.predictions)} prediction{'' if report.predictions == 1 else 's'}"
        figure.text(0.02, 1.0 - 0.2 / height, title, weight="bold", size=10, va="center", color=INK)
        asked = f"{thousands(report.verifications)} verifications asked for"
        left_out = chosen_classes_note(rows, report.classes)
        note = f"{asked}; bars: {percent} intervals, valid however often one looks{left_out}"
        figure.text(0.02, 1.0 - 0.42 / height, note, size=8.5, va="center", color=FAINT)
        return figure


def _draw_class_row_of_report(axes: Axes, y: int, one: ClassReport) -> None:
    color = VERDICTS[one.verdict]
    axes.plot(one.interval, (y, y), color=color, lw=5, alpha=0.35, solid_capstyle="butt", zorder=3)
    axes.plot((one.tolerance,) * 2, (y - 0.42, y + 0.42), color=INK, lw=1.3, zorder=4)
    if one.estimate is not None:
        axes.plot(one.estimate, y, "o", color=color, ms=4.5, zorder=5)
    cells = (one.verdict, f"{thousands(one.errors)} / {thousands(one.verified)}", _needed_labels_in_report_figure(one))
    for (x, side, _), cell, shade in zip(_CELLS, cells, (color, FAINT, FAINT), strict=True):
        axes.text(x, y, cell, transform=axes.get_yaxis_transform(), va="center_baseline", ha=side, color=shade)


def _needed_labels_in_report_figure(one: ClassReport) -> str:
    if one.verdict != "unknown":
        return "-"
    if one.needed is None or one.needed >= _MANY:
        return f"over {thousands(_MANY)}"
    return f"~{thousands(one.needed)}"


def _frame_rows_of_report_figure(axes: Axes, rows: Sequence[ClassReport]) -> None:
    """Scale the axes to where the information is, not to the intervals of classes about which nothing is known."""
    marks = [one.tolerance for one in rows] + [one.estimate for one in rows if one.estimate is not None]
    axes.set_xlim(0.0, min(1.0, 2.2 * max([0.01, *marks])))
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_yticks(range(len(rows)), [class_label_in_report_figure(one.name) for one in rows])
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", color=PALE)
    axes.set_xlabel("error rate (the stroke is the tolerance)", color=INK)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.grid(axis="x", color="#eeeeee", zorder=0)
    axes.set_axisbelow(True)


def _write_headings_of_report_figure(axes: Axes, rows: int) -> None:
    for x, side, heading in _CELLS:
        place: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "va": "center", "ha": side}
        axes.text(x, rows - 0.1, heading, color=FAINT, size=7.5, **place)


def chosen_classes_note(shown: Sequence[object], classes: Sequence[object]) -> str:
    """Describe how many classes are shown, if not all."""
    some = f"; the {len(shown)} of {thousands(len(classes))} classes that matter most"
    return some if len(shown) < len(classes) else ""


def class_label_in_report_figure(name: object) -> str:
    """Return a name that fits to the left of the bars, in any script."""
    cut = (drawable_text(short_class_name(name, k)) for k in range(_LONGEST_NAME, 0, -1))
    return next(one for one in cut if measure_drawn_text(one, _SIZE)[0] <= _NAME_WIDTH or len(one) == 1).replace(
        "$", r"\$"
    )
