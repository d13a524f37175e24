"""Gaussian beliefs about the outcome law, as precision and information.

The law p = E x + e_last, E = [I; -1'], is written with its first M - 1 entries x, so that it always sums to one. The
probability of symbol k is then slope_k . x + offset_k, and a prior of precision `scale` around the uniform law, or
around 0, has precision scale (I + 11') and information scale 1 in x: for laws the two differ by a constant factor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.game_arrays import first_places, symbol_counts
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_outer


class Channels(NamedTuple):
    """How the symbols depend on the law. The symbols of action a are place[a] to place[a + 1].

    Only informative actions are `watched`: the symbol of another one is certain and changes no belief.
    """

    place: Integers
    owner: Integers  # the action a symbol belongs to
    watched: Integers  # the symbols of informative actions
    informative: Integers  # for each action, 0 or 1
    columns: Floats  # how many outcomes show the symbol
    slope: Floats
    offset: Floats


def gaussian_channels(game: Game) -> Channels:
    """Lay out the signal matrices of a game."""
    signal = np.array([row for a in range(game.n_actions) for row in game.signal(a)], float)
    owner = np.repeat(np.arange(game.n_actions), symbol_counts(game))
    informative = np.array([game.informative(a) for a in range(game.n_actions)])
    return Channels(
        place=first_places(game),
        owner=owner.astype(np.int64),
        watched=np.flatnonzero(informative[owner]).astype(np.int64),
        informative=informative.astype(np.int64),
        columns=signal.sum(axis=1),
        slope=np.ascontiguousarray(signal[:, :-1] - signal[:, -1:]),
        offset=np.ascontiguousarray(signal[:, -1]),
    )


def gaussian_prior(outcomes: int, scale: float) -> tuple[Floats, Floats]:
    """Return the prior's precision matrix, and its information vector (the precision times the mean)."""
    size = outcomes - 1
    return scale * (np.eye(size) + np.ones((size, size))), np.full(size, scale)


@kernel
def absorb_gaussian_observation(
    channel: Channels, weight: Floats, precision: Floats, information: Floats, action: int, symbol: int
) -> None:
    """Add the observation of a symbol: for each symbol k of the action, its indicator seen with precision weight_k."""
    size = information.shape[0]
    seen = channel.place[action] + symbol
    for k in range(channel.place[action], channel.place[action + 1]):
        target = weight[k] * ((1.0 if k == seen else 0.0) - channel.offset[k])
        for i in range(size):
            information[i] += target * channel.slope[k, i]
        add_outer(precision, weight[k], channel.slope[k])
