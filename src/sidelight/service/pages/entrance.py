"""Signing in and out, and the links that let people choose a password."""

from __future__ import annotations

import logging

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from sidelight.service.identity import links, passwords, sessions
from sidelight.service.identity.passwords import BusyError, PasswordError
from sidelight.service.pages.rendering import render
from sidelight.service.pages.visiting import door_of, enter, form_of, is_secure, make_router, service_of
from sidelight.service.problems import Problem, unavailable

router = make_router()
_LOG = logging.getLogger("sidelight.service")


@router.get("/signin")
def signin_page(request: Request, next: str = "/") -> Response:
    """Ask for a name and a password."""
    return render("signin.html", {"next": _local(next), "name": ""})


@router.post("/signin")
async def signin(request: Request) -> Response:
    """Open a session if the name and password are right."""
    form = form_of(request)
    name, target = form.get("name"), _local(form.get("next"))
    try:
        await door_of(request).knock(request, name)
        session = await run_in_threadpool(_sign_in, request, name, form.get("password"))
    except Problem as problem:
        return _again(name, target, problem)
    door_of(request).welcome(request, name)
    return _opened(request, session, target)


def _sign_in(request: Request, name: str, password: str) -> sessions.NewSession:
    service = service_of(request)
    with service.read() as tx:
        account = sessions.account(tx, name)
    try:
        right = passwords.matches(password, None if account is None else account.password)
    except BusyError as error:
        raise unavailable(str(error), 5) from None
    if account is None or not right:
        _LOG.warning("somebody tried to sign in with a wrong name or password")
        raise Problem("forbidden", "the name or password is wrong")
    return service.do(sessions.SignIn(account.id, _old(request)))


@router.post("/signout")
def signout(request: Request) -> Response:
    """End the session."""
    enter(request)
    cookie = _old(request)
    if cookie is not None:
        service_of(request).do(sessions.SignOut(cookie))
    response = RedirectResponse("/signin", 303)
    sessions.drop_cookie(response, is_secure(request))
    return response


@router.get("/start")
def start_page() -> Response:
    """Ask for what a link needs; opening this page does not use up the link."""
    return render("start.html", {"code": "", "name": "", "least": passwords.LEAST_LENGTH})


@router.post("/start")
async def start(request: Request) -> Response:
    """Use up a link."""
    form = form_of(request)
    code, name = form.get("code"), form.get("name")
    try:
        await door_of(request).knock(request)
        session = await run_in_threadpool(_follow, request, code, name, form.get("password"))
    except (PasswordError, Problem) as error:
        context = {"code": code, "name": name, "least": passwords.LEAST_LENGTH, "notice": _bad(str(error))}
        return render("start.html", context, status=getattr(error, "status", 422), headers=_headers(error))
    return _opened(request, session, "/")


def _follow(request: Request, code: str, name: str, password: str) -> sessions.NewSession:
    service = service_of(request)
    with service.read() as tx:  # before hashing, with which strangers could keep the server busy
        links.owner(tx, tx.now(), code)
    try:
        hashed = passwords.hashed(password)
    except BusyError as error:
        raise unavailable(str(error), 5) from None
    return service.do(sessions.FollowLink(code, name, hashed, _old(request)))


def _opened(request: Request, session: sessions.NewSession, target: str) -> Response:
    response = RedirectResponse(target, 303)
    sessions.set_cookie(response, session.cookie, is_secure(request))
    return response


def _again(name: str, target: str, problem: Problem) -> Response:
    context = {"next": target, "name": name, "notice": _bad(problem.detail)}
    return render("signin.html", context, status=problem.status, headers=_headers(problem))


def _headers(error: Exception) -> dict[str, str]:
    return error.headers if isinstance(error, Problem) else {}


def _bad(text: str) -> dict[str, str]:
    return {"kind": "bad", "text": text[:1].upper() + text[1:]}


def _old(request: Request) -> str | None:
    return sessions.cookie_of(request, is_secure(request))


def _local(target: str) -> str:
    """Return the target if it is a page of this server, else the first page."""
    inside = (
        target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable() and "\\" not in target
    )
    return target if inside and len(target) <= 2_000 else "/"
