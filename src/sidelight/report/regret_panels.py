"""Regret over time in several settings, side by side, both axes logarithmic.

A strategy looks the same in every panel. Curves are named at their ends, with their final values, as long as the names
are short. Where color and dashes have a meaning of their own (a study of two parameters, say), a key above the panels
says which, and only the values stand at the ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats
from sidelight.report.ink import FAINT, INK
from sidelight.report.label_grid import Meanings, split_labels
from sidelight.report.labels import drawable, shortened
from sidelight.report.page import (
    HUES,
    MARGIN,
    SETTINGS,
    TEXT,
    TICK_TEXT,
    Dashes,
    Entry,
    Heading,
    Key,
    KeyRow,
    Page,
    dark,
    fitted,
    hollow,
    label_lines,
    tick,
)
from sidelight.report.regret_axes import (
    DASHES,
    LEADER,
    LIMIT_DASHES,
    LIMIT_WIDTH,
    WIDTH,
    Curve,
    coinciding,
    fill,
    final,
    limit_curve,
    look,
    name_curves,
    name_sizes,
)
from sidelight.report.regret_figure import Limit as Limit
from sidelight.report.sheet import Sheet

_PANEL_TITLE = 9.5
_NAME_WIDTH = 16  # characters in a line of a name beside a curve
_LONGEST = 96  # characters of a label in the key
_LONGEST_MEMBER = 8  # characters of what dashes stand for, to be said beside curves as well
_CABLE, _MOST_CABLE = 1.6, 5.0  # points by which the lower ones of curves that coincide are wider

# Inches.
_LEFT, _BETWEEN_ROWS, _BOTTOM, _ABOVE_PANEL, _UNDER_TITLE, _UNDER_KEY = 0.8, 0.44, 0.56, 0.1, 0.12, 0.12
_PANEL_WITH_NAMES, _PANEL_WITH_KEY, _ONLY_PANEL, _NARROWEST = 2.65, 3.0, 4.6, 5.0
_HEIGHTS = (2.9, 2.25)  # of a single panel, and of several
_WIDEST_NAME, _HIGHEST_NAMES = 1.5, 2.6
_GAP = 0.07  # from a panel to a leader: a diamond may be there


class Mark(NamedTuple):
    """A published value, drawn as a hollow diamond with an error bar at its round."""

    round: float
    mean: float
    error: float | None


class Line(NamedTuple):
    """The regret of one strategy; low and high are None without a band.

    Lines of a family share a hue, and members with the same index, of whatever family, share their dashes. The same
    label in several panels is the same strategy, which looks as it does where it comes first.
    """

    label: str
    rounds: Floats
    mean: Floats
    low: Floats | None
    high: Floats | None
    family: int
    member: int = 0
    mark: Mark | None = None


class Panel(NamedTuple):
    """One setting: lines, which may end at different rounds, and a regret to measure them by."""

    title: str
    lines: Sequence[Line]
    limit: Limit | None = None


class _Filling(NamedTuple):
    """What goes into and beside one panel."""

    panel: Panel
    curves: list[Curve]
    marks: list[tuple[Mark, str]]
    texts: list[str]
    sizes: list[float]


def draw_panels(panels: Sequence[Panel], title: str, subtitle: str, measure: str = "mean regret") -> Figure:
    """Draw the regret of several strategies in several settings.

    Parameters
    ----------
    panels
        The settings, in reading order.
    title, subtitle
        Written above all panels; the subtitle should say what the bands are.
    measure
        What the vertical axes show.
    """
    _check(panels)
    with style.context(["default", SETTINGS]):
        return _draw(_alike(panels), title, subtitle, measure)


def _alike(panels: Sequence[Panel]) -> list[Panel]:
    """Give each label one family and member, those where it comes first, and the next free hue if they are taken."""
    looks: dict[str, tuple[int, int]] = {}
    taken: set[tuple[str, Dashes]] = set()
    for line in (line for panel in panels for line in panel.lines if line.label not in looks):
        families = range(line.family, line.family + len(HUES) * len(DASHES))
        family = next((each for each in families if look(each, line.member) not in taken), line.family)
        looks[line.label] = (family, line.member)
        taken.add(look(family, line.member))
    alike = []
    for panel in panels:
        lines = [line._replace(family=looks[line.label][0], member=looks[line.label][1]) for line in panel.lines]
        alike.append(panel._replace(lines=lines))
    return alike


def _draw(panels: Sequence[Panel], title: str, subtitle: str, measure: str) -> Figure:
    """Put the page together: panels in two columns, names or values right of each, key and title above all."""
    paper = Sheet()
    lines = {line.label: line for panel in panels for line in panel.lines}
    meanings = split_labels([(line.label, line.family, line.member) for line in lines.values()])
    fillings, width, named = _fillings(paper, panels, meanings)
    across = min(2, len(panels))
    step = _LEFT + width + LEADER + max(paper.measure(text, TEXT)[0] for each in fillings for text in each.texts)
    room = max(across * step - _LEFT, _NARROWEST)
    heading = Heading(paper, title, subtitle, room)
    key = Key(paper, [*_key_rows(panels, meanings, named), *_mark_row(panels)], room)
    rows = [fillings[k : k + across] for k in range(0, len(fillings), across)]
    titles = [_titles(paper, [each.panel for each in row], step - _LEFT + 0.2) for row in rows]
    overs = [max(paper.measure(title, _PANEL_TITLE, True)[1] for title in row) + _ABOVE_PANEL for row in titles]
    heights = [max([_HEIGHTS[across - 1], *(sum(each.sizes) for each in row)]) for row in rows]
    body = sum(overs) + sum(heights) + (len(rows) - 1) * _BETWEEN_ROWS + _BOTTOM
    above = key.height + (_UNDER_KEY if key.height else 0.0)
    page = Page(_LEFT + room + MARGIN, body + above + _UNDER_TITLE + heading.height + MARGIN)
    heading.write(page, (_LEFT, body + above + _UNDER_TITLE))
    key.draw(page, (_LEFT, body + above))
    at = body
    for row, names, over, height in zip(rows, titles, overs, heights, strict=True):
        at -= over + height
        for column, each in enumerate(row):
            _draw_panel(page, each, (_LEFT + column * step, at, width, height))
            spot = (_LEFT + column * step, at + height + _ABOVE_PANEL)
            page.write(spot, names[column], _PANEL_TITLE, INK, bold=True, va="baseline")
        at -= _BETWEEN_ROWS
    _label_axes(paper, page.figure, across, drawable(measure))
    return page.figure


def _titles(paper: Sheet, panels: Sequence[Panel], room: float) -> list[str]:
    texts = [shortened(drawable(panel.title), _LONGEST) for panel in panels]
    return [fitted(paper, text, _PANEL_TITLE, True, room) for text in texts]


def _label_axes(paper: Sheet, figure: Figure, across: int, measure: str) -> None:
    """Say what the axes are, once for each row, all equally far from the axis, and once for each column."""
    first = figure.axes[::across]
    limits = [axes.get_ylim() for axes in first]
    numbers = [
        tick(v) for axes, (low, high) in zip(first, limits, strict=True) for v in axes.get_yticks() if low <= v <= high
    ]
    widest = max((paper.measure(text, TICK_TEXT)[0] for text in numbers), default=0.2)
    for axes in first:
        axes.set_ylabel(measure, color=INK, va="center")
        axes.yaxis.set_label_coords(
            -min(widest + 0.22, _LEFT - 0.08) / (axes.get_position().width * figure.get_figwidth()), 0.5
        )
    for axes in figure.axes[-across:]:
        axes.set_xlabel("round", color=INK)


def _fillings(paper: Sheet, panels: Sequence[Panel], meanings: Meanings | None) -> tuple[list[_Filling], float, bool]:
    """Return what goes into each panel, how wide panels are, and whether names stand beside the curves."""
    curves = [_curves(panel) for panel in panels]
    names = [[_name(curve, _last(each)) for curve in each] for each in curves]
    values = [[_value(curve, _last(each), meanings) for curve in each] for each in curves]
    widest = max(paper.measure(text, TEXT)[0] for each in names for text in each)
    highest = max(sum(name_sizes(each)) for each in names)
    named = meanings is None and widest <= _WIDEST_NAME and highest <= _HIGHEST_NAMES
    width = _ONLY_PANEL if len(panels) == 1 else _PANEL_WITH_NAMES if named else _PANEL_WITH_KEY
    fillings = []
    for panel, drawn, texts in zip(panels, curves, names if named else values, strict=True):
        fillings.append(_Filling(panel, drawn, _marks(panel), texts, name_sizes(texts)))
    return fillings, width, named


def _name(curve: Curve, last: float) -> str:
    """Return a narrow name: the final value goes below the label unless both are short."""
    label, value = label_lines(curve.label, _NAME_WIDTH), final(curve, last)
    together = len(label.rpartition("\n")[2]) + len(value)
    return f"{label}{'  ' if together <= _NAME_WIDTH + 1 else chr(10)}{value}"


def _value(curve: Curve, last: float, meanings: Meanings | None) -> str:
    """Return a final value, and which member of its family, which has the same color, it belongs to."""
    if meanings is None or curve.label not in meanings.member_of or meanings.longest > _LONGEST_MEMBER:
        return final(curve, last)
    return f"{final(curve, last)}  {drawable(meanings.member_of[curve.label])}"


def _last(curves: Sequence[Curve]) -> float:
    return max(float(curve.rounds[-1]) for curve in curves)


def _curves(panel: Panel) -> list[Curve]:
    """Return the curves of a panel; of those that coincide, the lower ones are wider, so that all can be seen."""
    curves = []
    for line in panel.lines:
        color, dashes = look(line.family, line.member)
        company = max(1.0, (len(panel.lines) / 6) ** 1.5)
        rounds, mean = np.asarray(line.rounds, float), np.asarray(line.mean, float)
        low, high = (None if end is None else np.asarray(end, float) for end in (line.low, line.high))
        curves.append(Curve(line.label, rounds, mean, low, high, color, dashes, company))
    for group in coinciding(curves):
        for turn, k in enumerate(group):
            extra = min(_CABLE, _MOST_CABLE / len(group)) * (len(group) - 1 - turn)
            curves[k] = curves[k]._replace(width=WIDTH + extra, company=max(curves[k].company, len(group)))
    return curves if panel.limit is None else [*curves, limit_curve(panel.limit)]


def _marks(panel: Panel) -> list[tuple[Mark, str]]:
    """Return the published values of a panel that logarithmic axes can show, and their colors."""
    marks = [(line.mark, look(line.family)[0]) for line in panel.lines]
    return [(mark, color) for mark, color in marks if mark is not None and mark.mean > 0]


def _draw_panel(page: Page, filling: _Filling, box: tuple[float, float, float, float]) -> None:
    """Draw one panel and the texts beside its curves."""
    axes = page.panel(*box)
    marked = [mark.mean + (mark.error or 0.0) for mark, _ in filling.marks] + [mark.mean for mark, _ in filling.marks]
    fill(axes, filling.curves, True, marked)
    floor = axes.get_ylim()[0]
    for mark, color in filling.marks:
        if mark.error:
            ends = (max(mark.mean - mark.error, floor), mark.mean + mark.error)
            bar: dict[str, Any] = {"color": dark(color), "lw": 1.0, "marker": "_", "ms": 5, "mew": 1.0, "zorder": 4}
            axes.plot((mark.round, mark.round), ends, clip_on=False, **bar)
        axes.plot(mark.round, mark.mean, clip_on=False, zorder=5, **hollow(dark(color)))
    name_curves(page, axes, filling.curves, filling.texts, filling.sizes, box[0] + box[2] + LEADER, gap=_GAP)


def _key_rows(panels: Sequence[Panel], meanings: Meanings | None, named: bool) -> list[KeyRow]:
    """Return what the key says: nothing where curves are named, else what color and dashes mean, or whose they are."""
    if named:
        return []
    limits = list(dict.fromkeys(panel.limit.label for panel in panels if panel.limit is not None))
    ends = [Entry(shortened(drawable(text), _LONGEST), INK, LIMIT_DASHES, LIMIT_WIDTH) for text in limits]
    if meanings is None:
        looks = {line.label: look(line.family, line.member) for panel in panels for line in panel.lines}
        entries = [Entry(shortened(drawable(text), _LONGEST), *each) for text, each in looks.items()]
        return [KeyRow("", [*entries, *ends])]
    colors = [Entry(shortened(drawable(text), _LONGEST), look(each)[0], width=3.5) for each, text in meanings.families]
    dashes = [Entry(shortened(drawable(text), _LONGEST), FAINT, look(0, each)[1]) for each, text in meanings.members]
    return [KeyRow("color", colors), KeyRow("dashes", [*dashes, *ends])]


def _mark_row(panels: Sequence[Panel]) -> list[KeyRow]:
    """Say what the diamonds are, if there are any."""
    marked = [line for panel in panels for line in panel.lines if line.mark is not None and line.mark.mean > 0]
    if not marked:
        return []
    late = all(line.mark.round >= line.rounds[-1] for line in marked if line.mark)
    error = any(line.mark.error for line in marked if line.mark)
    text = "published value" + (" at the end" if late else "") + (" ± its standard error" if error else "")
    return [KeyRow("", [Entry(text, FAINT, marker="D")])]


def _check(panels: Sequence[Panel]) -> None:
    """Explain what cannot be drawn."""
    if not panels:
        raise SidelightError("there are no panels to draw: give a list of one or more")
    for panel in panels:
        labels = [line.label for line in panel.lines]
        if not labels:
            raise SidelightError(f"the panel {panel.title!r} has no lines: give one or more, or leave the panel out")
        if len(set(labels)) < len(labels):
            raise SidelightError(f"two lines of the panel {panel.title!r} have the same label: give each its own")
        for line in panel.lines:
            _check_line(line)


def _check_line(line: Line) -> None:
    arrays = [np.asarray(each, float) for each in (line.rounds, line.mean, line.low, line.high) if each is not None]
    shape = arrays[0].shape
    if len(shape) != 1 or not shape[0] or any(each.shape != shape for each in arrays):
        raise SidelightError(f"rounds, mean and band of {line.label!r} differ in shape: give one value for each round")
    if not all(np.isfinite(each).all() for each in arrays):
        raise SidelightError(f"some values of {line.label!r} are not finite: leave those rounds out")
    if arrays[0][0] <= 0 or (np.diff(arrays[0]) <= 0).any():
        raise SidelightError(f"the rounds of {line.label!r} do not increase from 1 or more: sort them")
    if (line.low is None) != (line.high is None):
        raise SidelightError(f"the band of {line.label!r} has one end only: give both, or None for both")
    if line.mark is not None and not (np.isfinite(line.mark[:2]).all() and line.mark.round > 0):
        raise SidelightError(f"the published value of {line.label!r} is not finite: leave it out")
