"""A game as the searches need it: losses, borders, and the actions that can be optimal."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sidelight.analysis.analysis import Analysis
from sidelight.game import Game
from sidelight.game_arrays import Signals, float_rows, signals
from sidelight.kernels.arrays import Floats, Integers


class Geometry(NamedTuple):
    """Losses, feedback and borders of a game; the borders of a Pareto-optimal j are start[j] to start[j + 1]."""

    signals: Signals
    loss: Floats  # shifted by outcome and scaled to [0, 1]
    twin: Integers  # the first action with the same losses
    candidate: Integers  # 1 for the first of each class of Pareto-optimal actions
    start: Integers
    difference: Floats  # L_k - L_j, a row for each border


def scale_losses_to_optimize(analysis: Analysis) -> tuple[list[list[Fraction]], Fraction]:
    """Return losses minus each outcome's least one, divided by the largest that is left, and this divisor."""
    loss = analysis.game.loss
    least = [min(column) for column in zip(*loss, strict=True)]
    rest = [[value - low for value, low in zip(row, least, strict=True)] for row in loss]
    scale = max(max(row) for row in rest) or Fraction(1)
    return [[value / scale for value in row] for row in rest], scale


def loss_range(game: Game) -> float:
    """Return the largest difference of two losses at the same outcome; 1 where all actions cost the same."""
    return float(max(max(column) - min(column) for column in zip(*game.loss, strict=True))) or 1.0


def pareto_flags_to_optimize(analysis: Analysis) -> Integers:
    """Return 1 for the first of each class of Pareto-optimal actions, 0 for other actions."""
    twins = analysis.cells.representative
    every = range(analysis.game.n_actions)
    return np.array([int(i in analysis.pareto and twins[i] == i) for i in every], np.int64)


def lay_out_search_geometry(analysis: Analysis) -> Geometry:
    """Lay out a game for the search."""
    exact, _ = scale_losses_to_optimize(analysis)
    game = analysis.game
    start, rows = [0], []
    for j in range(game.n_actions):
        for k in neighbors_in_search_geometry(analysis, j):
            rows.append([float(b - a) for a, b in zip(exact[j], exact[k], strict=True)])
        start.append(len(rows))
    return Geometry(
        signals=signals(game),
        loss=float_rows(exact),
        twin=np.array(list(analysis.cells.representative), np.int64),
        candidate=pareto_flags_to_optimize(analysis),
        start=np.array(start, np.int64),
        difference=np.array(rows, float).reshape(len(rows), game.n_outcomes),
    )


def neighbors_in_search_geometry(analysis: Analysis, j: int) -> list[int]:
    """Return the neighbors of action j, none for a duplicate of another action."""
    return [k if i == j else i for i, k in analysis.neighbors if j in (i, k)]
