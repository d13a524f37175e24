"""One-time sign-in links: for the first administrator, for a lost password, and for invited reviewers.

Only the SHA-256 of the code is stored. The code comes after the # of the link, which browsers never send: it is in no
log and in no Referer. Only submitting the form uses it up; programs that open links to preview them do not.
"""

from __future__ import annotations

import hashlib
import secrets

from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader, Transaction

FIRST = 15 * 60.0
"""Seconds for which the link of an administrator works."""
INVITATION = 7 * 86_400.0
"""Seconds for which the link of an invited reviewer works."""


def code_digest(code: str) -> bytes:
    """Return the digest of a code or cookie, which is what is stored."""
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()


def make_link(tx: Transaction, now: float, reviewer: str | None, seconds: float = FIRST) -> str:
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
        *(code_digest(code), reviewer, now, now + seconds),
    )
    return code


def link_owner(tx: Reader, now: float, code: str) -> str | None:
    """Return whose password a link sets, None for a new administrator; refuse a link that does not work."""
    row = tx.one(
        "SELECT reviewer FROM sessions WHERE sha256 = ? AND kind = 'link' AND expires_at > ?",
        code_digest(code.strip()),
        now,
    )
    if row is None:
        raise Problem("forbidden", "this link was used already, has expired or is incomplete: ask for a new one")
    reviewer: str | None = row[0]
    return reviewer


def use_up_link(tx: Transaction, code: str) -> None:
    """Invalidate a link."""
    tx.run("DELETE FROM sessions WHERE sha256 = ? AND kind = 'link'", code_digest(code.strip()))


def link_address(base: str, code: str) -> str:
    """Return the link."""
    return f"{base.rstrip('/')}/start#{code}"
