"""A game as arrays."""

from fractions import Fraction

import numpy as np

import sidelight as sl
from sidelight import game_arrays

GAME = sl.Game([["1/3", 0, 1], [1, 2, 0]], [["b", "a", "b"], ["x", "x", "x"]])


def test_losses():
    assert game_arrays.loss_matrix(GAME).tolist() == [[1 / 3, 0.0, 1.0], [1.0, 2.0, 0.0]]
    assert game_arrays.float_rows([[Fraction(1, 4), 2]]).tolist() == [[0.25, 2.0]]


def test_signals():
    assert game_arrays.signal_indices(GAME).tolist() == [[0, 1, 0], [0, 0, 0]]
    assert game_arrays.symbol_counts(GAME).tolist() == [2, 1]
    assert game_arrays.first_places(GAME).tolist() == [0, 2, 3]
    signals = game_arrays.signals(GAME)
    assert signals.shown.tolist() == [[0, 1, 0], [2, 2, 2]]
    assert signals.first.tolist() == [0, 2, 3]
    assert all(array.dtype == np.int64 for array in (*signals, game_arrays.symbol_counts(GAME)))
