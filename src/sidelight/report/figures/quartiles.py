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
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sidelight.kernels.arrays import Floats
from sidelight.report.figures import layout
from sidelight.report.figures.colors import CURVES, FAINT, INK, darken_figure_color, lighten_figure_color
from sidelight.report.figures.labels import drawable_line_of_text, shorten_figure_label
from sidelight.report.figures.layout import published_value_marker

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_LONGEST = 32  # characters of a name
_ROW = 0.2  # inches
_WIDE = 50.0  # the ratio of two numbers that a linear axis cannot show well


class Sample(NamedTuple):
    """One sample: the values of all runs, and a published median, drawn as a hollow diamond."""

    label: str
    values: Floats
    published: float | None = None


Cases = Mapping[str, Mapping[str, Sequence[Sample]]]
"""By the title of a panel and the title of a group in it: samples under the same conditions."""


def draw_quartiles(cases: Cases, title: str, subtitle: str, measured: str) -> Figure:
    """Draw the counts of several samples in all runs.

    Parameters
    ----------
    cases
        One panel each, in reading order. All share a horizontal axis, so that they can be compared.
    title, subtitle
        Written above and below all panels.
    measured
        What was counted, written under the horizontal axes.
    """
    samples = [sample for groups in cases.values() for group in groups.values() for sample in group]
    colors = {label: CURVES[k % len(CURVES)] for k, label in enumerate(dict.fromkeys(each.label for each in samples))}
    rows = max(sum(1 + len(group) for group in groups.values()) for groups in cases.values())
    with style.context(["default", layout.SETTINGS]):
        figure, grid = layout.make_figure_panels(list(cases), 5.0, _ROW * rows + 1.2)
        for axes, groups in zip(grid, cases.values(), strict=True):
            axes.set(ylim=(rows - 0.4, -0.6), xlabel=shorten_figure_label(drawable_line_of_text(measured), 60))
            _scale_quartile_axis(axes, samples)
            _draw_quartile_rows(axes, groups, colors)
        published = any(sample.published is not None for sample in samples)
        return layout.finish_figure(figure, title, subtitle, _key_of_quartile_figure(published))


def _draw_quartile_rows(axes: Axes, groups: Mapping[str, Sequence[Sample]], colors: Mapping[str, str]) -> None:
    """Draw the boxes of a panel, with names on the left and medians on the right."""
    rows = [row for title, group in groups.items() for row in [(title, None), *((each.label, each) for each in group)]]
    for place, (label, sample) in enumerate(rows):
        if sample is not None:
            _draw_quartile_box(axes, sample, place, colors[label])
    axes.grid(False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_yticks(
        range(len(rows)), [shorten_figure_label(drawable_line_of_text(label), _LONGEST) for label, _ in rows]
    )
    for text, (_, sample) in zip(axes.get_yticklabels(), rows, strict=True):
        text.set_fontweight("normal" if sample else "bold")
    medians = axes.secondary_yaxis("right")
    medians.set_yticks(range(len(rows)), [_format_drawn_median(sample) if sample else "" for _, sample in rows])
    medians.spines["right"].set_visible(False)
    for side in (axes, medians):
        side.tick_params(axis="y", length=0)


def _format_drawn_median(sample: Sample) -> str:
    """Write the median to three digits, or as a whole number if it has more."""
    value = float(np.median(sample.values))
    return layout.format_axis_tick(round(value) if abs(value) >= 999.5 else float(f"{value:.3g}"))


def _scale_quartile_axis(axes: Axes, samples: Sequence[Sample]) -> None:
    """Give a panel the axis that all panels share."""
    drawn = [float(value) for each in samples for value in np.quantile(each.values, _QUANTILES)]
    drawn += [sample.published for sample in samples if sample.published is not None]
    low, high = min(drawn), max(drawn)
    sizes = [abs(value) for value in drawn if value]
    if low > 0:
        slack = 1.3 if high > 1.5 * low else 3.0
        axes.set(xscale="log", xlim=(low / slack, high * slack))
        layout.logarithmic_axis_ticks(axes.xaxis, 1.9)
        return
    if sizes and max(sizes) > _WIDE * min(sizes):
        threshold = max(min(sizes), 1e-5 * max(sizes))
        axes.set_xscale("symlog", linthresh=threshold)
        axes.set_xlim(min(1.3 * low, -threshold), max(1.3 * high, threshold))
        axes.set_xticks([0.0, *(end for end in (low, high) if abs(end) > 10 * threshold)])
        axes.minorticks_off()
    else:
        slack = 0.08 * (high - low) or 1.0
        axes.set(xlim=(low - slack, high + slack))
        axes.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: layout.format_axis_tick(float(f"{value:.3g}"))))
    axes.axvline(0, color=FAINT, lw=0.7, zorder=2)


def _draw_quartile_box(axes: Axes, sample: Sample, y: float, color: str) -> None:
    """Draw quartiles, median and whiskers; the outline is seen even if all values agree."""
    keys = ("whislo", "q1", "med", "q3", "whishi")
    line: dict[str, Any] = {"color": darken_figure_color(color), "lw": 1.0, "solid_capstyle": "butt"}
    axes.bxp(
        [dict(zip(keys, np.quantile(sample.values, _QUANTILES), strict=True))],
        [y],
        widths=0.6,
        capwidths=0.3,
        orientation="horizontal",
        patch_artist=True,
        showfliers=False,
        manage_ticks=False,
        boxprops={"fc": lighten_figure_color(color), "ec": darken_figure_color(color), "lw": 0.9},
        medianprops={**line, "lw": 2.2},
        whiskerprops=line,
        capprops=line,
        zorder=4,
    )
    axes.axhline(y, color="#eeeeee", lw=0.6, zorder=1)
    if sample.published is not None:
        axes.plot(sample.published, y, zorder=6, **published_value_marker(INK))


def _key_of_quartile_figure(published: bool) -> list[Any]:
    """Explain the marks of a row."""
    samples: list[Any] = [
        Patch(fc=lighten_figure_color(FAINT), ec=FAINT, label="middle half of the runs"),
        Line2D([], [], color=FAINT, ls="none", marker="|", ms=9, mew=2.2, label="median, written at the right"),
        Line2D([], [], color=FAINT, lw=1.0, label="5 to 95 % of the runs"),
    ]
    return samples + ([Line2D([], [], label="published median", **published_value_marker(INK))] if published else [])
