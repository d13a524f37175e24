"""Which games of the benchmark are most like a given one.

Two games of the same kind are compared by their numbers of outcomes, actions and pairs of neighbors. Their distance is

    sqrt( log2(M / M')^2 + log2(N / N')^2 + log2((P + 1) / (P' + 1))^2 ),

so that twice as many of one of them is a distance of about 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from sidelight.recommendation.records import GameFacts

COUNT = 3
_FAR = 2.0


class Near(NamedTuple):
    """A game of the benchmark and how far it is from the one in question."""

    game: GameFacts
    distance: float


def distance(one: GameFacts, other: GameFacts) -> float:
    """Return how much two games of the same kind differ in size."""
    parts = (
        math.log2(one.outcomes / other.outcomes),
        math.log2(one.actions / other.actions),
        math.log2((one.pairs + 1) / (other.pairs + 1)),
    )
    return math.sqrt(sum(part * part for part in parts))


def nearest(game: GameFacts, others: Iterable[GameFacts]) -> list[Near]:
    """Return the nearest games of the same kind, at least `COUNT` if there are so many, and all that are as near."""
    found = sorted((Near(other, distance(game, other)) for other in others if other.kind == game.kind), key=_order)
    if len(found) <= COUNT:
        return found
    limit = found[COUNT - 1].distance
    return [near for near in found if near.distance <= limit]


def words(value: float) -> str:
    """Say in words how far apart two games are."""
    if value == 0.0:
        return "of the same size"
    if value < 1.0:
        return "nearly of the same size"
    return "of a similar size" if value < _FAR else "of quite another size"


def _order(near: Near) -> tuple[float, str]:
    return near.distance, near.game.label
