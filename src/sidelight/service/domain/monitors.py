"""Creating monitors, archiving them, and finding them by name."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sidelight.monitor import RULE
from sidelight.service import journal
from sidelight.service.journal import audit
from sidelight.service.journal.replica import Held
from sidelight.service.problems import Problem, place
from sidelight.service.settings import make_monitor, make_review, review_plain, split
from sidelight.service.store.base import Transaction
from sidelight.service.writer.unit import Job, Work

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SELECT = "SELECT id, name, settings, rule, last, base, created_at, archived_at FROM monitors"


class MonitorRow(NamedTuple):
    """The stored row of a monitor."""

    id: str
    name: str
    settings: dict[str, Any]
    """As given at creation, with later changes."""
    rule: int
    last: int
    base: int
    created_at: float
    archived_at: float | None


def find(tx: Transaction, name: str) -> MonitorRow:
    """Return the monitor with a name."""
    row = tx.one(f"{_SELECT} WHERE name = ? AND archived_at IS NULL", name)
    if row is None:
        raise Problem("not-found", "there is no monitor with this name: create it with POST /v1/monitors")
    return _monitor(row)


def every(tx: Transaction, *, archived: bool = False) -> list[MonitorRow]:
    """Return all monitors by name."""
    where = "" if archived else " WHERE archived_at IS NULL"
    return [_monitor(row) for row in tx.all(f"{_SELECT}{where} ORDER BY name, created_at, id")]


def _monitor(row: Sequence[Any]) -> MonitorRow:
    return MonitorRow(row[0], row[1], journal.read_text(row[2]), *row[3:])


class _Create:
    """Creates a monitor."""

    monitors: Sequence[str] = ()

    def __init__(self, name: str, settings: Mapping[str, Any], actor: str) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            detail = (
                "give 1 to 64 lowercase letters, digits, dots, hyphens and underscores; start with a letter or digit"
            )
            raise Problem("invalid", "this monitor name is not allowed", places=[place(["name"], detail)])
        self.name, self.actor = name, actor
        self.monitor, review = split(settings)
        self.review = review_plain(make_review(review))
        self.state = journal.read_text(journal.text_of(make_monitor(self.monitor).to_dict()))

    def run(self, work: Work) -> MonitorRow:
        """Insert the monitor, unless its name is taken."""
        if work.reading.one("SELECT id FROM monitors WHERE name = ? AND archived_at IS NULL", self.name):
            raise Problem("conflict", "a monitor with this name exists already: archive it first, or use another name")
        id = secrets.token_hex(8)
        settings = self.monitor | self.review
        row = MonitorRow(id, self.name, settings, RULE, 0, 0, work.now, None)
        values = (id, self.name, journal.text_of(settings), RULE, 0, journal.BEGINNING, 0, work.now)
        work.tx.insert("monitors", ("id", "name", "settings", "rule", "last", "chain", "base", "created_at"), [values])
        held = Held(id)
        held.watch(self.state)
        held.review = make_review(self.review)
        work.hold(held)
        # The state has the values of all settings, including defaults, because defaults may change.
        body = {"name": self.name, "rule": RULE, "monitor": self.monitor, "review": self.review, "state": self.state}
        number = work.append(id, journal.CREATED, body, actor=self.actor)
        audit.write(work.tx, self.actor, "monitor created", self.name, settings=sorted(settings))
        return row._replace(last=number)


def create(name: str, settings: Mapping[str, Any], *, actor: str) -> Job[MonitorRow]:
    """Create a monitor; `settings` are the arguments of `ClassifierMonitor` and of the queue by name."""
    return _Create(name, settings, actor)


class _Archive:
    """Archives a monitor."""

    def __init__(self, monitor: str, actor: str) -> None:
        self.monitors: Sequence[str] = (monitor,)
        self.actor = actor

    def run(self, work: Work) -> MonitorRow:
        """Close the monitor and free its name."""
        (id,) = self.monitors
        held = work.held(id)
        refuse_archived(held)
        held.archived = True
        number = work.append(id, journal.SETTINGS, {"archived": True}, actor=self.actor)
        work.tx.run("UPDATE monitors SET archived_at = ? WHERE id = ?", work.now, id)
        row = stored(work.tx, id)
        audit.write(work.tx, self.actor, "monitor archived", row.name)
        return row._replace(last=number)


def archive(monitor: str, *, actor: str) -> Job[MonitorRow]:
    """Archive a monitor: it can still be read, but no longer changed."""
    return _Archive(monitor, actor)


def refuse_archived(held: Held) -> None:
    """Refuse to change an archived monitor."""
    if held.archived:
        raise Problem("gone", "this monitor is archived and cannot be changed: create a new one")


def stored(tx: Transaction, id: str) -> MonitorRow:
    """Return the monitor with an id, which exists."""
    row = tx.one(f"{_SELECT} WHERE id = ?", id)
    assert row is not None
    return _monitor(row)
