"""The range of losses, by which bounds for losses between 0 and 1 are scaled to any game."""

from __future__ import annotations

from sidelight.game import Game


def loss_range(game: Game) -> float:
    """Return the largest difference of two losses at the same outcome.

    A game in which all actions cost the same has range 1.
    """
    return float(max(max(column) - min(column) for column in zip(*game.loss, strict=True))) or 1.0
