"""The figure of a game with two outcomes: expected losses over the segment of laws, and the cells below."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from matplotlib.ticker import MaxNLocator

from sidelight.analysis import Analysis
from sidelight.report.figures.canvas import Canvas, Spot, measure
from sidelight.report.figures.colors import FAINT, INK, PALE, border_style, fill, line_color, text_background
from sidelight.report.figures.games.cells import cell
from sidelight.report.figures.games.title_and_legend import draw_legend, draw_title
from sidelight.report.figures.labels import action_labels, number, outcome_label, spread, wrapped_label

_STRIP = 0.36
_SMALL = 8.0
_MOST_NAMED = 40


class _Line(NamedTuple):
    """The expected loss of an action as the second outcome becomes more likely."""

    action: int
    label: str
    status: str
    losses: tuple[float, float]
    cell: tuple[Fraction, ...]  # probabilities of the second outcome at which the action is best: none, one or two ends

    def at(self, probability: Fraction) -> float:
        return float(self.losses[0] + (self.losses[1] - self.losses[0]) * float(probability))


class _Plot(NamedTuple):
    """Where probabilities and losses lie on the canvas."""

    width: float
    height: float
    low: float
    high: float

    def x(self, probability: Fraction) -> float:
        return float(probability) * self.width

    def y(self, loss: float) -> float:
        return (loss - self.low) / (self.high - self.low) * self.height


def draw_segment(canvas: Canvas, analysis: Analysis) -> None:
    """Draw a game of two outcomes."""
    lines = _lines(analysis)
    losses = [loss for line in lines for loss in line.losses]
    margin = 0.06 * (max(losses) - min(losses)) or 1.0
    cells = sorted((line for line in lines if line.status == "pareto"), key=lambda line: line.cell)
    named = lines if len(lines) <= _MOST_NAMED else [line for line in lines if line.status != "dominated"]
    width, height = min(max(5.0, 0.32 * len(cells)), 10.0), max(2.7, 0.19 * len(named))
    plot = _Plot(width, height, min(losses) - margin, max(losses) + margin)
    breaks = sorted({Fraction(0), Fraction(1), *(end for line in lines for end in line.cell)})
    _draw_axes(canvas, plot)
    _draw_lines(canvas, plot, lines, [line.action for line in cells])
    _name_lines(canvas, plot, named)
    top = _draw_probabilities(canvas, plot, breaks)
    bottom = _draw_cells(canvas, plot, cells, top)
    _draw_borders(canvas, analysis, plot, cells, top)
    _draw_ends(canvas, analysis, plot.width, bottom)
    draw_title(canvas, analysis)
    marks = [("thick", "least expected loss")]
    if any(line.status == "degenerate" for line in lines):
        marks.append(("touch", "degenerate: best at one point only"))
    unnamed = len(lines) - len(named)
    draw_legend(
        canvas, analysis, marks, f"{unnamed} dominated actions are drawn without their names." if unnamed else ""
    )


def _lines(analysis: Analysis) -> list[_Line]:
    labels = action_labels(analysis)
    lines = []
    for action, label in labels.items():
        first, second = analysis.game.loss[action]
        ends = tuple(sorted(corner[1] for corner in cell(analysis.game, action)))
        lines.append(_Line(action, label, analysis.status(action), (float(first), float(second)), ends))
    return lines


def _draw_axes(canvas: Canvas, plot: _Plot) -> None:
    canvas.line([(0, plot.height), (0, 0), (plot.width, 0)], color=PALE, lw=0.8, zorder=1)
    left = 0.0
    for tick in MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(plot.low, plot.high):
        if plot.low <= tick <= plot.high:
            canvas.line([(-0.05, plot.y(tick)), (0, plot.y(tick))], color=PALE, lw=0.8)
            box = canvas.text((-0.1, plot.y(tick)), f"{tick:.6g}", size=_SMALL, ha="right", color=FAINT)
            left = min(left, box.left)
    canvas.text((left - 0.14, plot.height / 2), "expected loss", rotation=90, color=FAINT, ha="right")


def _draw_lines(canvas: Canvas, plot: _Plot, lines: list[_Line], ranked: list[int]) -> None:
    """Draw all lines, the lower envelope thick, and a ring where a degenerate action touches it."""
    for line in lines:
        ends = [(0.0, plot.y(line.losses[0])), (plot.width, plot.y(line.losses[1]))]
        if line.status != "pareto":
            color, dashes = (FAINT, (0, (6, 2, 1, 2))) if line.status == "degenerate" else (PALE, "solid")
            canvas.line(ends, color=color, ls=dashes, lw=1.1, zorder=2)
            continue
        color = line_color(ranked.index(line.action))
        canvas.line(ends, color=color, lw=1.2, zorder=3)
        best = [(plot.x(end), plot.y(line.at(end))) for end in line.cell]
        canvas.line(best, color=color, lw=3.8, zorder=4)
    for line in lines:
        if line.status == "degenerate":
            spot = (plot.x(line.cell[0]), plot.y(line.at(line.cell[0])))
            canvas.line([spot], marker="o", ms=6.5, mfc="white", mec=INK, mew=1.2, ls="none", zorder=6)


def _name_lines(canvas: Canvas, plot: _Plot, lines: list[_Line]) -> None:
    """Write each action's name at the right end of its line, moved up or down where they would meet."""
    wanted = [plot.y(line.losses[1]) for line in lines]
    # Equal ends are told apart by the slope: what comes down from above stays above.
    order = sorted(range(len(lines)), key=lambda n: (wanted[n], lines[n].losses[0], n))
    nudged = [wanted[n] + 1e-9 * order.index(n) for n in range(len(lines))]
    for line, end, y in zip(lines, wanted, spread(nudged, [0.18] * len(lines), 0, plot.height), strict=True):
        moved = abs(end - y) > 0.02
        start = plot.width + (0.3 if moved else 0.08)
        if moved:
            elbow = [(plot.width + 0.03, end), (plot.width + 0.08, end), (start - 0.09, y), (start - 0.04, y)]
            canvas.line(elbow, color=PALE, lw=0.7)
        text = line.label if line.status == "pareto" else f"{line.label} ({line.status})"
        canvas.text((start, y), text, ha="left", va="center_baseline", color=INK if line.status == "pareto" else FAINT)


def _draw_probabilities(canvas: Canvas, plot: _Plot, breaks: list[Fraction]) -> float:
    """Write the probabilities at which cells end between the plot and the strip; return where the strip begins."""
    texts = [number(value) for value in breaks]
    widths, heights = zip(*(measure(text, _SMALL) for text in texts), strict=True)
    upright = sum(widths) + 0.1 * len(widths) > plot.width + 0.4
    sizes = [
        (height if upright else width) + (0.04 if upright else 0.1)
        for width, height in zip(widths, heights, strict=True)
    ]
    centers = spread([plot.x(value) for value in breaks], sizes, -0.3, plot.width + 0.3)
    room: float = max(widths if upright else heights)
    lead = 0.12 if max(abs(plot.x(v) - c) for v, c in zip(breaks, centers, strict=True)) < 0.02 else 0.2
    middle = -lead - room / 2
    for value, center, text in zip(breaks, centers, texts, strict=True):
        x = plot.x(value)
        for edge, away in ((-0.0, -1), (-2 * lead - room, 1)):
            canvas.line([(x, edge), (x, edge + away * 0.03), (center, edge + away * (lead - 0.03))], color=PALE, lw=0.8)
        canvas.text((center, middle), text, size=_SMALL, rotation=90 if upright else 0)
    return -2 * lead - room


def _draw_cells(canvas: Canvas, plot: _Plot, cells: list[_Line], top: float) -> float:
    """Draw the strip of cells with the names inside, or below with a leader; return how far down that reaches."""
    inside, outside = [], []
    for rank, line in enumerate(cells):
        left, right = plot.x(line.cell[0]), plot.x(line.cell[-1])
        color, hatch = fill(rank)
        corners = [(left, top), (right, top), (right, top - _STRIP), (left, top - _STRIP)]
        canvas.area(corners, fc=color, ec="white", lw=0.8, hatch=hatch)
        middle = ((left + right) / 2, top - _STRIP / 2)
        fitting = [size for size in (9, 8, 7.5) if measure(line.label, size)[0] + 0.14 <= right - left]
        if fitting:
            inside.append((middle, line.label, fitting[0], text_background(color, hatch)))
        else:
            outside.append((middle, line.label))
    size = min((size for _, _, size, _ in inside), default=9)
    for middle, label, _, background in inside:
        canvas.text(middle, label, size=size, va="center_baseline", bbox=background)
    return _name_below(canvas, plot, outside, top - _STRIP)


def _name_below(canvas: Canvas, plot: _Plot, outside: list[tuple[Spot, str]], bottom: float) -> float:
    """Write the names that found no room inside their cells; return where the lowest of them ends."""
    if not outside:
        return bottom
    texts = [wrapped_label(label) for _, label in outside]
    widths, heights = zip(*(measure(text, _SMALL) for text in texts), strict=True)
    upright = sum(widths) + 0.12 * len(widths) > plot.width + 0.4
    sizes = [
        (height if upright else width) + (0.05 if upright else 0.12)
        for width, height in zip(widths, heights, strict=True)
    ]
    centers = spread([x for (x, _), _ in outside], sizes, -0.3, plot.width + 0.3)
    lowest = bottom
    for ((x, y), _), center, text in zip(outside, centers, texts, strict=True):
        canvas.line([(x, y), (x, bottom - 0.04), (center, bottom - 0.2)], color=FAINT, lw=0.7, zorder=5)
        canvas.line([(x, y)], marker="o", ms=2.2, color=INK, ls="none", zorder=5)
        box = canvas.text((center, bottom - 0.22), text, size=_SMALL, va="top", rotation=90 if upright else 0)
        lowest = min(lowest, box.bottom)
    return lowest


def _draw_borders(canvas: Canvas, analysis: Analysis, plot: _Plot, cells: list[_Line], top: float) -> None:
    """Draw the points where neighboring cells meet, in a style that shows how the pair can be observed."""
    for left, right in pairwise(cells):
        style = border_style(analysis, left.action, right.action)
        x, height = plot.x(right.cell[0]), plot.y(right.at(right.cell[0]))
        canvas.line([(x, top + 0.05), (x, top - _STRIP - 0.05)], color="white", lw=4.5, zorder=4, solid_capstyle="butt")
        canvas.line([(x, top + 0.05), (x, top - _STRIP - 0.05)], color=style.color, ls=style.dashes, lw=2.2, zorder=5)
        canvas.line([(x, height), (x, 0)], color=style.color, ls=style.dashes, lw=1.0, zorder=2)
        if style.crossed:
            canvas.cross((x, top - _STRIP / 2))


def _draw_ends(canvas: Canvas, analysis: Analysis, width: float, bottom: float) -> None:
    """Label the ends of the segment, where one outcome is certain, and the axis between them."""
    first, second = (outcome_label(analysis.game, outcome) for outcome in (0, 1))
    y = bottom - 0.2
    left = canvas.text((0, y), f"always {first}", ha="left", va="top", color=FAINT)
    right = canvas.text((width, y), f"always {second}", ha="right", va="top", color=FAINT)
    middle = f"probability of {second}"
    half = measure(middle)[0] / 2 + 0.2
    tight = left.right > width / 2 - half or right.left < width / 2 + half
    canvas.text((width / 2, y - (0.2 if tight else 0)), middle, va="top")
