"""How many of something each run took, as quartiles: one row for each policy, on a logarithmic axis.

Rows, because names are long and stand upright only on rows. The median is also written, so that nobody has to read it
off a logarithmic axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats
from sidelight.report.ink import FAINT, INK, PALE
from sidelight.report.labels import drawable, shortened
from sidelight.report.page import (
    HUES,
    MARGIN,
    SETTINGS,
    TEXT,
    TICK_TEXT,
    Entry,
    Heading,
    Key,
    KeyRow,
    Page,
    dark,
    fitted,
    hollow,
    label_lines,
    lighter,
    short_number,
    tick,
)
from sidelight.report.regret_axes import logarithmic_ticks
from sidelight.report.sheet import Sheet

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_PANEL_TITLE = 9.5
_NAME_WIDTH, _LONGEST = 24, 72  # characters of a policy's name

# Inches.
_PANEL, _AFTER_NAMES, _BEFORE_NUMBERS, _BETWEEN, _NARROWEST = 2.6, 0.08, 0.12, 0.35, 5.0
_ROW, _LINE, _GROUP_GAP, _INDENT, _BOX, _STROKE = 0.2, 0.15, 0.08, 0.1, 0.1, 0.17
_BOTTOM, _BETWEEN_ROWS, _ABOVE_PANEL, _UNDER_TITLE, _UNDER_KEY = 0.36, 0.5, 0.1, 0.12, 0.14
_MIDDLE = "center_baseline"  # so that names and numbers stand on one line
_HEADINGS = ("median", "published")


class Box(NamedTuple):
    """One policy: the values of all runs, and a published median, drawn as a hollow diamond."""

    label: str
    values: Floats
    published: float | None


class Group(NamedTuple):
    """Policies under the same conditions."""

    title: str
    boxes: Sequence[Box]


class QuartilePanel(NamedTuple):
    """One case: groups, from top to bottom."""

    title: str
    groups: Sequence[Group]


class _Row(NamedTuple):
    """A line of text and, unless it is the title of a group, a box; the center is in inches below the panel's top."""

    text: str
    center: float
    box: Box | None


class _Rows(NamedTuple):
    """All rows of a panel, and how high they are together."""

    title: str
    rows: list[_Row]
    height: float


class _Widths(NamedTuple):
    """How the width of a panel is used: names on the left, boxes, and columns of numbers on the right."""

    names: float
    numbers: list[float]

    @property
    def total(self) -> float:
        """From the left of the names to the right of the numbers."""
        return self.names + _AFTER_NAMES + _PANEL + sum(_BEFORE_NUMBERS + each for each in self.numbers)


def draw_quartiles(panels: Sequence[QuartilePanel], title: str, subtitle: str, measure: str) -> Figure:
    """Draw what several policies took in all runs.

    Parameters
    ----------
    panels
        The cases, in reading order. All share a horizontal axis, so that they can be compared.
    title, subtitle
        Written above all panels.
    measure
        What was counted, written under the horizontal axes.
    """
    _check(panels)
    with style.context(["default", SETTINGS]):
        return _draw(panels, title, subtitle, measure)


def _draw(panels: Sequence[QuartilePanel], title: str, subtitle: str, measure: str) -> Figure:
    """Put the page together: panels in two columns, how to read them and the title above all."""
    paper = Sheet()
    boxes = [box for panel in panels for group in panel.groups for box in group.boxes]
    colors = {label: HUES[k % len(HUES)] for k, label in enumerate(dict.fromkeys(box.label for box in boxes))}
    published = any(box.published is not None for box in boxes)
    filled = [_rows(panel) for panel in panels]
    widths = _widths(paper, filled, published)
    across = min(2, len(panels))
    room = max(across * widths.total + (across - 1) * _BETWEEN, _NARROWEST)
    heading = Heading(paper, title, subtitle, room)
    entries = [Entry("published median", INK, marker="D")] if published else []
    key = Key(paper, [KeyRow("box: middle half of the runs, stroke: median, whiskers: 5 to 95 %", entries)], room)
    below = fitted(paper, drawable(measure), TEXT, False, _PANEL)
    bottom = _BOTTOM + paper.measure(below, TEXT)[1]
    grid = [filled[k : k + across] for k in range(0, len(filled), across)]
    titles = [[fitted(paper, each.title, _PANEL_TITLE, True, widths.total) for each in row] for row in grid]
    overs = [max(paper.measure(text, _PANEL_TITLE, True)[1] for text in row) + _ABOVE_PANEL for row in titles]
    heights = [max(each.height for each in row) for row in grid]
    body = sum(overs) + sum(heights) + (len(grid) - 1) * _BETWEEN_ROWS + bottom
    page = Page(2 * MARGIN + room, body + _UNDER_KEY + key.height + _UNDER_TITLE + heading.height + MARGIN)
    heading.write(page, (MARGIN, body + _UNDER_KEY + key.height + _UNDER_TITLE))
    key.draw(page, (MARGIN, body + _UNDER_KEY + key.height))
    at = body
    for row, texts, over, height in zip(grid, titles, overs, heights, strict=True):
        for column, (each, text) in enumerate(zip(row, texts, strict=True)):
            left = MARGIN + column * (widths.total + _BETWEEN)
            page.write((left, at - over + _ABOVE_PANEL), text, _PANEL_TITLE, INK, True, "baseline")
            axes = page.panel(left + widths.names + _AFTER_NAMES, at - over - each.height, _PANEL, each.height)
            _fill(axes, each, colors, _limits(boxes))
            _write_rows(page, each, (left, at - over), widths)
        at -= over + height + _BETWEEN_ROWS
    for axes in page.figure.axes[-across:]:
        axes.set_xlabel(below, color=INK)
    return page.figure


def _rows(panel: QuartilePanel) -> _Rows:
    """Put groups and boxes below each other."""
    rows: list[_Row] = []
    at = 0.0
    for group in panel.groups:
        title = label_lines(group.title, _NAME_WIDTH, _LONGEST)
        at += _GROUP_GAP if rows else 0.0
        for text, box in [(title, None), *((label_lines(b.label, _NAME_WIDTH, _LONGEST), b) for b in group.boxes)]:
            height = _ROW + _LINE * text.count("\n")
            rows.append(_Row(text, at + height / 2, box))
            at += height
    return _Rows(shortened(drawable(panel.title), 120), rows, at + 0.06)


def _widths(paper: Sheet, filled: Sequence[_Rows], published: bool) -> _Widths:
    """Return how much room names and numbers need."""
    rows = [row for each in filled for row in each.rows]
    names = max(paper.measure(row.text, TEXT, row.box is None)[0] + (_INDENT if row.box else 0.0) for row in rows)
    numbers = []
    for column, heading in enumerate(_HEADINGS[: 1 + published]):
        texts = [_numbers(row.box)[column] for row in rows if row.box]
        numbers.append(max(paper.measure(heading, TICK_TEXT)[0], *(paper.measure(text, TEXT)[0] for text in texts)))
    return _Widths(names, numbers)


def _numbers(box: Box) -> tuple[str, str]:
    """Return the median and the published one, as they are written."""
    return short_number(float(np.median(box.values))), "" if box.published is None else short_number(box.published)


def _limits(boxes: Sequence[Box]) -> tuple[float, float]:
    """Return the ends of the axis that all panels share."""
    ends = [float(end) for box in boxes for end in np.quantile(box.values, (_QUANTILES[0], _QUANTILES[-1]))]
    ends += [box.published for box in boxes if box.published is not None]
    low, high = min(ends), max(ends)
    slack = 1.3 if high > 1.5 * low else 3.0
    return low / slack, high * slack


def _fill(axes: Axes, filled: _Rows, colors: dict[str, str], limits: tuple[float, float]) -> None:
    """Draw the boxes of a panel, on an axis whose vertical unit is the inch."""
    axes.set_xscale("log")
    axes.set_xlim(*limits)
    axes.set_ylim(filled.height, 0)
    for row in filled.rows:
        if row.box is not None:
            axes.axhline(row.center, color="#eeeeee", lw=0.6, zorder=1)
            _draw_box(axes, row.box, row.center, colors[row.box.label])
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.spines["bottom"].set_color(PALE)
    axes.set_yticks([])
    axes.tick_params(which="both", color=PALE, labelcolor=INK, labelsize=TICK_TEXT, length=3)
    axes.tick_params(which="minor", length=1.5)
    axes.grid(axis="x", which="major", color="#dddddd", lw=0.6, zorder=0)
    axes.set_axisbelow(True)
    logarithmic_ticks(axes.xaxis, limits, 1.9)
    axes.xaxis.set_major_formatter(FuncFormatter(tick))


def _draw_box(axes: Axes, box: Box, y: float, color: str) -> None:
    """Draw quartiles, median and whiskers; outline and stroke have a width of their own, even if all values agree."""
    low, left, middle, right, high = (float(end) for end in np.quantile(box.values, _QUANTILES))
    line: dict[str, Any] = {"color": dark(color), "solid_capstyle": "butt"}
    axes.plot((low, high), (y, y), lw=1.0, marker="|", ms=4, mew=1.0, zorder=3, **line)
    shape = Rectangle((left, y - _BOX / 2), right - left, _BOX, fc=lighter(color), ec=dark(color), lw=0.9, zorder=4)
    axes.add_patch(shape)
    axes.plot((middle, middle), (y - _STROKE / 2, y + _STROKE / 2), lw=2.2, zorder=5, **line)
    if box.published is not None:
        axes.plot(box.published, y, zorder=6, **hollow(INK))


def _write_rows(page: Page, filled: _Rows, corner: tuple[float, float], widths: _Widths) -> None:
    """Write the names and the numbers of a panel, whose upper left corner is given."""
    left, top = corner
    columns = []
    at = left + widths.names + _AFTER_NAMES + _PANEL
    for width in widths.numbers:
        at += _BEFORE_NUMBERS + width
        columns.append(at)
    for x, heading in zip(columns, _HEADINGS, strict=False):
        page.write((x, top - _ROW / 2), heading, TICK_TEXT, FAINT, va=_MIDDLE, ha="right")
    for row in filled.rows:
        y = top - row.center
        page.write((left + (_INDENT if row.box else 0.0), y), row.text, TEXT, INK, row.box is None, _MIDDLE)
        for x, text in zip(columns, _numbers(row.box) if row.box else (), strict=False):
            page.write((x, y), text, TEXT, INK, va=_MIDDLE, ha="right")


def _check(panels: Sequence[QuartilePanel]) -> None:
    """Explain what cannot be drawn."""
    if not panels:
        raise SidelightError("there are no panels to draw: give a list of one or more")
    for panel in panels:
        if not panel.groups or not all(group.boxes for group in panel.groups):
            raise SidelightError(
                f"the panel {panel.title!r} has no boxes, or a group without: give some or leave it out"
            )
        for box in (box for group in panel.groups for box in group.boxes):
            values = np.asarray(box.values, float)
            if not values.size:
                raise SidelightError(f"{box.label!r} has no values: give those of one run or more, or leave it out")
            numbers = values if box.published is None else np.append(values, box.published)
            if not np.isfinite(numbers).all() or numbers.min() <= 0:
                raise SidelightError(f"the axis is logarithmic: give {box.label!r} finite values above zero")
