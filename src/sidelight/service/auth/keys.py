"""Keys of programs: creating, listing, rotating and revoking them.

A key is `sl_`, ten visible hexadecimal digits that name it, `_`, and 256 random bits. Only its SHA-256 is stored: it
cannot be guessed, so a slow hash would only slow down every request. It is shown once, when it is created.

Who may answer what is a rule that the queue, the pages and the interface share. Everyone with the scope `answer` may
give one review of each verification, and change or withdraw it. Whatever goes over the reviews of others needs the
scope `settle`. An answer by id (`POST .../answers`) is no review: it settles its verification at once. So it needs
`settle`, too. The exception is a key in a monitor that shows predictions and wants one review: it belongs to a program
that delivers labels, whose word counts as much as that of a reviewer. People who have signed in use the queue.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from sidelight.service.journal import audit
from sidelight.service.journal.entry import journal_json
from sidelight.service.problems import Problem, check_request_text, problem_place, request_text_fault
from sidelight.service.settings import ReviewSettings
from sidelight.service.store.base import Reader, Row, Transaction
from sidelight.service.writer.unit import WriterUnit, writer_job

SCOPES = ("decide", "answer", "settle", "report", "admin")
"""What a key may do; one scope does not include another."""
GRACE = 86_400.0
"""Seconds for which a key still works after it was rotated."""
LONGEST = 10 * 366 * 86_400.0
_COLUMNS = "id, name, prefix, scopes, monitors, created_at, created_by, expires_at, revoked_at, used_at"


class Caller(NamedTuple):
    """A caller, and what they may do."""

    actor: str
    scopes: frozenset[str]
    monitors: frozenset[str] | None
    """Ids of the monitors that the scopes are for; None for all."""

    def may(self, scope: str, monitor: str | None = None) -> bool:
        """Say whether they have a scope, for the monitor with this id if one is given."""
        return scope in self.scopes and (monitor is None or self.monitors is None or monitor in self.monitors)


@dataclass(frozen=True, slots=True)
class Key:
    """What is known about a key."""

    id: str
    name: str
    prefix: str
    scopes: tuple[str, ...]
    monitors: tuple[str, ...] | None
    created_at: float
    created_by: str
    expires_at: float | None
    revoked_at: float | None
    used_at: float | None

    @property
    def actor(self) -> str:
        """The name of its user in the journal, the audit log and the logs."""
        return f"key:{self.id}"

    @property
    def caller(self) -> Caller:
        """What its user may do."""
        return Caller(self.actor, frozenset(self.scopes), None if self.monitors is None else frozenset(self.monitors))

    def live(self, now: float) -> bool:
        """Whether it works."""
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)


@dataclass(frozen=True, slots=True)
class NewKey(Key):
    """A new key; `key` is the key itself, which is never shown again."""

    key: str


def key_digest(text: str) -> bytes:
    """Return the digest of a key, which is all that is stored of it."""
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def find_key(tx: Reader, text: str) -> Key | None:
    """Return the key of a request, whether or not it still works."""
    row = tx.one(f"SELECT {_COLUMNS} FROM keys WHERE sha256 = ?", key_digest(text))
    return None if row is None else _key_of_row(row)


def list_keys(tx: Reader) -> list[Key]:
    """Return all keys, newest first."""
    return [_key_of_row(row) for row in tx.all(f"SELECT {_COLUMNS} FROM keys ORDER BY created_at DESC, id")]


def live_keys(tx: Reader) -> list[Key]:
    """Return the keys that work."""
    now = tx.now()
    return [one for one in list_keys(tx) if one.live(now)]


@writer_job
def create_key(
    work: WriterUnit,
    actor: str,
    name: str,
    scopes: Collection[str],
    only: Collection[str] | None = None,
    seconds: float | None = None,
) -> NewKey:
    """Create a key with some of `SCOPES`, for the monitors named in `only` or for all, including future ones.

    `name` says what it is for, `seconds` how long it works; None for no limit.
    """
    check_request_text("name", name)
    scopes = check_scopes_of_key(scopes)
    if seconds is not None and not 0.0 < seconds <= LONGEST:
        wrong = problem_place(
            ["expires_in"], f"give seconds, more than 0 and at most {LONGEST:.0f}, or null for no limit"
        )
        raise Problem("invalid", "this lifetime is not allowed", places=[wrong])
    only = None if only is None else monitor_ids_of_key(work.reading, only)
    return _insert_key(work, actor, name, scopes, only, None if seconds is None else work.now + seconds)


@writer_job
def rotate_key(work: WriterUnit, actor: str, id: str, grace: float = GRACE) -> NewKey:
    """Replace a key with a new one; the old key works for a while, so that nothing stops."""
    old = _find_live_key(work, id)
    ends, expires = work.now + grace, None
    if old.expires_at is not None:
        ends, expires = min(old.expires_at, ends), work.now + old.expires_at - old.created_at
    new = _insert_key(work, actor, old.name, old.scopes, old.monitors, expires)
    work.writing().run("UPDATE keys SET expires_at = ? WHERE id = ?", ends, old.id)
    audit.write_audit_log(work.writing(), actor, "key rotated", old.prefix, replaced_by=new.prefix, works_until=ends)
    return new


@writer_job
def revoke_key(work: WriterUnit, actor: str, id: str) -> None:
    """Revoke a key; requests in progress may still be answered."""
    key = _find_live_key(work, id)
    work.writing().run("UPDATE keys SET revoked_at = ? WHERE id = ?", work.now, key.id)
    audit.write_audit_log(work.writing(), actor, "key revoked", key.prefix)


@writer_job
def change_key(work: WriterUnit, actor: str, id: str, rights: Mapping[str, Any]) -> None:
    """Change the scopes of a key, its monitors, or both; all processes notice within five seconds."""
    key, rights = _find_live_key(work, id), check_scopes_and_monitors(work.reading, rights)
    set_rights_of_key_or_reviewer(work.writing(), "keys", id, rights)
    audit.write_audit_log(work.writing(), actor, "key changed", key.prefix, **rights)


def check_scopes_and_monitors(tx: Reader, rights: Mapping[str, Any]) -> dict[str, Sequence[str] | None]:
    """Return new `scopes` and `monitors`, as far as they are given; monitors come as names and leave as ids."""
    found: dict[str, Sequence[str] | None] = {}
    if "scopes" in rights:
        found["scopes"] = check_scopes_of_key(rights["scopes"])
    if "monitors" in rights:
        found["monitors"] = None if rights["monitors"] is None else monitor_ids_of_key(tx, rights["monitors"])
    return found


def set_rights_of_key_or_reviewer(
    tx: Transaction, table: str, id: str, rights: Mapping[str, Sequence[str] | None]
) -> None:
    """Store the changed rights of a key or reviewer."""
    for name, value in rights.items():
        tx.run(f"UPDATE {table} SET {name} = ? WHERE id = ?", None if value is None else journal_json(list(value)), id)


@writer_job
def note_key_use(work: WriterUnit, used: Sequence[tuple[str, float]]) -> None:
    """Store when keys were last used."""
    for id, at in used:
        work.writing().run("UPDATE keys SET used_at = ? WHERE id = ? AND (used_at IS NULL OR used_at < ?)", at, id, at)


def check_scopes_of_key(scopes: Collection[str]) -> tuple[str, ...]:
    """Return the scopes in their usual order."""
    unknown = [one for one in scopes if one not in SCOPES]
    if unknown or not scopes:
        wrong = problem_place(["scopes"], f"give one or more of {', '.join(SCOPES)}")
        raise Problem("invalid", "some scopes are unknown, or there are none", places=[wrong])
    return tuple(one for one in SCOPES if one in scopes)


def monitor_ids_of_key(tx: Reader, names: Collection[str]) -> tuple[str, ...]:
    """Return the ids of existing monitors, by name."""
    if not names:
        wrong = problem_place(["monitors"], "name at least one monitor, or give null for all")
        raise Problem("invalid", "the list of monitors is empty", places=[wrong])
    spelled = [one for one in names if request_text_fault(one) is None]
    sql = "SELECT name, id FROM monitors WHERE name IN (??) AND archived_at IS NULL"
    found: dict[str, str] = dict(tx.among(sql, spelled))
    missing = [
        problem_place(["monitors", at], "there is no such monitor") for at, one in enumerate(names) if one not in found
    ]
    if missing:
        raise Problem("invalid", "some monitors do not exist: create them first", places=missing)
    return tuple(sorted(found.values()))


def _insert_key(
    work: WriterUnit, actor: str, name: str, scopes: Sequence[str], only: Sequence[str] | None, expires: float | None
) -> NewKey:
    id = secrets.token_hex(5)
    prefix = f"sl_{id}"
    text = f"{prefix}_{secrets.token_urlsafe(32)}"
    monitors = None if only is None else journal_json(list(only))
    row = (
        id,
        name,
        prefix,
        journal_json(list(scopes)),
        monitors,
        work.now,
        actor,
        expires,
        None,
        None,
        key_digest(text),
    )
    work.writing().insert("keys", [*_COLUMNS.split(", "), "sha256"], [row])
    audit.write_audit_log(
        work.writing(), actor, "key created", prefix, name=name, scopes=list(scopes), monitors=only, expires_at=expires
    )
    return NewKey(**asdict(_key_of_row(row[:10])), key=text)


def _find_live_key(work: WriterUnit, id: str) -> Key:
    row = work.reading.one(f"SELECT {_COLUMNS} FROM keys WHERE id = ?", id)
    key = None if row is None else _key_of_row(row)
    if key is None or not key.live(work.now):
        raise Problem("not-found", "there is no working key with this id: list the keys")
    return key


def _key_of_row(row: Row) -> Key:
    id, name, prefix, scopes, monitors, *times = row
    only = None if monitors is None else tuple(json.loads(monitors))
    return Key(id, name, prefix, tuple(json.loads(scopes)), only, *times)


PERSON = "reviewer:"
"""How the actors of people who have signed in begin; those of keys begin otherwise."""


def check_may_settle(settles: bool, why: str) -> None:
    """Refuse to go over the reviews of others without the scope `settle`."""
    if not settles:
        raise Problem("forbidden", f"{why} needs the scope settle")


def check_may_answer_directly(actor: str, settles: bool, review: ReviewSettings) -> None:
    """Refuse an answer by id from someone who may only review."""
    if review.blind or review.reviews > 1:
        check_may_settle(settles, "this monitor wants two reviews or hides predictions: use the queue; an answer by id")
    if actor.startswith(PERSON):
        check_may_settle(settles, "people review through the queue; an answer by id")


def caller_sees_predictions(caller: Caller, monitor: str, blind: bool) -> bool:
    """Say whether a caller may see single predictions: if reviews are blind, only whoever may read the journal."""
    return not blind or caller.may("admin", monitor)
