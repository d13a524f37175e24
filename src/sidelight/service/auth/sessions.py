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
from sidelight.service.journal.entry import journal_json
from sidelight.service.problems import Problem, check_request_text
from sidelight.service.store.base import Reader
from sidelight.service.writer.unit import WriterUnit, writer_job

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
        "SELECT reviewer, expires_at FROM sessions WHERE sha256 = ? AND kind = 'session'",
        reviewers.digest_of_link_code(cookie),
    )
    if row is None or row[1] <= tx.now():
        return None
    reviewer = reviewers.find_reviewer(tx, row[0])
    return None if reviewer is None or reviewer.disabled_at is not None else reviewer


def find_password_account(tx: Reader, name: str) -> Account | None:
    """Return the account with this name."""
    row = tx.one(
        "SELECT id, password FROM reviewers WHERE name = ? AND disabled_at IS NULL",
        reviewers.normalize_reviewer_name(name),
    )
    return None if row is None else Account(*row)


@writer_job
def sign_in(work: WriterUnit, id: str, old_cookie: str | None = None, renewed: str | None = None) -> str:
    """Open a session for a reviewer whose password was right, and return its cookie; their old session ends.

    `renewed` is the password hashed again, if hashes are made differently now.
    """
    reviewer = reviewers.enabled_reviewer(work.reading, id)
    if renewed is not None:
        work.writing().run("UPDATE reviewers SET password = ? WHERE id = ?", renewed, id)
    audit.write_audit_log(work.writing(), reviewer.actor, "signed in", reviewer.name)
    return _open_session(work, reviewer, old_cookie)


@writer_job
def sign_in_subject(
    work: WriterUnit, subject: str, name: str, scopes: tuple[str, ...], old_cookie: str | None = None
) -> str:
    """Open a session for somebody whom a provider identified; the first time they become a reviewer.

    The provider decides about scopes, at every sign-in. An account with a password is never taken over because its name
    is the same.
    """
    row = work.reading.one("SELECT id FROM reviewers WHERE subject = ?", subject)
    if row is None:
        taken = (
            work.reading.one("SELECT 1 FROM reviewers WHERE name = ?", reviewers.normalize_reviewer_name(name))
            is not None
        )
        unique = f"{name} ({reviewers.digest_of_link_code(subject).hex()[:6]})" if taken else name
        reviewer = reviewers.insert_reviewer(work, unique, None, scopes, subject=subject)
        audit.write_audit_log(
            work.writing(), reviewer.actor, "reviewer created by the provider", reviewer.name, scopes=[*scopes]
        )
    else:
        found = reviewers.find_reviewer(work.reading, row[0])
        if found is None or found.disabled_at is not None:
            raise Problem("forbidden", "your account here is disabled: ask an administrator")
        if set(found.scopes) != set(scopes):
            work.writing().run("UPDATE reviewers SET scopes = ? WHERE id = ?", journal_json([*scopes]), found.id)
            audit.write_audit_log(
                work.writing(), found.actor, "scopes changed by the provider", found.name, scopes=[*scopes]
            )
        reviewer = reviewers.enabled_reviewer(work.reading, found.id)
    audit.write_audit_log(work.writing(), reviewer.actor, "signed in", reviewer.name)
    return _open_session(work, reviewer, old_cookie)


@writer_job
def sign_out(work: WriterUnit, cookie: str) -> None:
    """End a session."""
    work.writing().run("DELETE FROM sessions WHERE sha256 = ?", reviewers.digest_of_link_code(cookie))


@writer_job
def end_password_sessions(work: WriterUnit) -> None:
    """End the sessions of everybody whom no provider knows, because passwords are switched off."""
    unknown = "SELECT id FROM reviewers WHERE subject IS NULL"
    work.writing().run(f"DELETE FROM sessions WHERE kind = 'session' AND reviewer IN ({unknown})")


@writer_job
def follow_password_link(work: WriterUnit, code: str, name: str, password: str, old_cookie: str | None = None) -> str:
    """Use a link to choose a password, and as a new administrator also a name; all other sessions end.

    The password is hashed already, because hashing takes long and would hold up the writer.
    """
    id = reviewers.owner_of_password_link(work.reading, work.now, code)
    if id is None:
        check_request_text("name", name.strip())
        reviewers.use_up_password_link(work.writing(), code)
        reviewer = _make_administrator(work, name, password)
    else:
        reviewer = reviewers.enabled_reviewer(work.reading, id)
        reviewers.use_up_password_link(work.writing(), code)
        _set_password(work, reviewer, password, "password chosen")
    return _open_session(work, reviewer, old_cookie)


@writer_job
def change_password(work: WriterUnit, id: str, password: str) -> str:
    """Change the password of someone who knew the old one; all their other sessions and links end."""
    reviewer = reviewers.enabled_reviewer(work.reading, id)
    _set_password(work, reviewer, password, "password changed")
    return _open_session(work, reviewer, None)


@writer_job
def make_administrator_link(work: WriterUnit, actor: str = "system", only_first: bool = True) -> str | None:
    """Create the link for an administrator: at the first start, while there is none, or at any time by a command.

    Returns the code, or None if there is an administrator and the link is only for the first one.
    """
    if only_first and reviewers.any_administrator_can_sign_in(work.reading):
        return None
    audit.write_audit_log(work.writing(), actor, "administrator link made", "" if only_first else "recovery")
    return reviewers.make_password_link(work.writing(), work.now, None)


def _set_password(work: WriterUnit, reviewer: Reviewer, password: str, action: str) -> None:
    work.writing().run("UPDATE reviewers SET password = ? WHERE id = ?", password, reviewer.id)
    work.writing().run("DELETE FROM sessions WHERE reviewer = ?", reviewer.id)
    audit.write_audit_log(work.writing(), reviewer.actor, action, reviewer.name)


def _make_administrator(work: WriterUnit, name: str, password: str) -> Reviewer:
    """Return a new administrator, or the existing account of this name with a new password and all scopes."""
    row = work.reading.one("SELECT id FROM reviewers WHERE name = ?", reviewers.normalize_reviewer_name(name))
    if row is None:
        reviewer = reviewers.insert_reviewer(work, name, password, reviewers.ADMINISTRATOR)
        audit.write_audit_log(work.writing(), reviewer.actor, "administrator created", reviewer.name)
        return reviewer
    id = row[0]
    work.writing().run(
        "UPDATE reviewers SET password = ?, scopes = ?, monitors = NULL, disabled_at = NULL WHERE id = ?",
        *(password, journal_json(list(reviewers.ADMINISTRATOR)), id),
    )
    work.writing().run("DELETE FROM sessions WHERE reviewer = ?", id)
    reviewer = reviewers.enabled_reviewer(work.reading, id)
    audit.write_audit_log(work.writing(), reviewer.actor, "administrator recovered", reviewer.name)
    return reviewer


def _open_session(work: WriterUnit, reviewer: Reviewer, old_cookie: str | None) -> str:
    cookie = secrets.token_urlsafe(32)
    if old_cookie is not None:
        work.writing().run("DELETE FROM sessions WHERE sha256 = ?", reviewers.digest_of_link_code(old_cookie))
    work.writing().run("DELETE FROM sessions WHERE expires_at < ?", work.now)
    work.writing().run(
        "INSERT INTO sessions (sha256, kind, reviewer, created_at, expires_at) VALUES (?, 'session', ?, ?, ?)",
        *(reviewers.digest_of_link_code(cookie), reviewer.id, work.now, work.now + SECONDS),
    )
    return cookie


def session_cookie_of(request: Request, secure: bool) -> str | None:
    """Return the session cookie of a request."""
    return request.cookies.get(_session_cookie_name(secure))


def set_session_cookie(response: Response, cookie: str, secure: bool) -> None:
    """Send the cookie: hidden from scripts, not sent from other sites, and with TLS only sent over TLS."""
    response.set_cookie(
        _session_cookie_name(secure),
        cookie,
        max_age=int(SECONDS),
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def drop_session_cookie(response: Response, secure: bool) -> None:
    """Delete the cookie."""
    response.delete_cookie(_session_cookie_name(secure), path="/", secure=secure, httponly=True, samesite="lax")


def check_origin_of_signed_in_request(request: Request, base: str | None) -> None:
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


def _session_cookie_name(secure: bool) -> str:
    # Browsers accept a cookie with this prefix only from the host itself, over TLS.
    return f"__Host-{_COOKIE}" if secure else _COOKIE
