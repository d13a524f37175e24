"""Signing in and out, and the links that let people choose a password."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from sidelight.service.auth import links, passwords, reviewers, sessions
from sidelight.service.auth.passwords import BusyError, PasswordError
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.problems import Problem, unavailable
from sidelight.service.web.rendering import render_page
from sidelight.service.web.visitors import (
    door_of,
    enter,
    form_of,
    is_secure,
    local_path,
    make_router,
    page_context,
    service_of,
)

router = make_router()
_LOG = logging.getLogger("sidelight.service")


@router.get("/signin")
def signin_page(request: Request, next: str = "/") -> Response:
    """Ask for a name and a password."""
    return _signin(request, {"next": local_path(next), "name": ""})


@router.post("/signin")
async def signin_form(request: Request) -> Response:
    """Open a session if the name and password are right."""
    form = form_of(request)
    name, target = form.get("name"), local_path(form.get("next"))
    try:
        _check_passwords(request)
        await door_of(request).knock(request, name)
        session = await run_in_threadpool(_sign_in, request, name, form.get("password"))
    except Problem as problem:
        return _signin_again(request, name, target, problem)
    door_of(request).welcome(request, name)
    return _signed_in_response(request, session, target)


def _sign_in(request: Request, name: str, password: str) -> sessions.NewSession:
    account = _known_account(request, name, password, "the name or password is wrong")
    renewed = _hashed(password) if passwords.is_outdated_hash(account.password or "") else None
    return service_of(request).do(sessions.sign_in(account.id, _old_cookie(request), renewed))


def _known_account(request: Request, name: str, password: str, refusal: str) -> sessions.Account:
    """Return the account with this name and password."""
    with service_of(request).read() as tx:
        account = sessions.find_account(tx, name)
    try:
        right = passwords.password_matches(password, None if account is None else account.password)
    except BusyError as error:
        raise unavailable(str(error), 5) from None
    if account is None or not right:
        _LOG.warning("somebody tried to sign in with a wrong name or password")
        raise Problem("forbidden", refusal)
    return account


@router.get("/account")
def account_page(request: Request, changed: bool = False) -> Response:
    """Show who has signed in, and let them change their password."""
    notice = {"kind": "good", "text": "Your password is changed. You are signed out everywhere else."}
    return _account(enter(request), notice if changed else None)


@router.post("/account")
async def password_form(request: Request) -> Response:
    """Change the password of someone who knows the old one."""
    visitor, form = await run_in_threadpool(enter, request), form_of(request)
    try:
        await door_of(request).knock(request, visitor.name)
        session = await run_in_threadpool(_change, request, visitor, form.get("old"), form.get("password"))
    except (PasswordError, Problem) as error:
        return _account(visitor, _bad_notice(str(error)), getattr(error, "status", 422), _refusal_headers(error))
    door_of(request).welcome(request, visitor.name)
    return _signed_in_response(request, session, "/account?changed=1")


def _change(request: Request, visitor: Reviewer, old: str, new: str) -> sessions.NewSession:
    account = _known_account(request, visitor.name, old, "the old password is wrong; nothing changed")
    return service_of(request).do(sessions.change_password(account.id, _hashed(new)))


def _account(
    visitor: Reviewer, notice: dict[str, str] | None, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    context = page_context(visitor, tab="Account") | {"notice": notice, "least": passwords.LEAST_LENGTH}
    return render_page("account.html", context, status=status, headers=headers)


def _hashed(password: str) -> str:
    try:
        return passwords.hashed_password(password)
    except BusyError as error:
        raise unavailable(str(error), 5) from None


@router.post("/signout")
def signout_form(request: Request) -> Response:
    """End the session."""
    enter(request)
    cookie = _old_cookie(request)
    if cookie is not None:
        service_of(request).do(sessions.sign_out(cookie))
    response = RedirectResponse("/signin", 303)
    sessions.drop_cookie(response, is_secure(request))
    return response


@router.get("/start")
def start_page() -> Response:
    """Ask for what a link needs; opening this page does not use up the link."""
    return _start("", "", None)


@router.post("/start")
async def start_form(request: Request) -> Response:
    """Use up a link, or only say whom it is for."""
    form, invited = form_of(request), None
    code, name = form.get("code"), form.get("name")
    try:
        _check_passwords(request)
        await door_of(request).knock(request)
        invited = await run_in_threadpool(_invited, request, code)
        if form.get("look"):
            return _start(code, name, invited)
        session = await run_in_threadpool(_follow, request, code, name, form.get("password"))
    except (PasswordError, Problem) as error:
        return _start(code, name, invited, error)
    return _signed_in_response(request, session, "/")


def _start(code: str, name: str, invited: str | None, error: Exception | None = None) -> Response:
    context = {"code": code, "name": name, "invited": invited, "least": passwords.LEAST_LENGTH}
    if error is None:
        return render_page("start.html", context)
    status = getattr(error, "status", 422)
    return render_page(
        "start.html", context | {"notice": _bad_notice(str(error))}, status=status, headers=_refusal_headers(error)
    )


def _follow(request: Request, code: str, name: str, password: str) -> sessions.NewSession:
    service = service_of(request)
    with service.read() as tx:  # before hashing, with which strangers could keep the server busy
        links.link_owner(tx, tx.now(), code)
    return service.do(sessions.follow_link(code, name, _hashed(password), _old_cookie(request)))


def _invited(request: Request, code: str) -> str | None:
    """Return the name of the person whom a link is for; None for a new administrator."""
    with service_of(request).read() as tx:
        id = links.link_owner(tx, tx.now(), code)
        return None if id is None else reviewers.enabled_reviewer(tx, id).name


def _signed_in_response(request: Request, session: sessions.NewSession, target: str) -> Response:
    response = RedirectResponse(target, 303)
    sessions.set_cookie(response, session.cookie, is_secure(request))
    return response


def _signin_again(request: Request, name: str, target: str, problem: Problem) -> Response:
    context = {"next": target, "name": name, "notice": _bad_notice(problem.detail)}
    return _signin(request, context, status=problem.status, headers=_refusal_headers(problem))


def _signin(request: Request, context: dict[str, Any], **more: Any) -> Response:
    options = request.app.state.options
    offers = {"provider": options.provider is not None, "passwords": options.local_passwords}
    return render_page("signin.html", context | offers, **more)


def _check_passwords(request: Request) -> None:
    """Refuse passwords where people sign in through a provider only."""
    if not request.app.state.options.local_passwords:
        raise Problem("forbidden", "passwords are switched off: sign in through your organization")


def _refusal_headers(error: Exception) -> dict[str, str]:
    return error.headers if isinstance(error, Problem) else {}


def _bad_notice(text: str) -> dict[str, str]:
    return {"kind": "bad", "text": text[:1].upper() + text[1:]}


def _old_cookie(request: Request) -> str | None:
    return sessions.cookie_of(request, is_secure(request))
