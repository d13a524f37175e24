"""Signing in and out, with a password or through a provider, and the links that let people choose a password."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from sidelight.service.auth import passwords, reviewers, sessions
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.auth.single_sign_on import SECONDS, SingleSignOn, Ticket
from sidelight.service.problems import Problem
from sidelight.service.web import visitors
from sidelight.service.web.rendering import render_page

router = visitors.make_router()
_LOG = logging.getLogger("sidelight.service")


@router.get("/signin")
def signin_page(request: Request, next: str = "/") -> Response:
    """Ask for a name and a password."""
    return _signin(request, visitors.local_path(next), "")


@router.post("/signin")
async def signin_form(request: Request) -> Response:
    """Open a session if the name and password are right."""
    form = visitors.form_of(request)
    name, target = form.get("name"), visitors.local_path(form.get("next"))
    try:
        _check_passwords(request)
        await visitors.door_of(request).knock(request, name)
        cookie = await run_in_threadpool(_sign_in, request, name, form.get("password"))
    except Problem as problem:
        return _signin(request, target, name, problem)
    visitors.door_of(request).welcome(request, name)
    return _signed_in_response(request, cookie, target)


def _sign_in(request: Request, name: str, password: str) -> str:
    account = _known_account(request, name, password, "the name or password is wrong")
    outdated = passwords.is_outdated_hash(account.password or "")
    renewed = passwords.hashed_password(password) if outdated else None
    return visitors.service_of(request).do(sessions.sign_in(account.id, _old_cookie(request), renewed))


def _known_account(request: Request, name: str, password: str, refusal: str) -> sessions.Account:
    """Return the account with this name and password."""
    with visitors.service_of(request).read() as tx:
        account = sessions.find_account(tx, name)
    right = passwords.password_matches(password, None if account is None else account.password)
    if account is None or not right:
        _LOG.warning("somebody tried to sign in with a wrong name or password")
        raise Problem("forbidden", refusal)
    return account


def _signin(request: Request, target: str, name: str, problem: Problem | None = None) -> Response:
    options = request.app.state.options
    offers = {"provider": options.provider is not None, "passwords": options.local_passwords}
    return _form_page("signin.html", {"next": target, "name": name} | offers, problem)


@router.get("/account")
def account_page(request: Request, changed: bool = False) -> Response:
    """Show who has signed in, and let them change their password."""
    notice = {"kind": "good", "text": "Your password is changed. You are signed out everywhere else."}
    return _account(visitors.enter_page(request), {"notice": notice} if changed else {})


@router.post("/account")
async def password_form(request: Request) -> Response:
    """Change the password of someone who knows the old one."""
    visitor, form = await run_in_threadpool(visitors.enter_page, request), visitors.form_of(request)
    try:
        await visitors.door_of(request).knock(request, visitor.name)
        cookie = await run_in_threadpool(_change, request, visitor, form.get("old"), form.get("password"))
    except Problem as problem:
        return _account(visitor, {}, problem)
    visitors.door_of(request).welcome(request, visitor.name)
    return _signed_in_response(request, cookie, "/account?changed=1")


def _change(request: Request, visitor: Reviewer, old: str, new: str) -> str:
    account = _known_account(request, visitor.name, old, "the old password is wrong; nothing changed")
    return visitors.service_of(request).do(sessions.change_password(account.id, passwords.hashed_password(new)))


def _account(visitor: Reviewer, context: dict[str, Any], problem: Problem | None = None) -> Response:
    shared = visitors.page_context(visitor, tab="Account") | {"least": passwords.LEAST_LENGTH}
    return _form_page("account.html", shared | context, problem)


@router.post("/signout")
def signout_form(request: Request) -> Response:
    """End the session."""
    visitors.enter_page(request)
    cookie = _old_cookie(request)
    if cookie is not None:
        visitors.service_of(request).do(sessions.sign_out(cookie))
    response = RedirectResponse("/signin", 303)
    sessions.drop_cookie(response, visitors.is_secure(request))
    return response


@router.get("/start")
def start_page() -> Response:
    """Ask for what a link needs; opening this page does not use up the link."""
    return _start("", "", None)


@router.post("/start")
async def start_form(request: Request) -> Response:
    """Use up a link, or only say whom it is for."""
    form, invited = visitors.form_of(request), None
    code, name = form.get("code"), form.get("name")
    try:
        _check_passwords(request)
        await visitors.door_of(request).knock(request)
        invited = await run_in_threadpool(_invited, request, code)  # before hashing, which keeps the server busy
        if form.get("look"):
            return _start(code, name, invited)
        cookie = await run_in_threadpool(_follow, request, code, name, form.get("password"))
    except Problem as problem:
        return _start(code, name, invited, problem)
    return _signed_in_response(request, cookie, "/")


def _start(code: str, name: str, invited: str | None, problem: Problem | None = None) -> Response:
    context = {"code": code, "name": name, "invited": invited, "least": passwords.LEAST_LENGTH}
    return _form_page("start.html", context, problem)


def _follow(request: Request, code: str, name: str, password: str) -> str:
    hashed = passwords.hashed_password(password)
    return visitors.service_of(request).do(sessions.follow_link(code, name, hashed, _old_cookie(request)))


def _invited(request: Request, code: str) -> str | None:
    """Return the name of the person whom a link is for; None for a new administrator."""
    with visitors.service_of(request).read() as tx:
        id = reviewers.link_owner(tx, tx.now(), code)
        return None if id is None else reviewers.enabled_reviewer(tx, id).name


def _signed_in_response(request: Request, cookie: str, target: str) -> Response:
    response = RedirectResponse(target, 303)
    sessions.set_cookie(response, cookie, visitors.is_secure(request))
    return response


def _form_page(template: str, context: dict[str, Any], problem: Problem | None) -> Response:
    """Return a page with a form, and why it was refused."""
    if problem is None:
        return render_page(template, context)
    notice = {"kind": "bad", "text": problem.detail[:1].upper() + problem.detail[1:]}
    return render_page(template, context | {"notice": notice}, status=problem.status, headers=problem.headers)


def _check_passwords(request: Request) -> None:
    """Refuse passwords where people sign in through a provider only."""
    if not request.app.state.options.local_passwords:
        raise Problem("forbidden", "passwords are switched off: sign in through your organization")


def _old_cookie(request: Request) -> str | None:
    return sessions.cookie_of(request, visitors.is_secure(request))


_TICKET = "sidelight-ticket"
_TICKET_PATH = "/signin"
_LONGEST_NAME = 100


@router.get("/signin/provider")
async def to_provider(request: Request, next: str = "/") -> Response:
    """Send the browser to the provider."""
    ticket = Ticket.new(visitors.local_path(next))
    await visitors.door_of(request).knock(request)
    address = await run_in_threadpool(_provider(request).address, ticket, _callback(request))
    response = RedirectResponse(address, 303)
    response.set_cookie(
        _TICKET,
        ticket.cookie,
        max_age=SECONDS,
        path=_TICKET_PATH,
        secure=visitors.is_secure(request),
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/signin/callback")
async def back_from_provider(
    request: Request, state: str = "", code: str = "", iss: str | None = None, error: str | None = None
) -> Response:
    """Open a session for somebody whom the provider has identified; the ticket works once."""
    ticket = Ticket.read(request.cookies.get(_TICKET), state)
    if error is not None or not code:
        raise Problem("forbidden", "the provider did not sign you in: try again")
    await visitors.door_of(request).knock(request)
    cookie = await run_in_threadpool(_sign_in_subject, request, ticket, code, iss)
    response = _signed_in_response(request, cookie, visitors.local_path(ticket.next))
    response.delete_cookie(_TICKET, path=_TICKET_PATH, secure=visitors.is_secure(request))
    return response


def _sign_in_subject(request: Request, ticket: Ticket, code: str, issuer: str | None) -> str:
    through = _provider(request)
    claims = through.claims(ticket, code, issuer, _callback(request))
    subject = f"{through.provider.issuer} {claims['sub']}"
    name = next(filter(None, (_shown_name(claims.get(one)) for one in ("preferred_username", "email", "name", "sub"))))
    job = sessions.sign_in_subject(subject, name, through.provider.scopes(claims), _old_cookie(request))
    return visitors.service_of(request).do(job)


def _shown_name(name: object) -> str:
    """Return a name without control characters and marks of direction, which people may have typed in themselves."""
    text = name if isinstance(name, str) else ""
    return "".join(one for one in text if one.isprintable()).strip()[:_LONGEST_NAME]


def _provider(request: Request) -> SingleSignOn:
    through: SingleSignOn | None = request.app.state.single_sign_on
    if through is None:
        raise Problem("not-found", "this service has no provider to sign in with")
    return through


def _callback(request: Request) -> str:
    return f"{visitors.own_address(request).rstrip('/')}/signin/callback"
