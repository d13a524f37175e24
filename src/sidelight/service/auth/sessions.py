"""Sign in and out with a cookie that scripts cannot read, renewed at every sign-in; only its SHA-256 is stored.

Requests that change something must come from a page of this server: browsers do not send the cookie with those of other
sites (SameSite), and say where a request comes from (Origin, Sec-Fetch-Site).
"""

from __future__ import annotations

import secrets
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from sidelight.service.auth import reviewers
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.journal import audit
from sidelight.service.journal.entry import text_of
from sidelight.service.problems import Problem, check_text
from sidelight.service.store.base import Reader
from sidelight.service.writer.unit import Work, job

SECONDS = 14 * 86_400.0
"""Seconds for which a session lasts."""
_COOKIE = "sidelight"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Account(NamedTuple):
    """What signing in needs to know about an account."""

    id: str
    password: str | None


def find_session(tx: Reader, cookie: str) -> Reviewer | None:
    """Return the reviewer whose session a cookie belongs to, if it is still valid."""
    row = tx.one(
        "SELECT reviewer, expires_at FROM sessions WHERE sha256 = ? AND kind = 'session'", reviewers.code_digest(cookie)
    )
    if row is None or row[1] <= tx.now():
        return None
    reviewer = reviewers.find_reviewer(tx, row[0])
    return None if reviewer is None or reviewer.disabled_at is not None else reviewer


def find_account(tx: Reader, name: str) -> Account | None:
    """Return the account with this name."""
    row = tx.one(
        "SELECT id, password FROM reviewers WHERE name = ? AND disabled_at IS NULL", reviewers.spelled_name(name)
    )
    return None if row is None else Account(*row)


@job
def sign_in(work: Work, id: str, old_cookie: str | None = None, renewed: str | None = None) -> str:
    """Open a session for a reviewer whose password was right, and return its cookie; their old session ends.

    `renewed` is the password hashed again, if hashes are made differently now.
    """
    reviewer = reviewers.enabled_reviewer(work.reading, id)
    if renewed is not None:
        work.writing().run("UPDATE reviewers SET password = ? WHERE id = ?", renewed, id)
    audit.write_audit(work.writing(), reviewer.actor, "signed in", reviewer.name)
    return _open_session(work, reviewer, old_cookie)


@job
def sign_in_subject(work: Work, subject: str, name: str, scopes: tuple[str, ...], old_cookie: str | None = None) -> str:
    """Open a session for somebody whom a provider identified; the first time they become a reviewer.

    The provider decides about scopes, at every sign-in. An account with a password is never taken over because its name
    is the same.
    """
    row = work.reading.one("SELECT id FROM reviewers WHERE subject = ?", subject)
    if row is None:
        taken = work.reading.one("SELECT 1 FROM reviewers WHERE name = ?", reviewers.spelled_name(name)) is not None
        unique = f"{name} ({reviewers.code_digest(subject).hex()[:6]})" if taken else name
        reviewer = reviewers.insert_reviewer(work, unique, None, scopes, subject=subject)
        audit.write_audit(
            work.writing(), reviewer.actor, "reviewer created by the provider", reviewer.name, scopes=[*scopes]
        )
    else:
        found = reviewers.find_reviewer(work.reading, row[0])
        if found is None or found.disabled_at is not None:
            raise Problem("forbidden", "your account here is disabled: ask an administrator")
        if set(found.scopes) != set(scopes):
            work.writing().run("UPDATE reviewers SET scopes = ? WHERE id = ?", text_of([*scopes]), found.id)
            audit.write_audit(
                work.writing(), found.actor, "scopes changed by the provider", found.name, scopes=[*scopes]
            )
        reviewer = reviewers.enabled_reviewer(work.reading, found.id)
    audit.write_audit(work.writing(), reviewer.actor, "signed in", reviewer.name)
    return _open_session(work, reviewer, old_cookie)


@job
def sign_out(work: Work, cookie: str) -> None:
    """End a session."""
    work.writing().run("DELETE FROM sessions WHERE sha256 = ?", reviewers.code_digest(cookie))


@job
def end_password_sessions(work: Work) -> None:
    """End the sessions of everybody whom no provider knows, because passwords are switched off."""
    unknown = "SELECT id FROM reviewers WHERE subject IS NULL"
    work.writing().run(f"DELETE FROM sessions WHERE kind = 'session' AND reviewer IN ({unknown})")


@job
def follow_link(work: Work, code: str, name: str, password: str, old_cookie: str | None = None) -> str:
    """Use a link to choose a password, and as a new administrator also a name; all other sessions end.

    The password is hashed already, because hashing takes long and would hold up the writer.
    """
    id = reviewers.link_owner(work.reading, work.now, code)
    if id is None:
        check_text("name", name.strip())
        reviewers.use_up_link(work.writing(), code)
        reviewer = _make_administrator(work, name, password)
    else:
        reviewer = reviewers.enabled_reviewer(work.reading, id)
        reviewers.use_up_link(work.writing(), code)
        _set_password(work, reviewer, password, "password chosen")
    return _open_session(work, reviewer, old_cookie)


@job
def change_password(work: Work, id: str, password: str) -> str:
    """Change the password of someone who knew the old one; all their other sessions and links end."""
    reviewer = reviewers.enabled_reviewer(work.reading, id)
    _set_password(work, reviewer, password, "password changed")
    return _open_session(work, reviewer, None)


@job
def make_first_link(work: Work, actor: str = "system", only_first: bool = True) -> str | None:
    """Create the link for an administrator: at the first start, while there is none, or at any time by a command.

    Returns the code, or None if there is an administrator and the link is only for the first one.
    """
    if only_first and reviewers.any_administrator(work.reading):
        return None
    audit.write_audit(work.writing(), actor, "administrator link made", "" if only_first else "recovery")
    return reviewers.make_link(work.writing(), work.now, None)


def _set_password(work: Work, reviewer: Reviewer, password: str, action: str) -> None:
    work.writing().run("UPDATE reviewers SET password = ? WHERE id = ?", password, reviewer.id)
    work.writing().run("DELETE FROM sessions WHERE reviewer = ?", reviewer.id)
    audit.write_audit(work.writing(), reviewer.actor, action, reviewer.name)


def _make_administrator(work: Work, name: str, password: str) -> Reviewer:
    """Return a new administrator, or the existing account of this name with a new password and all scopes."""
    row = work.reading.one("SELECT id FROM reviewers WHERE name = ?", reviewers.spelled_name(name))
    if row is None:
        reviewer = reviewers.insert_reviewer(work, name, password, reviewers.ADMINISTRATOR)
        audit.write_audit(work.writing(), reviewer.actor, "administrator created", reviewer.name)
        return reviewer
    id = row[0]
    work.writing().run(
        "UPDATE reviewers SET password = ?, scopes = ?, monitors = NULL, disabled_at = NULL WHERE id = ?",
        *(password, text_of(list(reviewers.ADMINISTRATOR)), id),
    )
    work.writing().run("DELETE FROM sessions WHERE reviewer = ?", id)
    reviewer = reviewers.enabled_reviewer(work.reading, id)
    audit.write_audit(work.writing(), reviewer.actor, "administrator recovered", reviewer.name)
    return reviewer


def _open_session(work: Work, reviewer: Reviewer, old_cookie: str | None) -> str:
    cookie = secrets.token_urlsafe(32)
    if old_cookie is not None:
        work.writing().run("DELETE FROM sessions WHERE sha256 = ?", reviewers.code_digest(old_cookie))
    work.writing().run("DELETE FROM sessions WHERE expires_at < ?", work.now)
    work.writing().run(
        "INSERT INTO sessions (sha256, kind, reviewer, created_at, expires_at) VALUES (?, 'session', ?, ?, ?)",
        *(reviewers.code_digest(cookie), reviewer.id, work.now, work.now + SECONDS),
    )
    return cookie


def cookie_of(request: Request, secure: bool) -> str | None:
    """Return the session cookie of a request."""
    return request.cookies.get(_cookie_name(secure))


def set_cookie(response: Response, cookie: str, secure: bool) -> None:
    """Send the cookie: hidden from scripts, not sent from other sites, and with TLS only sent over TLS."""
    response.set_cookie(
        _cookie_name(secure), cookie, max_age=int(SECONDS), path="/", secure=secure, httponly=True, samesite="lax"
    )


def drop_cookie(response: Response, secure: bool) -> None:
    """Delete the cookie."""
    response.delete_cookie(_cookie_name(secure), path="/", secure=secure, httponly=True, samesite="lax")


def check_origin(request: Request, base: str | None) -> None:
    """Refuse a changing request that comes from a page of another site.

    Browsers send Origin with every such request. `base` is the address that users see if there is a proxy.
    """
    origin = request.headers.get("origin")
    own = {f"{request.url.scheme}://{request.headers.get('host', '')}"}
    if base is not None:
        own.add(base.rstrip("/"))
    if origin is None:
        # Programs send no Origin; browsers at least say which kind of site a request comes from.
        if request.headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
            return
    elif origin in own:
        return
    raise Problem("forbidden", "this request came from another site: use the page on this server")


def _cookie_name(secure: bool) -> str:
    # Browsers accept a cookie with this prefix only from the host itself, over TLS.
    return f"__Host-{_COOKIE}" if secure else _COOKIE
