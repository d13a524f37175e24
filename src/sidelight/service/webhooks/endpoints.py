"""Creating, listing and removing webhooks."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection
from dataclasses import asdict, dataclass

from sidelight.service.auth.keys import monitor_ids_of_key
from sidelight.service.journal import audit
from sidelight.service.journal.entry import journal_json
from sidelight.service.options import INTERNET, Egress
from sidelight.service.problems import Problem, problem_place
from sidelight.service.store.base import Reader, Row
from sidelight.service.webhooks.delivery import AddressError, check_webhook_url
from sidelight.service.webhooks.formats import EVENTS, GENERIC, PAGERDUTY, Format, new_webhook_secret
from sidelight.service.webhooks.outbox import disable_webhook
from sidelight.service.writer.unit import WriterUnit, writer_job

_COLUMNS = "id, url, format, events, monitors, created_at, created_by, disabled_at, failure"
MOST = 100
"""Maximum number of active webhooks."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook, without its secret."""

    id: str
    url: str
    format: Format
    events: tuple[str, ...]
    monitors: tuple[str, ...] | None
    created_at: float
    created_by: str
    disabled_at: float | None
    failure: str | None
    """Why the last message was not delivered."""


@dataclass(frozen=True, slots=True)
class NewWebhook(Webhook):
    """A new webhook; `secret` signs generic messages (Standard Webhooks 1.0), and is not shown again."""

    secret: str | None


def list_webhooks(tx: Reader) -> list[Webhook]:
    """Return all webhooks, newest first."""
    return [_webhook_of_row(row) for row in tx.all(f"SELECT {_COLUMNS} FROM webhooks ORDER BY created_at DESC, id")]


@writer_job
def create_webhook(
    work: WriterUnit,
    actor: str,
    url: str,
    events: Collection[str],
    only: Collection[str] | None = None,
    egress: Egress = INTERNET,
    format: Format = "generic",
    routing_key: str | None = None,
) -> NewWebhook:
    """Create a webhook for some of `EVENTS`, of the monitors named in `only` or of all.

    The host is looked up when a message is sent. PagerDuty, and only that, needs a `routing_key`.
    """
    try:
        host, *_ = check_webhook_url(url, egress)
    except AddressError as error:
        raise Problem("invalid", str(error), places=[problem_place(["url"], str(error))]) from None
    if not events or any(one not in EVENTS for one in events):
        wrong = problem_place(["events"], f"give one or more of {', '.join(EVENTS)}")
        raise Problem("invalid", "some events are unknown, or there are none", places=[wrong])
    if (format == PAGERDUTY) != bool(routing_key):
        detail = "PagerDuty needs the integration key of a service (Events API v2); other formats have none"
        raise Problem("invalid", detail, places=[problem_place(["routing_key"], detail)])
    only = None if only is None else monitor_ids_of_key(work.reading, only)
    count = work.reading.one("SELECT COUNT(*) FROM webhooks WHERE disabled_at IS NULL")
    if count is not None and count[0] >= MOST:
        raise Problem("conflict", f"there are {MOST} webhooks already: remove one first")
    id, events = "wh_" + secrets.token_hex(6), [one for one in EVENTS if one in events]
    secret = new_webhook_secret() if format == GENERIC else None
    monitors = None if only is None else journal_json(list(only))
    row = (id, url, format, journal_json(events), monitors, work.now, actor, None, None)
    work.writing().insert("webhooks", [*_COLUMNS.split(", "), "secret"], [(*row, secret or routing_key or "")])
    audit.write_audit_log(
        work.writing(), actor, "webhook created", id, host=host, format=format, events=events, monitors=only
    )
    return NewWebhook(**asdict(_webhook_of_row(row)), secret=secret)


@writer_job
def remove_webhook(work: WriterUnit, actor: str, id: str) -> None:
    """Remove a webhook."""
    if work.reading.one("SELECT 1 FROM webhooks WHERE id = ? AND disabled_at IS NULL", id) is None:
        raise Problem("not-found", "there is no webhook with this id: list the webhooks")
    disable_webhook(work.writing(), id, actor, "removed")


def _webhook_of_row(row: Row) -> Webhook:
    id, url, format, events, monitors, *rest = row
    only = None if monitors is None else tuple(json.loads(monitors))
    return Webhook(id, url, format, tuple(json.loads(events)), only, *rest)
