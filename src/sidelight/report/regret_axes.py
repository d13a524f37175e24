"""Curves of regret on axes, and their names beside the axes: what all figures of regret share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats
from sidelight.report.ink import FAINT, INK, PALE
from sidelight.report.labels import spread
from sidelight.report.page import HUES, TEXT, TICK_TEXT, Dashes, Page, dark, label_lines, short_number, tick
from sidelight.text import number

DASHES: tuple[Dashes, ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
LIMIT_DASHES: Dashes = (0, (5, 2.5))
WIDTH, LIMIT_WIDTH = 1.7, 1.2
LEADER = 0.34  # inches from a panel to the names beside it
_LINE = 0.165  # inches
_SAME = 0.01  # curves that differ less than this everywhere, relatively, coincide to the eye
_NOTHING = 1e-9  # of the largest regret: what sums of rounded numbers leave of zero


class Curve(NamedTuple):
    """What is drawn of one result; low and high are None without a band."""

    label: str
    rounds: Floats
    mean: Floats
    low: Floats | None
    high: Floats | None
    color: str
    dashes: Dashes
    company: float = 1.0  # by how much the band is thinned: for curves that coincide, or are many
    width: float = WIDTH

    @property
    def end(self) -> float:
        """The last value."""
        return float(self.mean[-1])


def look(family: int, member: int = 0) -> tuple[str, Dashes]:
    """Return the color of a family and the dashes of a member; where hues run out, the dashes move on."""
    return HUES[family % len(HUES)], DASHES[(family // len(HUES) + member) % len(DASHES)]


def limit_curve(limit: Any) -> Curve:
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
    return Curve(str(getattr(limit, "label", "limit")), x, y, None, None, INK, LIMIT_DASHES, width=LIMIT_WIDTH)


def coinciding(curves: Sequence[Curve]) -> list[list[int]]:
    """Return the indices of the curves, those that coincide to the eye together."""
    groups = []
    left = list(range(len(curves)))
    while left:
        group = [k for k in left if _coincide(curves[left[0]], curves[k])]
        left = [k for k in left if k not in group]
        groups.append(group)
    return groups


def _coincide(one: Curve, other: Curve) -> bool:
    if not np.array_equal(one.rounds, other.rounds):
        return False
    near = np.abs(one.mean - other.mean) <= _SAME * np.maximum(np.abs(one.mean), np.abs(other.mean))
    return bool(near.all())


def fill(axes: Axes, curves: Sequence[Curve], logarithmic: bool, also: Sequence[float] = ()) -> None:
    """Draw all curves into one panel, with room for further values."""
    low, high = _range(curves, logarithmic, also)
    for level, curve in enumerate(curves):
        _draw_curve(axes, curve, low if logarithmic else None, level)
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
        axes.fill_between(curve.rounds, low, curve.high, where=shown, color=curve.color, alpha=alpha, lw=0, zorder=2)
    marker: dict[str, Any] = {"marker": "o", "ms": 5} if curve.rounds.size == 1 else {}
    axes.plot(
        curve.rounds,
        mean,
        color=curve.color,
        lw=curve.width,
        ls=curve.dashes,
        dash_capstyle="butt",
        solid_capstyle="round",
        zorder=3 + 0.01 * level,
        clip_on=False,  # or a regret of zero is half hidden by the axis
        **marker,
    )


def _range(curves: Sequence[Curve], logarithmic: bool, also: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a vertical axis, so that every mean is on it (but for zeros on a logarithmic one)."""
    top = max(*(float((c.mean if c.high is None else c.high).max()) for c in curves), -np.inf, *also)
    if not logarithmic:
        bottom = min(0.0, *(float((c.mean if c.low is None else np.minimum(c.low, c.mean)).min()) for c in curves))
        if bottom > -_NOTHING * max(top, 1.0):
            bottom = 0.0
        # A band below zero, where regret cannot be, needs no room.
        if all(float(c.mean.min()) >= 0 for c in curves):
            bottom = 0.0
        span = top - bottom
        return (bottom - (0.04 * span if bottom else 0.0), top + 0.04 * span) if span > 0 else (0.0, 1.0)
    values = [float(v) for c in curves for v in c.mean] + list(also)
    positive = [v for v in values if v > _NOTHING * max(top, 0.0)]
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
    axes.tick_params(which="both", color=PALE, labelcolor=INK, labelsize=TICK_TEXT, length=3)
    axes.tick_params(which="minor", length=1.5)
    axes.grid(which="major", color="#e6e6e6", lw=0.6, zorder=0)
    axes.set_axisbelow(True)
    if logarithmic:
        logarithmic_ticks(axes.xaxis, axes.get_xlim(), 2.2)
        logarithmic_ticks(axes.yaxis, axes.get_ylim(), 2.8)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(tick))


def logarithmic_ticks(axis: Any, limits: tuple[float, float], detailed: float) -> None:
    """Put ticks where they are few: at 1, 2 and 5 on up to so many decades, else at some powers of ten."""
    decades = np.log10(limits[1] / limits[0])
    subs: tuple[int, ...] = (1, 2, 5) if decades < detailed else (1,)
    step = max(1, round(decades / 5))
    axis.set_major_locator(LogLocator(10 ** (step if subs == (1,) else 1), subs=subs, numticks=20))
    axis.set_minor_locator(LogLocator(10, subs=tuple(range(2, 10)) if decades < 7 else (1,), numticks=50))
    axis.set_minor_formatter(NullFormatter())


def name(curve: Curve, last: float, width: int = 32) -> str:
    """Return what is written at a curve's end: its label, in several lines if it is long, and its final value."""
    return f"{label_lines(curve.label, width)}  {final(curve, last)}"


def final(curve: Curve, last: float) -> str:
    """Return the final value of a curve, and when that was if other curves go on."""
    when = f" at {tick(float(curve.rounds[-1]))}" if curve.rounds[-1] < last else ""
    if abs(curve.end) < 1e-12:
        return "0" + when
    if curve.end < 0:
        return number(curve.end).replace("-", "\N{MINUS SIGN}") + when
    return short_number(curve.end) + when


def name_sizes(texts: Sequence[str]) -> list[float]:
    """Return how high the names of curves are, in inches."""
    return [_LINE * (1 + text.count("\n")) + 0.03 for text in texts]


def name_curves(
    page: Page,
    axes: Axes,
    curves: Sequence[Curve],
    texts: Sequence[str],
    sizes: Sequence[float],
    column: float,
    gap: float = 0.03,
) -> None:
    """Write the names of curves on logarithmic axes in a column, each as near to its curve's end as can be.

    A line leads from the edge of the panel to each name, after a gap.
    """
    box = axes.get_position()
    bottom, top, left, edge = (page.size[k] * v for k, v in ((1, box.y0), (1, box.y1), (0, box.x0), (0, box.x1)))
    seen = [curve.end >= axes.get_ylim()[0] for curve in curves]
    ends = [
        bottom + (top - bottom) * (_share(curve.end, axes.get_ylim()) if there else 0.0)
        for curve, there in zip(curves, seen, strict=True)
    ]
    places = spread(ends, sizes, bottom - 0.06, top + 0.06)
    for curve, text, end, place, there in zip(curves, texts, ends, places, seen, strict=True):
        if there:
            stop = left + (edge - left) * _share(float(curve.rounds[-1]), axes.get_xlim())
            if stop < edge - 0.05 and curve.rounds.size > 1:
                axes.plot(curve.rounds[-1], curve.end, "o", color=curve.color, ms=3.2, zorder=3.9)
                page.line([(stop, end), (edge, end)], color=curve.color, lw=0.7, ls=(0, (1, 2)))
            spots = [(edge + gap, end), (edge + gap + 0.07, end), (column - 0.1, place), (column - 0.04, place)]
            page.line(spots, color=curve.color, lw=0.7, alpha=0.75)
        page.write((column, place), text, TEXT, dark(curve.color), va="center")


def _share(value: float, limits: tuple[float, float]) -> float:
    """Return where a value is between the ends of a logarithmic axis."""
    return float(np.log(value / limits[0]) / np.log(limits[1] / limits[0]))
