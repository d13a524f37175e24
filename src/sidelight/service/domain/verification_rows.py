"""Verifications as rows for other programs, over HTTP and in exports."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sidelight.monitor import Reason
from sidelight.service.domain.queue import verifications_where
from sidelight.service.faults import label_fault
from sidelight.service.journal import entry as journal
from sidelight.service.store.base import Reader, Value

COLUMNS = (
    "number",
    "id",
    "prediction",
    "time",
    "reason",
    "score",
    "propensity",
    "segment",
    "version",
    "state",
    "correct",
    "label",
    "settled_at",
    "settled_by",
)
"""The fields of a row, in order."""
ABOUT_PREDICTION = ("prediction", "score", "propensity", "correct")
"""The fields that tell what the classifier said, which reviewers of a blind monitor must not know."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Wanted(NamedTuple):
    """Which verifications to return; None for all."""

    prediction: str | None = None
    """The predicted class as text; "7" stands for the number, too."""
    state: str | None = None
    since: float | None = None
    """Only predictions of this time or later, in seconds since 1970."""
    until: float | None = None
    """Only predictions before this time."""


_ALL = Wanted()


def verification_rows(tx: Reader, monitor: str, after: int, limit: int, wanted: Wanted = _ALL) -> list[dict[str, Any]]:
    """Return the next verifications after a number, in the order requested.

    New ones get larger numbers, so whoever goes on after the last number misses none and sees none twice. Score,
    propensity, segment and version are in the journal, and None once that is pruned; `settled_by` is an actor.
    """
    where, values = ["v.monitor = ?", "v.number > ?"], list[Value]([monitor, after])
    for condition, value in (("v.state = ?", wanted.state), ("v.asked_at >= ?", wanted.since)):
        if value is not None:
            where.append(condition)
            values.append(value)
    if wanted.until is not None:
        where.append("v.asked_at < ?")
        values.append(wanted.until)
    if wanted.prediction is not None:
        names = _class_texts(wanted.prediction)
        where.append(f"v.class IN ({', '.join('?' * len(names))})")
        values += names
    found = verifications_where(tx, f"{' AND '.join(where)} ORDER BY v.number LIMIT {limit}", *values)
    bodies = tx.among("SELECT key, body FROM journal WHERE key IN (??)", [one.key for one in found])
    about = {bytes(key): about_prediction(journal.read_text(body)) for key, body in bodies}
    return [
        dict.fromkeys(COLUMNS)
        | {
            "number": one.number,
            "id": one.id,
            "prediction": one.prediction,
            "time": iso_moment(one.asked_at),
            "reason": Reason.of(one.reason),
            "state": one.state,
            "correct": one.correct,
            "label": one.label,
            "settled_at": None if one.settled_at is None else iso_moment(one.settled_at),
            "settled_by": one.settled_by,
        }
        | about.get(one.key, {})
        for one in found
    ]


def about_prediction(data: dict[str, Any]) -> dict[str, Any]:
    """Return what came with a prediction, from the journal entry of its decision."""
    segment = dict(data.get("segment", ()))
    version = segment.pop("version", None)
    about = {"score": data.get("score"), "propensity": data.get("propensity")}
    return about | {"segment": segment or None, "version": version}


def iso_moment(seconds: float) -> str:
    """Return a time as text (ISO 8601) in UTC: the last microsecond that, read as a number, is not after it.

    So a row's own time as `since` includes the row, and as `until` excludes it.
    """
    ticks = int(seconds * 1e6) + 1
    while ticks / 10**6 > seconds:
        ticks -= 1
    return (_EPOCH + timedelta(microseconds=ticks)).isoformat(timespec="microseconds")


def _class_texts(text: str) -> list[str]:
    """Return how a class that is called so may be stored: as text, or as a number or truth value."""
    try:
        value = journal.read_text(text)
    except (ValueError, RecursionError):
        value = text
    same = isinstance(value, bool | int | float) and label_fault(value) is None
    return [journal.text_of(text), *([journal.text_of(value)] if same else [])]
