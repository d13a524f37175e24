"""Creating monitors, finding them by name, changing their settings, and archiving them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from sidelight.errors import ParameterError
from sidelight.monitor import RULE
from sidelight.monitor.settings import LIMITS
from sidelight.service.domain.reviews import settle_verifications_with_enough_reviews
from sidelight.service.journal import audit
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica
from sidelight.service.problems import Problem, problem_place
from sidelight.service.settings import (
    check_changeable_settings,
    make_monitor_from_settings,
    make_review_settings,
    plain_review_settings,
    settings_value_from_json,
    split_settings,
)
from sidelight.service.store.base import Reader
from sidelight.service.writer.unit import Job, WriterUnit, monitor_writer_job, writer_job

R = TypeVar("R", bound=Any)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SELECT = "SELECT id, name, settings, rule, last, chain, base, created_at, archived_at FROM monitors"


class MonitorRow(NamedTuple):
    """The stored row of a monitor."""

    id: str
    name: str
    settings: dict[str, Any]
    """As given at creation, with later changes."""
    rule: int
    last: int
    """The number of the last journal entry, and its chain."""
    chain: bytes
    base: int
    """Entries up to this one may be pruned."""
    created_at: float
    archived_at: float | None


def find_served_monitor(tx: Reader, name: str) -> MonitorRow:
    """Return the monitor with a name."""
    row = tx.one(f"{_SELECT} WHERE name = ? AND archived_at IS NULL", name)
    if row is None:
        raise Problem("not-found", "there is no monitor with this name: create it with POST /v1/monitors")
    return _monitor_of_row(row)


def list_served_monitors(tx: Reader, *, archived: bool = False) -> list[MonitorRow]:
    """Return all monitors by name."""
    where = "" if archived else " WHERE archived_at IS NULL"
    return [_monitor_of_row(row) for row in tx.all(f"{_SELECT}{where} ORDER BY name, created_at, id")]


def with_monitor_names(tx: Reader, records: Iterable[R]) -> list[R]:
    """Return keys, reviewers or webhooks with the names of their monitors instead of ids; None for all stays."""
    names = {one.id: one.name for one in list_served_monitors(tx)}

    def monitor_names_of_ids(ids: Iterable[str] | None) -> tuple[str, ...] | None:
        return None if ids is None else tuple(sorted(names.get(id, "(archived)") for id in ids))

    return [replace(one, monitors=monitor_names_of_ids(one.monitors)) for one in records]


def _monitor_of_row(row: Sequence[Any]) -> MonitorRow:
    id, name, settings, rule, last, chain, *rest = row
    return MonitorRow(id, name, journal.read_journal_json(settings), rule, last, bytes(chain), *rest)


def create_served_monitor(name: str, settings: Mapping[str, Any], *, actor: str) -> Job[MonitorRow]:
    """Create a monitor; `settings` are the arguments of `ClassifierMonitor` and of the queue by name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        detail = "give 1 to 64 lowercase letters, digits, dots, hyphens and underscores; start with a letter or digit"
        raise Problem("invalid", "this monitor name is not allowed", places=[problem_place(["name"], detail)])
    monitor, review = split_settings(settings)
    # The state has the values of all settings, including defaults, because defaults may change.
    state = journal.read_journal_json(journal.journal_json(make_monitor_from_settings(monitor).to_dict()))
    return _insert_served_monitor(name, monitor, plain_review_settings(make_review_settings(review)), state, actor)


@writer_job
def _insert_served_monitor(
    work: WriterUnit, name: str, monitor: dict[str, Any], review: dict[str, Any], state: dict[str, Any], actor: str
) -> MonitorRow:
    """Insert a monitor, unless its name is taken."""
    if work.reading.one("SELECT id FROM monitors WHERE name = ? AND archived_at IS NULL", name):
        raise Problem("conflict", "a monitor with this name exists already: archive it first, or use another name")
    id, settings = secrets.token_hex(8), monitor | review
    values = (id, name, journal.journal_json(settings), RULE, 0, journal.BEGINNING, 0, work.now)
    columns = ("id", "name", "settings", "rule", "last", "chain", "base", "created_at")
    work.writing().insert("monitors", columns, [values])
    replica = Replica(id)
    replica.watch(state)
    replica.review = make_review_settings(review)
    work.add(replica)
    body = {"name": name, "rule": RULE, "monitor": monitor, "review": review, "state": state}
    number = work.append(id, journal.CREATED, body, actor=actor)
    audit.write_audit_log(work.writing(), actor, "monitor created", name, settings=sorted(settings))
    return MonitorRow(id, name, settings, RULE, number, replica.chain, 0, work.now, None)


@monitor_writer_job
def archive_served_monitor(work: WriterUnit, monitor: str, *, actor: str) -> MonitorRow:
    """Archive a monitor: it can still be read, but no longer changed, and its name is free."""
    replica = work.replica(monitor)
    replica.check_open()
    replica.archived = True
    number = work.append(monitor, journal.SETTINGS, {"archived": True}, actor=actor)
    work.writing().run("UPDATE monitors SET archived_at = ? WHERE id = ?", work.now, monitor)
    row = served_monitor_of_id(work.reading, monitor)
    audit.write_audit_log(work.writing(), actor, "monitor archived", row.name)
    return row._replace(last=number)


def served_monitor_of_id(tx: Reader, id: str) -> MonitorRow:
    """Return the monitor with an id, which exists."""
    row = tx.one(f"{_SELECT} WHERE id = ?", id)
    assert row is not None
    return _monitor_of_row(row)


@monitor_writer_job
def change_served_monitor(work: WriterUnit, monitor: str, settings: Mapping[str, Any], *, actor: str) -> MonitorRow:
    """Change the changeable settings of a monitor and its queue, all or none."""
    check_changeable_settings(settings)
    replica = work.replica(monitor)
    replica.check_open()
    limits = {name: settings[name] for name in settings if name in LIMITS}
    review = {name: settings[name] for name in settings if name not in LIMITS}
    before, new = replica.review, make_review_settings(review, replica.review)
    if limits:
        try:
            replica.monitor.change(**{name: settings_value_from_json(name, value) for name, value in limits.items()})
        except ParameterError as error:
            places = [problem_place(["settings", error.name], str(error))]
            raise Problem("invalid", "some settings are not allowed", places=places) from None
    replica.review = new
    body = {"limits": limits, "review": {name: plain_review_settings(new)[name] for name in review}}
    work.append(monitor, journal.SETTINGS, body, actor=actor)
    row = served_monitor_of_id(work.reading, monitor)
    after = row.settings | limits | body["review"]
    work.writing().run("UPDATE monitors SET settings = ? WHERE id = ?", journal.journal_json(after), monitor)
    audit.write_audit_log(work.writing(), actor, "monitor changed", row.name, settings=sorted(settings))
    if new.reviews < before.reviews:
        settle_verifications_with_enough_reviews(work, monitor)
    return row._replace(settings=after, last=replica.number)
