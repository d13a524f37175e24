"""What webhooks tell, and the exact bytes of a message."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sidelight.service.journal import text_of

if TYPE_CHECKING:
    from sidelight.service.work import Work

VERDICT_CHANGED = "verdict.changed"
BUDGET_USED_UP = "budget.used_up"
ANSWERS_OVERDUE = "answers.overdue"
EVENTS = {
    VERDICT_CHANGED: "the verdict on a class changed, or drift started the class from nothing",
    BUDGET_USED_UP: "the last verification of a cap, in all or of this day, was asked for",
    ANSWERS_OVERDUE: "answers have not come in the time that the monitor waits for them",
}
"""What can be told, in words."""
_COLUMNS = ("endpoint", "event", "monitor", "number", "bytes", "created_at", "next_at", "tries")


def publish(work: Work, monitor: str, event: str, data: dict[str, Any]) -> None:
    """Put a message for each webhook that wants it into the outbox.

    It happens in the transaction of what it tells about, so that it is told exactly if that happened. The bytes are
    those that are sent and signed, however late; they name the journal's entry.
    """
    rows = work.steady("SELECT id, events, monitors FROM webhooks WHERE disabled_at IS NULL")
    endpoints = [id for id, events, only in rows if event in json.loads(events) and _covers(only, monitor)]
    if not endpoints:
        return
    number, now = work.held(monitor).number, work.now
    names = work.steady("SELECT name FROM monitors WHERE id = ?", monitor)
    told = {"monitor": names[0][0] if names else monitor, "number": number} | data
    stamp = datetime.fromtimestamp(now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = text_of({"type": event, "timestamp": stamp, "data": told}).encode("ascii")
    message = "msg_" + secrets.token_hex(16)
    for one in endpoints:
        work.insert("outbox", _COLUMNS, (one, message, monitor, number, body, now, now, 0))


def _covers(only: str | None, monitor: str) -> bool:
    return only is None or monitor in json.loads(only)
