"""Settings of a monitor: the arguments of `ClassifierMonitor` and the settings of its review queue, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import timedelta
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.settings import LIMITS
from sidelight.service.faults import text_fault
from sidelight.service.limits import PLACES
from sidelight.service.problems import Problem, place

_NOT_OFFERED = ("remember_passes",)


@dataclass(frozen=True, kw_only=True)
class ReviewSettings:
    """How the items of a monitor are reviewed; all of these settings can be changed."""

    reviews: int = 1
    """How many reviews an item needs; if two disagree, a third settles the item."""
    lease: float = 900.0
    """Seconds that a reviewer has for an item before someone else may get it."""
    blind: bool = False
    """Whether reviewers choose a label without seeing the prediction; needs `labels`."""
    labels: tuple[str, ...] = ()
    """The labels that reviewers choose from; without labels, they say right or wrong."""
    retention: float | None = 30.0
    """Days that a payload is kept after its item was settled; None to keep it forever."""
    image_hosts: tuple[str, ...] = ()
    """Hosts whose images the pages may show if payloads link to them."""
    instructions: str = ""
    """Instructions for reviewers."""

    def __post_init__(self) -> None:
        wrong = {
            "reviews": self.reviews not in (1, 2) or isinstance(self.reviews, bool),
            "lease": not _is_number(self.lease) or not 10.0 <= self.lease <= 86_400.0,
            "blind": not isinstance(self.blind, bool) or (self.blind and not self.labels),
            "labels": not _is_texts(self.labels),
            "retention": self.retention is not None and (not _is_number(self.retention) or self.retention < 0.0),
            "image_hosts": not _is_texts(self.image_hosts),
            "instructions": not isinstance(self.instructions, str) or len(self.instructions) > 10_000,
        }
        found = [place(["settings", name], f"give {_ALLOWED[name]}") for name in wrong if wrong[name]]
        if found:
            raise Problem("invalid", "some settings are not allowed", places=found)


_ALLOWED = {
    "reviews": "1 or 2",
    "lease": "seconds from 10 to 86400",
    "blind": "true or false, and if true also the list of labels",
    "labels": "a list of at most 200 different texts of 1 to 200 characters that can be seen, in one line each",
    "retention": "days, at least 0, or null to keep payloads forever",
    "image_hosts": "a list of host names",
    "instructions": "a text of at most 10000 characters",
}
_REVIEW = frozenset(field.name for field in fields(ReviewSettings))


def split(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the library and those of the queue; unknown names are refused.

    Policies have further parameters, so other names go to the library, which knows them. `labels` is either a list for
    the queue, or the number of labels of the policy "explore".
    """
    for name in _NOT_OFFERED:
        if name in settings:
            raise Problem(
                "invalid", f"{name} cannot be set in the service", places=[place(["settings", name], "leave it out")]
            )
    review = {name: value for name, value in settings.items() if name in _REVIEW and not _of_policy(name, value)}
    return {name: settings[name] for name in settings if name not in review}, review


def _of_policy(name: str, value: Any) -> bool:
    return name == "labels" and isinstance(value, int) and not isinstance(value, bool)


def make_monitor(settings: Mapping[str, Any]) -> ClassifierMonitor:
    """Return a new monitor with settings from JSON.

    A value for each class is an object, or a list of pairs if some classes are numbers or one is null (all others).
    Patience is a number of decisions, {"seconds": ...}, "never" or null.
    """
    if "tolerance" not in settings:
        missing = place(["settings", "tolerance"], "give the tolerated error rate, for instance 0.05")
        raise Problem("invalid", "some settings are not allowed", places=[missing])
    values = {name: from_json(name, value) for name, value in settings.items()}
    try:
        # Only the database answers retries.
        return ClassifierMonitor(**values, remember_passes=0)
    except (SidelightError, TypeError) as error:
        name = next((one for one in settings if one in str(error)), None)
        detail = (
            f"{error}" if isinstance(error, SidelightError) else f"give the settings of a monitor by name ({error})"
        )
        places = [place(["settings"] if name is None else ["settings", name], detail)]
        raise Problem("invalid", "some settings are not allowed", places=places) from None


def from_json(name: str, value: Any) -> Any:
    """Return the value of a setting as the library takes it."""
    if name in ("tolerance", "weights") and isinstance(value, list):
        try:
            return dict(value)
        except (TypeError, ValueError):
            detail = "give a number, an object, or a list of pairs of class and number"
            raise Problem("invalid", f"{name} cannot be read", places=[place(["settings", name], detail)]) from None
    if name == "patience" and isinstance(value, Mapping) and set(value) == {"seconds"} and _is_number(value["seconds"]):
        try:
            return timedelta(seconds=value["seconds"])
        except OverflowError:
            return math.inf if value["seconds"] > 0 else timedelta(0)  # refused, like every negative time
    return math.inf if name == "patience" and value == "never" else value


def make_review(values: Mapping[str, Any], before: ReviewSettings | None = None) -> ReviewSettings:
    """Return the settings of the queue: the earlier ones, with these values changed."""
    plain: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return replace(before or ReviewSettings(), **plain)


def review_plain(review: ReviewSettings) -> dict[str, Any]:
    """Return the settings of the queue as plain data for JSON."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(review).items()}


def changeable(settings: Mapping[str, Any]) -> None:
    """Refuse to change settings that cannot be changed."""
    wrong = [name for name in settings if name not in LIMITS and name not in _REVIEW]
    if wrong:
        detail = f"only {', '.join(LIMITS)} and the settings of the queue can be changed: create a new monitor"
        raise Problem(
            "invalid", "this cannot be changed", places=[place(["settings", name], detail) for name in wrong[:PLACES]]
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_texts(value: Any) -> bool:
    # A line break in a label would not survive the forms of the pages.
    texts = isinstance(value, tuple) and all(text_fault(one) is None and one.splitlines() == [one] for one in value)
    return texts and len(set(value)) == len(value) <= 200
