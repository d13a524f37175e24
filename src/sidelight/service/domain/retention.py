"""What ends by the clock: waiting for answers that are late, and keeping payloads, which are also deleted on request.

A payload is kept while its verification is waiting for an answer, and then for the monitor's `retention` in days; the
same holds for overdue verifications. On request it is deleted at once. A verification that is still waiting is then
released, since no one can review it any more, and counts like a skipped one. Ids, classes and answers stay in the
journal. The payloads of archived monitors can be deleted, too.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sidelight.monitor.types import VerificationClosed
from sidelight.service.domain import answers, history, monitors
from sidelight.service.domain.service import Service
from sidelight.service.domain.verifications import DELETED, UNSETTLED, note_closed_verifications
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica, journal_events
from sidelight.service.problems import Problem
from sidelight.service.store.base import Transaction
from sidelight.service.writer.duties import register_periodic_duty
from sidelight.service.writer.unit import WriterUnit, monitor_writer_job, writer_job

_DAY = 86_400.0
_AT_ONCE = 500
_PAST = (
    "SELECT p.verification FROM payloads p JOIN verifications v ON v.monitor = p.monitor AND v.number = p.verification "
    "WHERE p.monitor = ? AND v.state <> 'open' AND coalesce(v.settled_at, v.asked_at) < ? "
    "ORDER BY p.verification LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Erased:
    """The result of a request to delete a payload."""

    id: str
    status: Literal["released", "erased", "unknown"]
    """"released" (the verification was waiting), "erased" (it was settled), or "unknown" (there is none)."""
    payload: bool
    """Whether there was a payload."""


@register_periodic_duty("retention", every=3600.0)
def delete_payloads_past_retention(service: Service) -> int:
    """Delete the payloads past their retention, a few at a time, so that requests do not wait long; return how many."""
    with service.read() as tx:
        kept = {one.id: one.settings.get("retention", 30.0) for one in monitors.list_served_monitors(tx, archived=True)}
    deleted = 0
    for monitor, days in kept.items():
        while days is not None and (some := service.do(_delete_some_payloads_past_retention(monitor, days))):
            deleted += some
    return deleted


@writer_job
def _delete_some_payloads_past_retention(work: WriterUnit, monitor: str, days: float) -> int:
    """Delete some payloads of a monitor."""
    tx = work.writing()
    rows = tx.all(_PAST, monitor, work.now - days * _DAY, _AT_ONCE)
    for (verification,) in rows:
        _delete_prediction_payload(tx, monitor, verification)
    return len(rows)


@monitor_writer_job
def erase_prediction_payloads(work: WriterUnit, monitor: str, ids: Sequence[str], *, actor: str) -> list[Erased]:
    """Delete the payloads of predictions by their ids; the results are in the same order."""
    replica = work.replica(monitor)
    return [_erase_prediction_payload(work, replica, id, actor) for id in ids]


def _erase_prediction_payload(work: WriterUnit, replica: Replica, id: str, actor: str) -> Erased:
    """Delete one payload, and release a verification that is waiting."""
    key = journal.journal_key_of_prediction(replica.id, id)
    work.look_up_verifications([key])
    verification = work.verifications[key]
    if verification is None or verification.id != id:
        return Erased(id, "unknown", False)
    waited = verification.state in UNSETTLED and not replica.archived
    if waited:
        answers.settle_verification_with_answer(work, replica, verification, None, actor=actor, detail={"erased": 1})
        work.writing().run(
            "UPDATE verifications SET state = ?, revision = revision + 1 WHERE monitor = ? AND number = ?",
            *(DELETED, verification.monitor, verification.number),
        )
        unanswered = "DELETE FROM slots WHERE monitor = ? AND verification = ? AND answer IS NULL"
        work.writing().run(unanswered, verification.monitor, verification.number)
    return Erased(
        id,
        "released" if waited else "erased",
        _delete_prediction_payload(work.writing(), verification.monitor, verification.number),
    )


def _delete_prediction_payload(tx: Transaction, monitor: str, verification: int) -> bool:
    return tx.run("DELETE FROM payloads WHERE monitor = ? AND verification = ?", monitor, verification) == 1


_LOG = logging.getLogger("sidelight.duties")
_WAITING = (
    "SELECT m.id, m.settings FROM monitors m WHERE m.archived_at IS NULL AND EXISTS"
    " (SELECT 1 FROM verifications v WHERE v.monitor = m.id AND v.state IN ('open', 'overdue')) ORDER BY m.id"
)


@monitor_writer_job
def expire_overdue_verifications(work: WriterUnit, monitor: str) -> int:
    """Mark the overdue verifications of a monitor, and return how many there are; without any, nothing is journaled."""
    replica = work.replica(monitor)
    if replica.archived:
        return 0
    events = replica.monitor.expire(work.now)
    closed = sum(isinstance(one, VerificationClosed) for one in events)
    if closed:
        body = {"time": work.now} | journal_events(events)
        number = work.append(replica.id, journal.EXPIRED, body, actor="service")
        note_closed_verifications(work, replica, events)
        history.note_turned_verdicts_in_history(work, replica, events, number)
    return closed


@register_periodic_duty("expiry", every=60.0)
def expire_verifications_of_all_monitors(service: Service) -> int:
    """Mark overdue requests in all monitors whose patience is measured in time; return how many."""
    with service.read() as tx:
        rows = tx.all(_WAITING)
    timed = [id for id, settings in rows if isinstance(journal.read_journal_json(settings).get("patience"), dict)]
    return sum(_expire_verifications_of_monitor(service, id) for id in timed)


def _expire_verifications_of_monitor(service: Service, monitor: str) -> int:
    """Mark overdue verifications of one monitor and count them; a broken monitor must not stop the others."""
    try:
        return service.do(expire_overdue_verifications(monitor))
    except Problem as problem:
        _LOG.warning("overdue requests of the monitor %s cannot be marked now: %s", monitor, problem)
        return 0
