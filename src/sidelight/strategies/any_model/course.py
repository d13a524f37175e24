"""What play changes in ProspectModel: the labels, the recent contexts, the looks under way, and the fitted belief."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.any_model import rows as contexts_as_rows
from sidelight.strategies.any_model.beliefs.belief import Labels
from sidelight.strategies.any_model.context_free import ContextFree
from sidelight.strategies.any_model.mixture import Mixture
from sidelight.strategies.any_model.rows import key, stacked_rows
from sidelight.strategies.any_model.stakes import Stakes
from sidelight.strategies.any_model.value import Value

_POOL = 400  # recent contexts
_MOST_UNDER_WAY = 1000  # looks; older ones are taken for lost
_ALONE = 64  # rounds in which a belief without labels is fitted to more contexts
_AVERAGED = 5.0  # how much more the newest contexts count in the average cost of actions
_MOST_DEBT = 3.0  # blind looks that were bought before they were owed
_NUMBERS = {
    "clock": int,
    "looks": int,
    "bought": int,
    "blind": int,
    "fitted": int,
    "fitted_at": int,
    "owed": float,
    "owed_by": int,
}


class Label(NamedTuple):
    """What a look has shown; the symbol is -1 while it is under way."""

    row: Any
    action: int
    round: int
    blind: bool
    symbol: int = -1
    plain: float = 0.0  # the probability of the symbol without contexts, before it came


class Task(NamedTuple):
    """All that a fit needs."""

    labels: Labels
    pool: Any
    new: int
    plain: Floats


class Course:
    """The course of play so far."""

    def __init__(self, stakes: Stakes, context_free: ContextFree, mixture: Mixture, memory: int | None) -> None:
        self._stakes, self.context_free, self.mixture, self._memory = stakes, context_free, mixture, memory
        self.clock = self.looks = self.bought = 0
        self.blind = 0  # labels
        self.labels: list[Label] = []
        self.under_way: list[Label] = []
        self.recent: list[Any] = []
        self.pool: list[Any] = []
        self.fitted, self.fitted_at = 0, -1
        self.owed, self.owed_by = 0.0, -1  # blind looks
        self.cost = np.zeros(len(stakes.losses))  # what each action costs more than the best, averaged over contexts
        self.value: Value | None = None

    def due(self, growth: float, often: int) -> bool:
        """Say whether it is time for a fit: labels grew by a factor, or there are few or none and more contexts."""
        if self.fitted_at < 0:
            return True
        if self._memory is not None and self.clock - self.fitted_at >= self._memory / 4:
            return True  # to forget, even if nothing is shown any more
        if not self.labels:
            return 2 * self.fitted_at < self.clock <= _ALONE
        new = len(self.labels) - self.fitted
        return new > 0 and (len(self.labels) <= often or new >= (growth - 1.0) * self.fitted)

    def task(self, rows: list[Any]) -> Task:
        """Return what is to be fitted, now that some rows are seen; labels that are too old are dropped."""
        if self._memory is not None:
            kept = [label for label in self.labels if label.round >= self.clock - self._memory]
            self.fitted = max(0, self.fitted - (len(self.labels) - len(kept)))
            self.labels, self.blind = kept, sum(label.blind for label in kept)
        self.pool = [*self.recent, *rows][-_POOL:]
        new = len(self.labels) - self.fitted
        self.fitted, self.fitted_at = len(self.labels), self.clock
        return self._task(new)

    def _task(self, new: int) -> Task:
        told = self.labels[: self.fitted]
        labels = Labels(stacked_rows([label.row for label in told]), *_arrays(told))
        plain = np.array([label.plain for label in told[len(told) - new :]])
        return Task(labels, stacked_rows(self.pool), new, plain)

    def take_over(self, mixture: Mixture) -> None:
        """Replace the belief by a newly fitted one; looks made since that fit began count as pending."""
        self.mixture = mixture
        weights, noise = mixture.member_weights
        self.value = Value(self._stakes, mixture.at_pool(), weights, noise) if len(weights) else None
        untold = [*self.under_way, *self.labels[self.fitted :]]
        if untold and self.value is not None:
            predicted = mixture.predict(stacked_rows([label.row for label in untold]))
            for place, label in enumerate(untold):
                self.value.take(predicted[:, place], label.action)
            self.value.refresh()

    def learn_without_contexts(self) -> None:
        """Fit the belief without contexts, if there are enough new labels for that."""
        if self.context_free.due(self.blind):
            blind = [label for label in self.labels if label.blind]
            self.context_free.fit(*_arrays(blind), [look.action for look in self.under_way if look.blind])

    def see(self, row: Any, costs: Floats | None = None) -> None:
        """Count a round, remember its context, and take what actions cost there into the average."""
        self.clock += 1
        self.recent.append(row)
        del self.recent[:-_POOL]
        if costs is not None:
            share = _AVERAGED / (self.clock - 1.0 + _AVERAGED)
            self.cost += share * (costs - costs.min() - self.cost)

    def look(self, row: Any, action: int, predicted: Floats, bought: bool, blind: bool) -> None:
        """Count a look that is taken."""
        self.looks += 1
        self.bought += bought
        self.under_way.append(Label(row, action, self.clock - 1, blind))
        del self.under_way[:-_MOST_UNDER_WAY]
        if blind:
            self.context_free.look(action)
            self.owed = max(self.owed - 1.0, -_MOST_DEBT)
        if self.value is not None:
            self.value.take(predicted, action)
            if self.value.stale > 0.2 * (len(self.labels) + len(self.under_way)) + 4:
                self.value.refresh()

    def observe(self, row: Any, action: int, symbol: int) -> None:
        """Add a label; it belongs to the first look under way with this action at this context."""
        place = next(
            (k for k, each in enumerate(self.under_way) if each.action == action and _same(each.row, row)), None
        )
        look = Label(row, action, self.clock, blind=False) if place is None else self.under_way.pop(place)
        plain = self.context_free.probability(action, symbol, look.blind)
        self.labels.append(look._replace(row=row, symbol=symbol, plain=plain))
        self.blind += look.blind

    def __deepcopy__(self, memo: dict[int, Any]) -> Course:
        """Copy the lists and what is fitted; rows and labels do not change."""
        twin = copy.copy(self)
        for name in ("labels", "under_way", "recent", "pool"):
            setattr(twin, name, list(getattr(self, name)))
        for name in ("context_free", "mixture", "value", "cost"):
            setattr(twin, name, copy.deepcopy(getattr(self, name), memo))
        return twin

    def to_plain(self) -> dict[str, Any]:
        """Return everything as plain data and arrays."""
        return {
            **{name: getattr(self, name) for name in _NUMBERS},
            "labels": _plain(self.labels),
            "under_way": _plain(self.under_way),
            "recent": contexts_as_rows.to_plain(self.recent),
            "pool": contexts_as_rows.to_plain(self.pool),
            "cost": self.cost,
            "context_free": self.context_free.to_plain(),
            "belief": self.mixture.to_plain(),
            "value": {} if self.value is None else self.value.to_plain(),
        }

    def from_plain(self, data: Any) -> Course:
        """Continue from what `to_plain` returned."""
        for name, kind in _NUMBERS.items():
            setattr(self, name, kind(data[name]))
        self.labels, self.under_way = _labels(data["labels"]), _labels(data["under_way"])
        self.recent, self.pool = (contexts_as_rows.from_plain(data[name]) for name in ("recent", "pool"))
        self.cost = np.array(data["cost"], float)
        self.context_free.from_plain(data["context_free"])
        if self.fitted_at >= 0:
            task = self._task(0)
            self.mixture.from_plain(data["belief"], task.labels, task.pool)
        if data["value"]:
            self.value = Value(self._stakes, self.mixture.at_pool(), *self.mixture.member_weights)
            self.value.from_plain(data["value"])
        return self


def _same(one: Any, other: Any) -> bool:
    return one is other or key(one) == key(other)


def _arrays(labels: list[Label]) -> tuple[Integers, Integers]:
    """Return actions and symbols."""
    told = np.array([(label.action, label.symbol) for label in labels], np.int64).reshape(-1, 2)
    return told[:, 0], told[:, 1]


def _plain(labels: list[Label]) -> dict[str, Any]:
    rows = contexts_as_rows.to_plain([label.row for label in labels])
    return {"rows": rows, "rest": np.array([label[1:] for label in labels], float).reshape(-1, 5)}


def _labels(data: Any) -> list[Label]:
    rest = np.array(data["rest"], float).reshape(-1, 5)
    rows = contexts_as_rows.from_plain(data["rows"])
    return [
        Label(row, int(action), int(begun), bool(blind), int(symbol), float(plain))
        for row, (action, begun, blind, symbol, plain) in zip(rows, rest, strict=True)
    ]
