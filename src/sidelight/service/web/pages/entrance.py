"""Signing in and out, with a password or through a provider, and the links that let people choose a password."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from sidelight.service.auth import passwords, reviewers, sessions
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.auth.single_sign_on import SECONDS, SignInTicket, SingleSignOn
from sidelight.service.problems import Problem
from sidelight.service.web import visitors
from sidelight.service.web.rendering import render_page

router = visitors.make_page_router()
_LOG = logging.getLogger("sidelight.service")


@router.get("/signin")
def signin_page(request: Request, next: str = "/") -> Response:
    """Ask for a name and a password."""
    return _render_signin_page(request, visitors.local_page_path(next), "")


@router.post("/signin")
async def signin_form(request: Request) -> Response:
    """Open a session if the name and password are right."""
    form = visitors.form_of_page(request)
    name, target = form.get("name"), visitors.local_page_path(form.get("next"))
    try:
        _check_password_forms_allowed(request)
        await visitors.door_of_page(request).knock(request, name)
        cookie = await run_in_threadpool(_sign_in_from_form, request, name, form.get("password"))
    except Problem as problem:
        return _render_signin_page(request, target, name, problem)
    visitors.door_of_page(request).welcome(request, name)
    return _redirect_signed_in_visitor(request, cookie, target)


def _sign_in_from_form(request: Request, name: str, password: str) -> str:
    account = _known_account_of_form(request, name, password, "the name or password is wrong")
    outdated = passwords.is_outdated_hash(account.password or "")
    renewed = passwords.hash_password(password) if outdated else None
    return visitors.service_of_page(request).do(sessions.sign_in(account.id, _old_cookie_of_visitor(request), renewed))


def _known_account_of_form(request: Request, name: str, password: str, refusal: str) -> sessions.Account:
    """Return the account with this name and password."""
    with visitors.service_of_page(request).read() as tx:
        account = sessions.find_password_account(tx, name)
    right = passwords.password_matches(password, None if account is None else account.password)
    if account is None or not right:
        _LOG.warning("somebody tried to sign in with a wrong name or password")
        raise Problem("forbidden", refusal)
    return account


def _render_signin_page(request: Request, target: str, name: str, problem: Problem | None = None) -> Response:
    options = request.app.state.options
    offers = {"provider": options.provider is not None, "passwords": options.local_passwords}
    return _render_form_page("signin.html", {"next": target, "name": name} | offers, problem)


@router.get("/account")
def account_page(request: Request, changed: bool = False) -> Response:
    """Show who has signed in, and let them change their password."""
    notice = {"kind": "good", "text": "Your password is changed. You are signed out everywhere else."}
    return _render_account_page(visitors.enter_page(request), {"notice": notice} if changed else {})


@router.post("/account")
async def password_form(request: Request) -> Response:
    """Change the password of someone who knows the old one."""
    visitor, form = await run_in_threadpool(visitors.enter_page, request), visitors.form_of_page(request)
    try:
        await visitors.door_of_page(request).knock(request, visitor.name)
        cookie = await run_in_threadpool(
            _change_password_from_form, request, visitor, form.get("old"), form.get("password")
        )
    except Problem as problem:
        return _render_account_page(visitor, {}, problem)
    visitors.door_of_page(request).welcome(request, visitor.name)
    return _redirect_signed_in_visitor(request, cookie, "/account?changed=1")


def _change_password_from_form(request: Request, visitor: Reviewer, old: str, new: str) -> str:
    account = _known_account_of_form(request, visitor.name, old, "the old password is wrong; nothing changed")
    return visitors.service_of_page(request).do(sessions.change_password(account.id, passwords.hash_password(new)))


def _render_account_page(visitor: Reviewer, context: dict[str, Any], problem: Problem | None = None) -> Response:
    shared = visitors.page_context(visitor, tab="Account") | {"least": passwords.LEAST_LENGTH}
    return _render_form_page("account.html", shared | context, problem)


@router.post("/signout")
def signout_form(request: Request) -> Response:
    """End the session."""
    visitors.enter_page(request)
    cookie = _old_cookie_of_visitor(request)
    if cookie is not None:
        visitors.service_of_page(request).do(sessions.sign_out(cookie))
    response = RedirectResponse("/signin", 303)
    sessions.drop_session_cookie(response, visitors.is_secure_page(request))
    return response


@router.get("/start")
def start_link_page() -> Response:
    """Ask for the password (and name) that a link sets; opening this page does not use up the link."""
    return _render_start_link_page("", "", None)


@router.post("/start")
async def start_link_form(request: Request) -> Response:
    """Use up a link, or only say whom it is for."""
    form, invited = visitors.form_of_page(request), None
    code, name = form.get("code"), form.get("name")
    try:
        _check_password_forms_allowed(request)
        await visitors.door_of_page(request).knock(request)
        invited = await run_in_threadpool(
            _name_invited_by_start_page, request, code
        )  # before hashing, which keeps the server busy
        if form.get("look"):
            return _render_start_link_page(code, name, invited)
        cookie = await run_in_threadpool(_follow_link_from_form, request, code, name, form.get("password"))
    except Problem as problem:
        return _render_start_link_page(code, name, invited, problem)
    return _redirect_signed_in_visitor(request, cookie, "/")


def _render_start_link_page(code: str, name: str, invited: str | None, problem: Problem | None = None) -> Response:
    context = {"code": code, "name": name, "invited": invited, "least": passwords.LEAST_LENGTH}
    return _render_form_page("start.html", context, problem)


def _follow_link_from_form(request: Request, code: str, name: str, password: str) -> str:
    hashed = passwords.hash_password(password)
    return visitors.service_of_page(request).do(
        sessions.follow_password_link(code, name, hashed, _old_cookie_of_visitor(request))
    )


def _name_invited_by_start_page(request: Request, code: str) -> str | None:
    """Return the name of the person whom a link is for; None for a new administrator."""
    with visitors.service_of_page(request).read() as tx:
        id = reviewers.owner_of_password_link(tx, tx.now(), code)
        return None if id is None else reviewers.enabled_reviewer(tx, id).name


def _redirect_signed_in_visitor(request: Request, cookie: str, target: str) -> Response:
    response = RedirectResponse(target, 303)
    sessions.set_session_cookie(response, cookie, visitors.is_secure_page(request))
    return response


def _render_form_page(template: str, context: dict[str, Any], problem: Problem | None) -> Response:
    """Return a page with a form, and why it was refused."""
    if problem is None:
        return render_page(template, context)
    notice = {"kind": "bad", "text": problem.detail[:1].upper() + problem.detail[1:]}
    return render_page(template, context | {"notice": notice}, status=problem.status, headers=problem.headers)


def _check_password_forms_allowed(request: Request) -> None:
    """Refuse passwords where people sign in through a provider only."""
    if not request.app.state.options.local_passwords:
        raise Problem("forbidden", "passwords are switched off: sign in through your organization")


def _old_cookie_of_visitor(request: Request) -> str | None:
    return sessions.session_cookie_of(request, visitors.is_secure_page(request))


_TICKET = "sidelight-ticket"
_TICKET_PATH = "/signin"
_LONGEST_NAME = 100


@router.get("/signin/provider")
async def redirect_visitor_to_provider(request: Request, next: str = "/") -> Response:
    """Send the browser to the provider."""
    ticket = SignInTicket.new(visitors.local_page_path(next))
    await visitors.door_of_page(request).knock(request)
    address = await run_in_threadpool(
        _provider_of_signin_page(request).address, ticket, _address_of_callback_page(request)
    )
    response = RedirectResponse(address, 303)
    response.set_cookie(
        _TICKET,
        ticket.cookie,
        max_age=SECONDS,
        path=_TICKET_PATH,
        secure=visitors.is_secure_page(request),
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/signin/callback")
async def provider_callback_page(
    request: Request, state: str = "", code: str = "", iss: str | None = None, error: str | None = None
) -> Response:
    """Open a session for somebody whom the provider has identified; the ticket works once."""
    ticket = SignInTicket.read(request.cookies.get(_TICKET), state)
    if error is not None or not code:
        raise Problem("forbidden", "the provider did not sign you in: try again")
    await visitors.door_of_page(request).knock(request)
    cookie = await run_in_threadpool(_sign_in_subject_from_callback_page, request, ticket, code, iss)
    response = _redirect_signed_in_visitor(request, cookie, visitors.local_page_path(ticket.next))
    response.delete_cookie(_TICKET, path=_TICKET_PATH, secure=visitors.is_secure_page(request))
    return response


def _sign_in_subject_from_callback_page(request: Request, ticket: SignInTicket, code: str, issuer: str | None) -> str:
    through = _provider_of_signin_page(request)
    claims = through.claims(ticket, code, issuer, _address_of_callback_page(request))
    subject = f"{through.provider.issuer} {claims['sub']}"
    name = next(
        filter(None, (_clean_name_for_page(claims.get(one)) for one in ("preferred_username", "email", "name", "sub")))
    )
    job = sessions.sign_in_subject(subject, name, through.provider.scopes(claims), _old_cookie_of_visitor(request))
    return visitors.service_of_page(request).do(job)


def _clean_name_for_page(name: object) -> str:
    """Return a name without control characters and marks of direction, which people may have typed in themselves."""
    text = name if isinstance(name, str) else ""
    return "".join(one for one in text if one.isprintable()).strip()[:_LONGEST_NAME]


def _provider_of_signin_page(request: Request) -> SingleSignOn:
    through: SingleSignOn | None = request.app.state.single_sign_on
    if through is None:
        raise Problem("not-found", "this service has no provider to sign in with")
    return through


def _address_of_callback_page(request: Request) -> str:
    return f"{visitors.own_address_of_pages(request).rstrip('/')}/signin/callback"
