"""The verifications of a monitor (predictions to verify) in the database: storing them, and rows for other programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field
from typing_extensions import TypedDict

from sidelight.monitor import Decision, Reason
from sidelight.monitor.types import Events, Label, VerdictChanged, VerificationClosed
from sidelight.service.domain.inputs import Label as AnyLabel
from sidelight.service.domain.inputs import Payload
from sidelight.service.domain.queue import verifications_where
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica
from sidelight.service.problems import request_label_fault
from sidelight.service.store.base import Reader, Value
from sidelight.service.writer.unit import Verification, WriterUnit

State = Literal["open", "overdue", "answered", "skipped", "forgotten", "deleted"]
OPEN, ANSWERED, SKIPPED, OVERDUE = "open", "answered", "skipped", "overdue"
FORGOTTEN, DELETED = "forgotten", "deleted"
UNSETTLED = (OPEN, OVERDUE)
"""Late answers still count."""

_STORED = ("monitor", "number", "key", "id", "class", "reason", "state", "revision", "asked_at")
_CLOSE = (
    "UPDATE verifications SET state = ?, revision = revision + 1 "
    "WHERE monitor = ? AND number = ? AND state IN ('open', 'overdue')"
)
_SETTLE = (
    "UPDATE verifications SET state = ?, correct = ?, label = ?, settled_at = ?, settled_by = ?, "
    "revision = revision + 1 WHERE monitor = ? AND number = ?"
)
ABOUT_PREDICTION = ("prediction", "score", "propensity", "correct")
"""The fields that tell what the classifier said, which reviewers of a blind monitor must not know."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def insert_requested_verification(
    work: WriterUnit, replica: Replica, key: bytes, decision: Decision, time: float, payload: Payload | None
) -> None:
    """Insert the prediction whose verification the monitor requested last."""
    number, reason, id = replica.monitor.asked, Reason(decision.reason).code, str(decision.id)
    name = journal.journal_json(replica.monitor.classes[decision.prediction].name)
    work.insert("verifications", _STORED, (replica.id, number, key, id, name, reason, OPEN, 0, time))
    work.verifications[key] = Verification(
        replica.id, number, key, id, decision.prediction, reason, OPEN, 0, None, None, time
    )
    if payload is not None:
        row = (replica.id, number, payload.media_type, payload.content)
        work.insert("payloads", ("monitor", "verification", "media_type", "content"), row)


def settle_verification_row(
    work: WriterUnit, verification: Verification, correct: bool | None, label: Label | None, actor: str
) -> None:
    """Store the settled answer of a verification; None if it is skipped."""
    state, value = (SKIPPED, None) if correct is None else (ANSWERED, int(correct))
    said = None if label is None else journal.journal_json(label)
    work.update(_SETTLE, state, value, said, work.now, actor, verification.monitor, verification.number)
    work.verifications[verification.key] = verification._replace(
        state=state, correct=correct, label=label, revision=verification.revision + 1
    )


def note_closed_verifications(work: WriterUnit, replica: Replica, events: Events) -> None:
    """Store verifications that are no longer pending, and changed verdicts."""
    closed = [one for one in events if isinstance(one, VerificationClosed)]
    for one in closed:
        work.update(_CLOSE, FORGOTTEN if one.forgotten else OVERDUE, replica.id, one.number)
    if closed:
        work.verifications.clear()
    overdue = sum(not one.forgotten for one in closed)
    if overdue:
        work.publish(replica.id, "answers.overdue", {"verifications": overdue})
    for event in events:
        if not isinstance(event, VerdictChanged):
            continue
        data = {"class": event.prediction, "before": event.before, "verdict": event.verdict, "cause": event.cause}
        work.publish(replica.id, "verdict.changed", data)


class VerificationRow(TypedDict):
    """A verification; in a blind monitor, what the classifier said is null unless the caller may administer it."""

    number: Annotated[int, Field(description="Its number among all verifications, from 1 in the order requested.")]
    id: str
    prediction: AnyLabel | None
    time: Annotated[str, Field(description="When the prediction was made, as the classifier said, or else arrived.")]
    reason: Annotated[str, Field(description="Why it was chosen.")]
    score: float | None
    propensity: Annotated[float | None, Field(description="The probability with which it was chosen.")]
    segment: dict[str, str] | None
    version: str | None
    state: State
    correct: bool | None
    label: Annotated[AnyLabel | None, Field(description="The true class, where it was given.")]
    settled_at: str | None
    settled_by: Annotated[str | None, Field(description="The name of the reviewer, or the key.")]


ROW_COLUMNS = tuple(VerificationRow.__annotations__)


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


def read_verification_rows(
    tx: Reader, monitor: str, after: int, limit: int, wanted: Wanted = _ALL
) -> list[dict[str, Any]]:
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
        names = _forms_of_predicted_class(wanted.prediction)
        where.append(f"v.class IN ({', '.join('?' * len(names))})")
        values += names
    found = verifications_where(tx, f"{' AND '.join(where)} ORDER BY v.number LIMIT {limit}", *values)
    bodies = tx.among("SELECT key, body FROM journal WHERE key IN (??)", [one.key for one in found])
    about = {bytes(key): describe_verified_prediction(journal.read_journal_json(body)) for key, body in bodies}
    return [
        dict.fromkeys(ROW_COLUMNS)
        | {
            "number": one.number,
            "id": one.id,
            "prediction": one.prediction,
            "time": format_verification_time(one.asked_at),
            "reason": Reason.of(one.reason),
            "state": one.state,
            "correct": one.correct,
            "label": one.label,
            "settled_at": None if one.settled_at is None else format_verification_time(one.settled_at),
            "settled_by": one.settled_by,
        }
        | about.get(one.key, {})
        for one in found
    ]


def describe_verified_prediction(data: dict[str, Any]) -> dict[str, Any]:
    """Return score, propensity and other facts of a prediction from the journal entry of its decision."""
    segment = dict(data.get("segment", ()))
    version = segment.pop("version", None)
    about = {"score": data.get("score"), "propensity": data.get("propensity")}
    return about | {"segment": segment or None, "version": version}


def format_verification_time(seconds: float) -> str:
    """Return a time as text (ISO 8601) in UTC: the last microsecond that, read as a number, is not after it.

    So a row's own time as `since` includes the row, and as `until` excludes it.
    """
    ticks = int(seconds * 1e6) + 1
    while ticks / 10**6 > seconds:
        ticks -= 1
    return (_EPOCH + timedelta(microseconds=ticks)).isoformat(timespec="microseconds")


def _forms_of_predicted_class(text: str) -> list[str]:
    """Return how a class that is called so may be stored: as text, or as a number or truth value."""
    try:
        value = journal.read_journal_json(text)
    except (ValueError, RecursionError):
        value = text
    same = isinstance(value, bool | int | float) and request_label_fault(value) is None
    return [journal.journal_json(text), *([journal.journal_json(value)] if same else [])]
