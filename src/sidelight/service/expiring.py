"""Letting requests expire whose answers have not come in time, also while there are no predictions."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from sidelight.service import journal
from sidelight.service.duties import duty
from sidelight.service.held import plain_news
from sidelight.service.items import follow_news
from sidelight.service.problems import Problem
from sidelight.service.service import Service
from sidelight.service.work import Job, Work

_LOG = logging.getLogger("sidelight.duties")
_WAITING = (
    "SELECT m.id, m.settings FROM monitors m WHERE m.archived_at IS NULL AND EXISTS"
    " (SELECT 1 FROM items i WHERE i.monitor = m.id AND i.state IN ('open', 'overdue')) ORDER BY m.id"
)


class _Expire:
    """Gives up what is overdue."""

    def __init__(self, monitor: str) -> None:
        self.monitors: Sequence[str] = (monitor,)

    def run(self, work: Work) -> int:
        """Return how many requests were given up; nothing is journaled if there is none."""
        held = work.held(self.monitors[0])
        if held.archived:
            return 0
        held.monitor.expire(work.now)
        news, closed = held.news()
        if closed:
            body = {"time": work.now} | plain_news(news, closed)
            work.append(held.id, journal.EXPIRED, body, actor="service")
            follow_news(work, held, news, closed)
        return len(closed)


def expire(monitor: str) -> Job[int]:
    """Give up the requests of a monitor that are overdue, where its patience is measured in time."""
    return _Expire(monitor)


@duty("expiry", every=60.0)
def expire_all(service: Service) -> int:
    """Give up what is overdue by the clock, in all monitors that wait by it; return how many requests."""
    with service.read() as tx:
        rows = tx.all(_WAITING)
    timed = [id for id, settings in rows if isinstance(journal.read_text(settings).get("patience"), dict)]
    return sum(_expired(service, id) for id in timed)


def _expired(service: Service, monitor: str) -> int:
    """Return how many requests of a monitor were given up; one that cannot be used must not hold up the others."""
    try:
        return service.do(expire(monitor))
    except Problem as problem:
        _LOG.warning("requests of the monitor %s cannot expire now: %s", monitor, problem)
        return 0
