"""Reviewers, the people who sign in: inviting, changing and disabling them; their scopes are those of keys.

One-time links are for the first administrator, for a lost password, and for invited reviewers. Only the SHA-256 of the
code is stored. The code comes after the # of the link, which browsers never send: it is in no log and in no Referer.
Only submitting the form uses it up; programs that open links to preview them do not.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sidelight.service.auth import keys
from sidelight.service.auth.keys import (
    PERSON,
    Caller,
    check_scopes_and_monitors,
    check_scopes_of_key,
    monitor_ids_of_key,
    set_rights_of_key_or_reviewer,
)
from sidelight.service.journal import audit
from sidelight.service.journal.entry import journal_json
from sidelight.service.problems import Problem, check_request_text
from sidelight.service.store.base import Reader, Row, Transaction
from sidelight.service.writer.unit import WriterUnit, writer_job

FIRST = 15 * 60.0
"""Seconds for which the link of an administrator works."""
INVITATION = 7 * 86_400.0
"""Seconds for which the link of an invited reviewer works."""


def digest_of_link_code(code: str) -> bytes:
    """Return the digest of a code or cookie, which is what is stored."""
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()


def make_password_link(tx: Transaction, now: float, reviewer: str | None, seconds: float = FIRST) -> str:
    """Return the code of a new link; it sets the password of `reviewer`, or creates an administrator if None.

    Earlier links for the same purpose stop working.
    """
    code = secrets.token_urlsafe(24)
    if reviewer is None:
        tx.run("DELETE FROM sessions WHERE kind = 'link' AND reviewer IS NULL")
    else:
        tx.run("DELETE FROM sessions WHERE kind = 'link' AND reviewer = ?", reviewer)
    tx.run(
        "INSERT INTO sessions (sha256, kind, reviewer, created_at, expires_at) VALUES (?, 'link', ?, ?, ?)",
        *(digest_of_link_code(code), reviewer, now, now + seconds),
    )
    return code


def owner_of_password_link(tx: Reader, now: float, code: str) -> str | None:
    """Return the reviewer whose password a link sets, None for a new administrator; refuse an invalid link."""
    row = tx.one(
        "SELECT reviewer FROM sessions WHERE sha256 = ? AND kind = 'link' AND expires_at > ?",
        digest_of_link_code(code.strip()),
        now,
    )
    if row is None:
        raise Problem("forbidden", "this link was used already, has expired or is incomplete: ask for a new one")
    reviewer: str | None = row[0]
    return reviewer


def use_up_password_link(tx: Transaction, code: str) -> None:
    """Invalidate a link."""
    tx.run("DELETE FROM sessions WHERE sha256 = ? AND kind = 'link'", digest_of_link_code(code.strip()))


def address_of_password_link(base: str, code: str) -> str:
    """Return the link."""
    return f"{base.rstrip('/')}/start#{code}"


ADMINISTRATOR = ("answer", "settle", "report", "admin")
"""Scopes of the first administrator."""
_COLUMNS = "id, name, password IS NOT NULL OR subject IS NOT NULL, scopes, monitors, created_at, disabled_at"


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A person who signs in."""

    id: str
    name: str
    ready: bool
    """Whether they can sign in: they have chosen a password, or a provider knows them."""
    scopes: tuple[str, ...]
    monitors: tuple[str, ...] | None
    """Ids of the monitors that the scopes are for; None for all."""
    created_at: float
    disabled_at: float | None

    @property
    def actor(self) -> str:
        """Their name in the journal, in slots and in the audit log."""
        return f"{PERSON}{self.id}"

    def may(self, scope: str, monitor: str | None = None) -> bool:
        """Say whether they have a scope, for the monitor with this id if one is given."""
        return self.caller.may(scope, monitor)

    @property
    def admin(self) -> bool:
        """Whether they may administer everything."""
        return "admin" in self.scopes and self.monitors is None

    @property
    def caller(self) -> Caller:
        """What they may do."""
        return Caller(self.actor, frozenset(self.scopes), None if self.monitors is None else frozenset(self.monitors))


class Invitation(NamedTuple):
    """A reviewer and the code of the link to choose a password; it is never shown again."""

    reviewer: Reviewer
    code: str


def list_reviewers(tx: Reader) -> list[Reviewer]:
    """Return all reviewers, by name."""
    return [_reviewer_of_row(row) for row in tx.all(f"SELECT {_COLUMNS} FROM reviewers ORDER BY name")]


def find_reviewer(tx: Reader, id: str) -> Reviewer | None:
    """Return one reviewer."""
    row = tx.one(f"SELECT {_COLUMNS} FROM reviewers WHERE id = ?", id)
    return None if row is None else _reviewer_of_row(row)


def any_administrator_can_sign_in(tx: Reader, besides: str = "") -> bool:
    """Say whether anyone can sign in as an administrator, apart from `besides`."""
    rows = tx.all(
        "SELECT scopes FROM reviewers WHERE disabled_at IS NULL AND monitors IS NULL"
        " AND (password IS NOT NULL OR subject IS NOT NULL) AND id <> ?",
        besides,
    )
    return any("admin" in json.loads(scopes) for (scopes,) in rows)


def reviewer_names(tx: Reader) -> dict[str, str]:
    """Return the names of reviewers, by actor."""
    return {f"{PERSON}{id}": name for id, name in tx.all("SELECT id, name FROM reviewers")}


def has_other_reviewers(tx: Reader, monitor: str, actors: Collection[str]) -> bool:
    """Say whether anyone else can review for a monitor: a person, or a key that is not the classifier's."""
    people = [one.caller for one in list_reviewers(tx) if one.ready and one.disabled_at is None]
    programs = [one.caller for one in keys.live_keys(tx) if "decide" not in one.scopes]
    return any(one.may("answer", monitor) and one.actor not in actors for one in people + programs)


@writer_job
def invite_reviewer(
    work: WriterUnit, actor: str, name: str, scopes: Collection[str], only: Collection[str] | None = None
) -> Invitation:
    """Add a reviewer, who then follows a link to choose a password."""
    scopes = check_scopes_of_key(scopes)
    only = None if only is None else monitor_ids_of_key(work.reading, only)
    reviewer = insert_reviewer(work, name, None, scopes, only)
    audit.write_audit_log(work.writing(), actor, "reviewer invited", reviewer.name, scopes=list(scopes), monitors=only)
    return Invitation(reviewer, make_password_link(work.writing(), work.now, reviewer.id, INVITATION))


@writer_job
def renew_password_link(work: WriterUnit, actor: str, id: str) -> Invitation:
    """Give a reviewer a new link to choose a password; the old password and all sessions work until it is used."""
    reviewer = enabled_reviewer(work.reading, id)
    audit.write_audit_log(work.writing(), actor, "link renewed", reviewer.name)
    return Invitation(reviewer, make_password_link(work.writing(), work.now, reviewer.id, INVITATION))


@writer_job
def change_reviewer(work: WriterUnit, actor: str, id: str, rights: Mapping[str, Any]) -> None:
    """Change the scopes of a reviewer, their monitors, or both, from the next request on."""
    reviewer, rights = enabled_reviewer(work.reading, id), check_scopes_and_monitors(work.reading, rights)
    if "admin" not in (rights.get("scopes") or reviewer.scopes) or rights.get("monitors") is not None:
        _keep_an_administrator(work.reading, reviewer)
    set_rights_of_key_or_reviewer(work.writing(), "reviewers", id, rights)
    audit.write_audit_log(work.writing(), actor, "reviewer changed", reviewer.name, **rights)


@writer_job
def disable_reviewer(work: WriterUnit, actor: str, id: str) -> None:
    """Stop a reviewer from signing in: sessions end, links and the password stop working; answers stay."""
    reviewer = enabled_reviewer(work.reading, id)
    _keep_an_administrator(work.reading, reviewer)
    work.writing().run("UPDATE reviewers SET disabled_at = ? WHERE id = ?", work.now, reviewer.id)
    work.writing().run("DELETE FROM sessions WHERE reviewer = ?", reviewer.id)
    work.writing().run("DELETE FROM slots WHERE reviewer = ? AND answer IS NULL", reviewer.actor)
    audit.write_audit_log(work.writing(), actor, "reviewer disabled", reviewer.name)


@writer_job
def enable_reviewer(work: WriterUnit, actor: str, id: str) -> None:
    """Let a reviewer sign in again."""
    reviewer = find_reviewer(work.reading, id)
    if reviewer is None:
        raise Problem("not-found", "there is no reviewer with this id: reload the list")
    work.writing().run("UPDATE reviewers SET disabled_at = NULL WHERE id = ?", reviewer.id)
    audit.write_audit_log(work.writing(), actor, "reviewer enabled", reviewer.name)


def insert_reviewer(
    work: WriterUnit,
    name: str,
    password: str | None,
    scopes: Sequence[str],
    only: Sequence[str] | None = None,
    subject: str | None = None,
) -> Reviewer:
    """Insert a reviewer unless the name is taken; `password` is hashed, `subject` is who they are to a provider."""
    name = normalize_reviewer_name(name)
    check_request_text("name", name)
    if work.reading.one("SELECT 1 FROM reviewers WHERE name = ?", name) is not None:
        raise Problem("conflict", "this name is taken: choose another one")
    id = secrets.token_hex(5)
    monitors = None if only is None else journal_json(list(only))
    work.writing().run(
        "INSERT INTO reviewers (id, name, password, subject, scopes, monitors, preferences, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, '{}', ?)",
        *(id, name, password, subject, journal_json(list(scopes)), monitors, work.now),
    )
    ready = password is not None or subject is not None
    return Reviewer(id, name, ready, tuple(scopes), None if only is None else tuple(only), work.now, None)


def normalize_reviewer_name(name: str) -> str:
    """Return a name as it is stored, in NFC, because keyboards compose accents and letters differently."""
    return unicodedata.normalize("NFC", name.strip())


def enabled_reviewer(tx: Reader, id: str) -> Reviewer:
    """Return a reviewer who may sign in."""
    reviewer = find_reviewer(tx, id)
    if reviewer is None or reviewer.disabled_at is not None:
        raise Problem("not-found", "there is no active reviewer with this id: reload the list")
    return reviewer


def _keep_an_administrator(tx: Reader, leaving: Reviewer) -> None:
    if "admin" in leaving.scopes and not any_administrator_can_sign_in(tx, besides=leaving.id):
        raise Problem("conflict", "this would leave no administrator: give someone else the scope admin first")


def _reviewer_of_row(row: Row) -> Reviewer:
    id, name, ready, scopes, monitors, created, disabled = row
    only = None if monitors is None else tuple(json.loads(monitors))
    return Reviewer(id, name, bool(ready), tuple(json.loads(scopes)), only, created, disabled)
