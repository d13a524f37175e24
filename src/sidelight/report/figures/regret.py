"""Regret over time: mean regrets with their confidence bands in one or several panels.

A strategy looks the same in every panel, and the key below them says which is which: by name or, in a study of two
parameters, by what color and dashes mean.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sidelight.errors import ParameterError, SidelightError
from sidelight.report.figures import layout
from sidelight.report.figures.colors import CURVES, FAINT, INK, darken_figure_color
from sidelight.report.figures.curves import CONFIDENCE, FigureCurve, Mark, Panel, limit_curve, mean_curve_with_band
from sidelight.report.figures.labels import drawable_line_of_text
from sidelight.report.figures.layout import format_axis_tick, published_value_marker
from sidelight.report.results_table import make_table_labels_distinct, results_table_protocol
from sidelight.results import Results
from sidelight.results.text import results_game_words, results_regret_words

_DASHES: tuple[Any, ...] = ("solid", (0, (4.5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
_WIDEST, _NARROWEST = 2.6, 1.2  # points
_NOTHING = 1e-9  # of the largest regret: what sums of rounded numbers leave of zero


class _Look(NamedTuple):
    """How a curve is drawn."""

    color: str
    dashes: Any
    width: float


_LIMIT = _Look(INK, (0, (5, 2.5)), 1.2)


def draw_regret_figure(
    results: Sequence[Results],
    title: str | None = None,
    limit: Any = None,
    labels: Sequence[str] | None = None,
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw the mean regret of several strategies on linear and on logarithmic axes.

    Parameters
    ----------
    results
        What `simulate` returned, for one game; a result of one run has no band.
    title
        Instead of the game's name.
    limit
        A regret to compare the others with, drawn as a dashed line: a `FigureCurve`, or a pair of rounds and values.
    labels
        Names of the curves, instead of the strategies'.
    size
        For a paper: width and height in inches of a single panel with logarithmic axes, without a title.
    """
    if not results:
        raise SidelightError("there are no results to draw: give a list of one or more")
    names = make_table_labels_distinct([r.label for r in results]) if labels is None else labels
    curves = [mean_curve_with_band(name, r.rounds, r.regret) for name, r in zip(names, results, strict=True)]
    bound = None if limit is None else limit_curve(limit)
    panels = [Panel("Linear axes", curves, bound, logarithmic=False), Panel("Logarithmic axes", curves, bound)]
    what = ("mean " if any(r.n_runs > 1 for r in results) else "") + results_regret_words(results[0])
    if size is not None:
        return _draw_alone(Panel(title or "", curves, bound), _checked_size(size), what)
    return draw_regret_panels(panels, title or results_game_words(results[0]), _regret_subtitle(results), what)


def draw_regret_panels(panels: Sequence[Panel], title: str, subtitle: str, measured: str = "mean regret") -> Figure:
    """Draw the regret of several strategies in several settings.

    Parameters
    ----------
    panels
        The settings, in reading order.
    title, subtitle
        Written above and below all panels; the subtitle should say what the bands are.
    measured
        What the vertical axes show.
    """
    looks = _looks_of_regret_curves(panels)
    with style.context(["default", layout.SETTINGS]):
        figure, grid = layout.make_figure_panels([panel.title for panel in panels], 4.4, 2.9)
        for place, (axes, panel) in enumerate(zip(grid, panels, strict=True)):
            _fill_regret_panel(axes, panel, looks)
            axes.set_xlabel("round" if place >= len(panels) - 2 else "")
            axes.set_ylabel(drawable_line_of_text(measured) if place % 2 == 0 else "")
        return layout.finish_figure(figure, title, subtitle, [*_regret_key(panels, looks), *_mark_samples(panels)])


def _draw_alone(panel: Panel, size: tuple[float, float], measured: str) -> Figure:
    """Draw one panel with its key, of exactly this size in inches."""
    looks = _looks_of_regret_curves([panel])
    with style.context(["default", layout.SETTINGS]):
        figure, (axes,) = layout.make_figure_panels([panel.title], *size, least=0.0)
        _fill_regret_panel(axes, panel, looks)
        axes.set(xlabel="round", ylabel=drawable_line_of_text(measured))
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "constrained_layout not applied")
            try:
                return layout.finish_figure(figure, "", "", _regret_key([panel], looks), grows=False)
            except UserWarning:
                raise ParameterError(f"size is {size}: too small for what must be written; give more", "size") from None


def _checked_size(size: Any) -> tuple[float, float]:
    try:
        width, height = (float(each) for each in size)
    except (TypeError, ValueError):
        width = height = 0.0
    if not (2.0 <= width <= 40.0 and 1.5 <= height <= 40.0):
        raise ParameterError(f"size is {size!r}: give width and height in inches, from (2, 1.5) to (40, 40)", "size")
    return width, height


def _looks_of_regret_curves(panels: Sequence[Panel]) -> dict[str, _Look]:
    """Give each family a color and each member dashes, in order of appearance; where hues run out, dashes move on."""
    first: dict[str, FigureCurve] = {}
    for curve in (curve for panel in panels for curve in panel.curves):
        first.setdefault(curve.label, curve)
    families = list(dict.fromkeys(curve.family or label for label, curve in first.items()))
    members = list(dict.fromkeys(curve.member for curve in first.values()))
    looks = {}
    for rank, (label, curve) in enumerate(first.items()):
        family = families.index(curve.family or label)
        dashes = _DASHES[(family // len(CURVES) + members.index(curve.member)) % len(_DASHES)]
        # What is drawn first is wider, so that curves which coincide can be seen.
        width = _WIDEST - (_WIDEST - _NARROWEST) * rank / max(1, len(first) - 1)
        looks[label] = _Look(CURVES[family % len(CURVES)], dashes, width)
    return looks


def _fill_regret_panel(axes: Axes, panel: Panel, looks: Mapping[str, _Look]) -> None:
    """Draw curves, bands and published values, and give the axes their ticks."""
    styled = [(curve, looks[curve.label]) for curve in panel.curves]
    styled += [] if panel.limit is None else [(panel.limit, _LIMIT)]
    curves = [curve for curve, _ in styled]
    first, last = min(c.rounds[0] for c in curves), max(c.rounds[-1] for c in curves)
    low, high = _range_of_regret_axis(panel, curves)
    if panel.logarithmic:
        axes.set(xscale="log", yscale="log", ylim=(low, high))
        axes.set_xlim((first, last) if first < last else (first / 2, 2 * last))
        layout.logarithmic_axis_ticks(axes.xaxis, 2.2)
        layout.logarithmic_axis_ticks(axes.yaxis, 2.8)
        if all(curve.mean.max() < low for curve in curves):
            axes.text(0.5, 0.5, "never above zero", transform=axes.transAxes, ha="center", va="center", color=FAINT)
    else:
        axes.set(xlim=(0, last), ylim=(low, high))
        for axis, count in ((axes.xaxis, 4), (axes.yaxis, 5)):
            axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]))
            axis.set_major_formatter(FuncFormatter(format_axis_tick))
    band = 0.17 / max(1.0, (len(panel.curves) / 6) ** 1.5)
    for curve, look in styled:
        if panel.logarithmic:
            _draw_regret_curve(axes, curve, look, band, low)
        else:
            _draw_regret_curve(axes, _start_at_zero(curve), look, band, -np.inf)
    for curve, look in styled:
        if curve.mark is not None and curve.mark.mean >= low:
            _draw_published_mark(axes, curve.mark, darken_figure_color(look.color), low)


def _draw_regret_curve(axes: Axes, curve: FigureCurve, look: _Look, band: float, floor: float) -> None:
    """Draw a curve and its band; nothing below the floor, which logarithmic axes have."""
    if curve.low is not None and curve.high is not None:
        low, high = np.maximum(curve.low, floor), np.maximum(curve.high, floor)
        axes.fill_between(curve.rounds, low, high, color=look.color, alpha=band, lw=0, zorder=2, in_layout=False)
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
        zorder=3,
        clip_on=False,  # or a regret of zero is half hidden by the axis
        in_layout=False,
    )


def _draw_published_mark(axes: Axes, mark: Mark, color: str, floor: float) -> None:
    """Draw a published value; its error bar stays on the axes."""
    error = mark.error or 0.0
    below = min(error, mark.mean - floor)
    bar: dict[str, Any] = {"yerr": [[below], [error]], "elinewidth": 1.0, "capsize": 2.5} if error else {}
    axes.errorbar(mark.round, mark.mean, clip_on=False, zorder=5, **bar, **published_value_marker(color))


def _start_at_zero(curve: FigureCurve) -> FigureCurve:
    """Let a curve start at zero, like every regret."""
    return curve if curve.rounds.size == 1 else curve.mapped(lambda array: np.insert(array, 0, 0.0))


def _range_of_regret_axis(panel: Panel, curves: Sequence[FigureCurve]) -> tuple[float, float]:
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


def _regret_key(panels: Sequence[Panel], looks: Mapping[str, _Look]) -> list[Line2D]:
    """Explain colors and dashes: whose they are or, in a study of two parameters, what each of the two means."""
    limits = dict.fromkeys(panel.limit.label for panel in panels if panel.limit is not None)
    ends = [_line_sample(text, _LIMIT) for text in limits]
    curves = {curve.label: curve for panel in panels for curve in panel.curves}
    if not any(curve.member for curve in curves.values()):
        return [*(_line_sample(label, look) for label, look in looks.items()), *ends]
    colors = {curve.family: looks[curve.label]._replace(dashes="solid", width=3.5) for curve in curves.values()}
    dashes = {curve.member: looks[curve.label]._replace(color=FAINT) for curve in curves.values()}
    return [_line_sample(text, look) for text, look in [*colors.items(), *dashes.items()]] + ends


def _line_sample(text: str, look: _Look) -> Line2D:
    return Line2D([], [], color=look.color, lw=look.width, ls=look.dashes, label=text)


def _mark_samples(panels: Sequence[Panel]) -> list[Line2D]:
    """Return the key's entry for the marks of published values, if there are any."""
    marked = [(c, c.mark) for panel in panels for c in panel.curves if c.mark is not None and c.mark.mean > 0]
    if not marked:
        return []
    late = all(mark.round >= curve.rounds[-1] for curve, mark in marked)
    error = any(mark.error for _, mark in marked)
    text = "published value" + (" at the end" if late else "") + (" ± its standard error" if error else "")
    return [Line2D([], [], label=text, **published_value_marker(FAINT))]


def _regret_subtitle(results: Sequence[Results]) -> str:
    counts = sorted({r.n_runs for r in results})
    runs = f"{counts[0]} run{'' if counts == [1] else 's'}"
    if len(counts) > 1:
        runs = f"{counts[0]} to {counts[-1]} runs"
    protocols = list(dict.fromkeys(results_table_protocol(r) for r in results))
    seeds = list(dict.fromkeys(str(r.seed) for r in results))
    parts = [runs, *(protocols if len(protocols) == 1 else [])]
    parts += [f"seed {seeds[0]}"] if len(seeds) == 1 and seeds[0] != "None" and len(seeds[0]) < 24 else []
    band = f"bands hold the mean with {100 * CONFIDENCE:.0f} % confidence"
    return ", ".join(parts) + (f"; {band}" if counts[-1] > 1 else "")
