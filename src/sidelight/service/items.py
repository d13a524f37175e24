"""The items of a monitor, predictions that are to be verified, as the database holds them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sidelight.monitor import Decision
from sidelight.monitor.decisions import PLACES, Closed, Event
from sidelight.service import journal
from sidelight.service.held import Held
from sidelight.service.work import Work

if TYPE_CHECKING:
    from sidelight.service.deciding import Payload

OPEN, ANSWERED, SKIPPED, OVERDUE, FORGOTTEN, DELETED = (
    "open",
    "answered",
    "skipped",
    "overdue",
    "forgotten",
    "deleted",
)
UNSETTLED = (OPEN, OVERDUE)
"""An answer that is late is welcome."""

_COLUMNS = ("monitor", "number", "key", "id", "class", "reason", "state", "revision", "asked_at")
_CLOSE = (
    "UPDATE items SET state = ?, revision = revision + 1 "
    "WHERE monitor = ? AND number = ? AND state IN ('open', 'overdue')"
)


def enter_item(work: Work, held: Held, key: bytes, decision: Decision, time: float, payload: Payload | None) -> None:
    """Enter a prediction that is to be verified; the monitor has asked for it last."""
    number, reason = held.monitor.asked, PLACES[decision.reason]
    name = journal.text_of(decision.prediction)
    work.insert("items", _COLUMNS, (held.id, number, key, str(decision.id), name, reason, OPEN, 0, time))
    if payload is not None:
        row = (held.id, number, payload.media_type, payload.content)
        work.insert("payloads", ("monitor", "item", "media_type", "content"), row)


def close_items(work: Work, held: Held, news: Iterable[Event], closed: Iterable[Closed]) -> None:
    """Follow what the monitor says beside: requests that it does not wait for any more, verdicts that turned."""
    overdue = 0
    for one in closed:
        work.tx.run(_CLOSE, FORGOTTEN if one.forgotten else OVERDUE, held.id, one.number)
        overdue += not one.forgotten
    if overdue:
        work.publish(held.id, "answers.overdue", {"items": overdue})
    for event in news:
        data = {"class": event.prediction, "before": event.before, "verdict": event.verdict, "cause": event.cause}
        work.publish(held.id, "verdict.changed", data)
