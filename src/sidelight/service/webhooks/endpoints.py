"""Creating, listing and removing webhooks."""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sidelight.service.auth.keys import monitor_ids
from sidelight.service.journal import audit
from sidelight.service.journal.entry import text_of
from sidelight.service.problems import Problem, place
from sidelight.service.store.base import Row, Transaction
from sidelight.service.webhooks.addresses import AddressError, check_url
from sidelight.service.webhooks.events import EVENTS
from sidelight.service.webhooks.outbox import disable
from sidelight.service.webhooks.signatures import new_secret

if TYPE_CHECKING:
    from sidelight.service.writer.unit import Work

_COLUMNS = "id, url, events, monitors, created_at, created_by, disabled_at, failure"
MOST = 100
"""Maximum number of active webhooks."""


class Webhook(NamedTuple):
    """A webhook, without its secret."""

    id: str
    url: str
    events: tuple[str, ...]
    monitors: tuple[str, ...] | None
    created_at: float
    created_by: str
    disabled_at: float | None
    failure: str | None
    """Why the last message was not delivered."""


class NewWebhook(NamedTuple):
    """A new webhook; its secret is shown once."""

    webhook: Webhook
    secret: str


def listed(tx: Transaction) -> list[Webhook]:
    """Return all webhooks, newest first."""
    return [_webhook(row) for row in tx.all(f"SELECT {_COLUMNS} FROM webhooks ORDER BY created_at DESC, id")]


@dataclass(frozen=True)
class CreateWebhook:
    """Create a webhook.

    Parameters
    ----------
    url
        Where messages go, over https; the host is looked up when a message is sent.
    events
        Some of `EVENTS`.
    only
        Names of the monitors whose events are sent; None for all.
    """

    actor: str
    url: str
    events: Collection[str]
    only: Collection[str] | None = None
    allow_loopback: bool = False
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> NewWebhook:
        """Check everything, then insert the webhook and note it."""
        try:
            host, *_ = check_url(self.url, allow_loopback=self.allow_loopback)
        except AddressError as error:
            raise Problem("invalid", str(error), places=[place(["url"], str(error))]) from None
        if not self.events or any(one not in EVENTS for one in self.events):
            wrong = place(["events"], f"give one or more of {', '.join(EVENTS)}")
            raise Problem("invalid", "some events are unknown, or there are none", places=[wrong])
        only = None if self.only is None else monitor_ids(work.reading, self.only)
        count = work.reading.one("SELECT COUNT(*) FROM webhooks WHERE disabled_at IS NULL")
        if count is not None and count[0] >= MOST:
            raise Problem("conflict", f"there are {MOST} webhooks already: remove one first")
        id, secret, events = "wh_" + secrets.token_hex(6), new_secret(), [one for one in EVENTS if one in self.events]
        monitors = None if only is None else text_of(list(only))
        row = (id, self.url, text_of(events), monitors, work.now, self.actor, None, None)
        work.tx.insert("webhooks", [*_COLUMNS.split(", "), "secret"], [(*row, secret)])
        audit.write(work.tx, self.actor, "webhook created", id, host=host, events=events, monitors=only)
        return NewWebhook(_webhook(row), secret)


@dataclass(frozen=True)
class RemoveWebhook:
    """Remove a webhook."""

    actor: str
    id: str
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> None:
        """Disable the webhook and note it."""
        if work.reading.one("SELECT 1 FROM webhooks WHERE id = ? AND disabled_at IS NULL", self.id) is None:
            raise Problem("not-found", "there is no webhook with this id: list the webhooks")
        disable(work.tx, self.id, self.actor, "removed")


def _webhook(row: Row) -> Webhook:
    id, url, events, monitors, *rest = row
    only = None if monitors is None else tuple(json.loads(monitors))
    return Webhook(id, url, tuple(json.loads(events)), only, *rest)
