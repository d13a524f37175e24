"""What games are compared by."""

from __future__ import annotations

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix, signal_indices
from sidelight.recommendation.records import GameFacts, digest


def game_facts(label: str, name: str, game: Game) -> GameFacts:
    """Return what games are compared by."""
    analysis = analyze(game)
    sizes = (game.n_actions, game.n_outcomes, len(analysis.neighbors))
    content = {"loss": [list(map(str, row)) for row in game.loss], "signals": signal_indices(game).tolist()}
    return GameFacts(label, name, analysis.kind, *sizes, round(span_of(game), 6), digest(content)[:16])


def span_of(game: Game) -> float:
    """Return the largest loss minus the smallest, among the actions that can be optimal."""
    loss = loss_matrix(game)[list(analyze(game).pareto)]
    return float(loss.max() - loss.min())
