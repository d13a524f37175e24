"""Regret over time: the mean of all runs and its 99 % confidence band, on linear and on logarithmic axes.

Each curve is named at its end, beside the logarithmic panel, where curves of any size are apart. Curves that coincide
share a line whose stripes show the colours of all of them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from sidelight.errors import SidelightError
from sidelight.report.ink import FAINT, INK, PALE
from sidelight.report.labels import drawable, shortened, spread, wrapped
from sidelight.report.sheet import FONT, Sheet
from sidelight.report.tables import distinct, game_words, number, protocol, regret_words
from sidelight.results import Results

Floats = npt.NDArray[np.float64]
Dashes = tuple[float, tuple[float, ...]] | str

CONFIDENCE = 0.99
# Okabe and Ito's hues in an order that keeps neighbours apart, without the yellow that a thin line on white loses.
_HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A7A")
_DASHES: tuple[Dashes, ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_STRIPE = 4.0
_WIDTH = 1.7
_SAME = 0.01  # curves that differ less than this everywhere, relatively, coincide to the eye
_NOTHING = 1e-9  # of the largest regret: what sums of rounded numbers leave of zero

# Inches.
_PANEL, _LEFT, _BETWEEN, _BOTTOM, _MARGIN = 3.45, 0.78, 0.72, 0.62, 0.18
_HEIGHT, _LINE, _LEADER = 2.75, 0.165, 0.34
_TEXT = 8.5


class Limit(NamedTuple):
    """A regret that nobody can beat, over rounds."""

    rounds: Any
    values: Any
    label: str = "limit"


class Curve(NamedTuple):
    """What is drawn of one result; low and high are None without a band."""

    label: str
    rounds: Floats
    mean: Floats
    low: Floats | None
    high: Floats | None
    colour: str
    dashes: Dashes
    company: float = 1.0  # by how much the band is thinned: for curves that coincide, or are many

    @property
    def end(self) -> float:
        """The last value."""
        return float(self.mean[-1])


def draw_regret(
    results: Sequence[Results],
    title: str | None = None,
    limit: Any = None,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Draw the mean regret of several strategies.

    Parameters
    ----------
    results
        What `simulate` returned, for one game; a result of one run has no band.
    title
        Instead of the game's name.
    limit
        Drawn as a dashed line: a `Limit`, anything with `rounds` and `values`, or a pair of them.
    labels
        Names of the curves, instead of the strategies'.
    """
    if not results:
        raise SidelightError("there are no results to draw: give a list of one or more")
    names = distinct([r.label for r in results]) if labels is None else list(labels)
    curves = _curves(results, names)
    if limit is not None:
        curves.append(_limit_curve(limit))
    settings = {"font.family": FONT, "font.size": _TEXT, "axes.unicode_minus": True, "text.parse_math": False}
    with style.context(["default", settings]):
        return _draw(curves, title or game_words(results[0]), _subtitle(results), _measure(results))


def _draw(curves: Sequence[Curve], title: str, subtitle: str, what: str) -> Figure:
    """Put the page together: two panels, names on the right, a title above."""
    paper = Sheet()
    texts = [_name(curve) for curve in curves]
    sizes = [_LINE * (1 + text.count("\n")) + 0.03 for text in texts]
    height = max(_HEIGHT, sum(sizes))
    names_at = _LEFT + 2 * _PANEL + _BETWEEN + _LEADER
    width = names_at + max(paper.measure(text, _TEXT)[0] for text in texts) + _MARGIN
    room = width - _LEFT - _MARGIN
    head = _fitted(paper, shortened(drawable(title), 160), 13, True, room)
    below = _fitted(paper, drawable(subtitle), _TEXT, False, room)
    above = 0.3 + paper.measure(below, _TEXT)[1] + 0.07 + paper.measure(head, 13, True)[1] + _MARGIN
    size = (width, _BOTTOM + height + above)
    figure = Figure(figsize=size, dpi=100, facecolor="white")
    FigureCanvasAgg(figure)
    panels = []
    for left in (_LEFT, _LEFT + _PANEL + _BETWEEN):
        box = (left / size[0], _BOTTOM / size[1], _PANEL / size[0], height / size[1])
        panels.append(figure.add_axes(box))
    _fill(panels[0], curves, False)
    _fill(panels[1], curves, True)
    panels[0].set_ylabel(what, color=INK)
    at = _BOTTOM + height
    for axes, kind in zip(panels, ("linear", "both axes logarithmic"), strict=True):
        start = _LEFT if axes is panels[0] else _LEFT + _PANEL + _BETWEEN
        _write(figure, size, (start, at + 0.09), kind, 7.5, FAINT, va="baseline")
    _write(figure, size, (_LEFT, at + 0.3), below, _TEXT, FAINT)
    _write(figure, size, (_LEFT, at + 0.3 + paper.measure(below, _TEXT)[1] + 0.07), head, 13, INK, bold=True)
    _name_curves(figure, size, panels[1], curves, texts, sizes, names_at)
    return figure


def _fill(axes: Axes, curves: Sequence[Curve], logarithmic: bool) -> None:
    """Draw all curves into one panel."""
    low, high = _range(curves, logarithmic)
    for level, curve in enumerate(curves):
        _draw_curve(axes, curve if logarithmic else _from_zero(curve), low if logarithmic else None, level)
    first, last = min(c.rounds[0] for c in curves), max(c.rounds[-1] for c in curves)
    if logarithmic:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlim(first if first < last else first / 2, last if first < last else 2 * last)
        if all(curve.mean.max() < low for curve in curves):
            axes.text(0.5, 0.5, "never above zero", transform=axes.transAxes, ha="center", va="center", color=FAINT)
    else:
        axes.set_xlim(0, last)
    axes.set_ylim(low, high)
    _dress(axes, logarithmic)


def _draw_curve(axes: Axes, curve: Curve, floor: float | None, level: int) -> None:
    """Draw a curve and its band; nothing below the floor, which logarithmic axes have."""
    mean = curve.mean if floor is None else np.where(curve.mean >= floor, curve.mean, np.nan)
    if curve.low is not None and curve.high is not None:
        low = curve.low if floor is None else np.maximum(curve.low, floor)
        shown = None if floor is None else curve.high > floor
        alpha = 0.17 / curve.company
        axes.fill_between(curve.rounds, low, curve.high, where=shown, color=curve.colour, alpha=alpha, lw=0, zorder=2)
    marker: dict[str, Any] = {"marker": "o", "ms": 5} if curve.rounds.size == 1 else {}
    axes.plot(
        curve.rounds,
        mean,
        color=curve.colour,
        lw=_WIDTH if curve.colour != INK else 1.2,
        ls=curve.dashes,
        dash_capstyle="butt",
        solid_capstyle="round",
        zorder=3 + 0.01 * level,
        clip_on=False,  # or a regret of zero is half hidden by the axis
        **marker,
    )


def _from_zero(curve: Curve) -> Curve:
    """Let a curve start where every regret does."""
    if curve.rounds.size == 1:
        return curve
    low, high = (None if end is None else np.insert(end, 0, 0.0) for end in (curve.low, curve.high))
    rounds, mean = (np.insert(values, 0, 0.0) for values in (curve.rounds, curve.mean))
    return curve._replace(rounds=rounds, mean=mean, low=low, high=high)


def _range(curves: Sequence[Curve], logarithmic: bool) -> tuple[float, float]:
    """Return the ends of a vertical axis, so that every mean is on it (but for zeros on a logarithmic one)."""
    top = max(float((c.mean if c.high is None else c.high).max()) for c in curves)
    if not logarithmic:
        bottom = min(0.0, *(float((c.mean if c.low is None else np.minimum(c.low, c.mean)).min()) for c in curves))
        if bottom > -_NOTHING * max(top, 1.0):
            bottom = 0.0
        # A band below zero, where regret cannot be, needs no room.
        if all(float(c.mean.min()) >= 0 for c in curves):
            bottom = 0.0
        span = top - bottom
        return (bottom - (0.04 * span if bottom else 0.0), top + 0.04 * span) if span > 0 else (0.0, 1.0)
    positive = [float(v) for c in curves for v in c.mean if v > _NOTHING * max(top, 0.0)]
    if not positive or top <= 0:
        return 0.1, 1.0
    low = min(positive)
    return low / 1.25 if low < top else low / 2, top * 1.25


def _dress(axes: Axes, logarithmic: bool) -> None:
    """Give a panel its axes: few ticks with plain numbers, a quiet grid."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(PALE)
    axes.tick_params(which="both", color=PALE, labelcolor=INK, labelsize=7.5, length=3)
    axes.tick_params(which="minor", length=1.5)
    axes.grid(which="major", color="#e6e6e6", lw=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.set_xlabel("round", color=INK)
    if not logarithmic:
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    else:
        for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
            decades = np.log10(limits[1] / limits[0])
            subs: tuple[int, ...] = (1, 2, 5) if decades < 2.2 else (1,)
            step = max(1, round(decades / 5))
            axis.set_major_locator(LogLocator(10 ** (step if subs == (1,) else 1), subs=subs, numticks=20))
            axis.set_minor_locator(LogLocator(10, subs=tuple(range(2, 10)) if decades < 7 else (1,), numticks=50))
            axis.set_minor_formatter(NullFormatter())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(_tick))


def _tick(value: float, position: int | None = None) -> str:
    """Write a number at an axis, thousands apart by a thin space."""
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-3:
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return f"{value:,.6g}".replace(",", "\N{THIN SPACE}").replace("-", "\N{MINUS SIGN}")


def _name_curves(
    figure: Figure,
    size: tuple[float, float],
    axes: Axes,
    curves: Sequence[Curve],
    texts: Sequence[str],
    sizes: Sequence[float],
    column: float,
) -> None:
    """Write the curves' names in a column, each as near to its curve's end as the others allow, and lead to it."""
    low, high = axes.get_ylim()
    bottom, top = _BOTTOM, size[1] * axes.get_position().y1
    seen = [curve.end >= low for curve in curves]
    ends = [
        bottom + (top - bottom) * (np.log(curve.end / low) / np.log(high / low) if there else 0.0)
        for curve, there in zip(curves, seen, strict=True)
    ]
    places = spread(ends, sizes, bottom - 0.06, top + 0.06)
    edge = size[0] * axes.get_position().x1
    for curve, text, end, place, there in zip(curves, texts, ends, places, seen, strict=True):
        if there:
            spots = [(edge + 0.03, end), (edge + 0.1, end), (column - 0.1, place), (column - 0.04, place)]
            xs, ys = ([spot[k] / size[k] for spot in spots] for k in (0, 1))
            figure.add_artist(Line2D(xs, ys, color=curve.colour, lw=0.7, alpha=0.75))
        _write(figure, size, (column, place), text, _TEXT, _dark(curve.colour), va="center")


def _write(
    figure: Figure,
    size: tuple[float, float],
    spot: tuple[float, float],
    text: str,
    points: float,
    colour: str,
    bold: bool = False,
    va: str = "bottom",
) -> None:
    figure.text(
        spot[0] / size[0],
        spot[1] / size[1],
        text,
        fontsize=points,
        color=colour,
        fontweight="bold" if bold else "normal",
        ha="left",
        va=va,
        linespacing=1.15,
    )


def _curves(results: Sequence[Results], names: Sequence[str]) -> list[Curve]:
    curves = []
    for index, (result, name) in enumerate(zip(results, names, strict=True)):
        band = result.band(CONFIDENCE)
        wide = result.n_runs > 1
        curves.append(
            Curve(
                label=name,
                rounds=result.rounds.astype(float),
                mean=band.mean,
                low=band.low if wide else None,
                high=band.high if wide else None,
                colour=_HUES[index % len(_HUES)],
                dashes=_DASHES[index // len(_HUES) % len(_DASHES)],
                company=max(1.0, len(results) / 6),
            )
        )
    return _striped(curves)


def _striped(curves: list[Curve]) -> list[Curve]:
    """Give curves that coincide dashes that take turns, so that all of them can be seen."""
    found = list(curves)
    left = list(range(len(curves)))
    while left:
        group = [k for k in left if _coincide(curves[left[0]], curves[k])]
        left = [k for k in left if k not in group]
        for turn, k in enumerate(group if len(group) > 1 else []):
            count = len(group)
            pattern = (_STRIPE, _STRIPE * (count - 1))
            offset = _STRIPE * ((count - turn) % count)
            found[k] = curves[k]._replace(dashes=(offset, pattern), company=max(curves[k].company, count))
    return found


def _coincide(one: Curve, other: Curve) -> bool:
    if not np.array_equal(one.rounds, other.rounds):
        return False
    near = np.abs(one.mean - other.mean) <= _SAME * np.maximum(np.abs(one.mean), np.abs(other.mean))
    return bool(near.all())


def _limit_curve(limit: Any) -> Curve:
    """Read a limit in any of its forms."""
    if hasattr(limit, "rounds") and hasattr(limit, "values"):
        rounds, values = limit.rounds, limit.values
    else:
        try:
            rounds, values = limit
        except (TypeError, ValueError):
            raise SidelightError("the limit needs rounds and values: give a pair of arrays") from None
    x, y = np.asarray(rounds, dtype=float), np.asarray(values, dtype=float)
    if x.ndim != 1 or x.shape != y.shape or not x.size or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise SidelightError(f"the limit has rounds of shape {x.shape} and values of shape {y.shape}: give as many")
    return Curve(str(getattr(limit, "label", "limit")), x, y, None, None, INK, (0, (5, 2.5)))


def _name(curve: Curve) -> str:
    """Return what is written at the end of a curve: its label, in several lines if it is long, and its value."""
    label = wrapped(shortened(drawable(curve.label), 96), 32) if len(curve.label) > 32 else drawable(curve.label)
    if curve.end <= 0 or abs(curve.end) < 1e-12:
        shown = "0" if abs(curve.end) < 1e-12 else number(curve.end).replace("-", "\N{MINUS SIGN}")
        return f"{label}  {shown}"
    return f"{label}  {_short(curve.end)}"


def _short(value: float) -> str:
    """Write a value to three digits, or whole if it has more."""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}".replace(",", "\N{THIN SPACE}")


def _subtitle(results: Sequence[Results]) -> str:
    counts = sorted({r.n_runs for r in results})
    runs = f"{counts[0]} run{'' if counts == [1] else 's'}"
    if len(counts) > 1:
        runs = f"{counts[0]} to {counts[-1]} runs"
    protocols = list(dict.fromkeys(protocol(r) for r in results))
    seeds = list(dict.fromkeys(str(r.seed) for r in results))
    parts = [runs, *(protocols if len(protocols) == 1 else [])]
    parts += [f"seed {seeds[0]}"] if len(seeds) == 1 and seeds[0] != "None" and len(seeds[0]) < 24 else []
    band = f"bands hold the mean with {CONFIDENCE:.0%} confidence".replace("%", " %")
    return ", ".join(parts) + (f"; {band}" if counts[-1] > 1 else "")


def _measure(results: Sequence[Results]) -> str:
    return ("mean " if any(r.n_runs > 1 for r in results) else "") + regret_words(results[0])


def _fitted(paper: Sheet, text: str, points: float, bold: bool, room: float) -> str:
    """Break a text into lines that fit."""
    width = len(text)
    while width > 12 and paper.measure(textwrap.fill(text, width), points, bold)[0] > room:
        width -= 2
    return textwrap.fill(text, width) if text else text


def _dark(colour: str) -> str:
    """Return a colour dark enough for text on white."""
    return "#" + "".join(f"{round(0.8 * int(colour[k : k + 2], 16)):02x}" for k in (1, 3, 5))
