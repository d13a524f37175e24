"""Error rates of segments, versions and true classes, as records; and records from plain data, as JSON holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, is_dataclass
from types import NoneType
from typing import Any, Literal, Self, TypeVar, get_args, get_origin, get_type_hints

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


@dataclass(frozen=True)
class ConfusionCell:
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
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild the records from the data of `to_dict`, also after JSON."""
        return report_record_from_data(cls, data)


T = TypeVar("T")


def report_record_from_data(kind: type[T], data: Mapping[str, Any]) -> T:
    """Return a record whose fields are in the data; unknown ones are left out, and lists become tuples and records."""
    try:
        hints = get_type_hints(kind)
        return kind(**{name: _report_value_from_data(hint, data[name]) for name, hint in hints.items() if name in data})
    except (KeyError, TypeError) as error:
        raise SidelightError(f"this does not describe a {kind.__name__} ({type(error).__name__}: {error})") from None


def _report_value_from_data(hint: Any, value: Any) -> Any:
    """Return a value as the type of its field demands."""
    if value is None:
        return None
    members = [one for one in get_args(hint) if one is not NoneType]
    if get_origin(hint) is tuple:
        return tuple(_report_value_from_data(members[0], one) if members[-1] is ... else one for one in value)
    if isinstance(hint, type) and is_dataclass(hint):
        return report_record_from_data(hint, value)
    if len(members) == 1:  # X or None
        return _report_value_from_data(members[0], value)
    return hint(*value) if hasattr(hint, "_fields") else value
