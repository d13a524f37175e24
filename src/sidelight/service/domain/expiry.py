"""Marking requests as overdue when their answers are late, also while there are no predictions."""

from __future__ import annotations

import logging

from sidelight.monitor.types import VerificationClosed
from sidelight.service.domain import history
from sidelight.service.domain.service import Service
from sidelight.service.domain.verifications import store_monitor_changes
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import plain_events
from sidelight.service.problems import Problem
from sidelight.service.writer.duties import periodic_duty
from sidelight.service.writer.unit import Work, monitor_job

_LOG = logging.getLogger("sidelight.duties")
_WAITING = (
    "SELECT m.id, m.settings FROM monitors m WHERE m.archived_at IS NULL AND EXISTS"
    " (SELECT 1 FROM verifications v WHERE v.monitor = m.id AND v.state IN ('open', 'overdue')) ORDER BY m.id"
)


@monitor_job
def expire_verifications(work: Work, monitor: str) -> int:
    """Mark the overdue verifications of a monitor, and return how many there are; without any, nothing is journaled."""
    replica = work.replica(monitor)
    if replica.archived:
        return 0
    events = replica.monitor.expire(work.now)
    closed = sum(isinstance(one, VerificationClosed) for one in events)
    if closed:
        body = {"time": work.now} | plain_events(events)
        number = work.append(replica.id, journal.EXPIRED, body, actor="service")
        store_monitor_changes(work, replica, events)
        history.note_turned_verdicts(work, replica, events, number)
    return closed


@periodic_duty("expiry", every=60.0)
def expire_all(service: Service) -> int:
    """Mark overdue requests in all monitors whose patience is measured in time; return how many."""
    with service.read() as tx:
        rows = tx.all(_WAITING)
    timed = [id for id, settings in rows if isinstance(journal.read_text(settings).get("patience"), dict)]
    return sum(_expire_one_monitor(service, id) for id in timed)


def _expire_one_monitor(service: Service, monitor: str) -> int:
    """Return how many requests of a monitor are newly overdue; a broken monitor must not stop the others."""
    try:
        return service.do(expire_verifications(monitor))
    except Problem as problem:
        _LOG.warning("overdue requests of the monitor %s cannot be marked now: %s", monitor, problem)
        return 0
