"""Gaussian beliefs about the outcome law, as precision and information.

The law p = E x + e_last, E = [I; -1'], is written with its first M - 1 entries x, so that it always sums to one. The
probability of symbol k is then slope_k . x + offset_k, and a prior of precision `scale` around the uniform law, or
around 0, has precision scale (I + 11') and information scale 1 in x: for laws the two differ by a constant factor.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from sidelight.game import Game
from sidelight.game_arrays import first_places, symbol_counts
from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_multiple, add_outer


class Channels(NamedTuple):
    """How the symbols depend on the law. The symbols of action a are place[a] to place[a + 1].

    Only informative actions are `watched`: the symbol of another one is certain and changes no belief.
    """

    place: Integers
    owner: Integers  # the action a symbol belongs to
    watched: Integers  # the symbols of informative actions
    informative: Integers  # for each action, 0 or 1
    weight: Floats  # one over how many outcomes show the symbol
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
        weight=1.0 / signal.sum(axis=1),
        slope=np.ascontiguousarray(signal[:, :-1] - signal[:, -1:]),
        offset=np.ascontiguousarray(signal[:, -1]),
    )


class GaussianBelief(NamedTuple):
    """The precision matrix, its lower half, and the information vector, which is the precision times the mean."""

    precision: Annotated[Floats, "size", "size"]
    information: Annotated[Floats, "size"]


def begin_gaussian_belief(belief: GaussianBelief, scale: float) -> None:
    """Set the prior."""
    belief.precision[:] = scale * (np.eye(len(belief.information)) + 1.0)
    belief.information[:] = scale


@kernel
def add_symbol_to_gaussian_belief(channel: Channels, belief: GaussianBelief, action: int, symbol: int) -> bool:
    """Add a symbol seen as e(y) ~ N(S_a p, S_a S_a'); say whether it can change the belief."""
    if channel.informative[action] == 1:
        absorb_gaussian_observation(channel, channel.weight, belief, action, symbol)
    return channel.informative[action] == 1


@kernel
def absorb_gaussian_observation(
    channel: Channels, weight: Floats, belief: GaussianBelief, action: int, symbol: int
) -> None:
    """Add the observation of a symbol: for each symbol k of the action, its indicator seen with precision weight_k."""
    seen = channel.place[action] + symbol
    for k in range(channel.place[action], channel.place[action + 1]):
        target = weight[k] * ((1.0 if k == seen else 0.0) - channel.offset[k])
        add_multiple(belief.information, target, channel.slope[k])
        add_outer(belief.precision, weight[k], channel.slope[k])
