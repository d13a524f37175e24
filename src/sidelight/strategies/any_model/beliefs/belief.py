"""What ProspectModel asks of a belief, the model of outcomes given contexts.

A belief has several members that agree where much is known and differ where little is: they are the posterior. Any
object with these two methods will do. With `to_plain()`, which returns data, and `from_plain(data, *arguments of the
last fit)` it can also be saved, and with `exact = True` it says that the mean and covariance of its members are those
of the posterior, without the noise of having drawn a few of them; with `calibrated = True`, that it is not too sure
and needs no temperature.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np

from sidelight.kernels.arrays import Floats, Integers

FLOOR = 1e-6  # the least probability of an outcome


class Labels(NamedTuple):
    """What a fit is told: the symbols that actions showed at contexts."""

    contexts: Any
    actions: Integers
    symbols: Integers


class Belief(Protocol):
    """Members that predict outcomes, from symbols that say only something about them."""

    def fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Learn anew from all labels: the symbols that actions showed at contexts; `pool` are recent contexts.

        There may be no label yet, but the pool is never empty. Contexts are an array (n, d) if they are numbers, a data
        frame if they are rows of one, else a list.
        """

    def predict(self, contexts: Any) -> Floats:
        """Return the probability of each outcome under each member, (members, n, outcomes)."""


def checked(predicted: Any, rows: int, outcomes: int) -> Floats:
    """Return predictions as probabilities that sum to one; those of a context where they make no sense are uniform."""
    P = np.asarray(predicted, float)
    if P.ndim != 3 or P.shape[1:] != (rows, outcomes) or not len(P):
        raise ValueError(f"predict returned the shape {P.shape} instead of (members, {rows}, {outcomes})")
    if P.min() >= FLOOR and np.abs(P.sum(2) - 1.0).max() < 1e-9:
        return P
    senseless = ~np.isfinite(P).all(2) | (P < -1e-9).any(2) | (P.sum(2) <= 0)
    P = np.where(senseless[:, :, None], 1.0, P)
    P = np.maximum(P / P.sum(2, keepdims=True), FLOOR)
    return np.asarray(P / P.sum(2, keepdims=True))


def tempered(P: Floats, temperature: float) -> Floats:
    """Return probabilities nearer to uniform (temperature above 1) or farther from it."""
    if temperature == 1.0:
        return P
    Q = P ** (1.0 / temperature)
    return np.asarray(Q / Q.sum(-1, keepdims=True))
