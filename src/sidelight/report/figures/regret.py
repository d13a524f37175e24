"""Regret over time: mean regrets with their confidence bands in one or several panels.

A strategy looks the same in every panel. On logarithmic axes, where curves of any size are apart, curves are named at
their ends, with their final values, if the names are short. If they are long, or if color and dashes have their own
meaning (in a study of two parameters, say), a key above the panels says which is which, and only the values are at the
ends. Curves that coincide share a line so that all can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sidelight.errors import SidelightError
from sidelight.report.figures import layout
from sidelight.report.figures.canvas import measure
from sidelight.report.figures.colors import CURVES, FAINT, INK, dark_color
from sidelight.report.figures.curves import CONFIDENCE, Curve, Mark, Panel, limit_curve, mean_curve
from sidelight.report.figures.labels import drawable_line, shortened_label, spread
from sidelight.report.figures.layout import (
    TEXT,
    Heading,
    broken_to_fit,
    label_lines,
    published_marker,
    short_number,
    tick,
)
from sidelight.report.results_table import distinct, protocol
from sidelight.results import Results
from sidelight.results.text import game_words, regret_words

_DASHES: tuple[Any, ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_STRIPE = 4.0  # the length of each color, relative to the width, where curves coincide
_WIDER, _MOST_WIDER = 1.6, 5.0  # points
_SAME = 0.01  # curves that differ less than this everywhere, relatively, coincide to the eye
_NOTHING = 1e-9  # of the largest regret: what sums of rounded numbers leave of zero
_LONGEST_MEMBER = 8  # characters of what dashes stand for, to be said beside curves as well
_LEADER, _GAP, _LINE, _WIDEST_NAME, _HIGHEST_NAMES = 0.34, 0.07, 0.165, 1.5, 2.6  # inches


class _Look(NamedTuple):
    """How a curve is drawn, and how opaque its band is."""

    color: str
    dashes: Any
    width: float = 1.7
    band: float = 0.17


_LIMIT = _Look(INK, (0, (5, 2.5)), 1.2)
_Styled = Sequence[tuple[Curve, _Look]]


def draw_regret(
    results: Sequence[Results], title: str | None = None, limit: Any = None, labels: Sequence[str] | None = None
) -> Figure:
    """Draw the mean regret of several strategies on linear and on logarithmic axes.

    Parameters
    ----------
    results
        What `simulate` returned, for one game; a result of one run has no band.
    title
        Instead of the game's name.
    limit
        A regret to compare the others with, drawn as a dashed line: a `Curve`, or a pair of rounds and values.
    labels
        Names of the curves, instead of the strategies'.
    """
    if not results:
        raise SidelightError("there are no results to draw: give a list of one or more")
    names = distinct([r.label for r in results]) if labels is None else labels
    curves = [mean_curve(name, r.rounds, r.regret) for name, r in zip(names, results, strict=True)]
    bound = None if limit is None else limit_curve(limit)
    panels = [Panel("Linear axes", curves, bound, logarithmic=False), Panel("Logarithmic axes", curves, bound)]
    what = ("mean " if any(r.n_runs > 1 for r in results) else "") + regret_words(results[0])
    return draw_panels(panels, title or game_words(results[0]), _subtitle(results), what)


def draw_panels(panels: Sequence[Panel], title: str, subtitle: str, measured: str = "mean regret") -> Figure:
    """Draw the regret of several strategies in several settings.

    Parameters
    ----------
    panels
        The settings, in reading order.
    title, subtitle
        Written above all panels; the subtitle should say what the bands are.
    measured
        What the vertical axes show.
    """
    with style.context(["default", layout.SETTINGS]):
        return _draw(panels, title, subtitle, drawable_line(measured))


def _draw(panels: Sequence[Panel], title: str, subtitle: str, measured: str) -> Figure:
    """Put the figure together: panels in two columns, names or values right of each, key and title above all."""
    figure, grid = layout.make_panels(len(panels))
    looks = _looks(panels)
    texts, named = _texts(panels)
    across = min(2, len(panels))
    columns = sum(bool(each) for each in texts[:across])  # of names
    width, height = (4.6, 2.9) if across == 1 else (3.45, 2.75) if columns == 1 else (2.65 if named else 3.0, 2.25)
    room = width + _LEADER + _widest(texts)
    ends = []
    for place, (axes, panel, beside) in enumerate(zip(grid, panels, texts, strict=True)):
        styled = _styled(panel, looks)
        _fill(axes, panel, styled)
        if panel.logarithmic:
            ends.append((axes, styled, _write_ends(axes, styled, beside)))
        axes.set_title(broken_to_fit(shortened_label(drawable_line(panel.title), 96), layout.PANEL_TITLE, True, room))
        axes.set_xlabel("round" if place >= len(panels) - across else "")
        axes.set_ylabel(measured if place % across == 0 else "")
    highest = max(sum(map(_height, each)) for each in texts)
    keys = [key for key in (*_keys(panels, looks, named), _mark_key(panels)) if key]
    layout.arrange(figure, (width, max(height, highest)), Heading(title, subtitle, keys))
    for axes, styled, written in ends:
        _place_ends(axes, styled, written)
    return figure


def _looks(panels: Sequence[Panel]) -> dict[str, _Look]:
    """Give each family a color and each member dashes, in order of appearance; where hues run out, dashes move on."""
    first: dict[str, Curve] = {}
    for curve in (curve for panel in panels for curve in panel.curves):
        first.setdefault(curve.label, curve)
    families = list(dict.fromkeys(curve.family or label for label, curve in first.items()))
    members = list(dict.fromkeys(curve.member for curve in first.values()))
    looks = {}
    for label, curve in first.items():
        family = families.index(curve.family or label)
        dashes = _DASHES[(family // len(CURVES) + members.index(curve.member)) % len(_DASHES)]
        looks[label] = _Look(CURVES[family % len(CURVES)], dashes)
    return looks


def _styled(panel: Panel, looks: Mapping[str, _Look]) -> _Styled:
    """Return all curves of a panel and how they are drawn there, from bottom to top.

    Curves that coincide take turns with their colors along a wider line; where dashes have a meaning, they are wider
    the lower they are.
    """
    groups: list[list[Curve]] = []
    for curve in panel.curves:
        group = next((group for group in groups if _coincide(group[0], curve)), [])
        if not group:
            groups.append(group)
        group.append(curve)
    found = {}
    for group in groups:
        for turn, curve in enumerate(group):
            count = len(group)
            look = looks[curve.label]
            look = look._replace(band=look.band / max(count, (len(panel.curves) / 6) ** 1.5))
            if curve.member:
                look = look._replace(width=look.width + min(_WIDER, _MOST_WIDER / count) * (count - 1 - turn))
            elif count > 1:
                stripes = (_STRIPE * ((count - turn) % count), (_STRIPE, _STRIPE * (count - 1)))
                look = look._replace(dashes=stripes, width=look.width + 1.2)
            found[curve.label] = look
    styled = [(curve, found[curve.label]) for curve in panel.curves]
    return styled if panel.limit is None else [*styled, (panel.limit, _LIMIT)]


def _coincide(one: Curve, other: Curve) -> bool:
    if not np.array_equal(one.rounds, other.rounds):
        return False
    near = np.abs(one.mean - other.mean) <= _SAME * np.maximum(np.abs(one.mean), np.abs(other.mean))
    return bool(near.all())


def _texts(panels: Sequence[Panel]) -> tuple[list[list[str]], bool]:
    """Return the texts at the ends of the curves of each panel, and whether they include names."""
    limits = [[] if panel.limit is None else [panel.limit] for panel in panels]
    drawn = [[*panel.curves, *limit] if panel.logarithmic else [] for panel, limit in zip(panels, limits, strict=True)]
    columns = sum(bool(each) for each in drawn)
    names = [[_name(curve, each, 32 if columns == 1 else 16) for curve in each] for each in drawn]
    highest = max(sum(map(_height, each)) for each in names)
    members = [curve.member for panel in panels for curve in panel.curves]
    if not any(members) and (columns < 2 or (_widest(names) <= _WIDEST_NAME and highest <= _HIGHEST_NAMES)):
        return names, True
    said = max(map(len, members)) <= _LONGEST_MEMBER
    return [[_value(curve, each, said) for curve in each] for each in drawn], False


def _name(curve: Curve, others: Sequence[Curve], width: int) -> str:
    """Return the label of a curve and its final value, which goes below the label unless there is room beside it."""
    label, value = label_lines(curve.label, width), _value(curve, others, False)
    together = len(label.rpartition("\n")[2]) + len(value)
    return f"{label}{'  ' if together <= width + 1 else chr(10)}{value}"


def _value(curve: Curve, others: Sequence[Curve], member: bool) -> str:
    """Return the final value of a curve, its round if others run longer, and which member of its family it is."""
    early = curve.rounds[-1] < max(other.rounds[-1] for other in others)
    when = f" at {tick(float(curve.rounds[-1]))}" if early else ""
    return short_number(curve.end) + when + (f"  {drawable_line(curve.member)}" if member and curve.member else "")


def _widest(texts: Sequence[Sequence[str]]) -> float:
    """Return how wide the texts beside panels are, in inches."""
    return max((measure(text, TEXT)[0] for each in texts for text in each), default=0.0)


def _height(text: str) -> float:
    """Return how high a text beside a panel is, in inches."""
    return _LINE * (1 + text.count("\n")) + 0.03


def _fill(axes: Axes, panel: Panel, styled: _Styled) -> None:
    """Draw curves, bands and published values, and give the axes their ticks."""
    curves = [curve for curve, _ in styled]
    first, last = min(c.rounds[0] for c in curves), max(c.rounds[-1] for c in curves)
    low, high = _range(panel, curves)
    if panel.logarithmic:
        axes.set(xscale="log", yscale="log", ylim=(low, high))
        axes.set_xlim((first, last) if first < last else (first / 2, 2 * last))
        layout.logarithmic_ticks(axes.xaxis, 2.2)
        layout.logarithmic_ticks(axes.yaxis, 2.8)
        if all(curve.mean.max() < low for curve in curves):
            axes.text(0.5, 0.5, "never above zero", transform=axes.transAxes, ha="center", va="center", color=FAINT)
    else:
        axes.set(xlim=(0, last), ylim=(low, high))
        for axis, count in ((axes.xaxis, 4), (axes.yaxis, 5)):
            axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]))
            axis.set_major_formatter(FuncFormatter(tick))
    for level, (curve, look) in enumerate(styled):
        if panel.logarithmic:
            _draw_curve(axes, curve, look, level, low)
        else:
            _draw_curve(axes, _from_zero(curve), look, level, -np.inf)
    for curve, look in styled:
        if curve.mark is not None and curve.mark.mean >= low:
            _draw_mark(axes, curve.mark, dark_color(look.color), low)


def _draw_curve(axes: Axes, curve: Curve, look: _Look, level: int, floor: float) -> None:
    """Draw a curve and its band; nothing below the floor, which logarithmic axes have."""
    if curve.low is not None and curve.high is not None:
        low, high = np.maximum(curve.low, floor), np.maximum(curve.high, floor)
        axes.fill_between(curve.rounds, low, high, color=look.color, alpha=look.band, lw=0, zorder=2, in_layout=False)
    axes.plot(
        curve.rounds,
        np.where(curve.mean >= floor, curve.mean, np.nan),
        label=curve.label,
        color=look.color,
        lw=look.width,
        ls=look.dashes,
        marker="o" if curve.rounds.size == 1 else "",
        ms=5,
        dash_capstyle="butt",
        solid_capstyle="round",
        zorder=3 + 0.01 * level,
        clip_on=False,  # or a regret of zero is half hidden by the axis
        in_layout=False,
    )


def _draw_mark(axes: Axes, mark: Mark, color: str, floor: float) -> None:
    """Draw a published value; its error bar stays on the axes."""
    error = mark.error or 0.0
    below = min(error, mark.mean - floor)
    bar: dict[str, Any] = {"yerr": [[below], [error]], "elinewidth": 1.0, "capsize": 2.5} if error else {}
    axes.errorbar(mark.round, mark.mean, clip_on=False, zorder=5, **bar, **published_marker(color))


def _from_zero(curve: Curve) -> Curve:
    """Let a curve start at zero, like every regret."""
    return curve if curve.rounds.size == 1 else curve.mapped(lambda array: np.insert(array, 0, 0.0))


def _range(panel: Panel, curves: Sequence[Curve]) -> tuple[float, float]:
    """Return the ends of a vertical axis, so that every mean is on it (but for zeros on a logarithmic one)."""
    marks = [curve.mark for curve in curves if curve.mark is not None]
    means = np.concatenate([*(curve.mean for curve in curves), [mark.mean for mark in marks]])
    tops = [float((curve.mean if curve.high is None else curve.high).max()) for curve in curves]
    top = max([*tops, *(mark.mean + (mark.error or 0.0) for mark in marks)])
    if panel.logarithmic:
        positive = means[means > _NOTHING * max(top, 0.0)]
        if not positive.size:
            return 0.1, 1.0
        low = float(positive.min())
        return low / (1.25 if low < top else 2.0), 1.25 * top
    bottom = 0.0
    if means.min() < -_NOTHING * max(top, 1.0):  # else a band below zero, where regret cannot be, needs no room
        bottom = min(float((curve.mean if curve.low is None else curve.low).min()) for curve in curves)
    top = max(top, 0.0)
    margin = 0.04 * (top - bottom)
    return (bottom - (margin if bottom else 0.0), top + margin) if margin else (0.0, 1.0)


def _write_ends(axes: Axes, styled: _Styled, texts: Sequence[str]) -> list[Text]:
    """Write texts beside a panel, one for each curve; how high they stand is found later."""
    place = layout.moved_by_inches(axes.figure, axes.transAxes, _LEADER, 0)
    found = []
    for (_, look), text in zip(styled, texts, strict=True):
        found.append(
            axes.text(1, 0.5, text, transform=place, va="center", linespacing=1.15, color=dark_color(look.color))
        )
    return found


def _place_ends(axes: Axes, styled: _Styled, texts: Sequence[Text]) -> None:
    """Move texts as near to the ends of their curves as keeps them apart; a line leads from each curve to its text."""
    box = axes.get_window_extent()
    width, height = box.width / axes.figure.dpi, box.height / axes.figure.dpi
    floor, edge = axes.get_ylim()[0], axes.get_xlim()[1]
    level = [axes.transLimits.transform((0, np.log10(max(curve.end, floor))))[1] * height for curve, _ in styled]
    places = spread(level, [_height(text.get_text()) for text in texts], -0.06, height + 0.06)
    for (curve, look), text, end, place in zip(styled, texts, level, places, strict=True):
        text.set_y(place / height)
        if curve.end < floor:
            continue
        if curve.rounds.size > 1 and curve.rounds[-1] < 0.98 * edge:
            axes.plot(curve.rounds[-1], curve.end, "o", color=look.color, ms=3.2, zorder=3.9)
            axes.plot((curve.rounds[-1], edge), (curve.end,) * 2, color=look.color, lw=0.7, ls=(0, (1, 2)))
        across = 1 + np.array([_GAP, _GAP + 0.06, _LEADER - 0.09, _LEADER - 0.04]) / width
        up = np.array([end, end, place, place]) / height
        axes.plot(across, up, transform=axes.transAxes, clip_on=False, color=look.color, lw=0.7, alpha=0.75)


def _keys(panels: Sequence[Panel], looks: Mapping[str, _Look], named: bool) -> list[list[Line2D]]:
    """Explain colors and dashes: nothing where curves are named, else what both mean, or whose they are."""
    if named:
        return []
    limits = dict.fromkeys(panel.limit.label for panel in panels if panel.limit is not None)
    ends = [_sample(text, _LIMIT) for text in limits]
    curves = {curve.label: curve for panel in panels for curve in panel.curves}
    if not any(curve.member for curve in curves.values()):
        return [[*(_sample(label, look) for label, look in looks.items()), *ends]]
    colors = {curve.family: looks[curve.label]._replace(dashes="solid", width=3.5) for curve in curves.values()}
    dashes: dict[str, _Look] = {}
    for curve in curves.values():
        dashes.setdefault(curve.member, looks[curve.label]._replace(color=FAINT))
    samples = [[_sample(text, look) for text, look in each.items()] for each in (colors, dashes)]
    return [samples[0], [*samples[1], *ends]]


def _sample(text: str, look: _Look) -> Line2D:
    return Line2D([], [], color=look.color, lw=look.width, ls=look.dashes, label=text)


def _mark_key(panels: Sequence[Panel]) -> list[Line2D]:
    """Explain the diamonds, if there are any."""
    marked = [(c, c.mark) for panel in panels for c in panel.curves if c.mark is not None and c.mark.mean > 0]
    if not marked:
        return []
    late = all(mark.round >= curve.rounds[-1] for curve, mark in marked)
    error = any(mark.error for _, mark in marked)
    text = "published value" + (" at the end" if late else "") + (" ± its standard error" if error else "")
    return [Line2D([], [], label=text, **published_marker(FAINT))]


def _subtitle(results: Sequence[Results]) -> str:
    counts = sorted({r.n_runs for r in results})
    runs = f"{counts[0]} run{'' if counts == [1] else 's'}"
    if len(counts) > 1:
        runs = f"{counts[0]} to {counts[-1]} runs"
    protocols = list(dict.fromkeys(protocol(r) for r in results))
    seeds = list(dict.fromkeys(str(r.seed) for r in results))
    parts = [runs, *(protocols if len(protocols) == 1 else [])]
    parts += [f"seed {seeds[0]}"] if len(seeds) == 1 and seeds[0] != "None" and len(seeds[0]) < 24 else []
    band = f"bands hold the mean with {100 * CONFIDENCE:.0f} % confidence"
    return ", ".join(parts) + (f"; {band}" if counts[-1] > 1 else "")
