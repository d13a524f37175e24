"""What ProspectModel would believe, and which looks it would buy, if contexts said nothing.

It learns from *blind* looks alone, those decided before the context was seen: others say little about the contexts at
which nobody looked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sidelight.kernels.arrays import Integers
from sidelight.strategies.any_model.beliefs.regression import Regression
from sidelight.strategies.any_model.stakes import Stakes
from sidelight.strategies.any_model.value import Value

_OFTEN = 60  # labels up to which each one is fitted at once
_GROWTH = 1.1
_BORROWED = 20.0  # symbols that are expected before any was seen


class ContextFree:
    """A law without contexts, and what a look is worth under it."""

    def __init__(self, stakes: Stakes, seed: int) -> None:
        self._stakes, self._belief = stakes, Regression(stakes, "none", 2, seed)
        self.fitted = 0
        self._shown = np.zeros((2, *stakes.shown.shape))  # symbols of looks chosen by contexts and of blind ones
        self.fit(np.zeros(0, np.int64), np.zeros(0, np.int64), ())

    def due(self, labels: int) -> bool:
        """Say whether there are enough new labels for a fit."""
        return labels != self.fitted and (labels <= _OFTEN or labels >= _GROWTH * self.fitted)

    def fit(self, actions: Integers, symbols: Integers, under_way: Iterable[int]) -> None:
        """Learn anew from the symbols of blind looks; `under_way` are the actions of those that wait for a symbol."""
        self.fitted = len(actions)
        self._belief.fit(np.zeros((len(actions), 0)), actions, symbols, np.zeros((1, 0)))
        self._start()
        for action in under_way:
            self.look(action)

    def _start(self) -> None:
        self._members = self._belief.predict(np.zeros((1, 0)))
        self.law = self._members.mean(0)[0]
        size = len(self._members)
        self._value = Value(self._stakes, self._members, np.full(size, 1.0 / size), 0.0)
        self._weigh()

    def _weigh(self) -> None:
        self._value.refresh()
        self.values = {a: self._value.of_look(self._members[:, 0], a) for a in self._stakes.signals}

    def look(self, action: int) -> None:
        """Count a blind look that is under way."""
        self._value.take(self._members[:, 0], action)
        self._weigh()

    def probability(self, action: int, symbol: int, blind: bool) -> float:
        """Return the share of a symbol among those of its kind, blind or not; then count it.

        Contexts at which a look was chosen need not have the law of all contexts, so their symbols are kept apart.
        """
        shown = self._shown[int(blind), action]
        expected = float(self._stakes.signals[action][symbol] @ self.law)
        share = float((shown[symbol] + _BORROWED * expected) / (shown.sum() + _BORROWED))
        shown[symbol] += 1.0
        return share

    def to_plain(self) -> dict[str, Any]:
        """Return everything as plain data."""
        belief, value = self._belief.to_plain(), self._value.to_plain()
        return {"fitted": self.fitted, "shown": self._shown, "belief": belief, "value": value}

    def from_plain(self, data: Any) -> None:
        """Continue from what `to_plain` returned."""
        self.fitted, self._shown = int(data["fitted"]), np.array(data["shown"], float)
        none, nowhere = np.zeros(0, np.int64), np.zeros((0, 0))
        self._belief.from_plain(data["belief"], nowhere, none, none, np.zeros((1, 0)))
        self._start()
        self._value.from_plain(data["value"])
        self._weigh()
