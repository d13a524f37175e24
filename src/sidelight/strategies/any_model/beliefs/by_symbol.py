"""Beliefs about the symbol, given the context and the action, for games whose actions do not reveal the outcome.

Whether a customer buys is learnt from what is known of the customer and from the price. The law of outcomes is the one
that fits what is predicted of all actions best, by least squares; with it come the losses, since in a game in which
anything can be learnt their differences follow from the laws of symbols. Rows of numbers get the action's number as one
more feature; a pipeline might drop that from rows of other kinds, so there each action has a model of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.any_model.rows import chosen_rows
from sidelight.strategies.any_model.stakes import Stakes

_FLOOR = 0.005  # the least probability of an outcome; least squares may say less than 0


class Part(NamedTuple):
    """A belief about the symbols of some actions."""

    looks: Integers
    belief: Any


class BySymbol:
    """A belief about outcomes made of beliefs about symbols."""

    def __init__(self, stakes: Stakes, make: Callable[[Stakes], Any]) -> None:
        self._stakes, self._make = stakes, make
        self._looks = np.array(list(stakes.signals))
        symbols = np.eye(stakes.names.max() + 1)
        self._signals = np.array([symbols[stakes.names[a]].T for a in self._looks])  # (looks, symbols, outcomes)
        self._solve = np.linalg.pinv(self._signals.reshape(-1, stakes.outcomes))
        self._parts: list[Part] = []

    def fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Fit the beliefs about symbols."""
        if not self._parts:
            self._begin(pool)
        for place, part in enumerate(self._parts):
            part.belief.fit(*self._told(place, contexts, actions, symbols, pool))

    def predict(self, contexts: Any) -> Floats:
        """Return the probability of each outcome under each member."""
        n = len(contexts)
        shown = []
        for part in self._parts:
            asked = self._rows(chosen_rows(contexts, np.repeat(np.arange(n), len(part.looks))), np.tile(part.looks, n))
            P = part.belief.predict(asked)
            shown.append(P.reshape(len(P), n, len(part.looks), -1))
        G = np.concatenate(shown, 2) * self._signals.any(2)
        G /= G.sum(3, keepdims=True)
        return np.maximum(G.reshape(len(G), n, -1) @ self._solve.T, _FLOOR)

    @property
    def exact(self) -> bool:
        """Whether members have the mean and covariance of the posterior."""
        return all(getattr(part.belief, "exact", False) for part in self._parts)

    @property
    def calibrated(self) -> bool:
        """Whether the beliefs are not too sure."""
        return all(getattr(part.belief, "calibrated", False) for part in self._parts)

    def to_plain(self) -> dict[str, Any]:
        """Return what is needed to continue."""
        return {"parts": [part.belief.to_plain() for part in self._parts]}

    def from_plain(self, data: Any, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Continue from what `to_plain` returned."""
        self._begin(pool)
        for place, saved in enumerate(data["parts"]):
            self._parts[place].belief.from_plain(saved, *self._told(place, contexts, actions, symbols, pool))

    def _begin(self, pool: Any) -> None:
        groups = [self._looks] if _numbers(pool) else [np.array([a]) for a in self._looks]
        self._parts = [Part(group, self._make(_revealed(self._signals.shape[1]))) for group in groups]

    def _told(self, place: int, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> tuple[Any, ...]:
        """Return what a part is told: rows, no action, symbols by their numbers in the game, recent rows."""
        looks = self._parts[place].looks
        here = np.flatnonzero(np.isin(actions, looks))
        actions, symbols = actions[here], symbols[here]
        outcomes = (self._stakes.shown[actions] == symbols[:, None]).argmax(1)
        rows = self._rows(chosen_rows(contexts, here), actions) if len(here) else contexts[:0]
        recent = self._rows(pool, looks[np.arange(len(pool)) % len(looks)])
        return rows, np.zeros(len(here), np.int64), self._stakes.names[actions, outcomes], recent

    def _rows(self, rows: Any, actions: Integers) -> Any:
        if not _numbers(rows):
            return rows
        return np.column_stack([rows, np.searchsorted(self._looks, actions)])


def _numbers(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.dtype == float


def _revealed(symbols: int) -> Stakes:
    """Return a game without losses in which a single action shows the outcome, here a symbol."""
    each = np.arange(symbols)[None]
    return Stakes(np.zeros((1, symbols)), 1.0, np.zeros(1, np.int64), ((),), each, each, {0: np.eye(symbols)})
