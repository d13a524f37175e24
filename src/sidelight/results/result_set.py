"""Many results, read one at a time, and filtered and grouped by what they are called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

from sidelight.errors import SidelightError
from sidelight.results.comparison import Comparison, compare
from sidelight.results.results import Results
from sidelight.results.statistics import Summary


class Labels(NamedTuple):
    """What some results are called, in tables and when they are selected."""

    game: str
    world: str
    label: str
    """Of the strategy or policy, with its parameters."""
    horizon: int
    """0 if no game was played."""
    strategy: str = ""
    """Its name, without parameters."""
    limit: bool = False
    """Whether it is no contestant, but what the others are measured against."""

    @property
    def setting(self) -> tuple[str, str, int]:
        """Game, world and horizon; results of one setting can be compared."""
        return self.game, self.world, self.horizon


class ResultSet(Sequence[Results]):
    """An immutable sequence of results.

    Parameters
    ----------
    results
        Results, or pairs of their `Labels` and a function that reads them. Such a function is called whenever these
        results are asked for, and what it returns is not kept: memory does not grow with the length of the sequence.
    """

    def __init__(self, results: Iterable[Results | tuple[Labels, Callable[[], Results]]] = ()) -> None:
        self._items = tuple(
            (_labels_of_results(one), _reader_of_held_results(one)) if isinstance(one, Results) else one
            for one in results
        )

    @property
    def labels(self) -> tuple[Labels, ...]:
        """The labels of all results, without reading any of them."""
        return tuple(labels for labels, _ in self._items)

    def filter(self, **wanted: Any) -> ResultSet:
        """Return the results whose labels are as wanted.

        Names are those of `Labels`. A value is one label or a list of them; * stands for anything, and an empty list
        for all.
        """
        _check_result_label_names(wanted)
        return ResultSet(
            item
            for item in self._items
            if all(is_result_label_chosen(value, getattr(item[0], name)) for name, value in wanted.items())
        )

    def group_by(self, *names: str) -> Iterator[tuple[Labels, ResultSet]]:
        """Yield the results that agree in these labels, in the order of their first, with the labels of that one."""
        _check_result_label_names(names)
        groups: dict[Any, list[Any]] = {}
        for item in self._items:
            groups.setdefault(tuple(getattr(item[0], name) for name in names), []).append(item)
        for found in groups.values():
            yield found[0][0], ResultSet(found)

    def read(self) -> ResultSet:
        """Return the same set with all of its results in memory."""
        return ResultSet((labels, _reader_of_held_results(load())) for labels, load in self._items)

    def compare(
        self, measure: str = "regret", comparisons: Sequence[Comparison] = (Comparison(),), at: int | None = None
    ) -> list[tuple[Labels, Summary]]:
        """Compare the results that have a measure, see `compare`; the limit is what the labels call so."""
        found = [(labels, one) for labels, one in zip(self.labels, self, strict=True) if one.has(measure)]
        if not found:
            return []
        limit = next((one for labels, one in found if labels.limit), None)
        rows = compare([one for _, one in found], measure, comparisons, at=at, limit=limit)
        return [(labels, row) for (labels, _), row in zip(found, rows, strict=True)]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Results]:
        return (load() for _, load in self._items)

    @overload
    def __getitem__(self, index: int) -> Results: ...
    @overload
    def __getitem__(self, index: slice) -> ResultSet: ...
    def __getitem__(self, index: int | slice) -> Results | ResultSet:
        return ResultSet(self._items[index]) if isinstance(index, slice) else self._items[index][1]()

    def __repr__(self) -> str:
        return f"<ResultSet of {len(self)}>"


def is_result_label_chosen(wanted: Any, label: Any) -> bool:
    """Return whether a label matches the wanted one, or one of several; * and an empty list match every label.

    >>> is_chosen(["RandCBP*", "CBP"], "RandCBP(bins=10)")
    True
    """
    if isinstance(wanted, list | tuple):
        return not wanted or any(is_result_label_chosen(each, label) for each in wanted)
    if wanted == label or not isinstance(wanted, str):
        return bool(wanted == label)
    return re.fullmatch(".*".join(map(re.escape, wanted.split("*"))), str(label)) is not None


def _labels_of_results(one: Results) -> Labels:
    game = (one.game.name or "unnamed") if one.has_game else ""
    return Labels(game, one.environment["name"], one.label, one.horizon, one.strategy["name"])


def _reader_of_held_results(one: Results) -> Callable[[], Results]:
    return lambda: one


def _check_result_label_names(names: Iterable[str]) -> None:
    for name in names:
        if name not in Labels._fields:
            raise SidelightError(f"results have no label {name!r}: there are {', '.join(Labels._fields)}")
