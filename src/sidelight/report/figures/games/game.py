"""The figure of a game: its cells if they can be drawn, else the graph of neighbors."""

from __future__ import annotations

from collections.abc import Callable

from matplotlib import style
from matplotlib.figure import Figure

from sidelight.analysis import Analysis
from sidelight.report.figures.canvas import Canvas
from sidelight.report.figures.games.neighbor_graph import draw_neighbor_graph
from sidelight.report.figures.games.segment import draw_segment
from sidelight.report.figures.games.triangle import draw_triangle

_BY_OUTCOMES: dict[int, Callable[[Canvas, Analysis], None]] = {2: draw_segment, 3: draw_triangle}


def draw_game(analysis: Analysis) -> Figure:
    """Return a figure of the game that was analyzed.

    With two outcomes it shows the expected losses over the segment of laws and the cells below them; with three the
    triangle of laws and its cells; with one or with more than three, the graph of neighbors. How a border or an edge
    is drawn says whether the feedback can tell the two actions apart, and whether locally.

    The figure belongs to no window or global state: save it with its own `savefig`, or with `save_figure`, which
    writes the same bytes for the same game.
    """
    with style.context("default"):  # whatever the user's settings: labels are measured for these
        canvas = Canvas()
        _BY_OUTCOMES.get(analysis.game.n_outcomes, draw_neighbor_graph)(canvas, analysis)
        return canvas.finish()
