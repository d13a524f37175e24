"""The figure of a game with two outcomes: expected losses over the segment of laws, and the cells below."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator

from sidelight.analysis import Analysis
from sidelight.report.figures.colors import (
    FAINT,
    INK,
    PALE,
    border_style_in_figure,
    fill_color_and_hatch,
    line_color_of_rank,
)
from sidelight.report.figures.games.cells import corners_of_drawn_cell
from sidelight.report.figures.labels import (
    action_labels_in_figure,
    fraction_in_figure,
    outcome_label_in_figure,
    wrap_figure_label,
)
from sidelight.report.figures.layout import format_axis_tick

_STRIP = 0.07  # of the height
_APART = 0.06  # of the width, between two numbers below the axis
_MOST_NAMED = 40


class _DrawnLossLine(NamedTuple):
    """The expected loss of an action as the second outcome becomes more likely."""

    action: int
    label: str
    status: str
    losses: tuple[float, float]
    cell: tuple[Fraction, ...]
    """The probabilities of the second outcome at which the action is best: none, one or two ends."""

    def at(self, probability: Fraction) -> float:
        return self.losses[0] + (self.losses[1] - self.losses[0]) * float(probability)


def draw_two_outcome_figure(axes: Axes, analysis: Analysis) -> tuple[list[Any], str]:
    """Draw a game of two outcomes; return the samples of its key, and a note."""
    lines = _loss_lines_of_figure(analysis)
    cells = sorted((line for line in lines if line.status == "pareto"), key=lambda line: line.cell)
    losses = [loss for line in lines for loss in line.losses]
    size = max(losses) - min(losses) or 1.0
    axes.set(xlim=(0, 1), ylim=(min(losses) - 2.5 * _STRIP * size, max(losses) + 0.06 * size), ylabel="expected loss")
    axes.grid(False)
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.yaxis.set_major_formatter(FuncFormatter(format_axis_tick))
    first, second = (outcome_label_in_figure(analysis.game, outcome) for outcome in (0, 1))
    axes.set_xlabel(wrap_figure_label(f"probability of {second} (0 means always {first}, 1 always {second})", 90))
    _draw_probabilities(axes, sorted({Fraction(0), Fraction(1), *(end for line in lines for end in line.cell)}))
    samples = [_draw_loss_line(axes, line, cells) for line in [*cells, *(line for line in lines if line not in cells)]]
    for left, right in pairwise(cells):
        style, x = border_style_in_figure(analysis, left.action, right.action), float(right.cell[0])
        axes.axvline(x, color=style.color, ls=style.dashes, lw=1.6, zorder=5)
        if style.crossed:
            axes.plot(x, _STRIP / 2, "x", color=style.color, ms=7, mew=2, transform=axes.get_xaxis_transform())
    best = Line2D([], [], color=FAINT, lw=3.8, label="least expected loss")
    if len(samples) <= _MOST_NAMED:
        return [*samples, best], ""
    named = [sample for sample in samples if not str(sample.get_label()).endswith("(dominated)")]
    return [*named, best], f"{len(samples) - len(named)} dominated actions are drawn without their names."


def _loss_lines_of_figure(analysis: Analysis) -> list[_DrawnLossLine]:
    found = []
    for action, label in action_labels_in_figure(analysis).items():
        first, second = analysis.game.loss[action]
        ends = tuple(sorted(corner[1] for corner in corners_of_drawn_cell(analysis.game, action)))
        found.append(_DrawnLossLine(action, label, analysis.status(action), (float(first), float(second)), ends))
    return found


def _draw_loss_line(axes: Axes, line: _DrawnLossLine, cells: list[_DrawnLossLine]) -> Line2D:
    """Draw the line of an action, thick where it is the lowest, and its cell; return its sample for the key."""
    if line.status != "pareto":
        color, dashes = (FAINT, "dashdot") if line.status == "degenerate" else (PALE, "solid")
        for end in line.cell:
            axes.plot(float(end), line.at(end), "o", ms=6.5, mfc="white", mec=INK, mew=1.2, zorder=6)
        return axes.plot((0, 1), line.losses, color=color, ls=dashes, lw=1.1, label=f"{line.label} ({line.status})")[0]
    rank = cells.index(line)
    ends = [float(end) for end in line.cell]
    face, hatch = fill_color_and_hatch(rank)
    dashes = "dashed" if hatch else "solid"  # where hues run out
    axes.axvspan(ends[0], ends[-1], 0, _STRIP, fc=face, ec="white", hatch=hatch)
    axes.plot(ends, [line.at(end) for end in line.cell], color=line_color_of_rank(rank), lw=3.8, zorder=4)
    return axes.plot(
        (0, 1), line.losses, color=line_color_of_rank(rank), ls=dashes, lw=1.4, zorder=3, label=line.label
    )[0]


def _draw_probabilities(axes: Axes, breaks: list[Fraction]) -> None:
    """Write the probabilities at which cells end, but for those that are too near to others."""
    shown = [Fraction(0)]
    for each in breaks:
        if each - shown[-1] >= _APART and 1 - each >= _APART:
            shown.append(each)
    shown.append(Fraction(1))
    axes.set_xticks([float(each) for each in shown], [fraction_in_figure(each) for each in shown])
    axes.tick_params(axis="x", rotation=90 if len(shown) > 8 else 0)
