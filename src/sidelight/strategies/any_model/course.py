"""What play changes in ProspectModel: the labels, the recent contexts, the looks under way, and the fitted belief."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.any_model import rows as contexts_as_rows
from sidelight.strategies.any_model.mixture import Mixture
from sidelight.strategies.any_model.rows import key, stacked
from sidelight.strategies.any_model.stakes import Stakes
from sidelight.strategies.any_model.value import Value

_POOL = 400  # recent contexts
_EVERY = 8  # labels up to which each one is fitted at once
_MOST_UNDER_WAY = 1000  # looks; older ones are taken for lost
_ALONE = 64  # rounds in which a belief without labels is fitted to more contexts
_NUMBERS = ("clock", "looks", "bought", "fitted", "fitted_at")


class Label(NamedTuple):
    """A symbol that a look has shown, or None while it is under way."""

    row: Any
    action: int
    round: int
    symbol: int = -1


class Task(NamedTuple):
    """All that a fit needs."""

    contexts: Any
    actions: Integers
    symbols: Integers
    pool: Any
    new: int


class Course:
    """The course of play so far."""

    def __init__(self, stakes: Stakes, mixture: Mixture, memory: int | None) -> None:
        self._stakes, self.mixture, self._memory = stakes, mixture, memory
        self.clock = self.looks = self.bought = 0
        self.labels: list[Label] = []
        self.under_way: list[Label] = []
        self.recent: list[Any] = []
        self.pool: list[Any] = []
        self.fitted, self.fitted_at = 0, -1
        self.value: Value | None = None

    def due(self, growth: float) -> bool:
        """Say whether it is time for a fit: labels grew by a factor, or there are none and many more contexts."""
        if self.fitted_at < 0:
            return True
        if self._memory is not None and self.clock - self.fitted_at >= self._memory / 4:
            return True  # to forget, even if nothing is shown any more
        new = len(self.labels) - self.fitted
        if not self.labels:
            return 2 * self.fitted_at < self.clock <= _ALONE
        return new > 0 and (len(self.labels) <= _EVERY or new >= (growth - 1.0) * self.fitted)

    def task(self, rows: list[Any]) -> Task:
        """Return what is to be fitted, now that some rows are seen; labels that are too old are dropped."""
        if self._memory is not None:
            kept = [label for label in self.labels if label.round >= self.clock - self._memory]
            self.fitted = max(0, self.fitted - (len(self.labels) - len(kept)))
            self.labels = kept
        self.pool = [*self.recent, *rows][-_POOL:]
        new = len(self.labels) - self.fitted
        self.fitted, self.fitted_at = len(self.labels), self.clock
        return self._task(new)

    def _task(self, new: int) -> Task:
        told = self.labels[: self.fitted]
        actions = np.array([label.action for label in told], np.int64)
        symbols = np.array([label.symbol for label in told], np.int64)
        return Task(stacked([label.row for label in told]), actions, symbols, stacked(self.pool), new)

    def take_over(self, mixture: Mixture) -> None:
        """Replace the belief by a newly fitted one; looks made since that fit began count as pending."""
        self.mixture = mixture
        self.value = Value(self._stakes, mixture.at_pool(), *mixture.member_weights)
        untold = [*self.under_way, *self.labels[self.fitted :]]
        if untold:
            predicted = mixture.predict(stacked([label.row for label in untold]))
            for place, label in enumerate(untold):
                self.value.take(predicted[:, place], label.action)
            self.value.refresh()

    def see(self, row: Any) -> None:
        """Count a round and remember its context."""
        self.clock += 1
        self.recent.append(row)
        del self.recent[:-_POOL]

    def look(self, row: Any, action: int, predicted: Floats, bought: bool) -> None:
        """Count a look that is taken."""
        assert self.value is not None
        self.looks += 1
        self.bought += bought
        self.under_way.append(Label(row, action, self.clock - 1))
        del self.under_way[:-_MOST_UNDER_WAY]
        self.value.take(predicted, action)
        if self.value.stale > 0.2 * (len(self.labels) + len(self.under_way)) + 4:
            self.value.refresh()

    def observe(self, row: Any, action: int, symbol: int) -> None:
        """Add a label; it belongs to the first look under way with this action at this context."""
        place = next(
            (k for k, each in enumerate(self.under_way) if each.action == action and _same(each.row, row)), None
        )
        begun = self.clock if place is None else self.under_way.pop(place).round
        self.labels.append(Label(row, action, begun, symbol))

    def __deepcopy__(self, memo: dict[int, Any]) -> Course:
        """Copy the lists and what is fitted; rows and labels do not change."""
        twin = copy.copy(self)
        for name in ("labels", "under_way", "recent", "pool"):
            setattr(twin, name, list(getattr(self, name)))
        twin.mixture, twin.value = copy.deepcopy(self.mixture, memo), copy.deepcopy(self.value, memo)
        return twin

    def to_plain(self) -> dict[str, Any]:
        """Return everything as plain data and arrays."""
        value = self.value
        return {
            **{name: getattr(self, name) for name in _NUMBERS},
            "labels": _plain(self.labels),
            "under_way": _plain(self.under_way),
            "recent": contexts_as_rows.to_plain(self.recent),
            "pool": contexts_as_rows.to_plain(self.pool),
            "belief": self.mixture.to_plain(),
            "value": {} if value is None else value.to_plain(),
        }

    def from_plain(self, data: Any) -> Course:
        """Continue from what `to_plain` returned."""
        for name in _NUMBERS:
            setattr(self, name, int(data[name]))
        self.labels, self.under_way = _labels(data["labels"]), _labels(data["under_way"])
        self.recent, self.pool = (contexts_as_rows.from_plain(data[name]) for name in ("recent", "pool"))
        if data["value"]:
            task = self._task(0)
            self.mixture.from_plain(data["belief"], task.contexts, task.actions, task.symbols, task.pool)
            self.value = Value(self._stakes, self.mixture.at_pool(), *self.mixture.member_weights)
            self.value.from_plain(data["value"])
        return self


def _same(one: Any, other: Any) -> bool:
    return one is other or key(one) == key(other)


def _plain(labels: list[Label]) -> dict[str, Any]:
    rows = contexts_as_rows.to_plain([label.row for label in labels])
    return {"rows": rows, "rest": np.array([label[1:] for label in labels], np.int64).reshape(-1, 3)}


def _labels(data: Any) -> list[Label]:
    rest = np.array(data["rest"], np.int64).reshape(-1, 3)
    return [Label(row, *map(int, rest[k])) for k, row in enumerate(contexts_as_rows.from_plain(data["rows"]))]
