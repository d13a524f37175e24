"""Error rates of segments, versions and true classes, as records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, NamedTuple, Self

from sidelight.errors import NoEntryError, SidelightError
from sidelight.monitor.stats.paired import Differences
from sidelight.monitor.types import Label


@dataclass(frozen=True)
class SegmentReport:
    """One value of one key, over all classes."""

    key: str
    value: str
    predictions: int
    verified: int
    """Answers that count."""
    errors: int
    estimate: float | None
    interval: tuple[float, float]
    tolerance: float
    """That of the classes, each weighted by its predictions in the segment."""
    verdict: Literal["above", "below", "unknown"]
    classes: tuple[tuple[Label, int, int, int], ...]
    """Each class with its predictions, answers and errors in this segment."""


@dataclass(frozen=True)
class Comparison:
    """Two versions of a model."""

    versions: tuple[str, str]
    """The names of the old and the new one."""
    old: SegmentReport | None
    new: SegmentReport | None
    """What is known about each by itself; None if it was not the version of any prediction."""
    differences: Differences | None
    """If both predicted the same items: how often the new version was better, as good and worse."""
    interval: tuple[float, float]
    """Holds the error rate of the new version minus that of the old one, at all times with the monitor's confidence."""
    margin: float
    verdict: Literal["better", "worse", "not worse", "unknown"]
    """"worse" by more than the margin, "better" at all, or "not worse" by more than the margin."""


class ConfusionCell(NamedTuple):
    """One predicted class with one true class."""

    predicted: Label
    true: Label
    answers: int
    share: float
    """Of the predictions of the class, how many are of this true class."""
    interval: tuple[float, float]
    """Holds that share at all times with the monitor's confidence, for each cell separately."""


@dataclass(frozen=True)
class TrueClass:
    """How much of a true class is predicted as such."""

    name: Label
    found: int
    """Answers where it was predicted, and right."""
    missed: int
    """Answers where another class was predicted."""
    recall: float | None
    """The share of its items that are predicted as it; None if no answer says anything about it."""
    interval: tuple[float, float]
    note: str | None
    """What cannot be known yet."""


@dataclass(frozen=True)
class TrueClasses:
    """The confusion matrix of a monitor, and the recall of each true class."""

    cells: tuple[ConfusionCell, ...]
    classes: tuple[TrueClass, ...]
    """Those with the most answers about them first."""
    untold: int
    """Answers "wrong" without a true class."""

    def __getitem__(self, name: Label) -> TrueClass:
        for one in self.classes:
            if one.name == name:
                return one
        raise NoEntryError(f"no prediction or answer has named the class {name!r}")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        cells = [one._asdict() | {"interval": list(one.interval)} for one in self.cells]
        classes = [asdict(one) | {"interval": list(one.interval)} for one in self.classes]
        return {"cells": cells, "classes": classes, "untold": self.untold}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return what `to_dict` returned as records again, also after JSON."""
        try:
            cells = tuple(ConfusionCell(**row | {"interval": tuple(row["interval"])}) for row in data["cells"])
            classes = tuple(
                TrueClass(**taken(TrueClass, row) | {"interval": tuple(row["interval"])}) for row in data["classes"]
            )
            return cls(cells, classes, data["untold"])
        except (KeyError, TypeError) as error:
            raise SidelightError(f"this does not describe true classes ({type(error).__name__}: {error})") from None


def taken(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a class that the data has."""
    return {field.name: data[field.name] for field in fields(kind) if field.name in data}


def comparison_from(row: Mapping[str, Any]) -> Comparison:
    """Return a comparison from plain data."""
    sides = {name: row[name] and segment_from(row[name]) for name in ("old", "new")}
    pairs = {name: tuple(row[name]) for name in ("versions", "interval")}
    counts = row["differences"] and Differences(*row["differences"])
    return Comparison(**taken(Comparison, row) | sides | pairs | {"differences": counts})


def segment_from(row: Mapping[str, Any]) -> SegmentReport:
    """Return a segment from plain data."""
    pairs = {"interval": tuple(row["interval"]), "classes": tuple(tuple(one) for one in row["classes"])}
    return SegmentReport(**taken(SegmentReport, row) | pairs)
