"""Charts as inline SVG; the colors come from the style sheet, so they work in light and dark mode."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from sidelight.text import thousands

_STRIP_WIDTH, _STRIP_HEIGHT = 208.0, 22.0
_SPARK_WIDTH, _SPARK_HEIGHT = 120.0, 30.0
_WIDTH, _HEIGHT = 720.0, 250.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 60.0, 12.0, 12.0, 28.0
_NICE = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
_MOST_POINTS, _SPARK_POINTS = 400, 24


class Point(NamedTuple):
    """What was known about an error rate at one moment."""

    at: float
    """The position on the axis: number of answers, or seconds since 1970."""
    low: float
    high: float
    estimate: float | None


def nice_axis_limit(value: float, most: float = math.inf) -> float:
    """Return a round number that is at least the value, but not more than `most`."""
    if value <= 0.0:
        return min(1.0, most)
    power = 10.0 ** math.floor(math.log10(value))
    return min(most, next(step * power for step in _NICE if step * power >= value * (1.0 - 1e-9)))


def common_axis_limit(tolerances: Iterable[float], estimates: Iterable[float | None]) -> float:
    """Return the end of the error rate axis, chosen so that tolerances and estimates of all classes can be compared."""
    known = [one for one in estimates if one is not None]
    return nice_axis_limit(max([3.0 * one for one in tolerances] + [1.2 * one for one in known], default=1.0), 1.0)


def page_percent(rate: float | None) -> str:
    """Return a rate as text: 4.2 %, 0.13 %, 100 %."""
    if rate is None:
        return "–"
    value = 100.0 * rate
    text = f"{value:.1f}".removesuffix(".0") if value >= 1.0 else f"{value:.2g}"
    return f"{text} %"


def draw_interval_strip(
    interval: tuple[float, float], estimate: float | None, tolerance: float, verdict: str, limit: float
) -> Markup:
    """Return one line with the interval of a class, its estimate and its tolerance on the common axis."""
    scale = (_STRIP_WIDTH - 12.0) / limit
    low, high = (6.0 + min(end, limit) * scale for end in interval)
    middle, wide = _STRIP_HEIGHT / 2.0, max(2.0, high - low)
    label = (
        f"between {page_percent(interval[0])} and {page_percent(interval[1])}, estimate {page_percent(estimate)}, "
        f"tolerance {page_percent(tolerance)}"
    )
    mark = 6.0 + min(tolerance, limit) * scale
    parts = [
        f'<line class="track" x1="6" x2="{_STRIP_WIDTH - 6:g}" y1="{middle:g}" y2="{middle:g}"/>',
        f'<rect class="range ink-{verdict}" x="{low:.1f}" y="6" width="{wide:.1f}" height="10" rx="5"/>',
        f'<line class="tolerance" x1="{mark:.1f}" x2="{mark:.1f}" y1="1" y2="21"/>',
    ]
    if estimate is not None:
        center = 6.0 + min(estimate, limit) * scale
        parts.append(f'<circle class="dot ink-{verdict}" cx="{center:.1f}" cy="{middle:g}" r="4"/>')
    return _wrap_svg_chart("strip", _STRIP_WIDTH, _STRIP_HEIGHT, label, parts)


def draw_interval_sparkline(points: Sequence[Point], tolerance: float, verdict: str) -> Markup:
    """Return a small chart, for tables, of how an interval has narrowed."""
    points = thin_chart_points(points, _SPARK_POINTS)
    if len(points) < 2:
        return Markup("")
    frame = _ChartFrame(points, tolerance, 1.0, _SPARK_WIDTH - 1.0, 2.0, _SPARK_HEIGHT - 2.0)
    parts = frame.curve(points, tolerance, verdict)
    return _wrap_svg_chart("spark", _SPARK_WIDTH, _SPARK_HEIGHT, "interval over time", parts)


def draw_history_chart(points: Sequence[Point], tolerance: float, verdict: str, unit: str = "answers") -> Markup:
    """Return the interval of one class over its answers, with axes."""
    if len(points) < 2:
        return Markup("")
    frame = _ChartFrame(points, tolerance, _LEFT, _WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM)
    ends = _draw_axis_ends_of_chart(thousands(round(points[0].at)), f"{thousands(round(points[-1].at))} {unit}")
    parts = [*_draw_rate_axis_of_chart(frame), *frame.curve(points, tolerance, verdict), *ends]
    now = points[-1]
    rates = f"{page_percent(now.low)} to {page_percent(now.high)}"
    label = f"interval over {unit}, now {rates}, tolerance {page_percent(tolerance)}"
    return _wrap_svg_chart("chart", _WIDTH, _HEIGHT, label, parts)


def draw_stacked_chart(counts: Sequence[tuple[str, float, float]], names: tuple[str, str]) -> Markup:
    """Return a chart of columns in two parts, the lower one first."""
    if not counts:
        return Markup("")
    most = nice_axis_limit(max(max(one + other for _, one, other in counts), 1.0))
    step = (_WIDTH - _LEFT - _RIGHT) / len(counts)
    floor, height = _HEIGHT - _BOTTOM, _HEIGHT - _BOTTOM - _TOP
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = floor - share * height
        parts.append(f'<line class="grid" x1="{_LEFT:g}" x2="{_WIDTH - _RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="{_LEFT - 6:g}" y="{y + 4:.1f}" text-anchor="end">{_chart_axis_number(share * most)}</text>'
        )
    width = max(1.0, step - min(4.0, step / 4.0))
    for place, (when, lower, upper) in enumerate(counts):
        x = _LEFT + place * step + (step - width) / 2.0
        tall, taller = lower / most * height, (lower + upper) / most * height
        title = f"<title>{escape(when)}: {lower:g} {escape(names[0])}, {upper:g} {escape(names[1])}</title>"
        parts.append(
            f'<g>{title}<rect class="saved" x="{x:.1f}" y="{floor - taller:.1f}" width="{width:.1f}" '
            f'height="{taller - tall:.1f}"/><rect class="spent" x="{x:.1f}" y="{floor - tall:.1f}" width="{width:.1f}" '
            f'height="{tall:.1f}"/></g>'
        )
    parts.extend(_draw_axis_ends_of_chart(counts[0][0], counts[-1][0] if len(counts) > 1 else ""))
    label = f"{names[0]} and {names[1]}, {counts[0][0]} to {counts[-1][0]}"
    return _wrap_svg_chart("chart", _WIDTH, _HEIGHT, label, parts)


def draw_budget_meter(share: float, label: str) -> Markup:
    """Return a bar that shows how much of something is used up."""
    kind = "full" if share >= 1.0 else "fill"
    width = 200.0 * min(1.0, max(0.0, share))
    parts = [
        '<rect class="track" width="200" height="6" rx="3"/>',
        f'<rect class="{kind}" width="{width:.1f}" height="6" rx="3"/>',
    ]
    return _wrap_svg_chart("meter", 200.0, 6.0, label, parts, stretch=True)


class _ChartFrame:
    """The rectangle that a curve is drawn in; its axis fits the later part of the curve, not the beginning."""

    def __init__(
        self, points: Sequence[Point], tolerance: float, left: float, right: float, top: float, bottom: float
    ) -> None:
        late = points[len(points) // 3 :]
        self.limit = nice_axis_limit(max(2.0 * tolerance, 1.1 * max(one.high for one in late[len(late) // 2 :])), 1.0)
        self.first, self.left, self.right, self.bottom = points[0].at, left, right, bottom
        self._across = (right - left) / max(points[-1].at - self.first, 1e-9)
        self._up = (bottom - top) / self.limit

    def x(self, at: float) -> float:
        return self.left + (at - self.first) * self._across

    def y(self, rate: float) -> float:
        return self.bottom - min(rate, self.limit) * self._up

    def curve(self, points: Sequence[Point], tolerance: float, verdict: str) -> list[str]:
        """Return the band between the ends of the interval, the line of the estimate, and that of the tolerance."""
        some, y = thin_chart_points(points), self.y(tolerance)
        upper = [f"{self.x(one.at):.1f},{self.y(one.high):.1f}" for one in some]
        lower = [f"{self.x(one.at):.1f},{self.y(one.low):.1f}" for one in reversed(some)]
        line = [f"{self.x(one.at):.1f},{self.y(one.estimate):.1f}" for one in some if one.estimate is not None]
        return [
            f'<polygon class="band ink-{verdict}" points="{" ".join(upper + lower)}"/>',
            f'<polyline class="line ink-{verdict}" fill="none" points="{" ".join(line)}"/>',
            f'<line class="tolerance" x1="{self.left:g}" x2="{self.right:g}" y1="{y:.1f}" y2="{y:.1f}"/>',
        ]


def thin_chart_points(points: Sequence[Point], most: int = _MOST_POINTS) -> list[Point]:
    """Return at most `most` points, evenly chosen, including the first and the last."""
    if len(points) <= most:
        return list(points)
    return [points[round(place * (len(points) - 1) / (most - 1))] for place in range(most)]


def _draw_rate_axis_of_chart(frame: _ChartFrame) -> list[str]:
    parts = []
    for place in range(5):
        rate = frame.limit * place / 4.0
        y = frame.y(rate)
        parts.append(f'<line class="grid" x1="{_LEFT:g}" x2="{_WIDTH - _RIGHT:g}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{_LEFT - 6:g}" y="{y + 4:.1f}" text-anchor="end">{100.0 * rate:g} %</text>')
    return parts


def _draw_axis_ends_of_chart(first: str, last: str) -> list[str]:
    y = _HEIGHT - 8.0
    return [
        f'<text x="{_LEFT:g}" y="{y:g}">{escape(first)}</text>',
        f'<text x="{_WIDTH - _RIGHT:g}" y="{y:g}" text-anchor="end">{escape(last)}</text>',
    ]


def _chart_axis_number(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


def _wrap_svg_chart(
    kind: str, width: float, height: float, label: str, parts: Iterable[str], stretch: bool = False
) -> Markup:
    ratio = "none" if stretch else "xMinYMid"
    return Markup(
        f'<svg class="{kind}" viewBox="0 0 {width:g} {height:g}" preserveAspectRatio="{ratio}" role="img"'
        f' aria-label="{escape(label)}">'
        f"{''.join(parts)}</svg>"
    )
