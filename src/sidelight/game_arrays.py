"""A game as arrays, for loops and for linear algebra in floating point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sidelight.game import Game, check_float_range_of_losses
from sidelight.kernels.arrays import Floats, Integers


def float_rows(rows: Iterable[Sequence[Fraction | int]]) -> Floats:
    """Return a matrix of exact numbers in floating point."""
    return np.array([[float(value) for value in row] for row in rows])


def loss_matrix(game: Game) -> Floats:
    """Return the losses in floating point."""
    # Every run of a simulation asks for them, and to convert a Fraction takes long.
    if not hasattr(game, "_floats"):
        check_float_range_of_losses(game)
        object.__setattr__(game, "_floats", float_rows(game.loss))
    floats: Floats = game._floats.copy()
    return floats


def signal_indices(game: Game) -> Integers:
    """Return, for each action and outcome, the index of the shown symbol among the action's symbols."""
    return np.array([[game.symbols(a).index(s) for s in row] for a, row in enumerate(game.feedback)], np.int64)


def symbol_counts(game: Game) -> Integers:
    """Return how many symbols each action has."""
    return np.array([len(game.symbols(a)) for a in range(game.n_actions)], np.int64)


class Signals(NamedTuple):
    """Which action shows what. The symbols of all actions are in one list; those of a are first[a] to first[a + 1]."""

    shown: Integers  # (actions, outcomes): the symbol's place
    first: Integers


def signals(game: Game) -> Signals:
    """Lay out a game's feedback for loops."""
    first = first_places(game)
    return Signals(signal_indices(game) + first[:-1, None], first)


def first_places(game: Game) -> Integers:
    """Return where the symbols of each action begin in one list of all symbols, and the end."""
    return np.concatenate([[0], np.cumsum(symbol_counts(game))]).astype(np.int64)
