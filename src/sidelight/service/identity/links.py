"""Links to sign in with once, for the first administrator, after a lost password, and for people who are invited.

Only the SHA-256 of the code is stored. The code stands behind the # of the link, which browsers send to nobody: it is
in no log and in no Referer. Only the POST of the form that follows uses it up; programs that look at links do not.
"""

from __future__ import annotations

import hashlib
import secrets

from sidelight.service.problems import Problem
from sidelight.service.storage.base import Transaction

FIRST = 15 * 60.0
"""For how many seconds the link of an administrator works."""
INVITATION = 7 * 86_400.0
"""The same for people who are invited: they may be asleep."""


def digest(code: str) -> bytes:
    """Return what is stored of a code or of a cookie."""
    return hashlib.sha256(code.encode("utf-8", "replace")).digest()


def make(tx: Transaction, now: float, reviewer: str | None, seconds: float = FIRST) -> str:
    """Return the code of a new link; `reviewer` is whose password it sets, None for a new administrator.

    Links that were made before for the same purpose stop working.
    """
    code = secrets.token_urlsafe(24)
    if reviewer is None:
        tx.run("DELETE FROM sessions WHERE kind = 'link' AND reviewer IS NULL")
    else:
        tx.run("DELETE FROM sessions WHERE kind = 'link' AND reviewer = ?", reviewer)
    tx.run(
        "INSERT INTO sessions (sha256, kind, reviewer, csrf, created_at, expires_at) VALUES (?, 'link', ?, '', ?, ?)",
        *(digest(code), reviewer, now, now + seconds),
    )
    return code


def owner(tx: Transaction, now: float, code: str) -> str | None:
    """Return whose password a link sets, None for a new administrator; a link that does not work is refused."""
    row = tx.one(
        "SELECT reviewer FROM sessions WHERE sha256 = ? AND kind = 'link' AND expires_at > ?", digest(code.strip()), now
    )
    if row is None:
        raise Problem("forbidden", "this link was used already, has expired or is not complete: ask for another one")
    reviewer: str | None = row[0]
    return reviewer


def use_up(tx: Transaction, code: str) -> None:
    """Let a link work no more."""
    tx.run("DELETE FROM sessions WHERE sha256 = ? AND kind = 'link'", digest(code.strip()))


def address(base: str, code: str) -> str:
    """Return the link."""
    return f"{base.rstrip('/')}/start#{code}"
