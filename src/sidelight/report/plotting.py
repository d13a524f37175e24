"""Draw games and results for their `plot` methods."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sidelight.analysis import Analysis, analyze
from sidelight.game import Game
from sidelight.report.figures.saving import require_matplotlib, return_or_save_figure
from sidelight.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Path = str | os.PathLike[str] | None


def plot_analyzed_game(game: Game | Analysis, path: Path = None) -> Figure:
    """Draw the cells of a game, or, where they cannot be drawn, the graph of neighbors."""
    require_matplotlib()
    from sidelight.report.figures.games.game import draw_game_figure

    return return_or_save_figure(draw_game_figure(analyze(game) if isinstance(game, Game) else game), path)


def plot_results(
    results: Sequence[Results], path: Path = None, limit: Any = None, size: tuple[float, float] | None = None
) -> Figure:
    """Draw mean regrets over time."""
    require_matplotlib()
    from sidelight.report.figures.regret import draw_regret_figure

    return return_or_save_figure(draw_regret_figure(results, limit=limit, size=size), path)
