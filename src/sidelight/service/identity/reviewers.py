"""People who sign in: made, changed, disabled; each with scopes like those of keys."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sidelight.service import audit
from sidelight.service.identity import links
from sidelight.service.identity.keys import Caller, check_scopes, monitor_ids, new_id
from sidelight.service.inputs import check_text
from sidelight.service.journal import text_of
from sidelight.service.problems import Problem
from sidelight.service.storage.base import Row, Transaction
from sidelight.service.work import Work

ADMINISTRATOR = ("answer", "settle", "report", "admin")
"""Scopes of the first person who signs in."""
_COLUMNS = "id, name, password IS NOT NULL, scopes, monitors, created_at, disabled_at"


class Reviewer(NamedTuple):
    """What is known about a person."""

    id: str
    name: str
    ready: bool
    """Whether a password was chosen."""
    scopes: tuple[str, ...]
    monitors: tuple[str, ...] | None
    """Ids of the monitors that the scopes are for; None for all."""
    created_at: float
    disabled_at: float | None

    @property
    def actor(self) -> str:
        """How journal, slots and audit log call this person."""
        return f"reviewer:{self.id}"

    @property
    def caller(self) -> Caller:
        """What this person may do."""
        return Caller(self.actor, frozenset(self.scopes), None if self.monitors is None else frozenset(self.monitors))


class Invitation(NamedTuple):
    """A person and the code of the link that lets them choose a password; it is never shown again."""

    reviewer: Reviewer
    code: str


def listed(tx: Transaction) -> list[Reviewer]:
    """Return all people, by name."""
    return [_reviewer(row) for row in tx.all(f"SELECT {_COLUMNS} FROM reviewers ORDER BY name")]


def find(tx: Transaction, id: str) -> Reviewer | None:
    """Return one person."""
    row = tx.one(f"SELECT {_COLUMNS} FROM reviewers WHERE id = ?", id)
    return None if row is None else _reviewer(row)


def any_administrator(tx: Transaction, besides: str = "") -> bool:
    """Say whether somebody can sign in who may administer everything; one person may be left out."""
    rows = tx.all(
        "SELECT scopes FROM reviewers WHERE disabled_at IS NULL AND password IS NOT NULL AND monitors IS NULL"
        " AND id <> ?",
        besides,
    )
    return any("admin" in json.loads(scopes) for (scopes,) in rows)


def names(tx: Transaction) -> dict[str, str]:
    """Return what people are called, by actor."""
    return {f"reviewer:{id}": name for id, name in tx.all("SELECT id, name FROM reviewers")}


@dataclass(frozen=True)
class InviteReviewer:
    """Add a person, who chooses a password by following a link."""

    actor: str
    name: str
    scopes: Collection[str]
    only: Collection[str] | None = None
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> Invitation:
        """Check everything, then insert the person and the link."""
        scopes = check_scopes(self.scopes)
        only = None if self.only is None else monitor_ids(work.tx, self.only)
        reviewer = insert(work, self.name, None, scopes, only)
        audit.write(work.tx, self.actor, "reviewer invited", reviewer.name, scopes=list(scopes), monitors=only)
        return Invitation(reviewer, links.make(work.tx, work.now, reviewer.id, links.INVITATION))


@dataclass(frozen=True)
class RenewLink:
    """Give a person a new link to choose a password; the old password and all sessions work until it is used."""

    actor: str
    id: str
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> Invitation:
        """Insert the link."""
        reviewer = enabled(work.tx, self.id)
        audit.write(work.tx, self.actor, "link renewed", reviewer.name)
        return Invitation(reviewer, links.make(work.tx, work.now, reviewer.id, links.INVITATION))


@dataclass(frozen=True)
class ChangeScopes:
    """Change what a person may do, from the next request on."""

    actor: str
    id: str
    scopes: Collection[str]
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> None:
        """Write the scopes, unless nobody would be left to administer."""
        scopes = check_scopes(self.scopes)
        reviewer = enabled(work.tx, self.id)
        if "admin" not in scopes:
            _keep_an_administrator(work.tx, reviewer)
        work.tx.run("UPDATE reviewers SET scopes = ? WHERE id = ?", text_of(list(scopes)), reviewer.id)
        audit.write(work.tx, self.actor, "scopes changed", reviewer.name, scopes=list(scopes))


@dataclass(frozen=True)
class DisableReviewer:
    """Let a person in no more: sessions end, links and the password do not work; answers stay."""

    actor: str
    id: str
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> None:
        """Mark the person and free what they hold."""
        reviewer = enabled(work.tx, self.id)
        _keep_an_administrator(work.tx, reviewer)
        work.tx.run("UPDATE reviewers SET disabled_at = ? WHERE id = ?", work.now, reviewer.id)
        work.tx.run("DELETE FROM sessions WHERE reviewer = ?", reviewer.id)
        work.tx.run("DELETE FROM slots WHERE reviewer = ? AND answer IS NULL", reviewer.actor)
        audit.write(work.tx, self.actor, "reviewer disabled", reviewer.name)


@dataclass(frozen=True)
class EnableReviewer:
    """Let a person in again."""

    actor: str
    id: str
    monitors: Sequence[str] = ()

    def run(self, work: Work) -> None:
        """Take the mark away."""
        reviewer = find(work.tx, self.id)
        if reviewer is None:
            raise Problem("not-found", "there is no reviewer with this id: see the list")
        work.tx.run("UPDATE reviewers SET disabled_at = NULL WHERE id = ?", reviewer.id)
        audit.write(work.tx, self.actor, "reviewer enabled", reviewer.name)


def insert(
    work: Work, name: str, password: str | None, scopes: Sequence[str], only: Sequence[str] | None = None
) -> Reviewer:
    """Insert a person whose name is not taken; `password` is hashed."""
    name = spelled(name)
    check_text("name", name)
    if work.tx.one("SELECT 1 FROM reviewers WHERE name = ?", name) is not None:
        raise Problem("conflict", "somebody has this name already: choose another one")
    id = new_id()
    monitors = None if only is None else text_of(list(only))
    work.tx.run(
        "INSERT INTO reviewers (id, name, password, scopes, monitors, preferences, created_at)"
        " VALUES (?, ?, ?, ?, ?, '{}', ?)",
        *(id, name, password, text_of(list(scopes)), monitors, work.now),
    )
    return Reviewer(
        id, name, password is not None, tuple(scopes), None if only is None else tuple(only), work.now, None
    )


def spelled(name: str) -> str:
    """Return a name as it is stored: keyboards compose accents and letters differently (Unicode's form NFC)."""
    return unicodedata.normalize("NFC", name.strip())


def enabled(tx: Transaction, id: str) -> Reviewer:
    """Return a person who may sign in."""
    reviewer = find(tx, id)
    if reviewer is None or reviewer.disabled_at is not None:
        raise Problem("not-found", "there is no reviewer with this id who may sign in: see the list")
    return reviewer


def _keep_an_administrator(tx: Transaction, leaving: Reviewer) -> None:
    if "admin" in leaving.scopes and not any_administrator(tx, besides=leaving.id):
        raise Problem("conflict", "nobody could administer any more: give the scope admin to somebody else first")


def _reviewer(row: Row) -> Reviewer:
    id, name, ready, scopes, monitors, created, disabled = row
    only = None if monitors is None else tuple(json.loads(monitors))
    return Reviewer(id, name, bool(ready), tuple(json.loads(scopes)), only, created, disabled)
