"""The verifications of a monitor (predictions to verify) in the database."""

from __future__ import annotations

from sidelight.monitor import Decision, Reason
from sidelight.monitor.types import Events, Label, VerdictChanged, VerificationClosed
from sidelight.service.domain.payloads import Payload
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica
from sidelight.service.writer.unit import Verification, Work

OPEN, ANSWERED, SKIPPED, OVERDUE = "open", "answered", "skipped", "overdue"
FORGOTTEN, DELETED = "forgotten", "deleted"
UNSETTLED = (OPEN, OVERDUE)
"""Late answers still count."""

_COLUMNS = ("monitor", "number", "key", "id", "class", "reason", "state", "revision", "asked_at")
_CLOSE = (
    "UPDATE verifications SET state = ?, revision = revision + 1 "
    "WHERE monitor = ? AND number = ? AND state IN ('open', 'overdue')"
)
_SETTLE = (
    "UPDATE verifications SET state = ?, correct = ?, label = ?, settled_at = ?, settled_by = ?, "
    "revision = revision + 1 WHERE monitor = ? AND number = ?"
)


def enter_verification(
    work: Work, replica: Replica, key: bytes, decision: Decision, time: float, payload: Payload | None
) -> None:
    """Insert the prediction whose verification the monitor requested last."""
    number, reason, id = replica.monitor.asked, Reason(decision.reason).code, str(decision.id)
    name = journal.text_of(replica.monitor.classes[decision.prediction].name)
    work.insert("verifications", _COLUMNS, (replica.id, number, key, id, name, reason, OPEN, 0, time))
    work.verifications[key] = Verification(
        replica.id, number, key, id, decision.prediction, reason, OPEN, 0, None, None, time
    )
    if payload is not None:
        row = (replica.id, number, payload.media_type, payload.content)
        work.insert("payloads", ("monitor", "verification", "media_type", "content"), row)


def store_settled(
    work: Work, verification: Verification, correct: bool | None, label: Label | None, actor: str
) -> None:
    """Store the settled answer of a verification; None if it is skipped."""
    state, value = (SKIPPED, None) if correct is None else (ANSWERED, int(correct))
    said = None if label is None else journal.text_of(label)
    work.update(_SETTLE, state, value, said, work.now, actor, verification.monitor, verification.number)
    work.verifications[verification.key] = verification._replace(
        state=state, correct=correct, label=label, revision=verification.revision + 1
    )


def follow(work: Work, replica: Replica, events: Events) -> None:
    """Store what else changed in the monitor: requests that are no longer pending, and verdicts."""
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
