"""The outbox: messages are sent at least once, and retried for a day with growing pauses."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

from sidelight.service.journal import audit
from sidelight.service.journal.entry import journal_json
from sidelight.service.store.base import Reader, Transaction
from sidelight.service.webhooks.delivery import SECONDS, send_webhook_message
from sidelight.service.webhooks.formats import (
    GENERIC,
    SLACK,
    Format,
    WebhookEvent,
    pagerduty_event,
    sign_webhook_headers,
    slack_message,
)
from sidelight.service.writer.duties import LEASE, register_periodic_duty
from sidelight.service.writer.unit import WriterUnit, writer_job

if TYPE_CHECKING:
    from sidelight.service.domain.service import Service

PAUSES = (5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 7200.0, 14400.0, 28800.0, 28800.0)
"""Seconds before each retry: 11 attempts within a day."""
DAY = 86_400.0
_JITTER = 0.05
_RECEIVERS, _MESSAGES = 8, 256
_KEEP = 7 * DAY
_GONE = 410
_LOG = logging.getLogger("sidelight.webhooks")


class Message(NamedTuple):
    """One message for one webhook."""

    endpoint: str
    event: str
    body: bytes
    tries: int
    created_at: float
    url: str
    secret: str
    format: Format


Outcome = int | str | None
"""The status of the receiver's answer; or why there is none; or None if the message was not sent."""


def webhook_messages_waiting(tx: Reader) -> bool:
    """Say whether a message is due."""
    due = "SELECT 1 FROM outbox WHERE sent_at IS NULL AND next_at <= ? LIMIT 1"
    return tx.one(due, tx.now()) is not None


@register_periodic_duty("webhooks", every=0.0, when=webhook_messages_waiting)
def send_due_messages(service: Service) -> int:
    """Send due messages, to several webhooks at once and to each in order; return how many were delivered.

    No transaction is open while a message is being sent.
    """
    by_receiver: dict[str, list[Message]] = {}
    for one in service.do(_claim_due_webhook_messages()):
        by_receiver.setdefault(one.endpoint, []).append(one)
    with ThreadPoolExecutor(_RECEIVERS, "sidelight-webhook") as pool:
        done = pool.map(lambda messages: _deliver_messages_of_webhook(messages, service), by_receiver.values())
        results = [result for some in done for result in some]
    service.do(_store_outcomes_of_webhook_messages(results))
    return sum(_webhook_message_arrived(outcome) for _, outcome in results)


def _deliver_messages_of_webhook(messages: Sequence[Message], service: Service) -> list[tuple[Message, Outcome]]:
    """Send the messages of one webhook until one fails, time is up, or the process is about to end."""
    results: list[tuple[Message, Outcome]] = []
    end, well = time.monotonic() + LEASE / 2 - SECONDS, True
    for one in messages:
        outcome: Outcome = None
        if well and time.monotonic() < end and not service.ending.is_set():
            body, headers = _format_and_sign_webhook_message(one, service.options.url)
            outcome = send_webhook_message(one.url, body, headers, service.options.egress)
            well = _webhook_message_arrived(outcome)
        results.append((one, outcome))
    return results


def _format_and_sign_webhook_message(message: Message, url: str | None) -> tuple[bytes, dict[str, str]]:
    """Return the body of a message in the format of its webhook, and the headers that sign it."""
    if message.format == GENERIC:
        return message.body, sign_webhook_headers(message.secret, message.event, int(time.time()), message.body)
    told = WebhookEvent(message.endpoint, json.loads(message.body), url)
    plain = slack_message(told) if message.format == SLACK else pagerduty_event(told, message.secret)
    return journal_json(plain).encode("ascii"), {}


def _webhook_message_arrived(outcome: Outcome) -> bool:
    return isinstance(outcome, int) and 200 <= outcome < 300


@writer_job
def _claim_due_webhook_messages(work: WriterUnit) -> list[Message]:
    """Take the due messages; if this process dies, another one takes them when the lease has ended."""
    rows = work.writing().all(
        "SELECT o.endpoint, o.event, o.bytes, o.tries, o.created_at, w.url, w.secret, w.format"
        " FROM outbox o JOIN webhooks w ON w.id = o.endpoint"
        " WHERE o.sent_at IS NULL AND o.next_at <= ? ORDER BY o.next_at, o.created_at, o.number LIMIT ?",
        work.now,
        _MESSAGES,
    )
    for endpoint, event, *_ in rows:
        held = "UPDATE outbox SET next_at = ? WHERE endpoint = ? AND event = ?"
        work.writing().run(held, work.now + LEASE, endpoint, event)
    return [Message(endpoint, event, bytes(body), *rest) for endpoint, event, body, *rest in rows]


@writer_job
def _store_outcomes_of_webhook_messages(work: WriterUnit, results: Sequence[tuple[Message, Outcome]]) -> None:
    """Store the outcomes of messages."""
    tx, failed = work.writing(), dict[str, float]()
    for message, outcome in results:
        if _webhook_message_arrived(outcome):
            sent = "UPDATE outbox SET sent_at = ?, tries = tries + 1, failure = NULL WHERE endpoint = ? AND event = ?"
            tx.run(sent, work.now, message.endpoint, message.event)
            tx.run("UPDATE webhooks SET failure = NULL WHERE id = ?", message.endpoint)
        elif outcome is None:  # it waits for the failed message before it
            later = "UPDATE outbox SET next_at = ? WHERE endpoint = ? AND event = ?"
            tx.run(later, failed.get(message.endpoint, work.now), message.endpoint, message.event)
        else:
            failed[message.endpoint] = _note_failed_webhook_message(tx, work.now, message, outcome)
    tx.run("DELETE FROM outbox WHERE sent_at < ?", work.now - _KEEP)


def _note_failed_webhook_message(tx: Transaction, now: float, message: Message, outcome: int | str) -> float:
    """Note that a message did not arrive, and return when to try again."""
    reason = f"the receiver answered {outcome}" if isinstance(outcome, int) else outcome
    _LOG.warning("a webhook failed", extra={"fields": {"webhook": message.endpoint, "failure": reason}})
    tx.run("UPDATE webhooks SET failure = ? WHERE id = ?", reason, message.endpoint)
    pause = PAUSES[min(message.tries, len(PAUSES) - 1)] * (1.0 - _JITTER * random.random())
    if outcome == _GONE:
        disable_webhook(tx, message.endpoint, "service", "the receiver answered 410 (gone)")
    elif message.tries < len(PAUSES) and now + pause < message.created_at + DAY:
        again = "UPDATE outbox SET next_at = ?, tries = tries + 1, failure = ? WHERE endpoint = ? AND event = ?"
        tx.run(again, now + pause, reason, message.endpoint, message.event)
    else:
        tx.run("DELETE FROM outbox WHERE endpoint = ? AND event = ?", message.endpoint, message.event)
        audit.write_audit_log(
            tx, "service", "webhook given up", message.endpoint, message=message.event, failure=reason
        )
    return now + pause


def disable_webhook(tx: Transaction, webhook: str, actor: str, reason: str) -> None:
    """Disable a webhook, and drop its waiting messages."""
    tx.run("UPDATE webhooks SET disabled_at = ?, failure = ? WHERE id = ?", tx.now(), reason, webhook)
    tx.run("DELETE FROM outbox WHERE endpoint = ? AND sent_at IS NULL", webhook)
    audit.write_audit_log(tx, actor, "webhook disabled", webhook, reason=reason)
