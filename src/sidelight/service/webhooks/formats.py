"""The events that webhooks report, and the forms of their messages: our own, or those that Slack and PagerDuty accept.

Slack: an incoming webhook takes {"text": ..., "blocks": [...]}; `&`, `<` and `>` in texts are escaped, because Slack
reads mentions and links from them. PagerDuty: an event of the Events API v2; those with one `dedup_key` are one alert.
Our own are signed as Standard Webhooks 1.0 (standardwebhooks.com) says: receivers check who sent them, and when.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from sidelight.service.journal.entry import journal_json
from sidelight.text import printable_line

if TYPE_CHECKING:
    from sidelight.service.writer.unit import WriterUnit


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


def publish_webhook_event(work: WriterUnit, monitor: str, event: str, data: dict[str, Any]) -> None:
    """Put a message into the outbox for each webhook that subscribes to the event.

    This is part of the transaction of the event, so the message exists exactly if the event happened. These bytes are
    sent and signed, however late; they name the journal entry.
    """
    rows = work.steady("SELECT id, events, monitors FROM webhooks WHERE disabled_at IS NULL")
    endpoints = [
        id for id, events, only in rows if event in json.loads(events) and _webhook_covers_monitor(only, monitor)
    ]
    if not endpoints:
        return
    message = _webhook_message_id(monitor, event, data, work.now)
    told = work.reading.all("SELECT endpoint FROM outbox WHERE event = ?", message)
    new = [one for one in endpoints if (one,) not in told]
    if not new:
        return
    number, now = work.replica(monitor).number, work.now
    body = _webhook_message_body(work, monitor, number, event, data)
    for one in new:
        work.insert("outbox", _COLUMNS, (one, message, monitor, number, body, now, now, 0))


def _webhook_message_id(monitor: str, event: str, data: dict[str, Any], now: float) -> str:
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
    return "msg_" + hashlib.blake2b(journal_json(once).encode("ascii"), digest_size=16).hexdigest()


def _webhook_message_body(work: WriterUnit, monitor: str, number: int, event: str, data: dict[str, Any]) -> bytes:
    name = work.reading.one("SELECT name FROM monitors WHERE id = ?", monitor)
    told = {"monitor": name[0] if name else monitor, "number": number} | data
    stamp = datetime.fromtimestamp(work.now, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return journal_json({"type": event, "timestamp": stamp, "data": told}).encode("ascii")


def _webhook_covers_monitor(only: str | None, monitor: str) -> bool:
    return only is None or monitor in json.loads(only)


Format = Literal["generic", "slack", "pagerduty"]
GENERIC: Format = "generic"
SLACK: Format = "slack"
PAGERDUTY: Format = "pagerduty"
FORMATS: dict[Format, str] = {
    GENERIC: "generic (signed)",
    SLACK: "Slack (incoming webhook)",
    PAGERDUTY: "PagerDuty (Events API v2)",
}
"""All formats, in words."""
_DRIFT = "drift"


class WebhookEvent(NamedTuple):
    """A generic message, and for whom."""

    endpoint: str
    message: dict[str, Any]
    url: str | None
    """The address of the service that users see, if it is known."""

    @property
    def data(self) -> dict[str, Any]:
        """The facts of the event."""
        data: dict[str, Any] = self.message["data"]
        return data

    @property
    def page(self) -> str | None:
        """The address of the monitor's page."""
        return None if self.url is None else f"{self.url.rstrip('/')}/m/{self.data['monitor']}"


def summarize_webhook_event(told: WebhookEvent) -> str:
    """Return one sentence on what happened; characters that move text, as in a hostile class name, are escaped."""
    data, event = told.data, told.message["type"]
    if event == VERDICT_CHANGED:
        name = printable_line(str(data.get("class")))
        if data.get("cause") == _DRIFT:
            return f"{data['monitor']}: class {name} has changed, and is judged from scratch"
        words = {"above": "is above its tolerance", "below": "is below its tolerance"}
        return f"{data['monitor']}: class {name} {words.get(str(data.get('verdict')), 'is uncertain again')}"
    if event == BUDGET_USED_UP:
        which = "daily" if data["limit"] == "daily_cap" else "total"
        return f"{data['monitor']}: the {which} cap is used up after {data['verifications']} verifications"
    assert event == ANSWERS_OVERDUE
    return f"{data['monitor']}: answers to verifications are overdue"


def slack_message(told: WebhookEvent) -> dict[str, Any]:
    """Return the message for an incoming webhook of Slack."""
    summary = _escape_slack_text(summarize_webhook_event(told))
    where = "" if told.page is None else f" · <{_escape_slack_text(told.page)}|open the monitor>"
    about = f"{_escape_slack_text(told.message['type'])} · {_escape_slack_text(told.message['timestamp'])}{where}"
    return {
        "text": summary,
        "blocks": [
            {"type": "section", "text": {"type": "mrkdwn", "text": summary, "verbatim": True}},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": about, "verbatim": True}]},
        ],
    }


def pagerduty_event(told: WebhookEvent, routing_key: str) -> dict[str, Any]:
    """Return the event for PagerDuty: trouble triggers an alert, and a class that is not in trouble resolves its alert.

    A class is in trouble when it is above its tolerance or has drifted. Nothing says when a cap or overdue answers are
    trouble no more; repeats go to the open alert.
    """
    data, event = told.data, told.message["type"]
    thing = [data.get("class"), data.get("limit")]
    same = journal_json([told.endpoint, data["monitor"], event, *thing]).encode("ascii")
    plain = {"routing_key": routing_key, "dedup_key": f"sidelight-{hashlib.blake2b(same, digest_size=16).hexdigest()}"}
    above = event == VERDICT_CHANGED and data.get("verdict") == "above"
    if event == VERDICT_CHANGED and not above and data.get("cause") != _DRIFT:
        return plain | {"event_action": "resolve"}
    link = {} if told.page is None else {"client": "sidelight", "client_url": told.page}
    payload = {
        "summary": summarize_webhook_event(told),
        "source": (urlsplit(told.url).hostname if told.url else None) or "sidelight",
        "severity": "error" if above else "warning",
        "timestamp": told.message["timestamp"],
        "component": data["monitor"],
        "class": event,
        "custom_details": data,
    }
    return plain | {"event_action": "trigger", "payload": payload} | link


def _escape_slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def new_webhook_secret() -> str:
    """Return a secret of 256 random bits, as receivers enter it."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii")


def sign_webhook_headers(secret: str, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers of a message."""
    signature = Webhook(secret).sign(id, datetime.fromtimestamp(timestamp, UTC), body.decode("ascii"))
    return {"webhook-id": id, "webhook-timestamp": str(timestamp), "webhook-signature": signature}
