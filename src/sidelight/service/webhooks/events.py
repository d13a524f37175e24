"""The events that webhooks report, and the exact bytes of a message."""

from __future__ import annotations

import hashlib
import json
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sidelight.service.journal.entry import text_of

if TYPE_CHECKING:
    from sidelight.service.writer.unit import Work

VERDICT_CHANGED = "verdict.changed"
BUDGET_USED_UP = "budget.used_up"
ANSWERS_OVERDUE = "answers.overdue"
EVENTS = {
    VERDICT_CHANGED: "the verdict on a class changed, or drift restarted the class",
    BUDGET_USED_UP: "a prediction was let pass because the total or daily cap is used up",
    ANSWERS_OVERDUE: "answers are overdue",
}
"""All events, in words."""
_HOUR = 3600.0
_COLUMNS = ("endpoint", "event", "monitor", "number", "bytes", "created_at", "next_at", "tries")


def publish_event(work: Work, monitor: str, event: str, data: dict[str, Any]) -> None:
    """Put a message into the outbox for each webhook that subscribes to the event.

    This is part of the transaction of the event, so the message exists exactly if the event happened. These bytes are
    sent and signed, however late; they name the journal entry.
    """
    rows = work.steady("SELECT id, events, monitors FROM webhooks WHERE disabled_at IS NULL")
    endpoints = [id for id, events, only in rows if event in json.loads(events) and _covers(only, monitor)]
    if not endpoints:
        return
    message = _message_id(monitor, event, data, work.now)
    told = work.reading.all("SELECT endpoint FROM outbox WHERE event = ?", message)
    new = [one for one in endpoints if (one,) not in told]
    if not new:
        return
    number, now = work.replica(monitor).number, work.now
    body = _body(work, monitor, number, event, data)
    for one in new:
        work.insert("outbox", _COLUMNS, (one, message, monitor, number, body, now, now, 0))


def _message_id(monitor: str, event: str, data: dict[str, Any], now: float) -> str:
    """Return the id of a message; events that must be reported only once have the same id in every process.

    A used-up cap is reported once each time (and once a day, for the daily cap); overdue answers at most once an hour,
    because they become overdue one by one.
    """
    if event == BUDGET_USED_UP:
        day = data["day"] if data["limit"] == "daily_cap" else None
        once: list[Any] = [monitor, event, data["limit"], day, data["verifications"]]
    elif event == ANSWERS_OVERDUE:
        once = [monitor, event, now // _HOUR]
    else:
        return "msg_" + secrets.token_hex(16)
    return "msg_" + hashlib.blake2b(text_of(once).encode("ascii"), digest_size=16).hexdigest()


def _body(work: Work, monitor: str, number: int, event: str, data: dict[str, Any]) -> bytes:
    name = work.reading.one("SELECT name FROM monitors WHERE id = ?", monitor)
    told = {"monitor": name[0] if name else monitor, "number": number} | data
    stamp = datetime.fromtimestamp(work.now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text_of({"type": event, "timestamp": stamp, "data": told}).encode("ascii")


def _covers(only: str | None, monitor: str) -> bool:
    return only is None or monitor in json.loads(only)
