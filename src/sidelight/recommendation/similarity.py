"""Which games of the benchmark are most like a given one.

Two games of the same kind are compared by their numbers of outcomes, actions and pairs of neighbors. Their distance is

    sqrt( log2(M / M')^2 + log2(N / N')^2 + log2((P + 1) / (P' + 1))^2 ),

so that twice as many of one of them is a distance of about 1.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from typing import NamedTuple

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.game_arrays import loss_matrix, signal_indices
from sidelight.recommendation.records import GameFacts

COUNT = 3


class Near(NamedTuple):
    """A game of the benchmark and how far it is from the one in question."""

    game: GameFacts
    distance: float


def facts_for_game_similarity(label: str, name: str, game: Game) -> GameFacts:
    """Return the properties of a game that are compared."""
    analysis = analyze(game)
    sizes = (game.n_actions, game.n_outcomes, len(analysis.neighbors))
    content = {"loss": [list(map(str, row)) for row in game.loss], "signals": signal_indices(game).tolist()}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return GameFacts(label, name, analysis.kind, *sizes, round(loss_span_for_game_similarity(game), 6), digest[:16])


def loss_span_for_game_similarity(game: Game) -> float:
    """Return the largest loss minus the smallest, among the actions that can be optimal."""
    loss = loss_matrix(game)[list(analyze(game).pareto)]
    return float(loss.max() - loss.min())


def distance_between_benchmark_games(one: GameFacts, other: GameFacts) -> float:
    """Return how much two games of the same kind differ in size."""
    return math.hypot(
        math.log2(one.outcomes / other.outcomes),
        math.log2(one.actions / other.actions),
        math.log2((one.pairs + 1) / (other.pairs + 1)),
    )


def nearest_benchmark_games(game: GameFacts, others: Iterable[GameFacts]) -> list[Near]:
    """Return the nearest games of the same kind, at least `COUNT` if there are so many, and all that are as near."""
    found = [Near(other, distance_between_benchmark_games(game, other)) for other in others if other.kind == game.kind]
    found.sort(key=lambda near: (near.distance, near.game.label))
    return [near for near in found if near.distance <= found[min(COUNT, len(found)) - 1].distance]
