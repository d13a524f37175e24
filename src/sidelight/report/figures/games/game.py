"""The figure of a game: its cells if they can be drawn, else the graph of neighbors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sidelight.analysis import Analysis
from sidelight.report.figures import layout
from sidelight.report.figures.colors import BORDERS, border_style_in_figure
from sidelight.report.figures.games.neighbor_graph import draw_neighbor_graph
from sidelight.report.figures.games.segment import draw_two_outcome_figure
from sidelight.report.figures.games.triangle import draw_three_outcome_triangle
from sidelight.text import count

Drawing = tuple[list[Any], str]
"""The samples of the actions for the key, and a note."""
_BY_OUTCOMES: dict[int, Callable[[Axes, Analysis], Drawing]] = {
    2: draw_two_outcome_figure,
    3: draw_three_outcome_triangle,
}
_REGRET = {
    "trivial": "no regret at all",
    "easy": "minimax regret of order √T",
    "hard": "minimax regret of order T^(2/3)",
    "hopeless": "regret linear in T",
}


def draw_game_figure(analysis: Analysis) -> Figure:
    """Return a figure of the game that was analyzed.

    With two outcomes it shows the expected losses over the segment of laws and the cells below them; with three the
    triangle of laws and its cells; with one or with more than three, the graph of neighbors. How a border or an edge
    is drawn says whether the feedback can tell the two actions apart, and whether locally.

    The figure belongs to no window or global state: save it with its own `savefig`, or with `save_figure`, which
    writes the same bytes for the same game.
    """
    game = analysis.game
    sizes = f"{count(game.n_actions, 'action')}, {count(game.n_outcomes, 'outcome')}"
    with style.context(["default", layout.SETTINGS]):
        figure, (axes,) = layout.make_figure_panels([""], 6.4, 4.4)
        samples, note = _BY_OUTCOMES.get(game.n_outcomes, draw_neighbor_graph)(axes, analysis)
        text = f"{analysis.kind}: {_REGRET[analysis.kind]} ({sizes}). {note}"
        return layout.finish_figure(figure, game.name or "A game", text.strip(), [*samples, *_border_samples(analysis)])


def _border_samples(analysis: Analysis) -> list[Line2D]:
    """Return a sample of each kind of border that occurs."""
    used = {border_style_in_figure(analysis, one, other) for one, other in analysis.neighbors}
    samples = []
    for each in BORDERS.values():
        look: dict[str, Any] = {"color": each.color, "ls": each.dashes, "lw": 2.0, "marker": "x" * each.crossed}
        samples += [Line2D([], [], label=f"border {each.meaning}", **look)] if each in used else []
    return samples
