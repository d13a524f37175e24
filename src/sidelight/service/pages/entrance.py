"""Signing in and out, and the links that let people choose a password."""

from __future__ import annotations

from fastapi import Request, Response
from starlette.responses import RedirectResponse

from sidelight.service.identity import passwords, sessions
from sidelight.service.identity.passwords import BusyError, PasswordError
from sidelight.service.pages.rendering import render
from sidelight.service.pages.visiting import enter, form_of, is_secure, make_router, service_of
from sidelight.service.problems import Problem, unavailable

router = make_router()


@router.get("/signin")
def signin_page(request: Request, next: str = "/") -> Response:
    """Ask for a name and a password."""
    return render("signin.html", {"next": _local(next), "name": ""})


@router.post("/signin")
def signin(request: Request) -> Response:
    """Open a session if the name and password are right."""
    form, service = form_of(request), service_of(request)
    name, target = form.get("name"), _local(form.get("next"))
    with service.read() as tx:
        account, now = sessions.account(tx, name), tx.now()
    try:
        right = sessions.check_password(account, form.get("password"), now)
    except BusyError as error:
        raise unavailable(str(error), 5) from None
    except Problem as problem:
        return _again(name, target, problem.detail, problem.status)
    if account is None or not right:
        if account is not None:
            service.do(sessions.NoteFailure(account.id))
        return _again(name, target, "The name or password is wrong.", 403)
    return _opened(request, service.do(sessions.SignIn(account.id, _old(request))), target)


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
def start(request: Request) -> Response:
    """Use up a link."""
    form = form_of(request)
    code, name = form.get("code"), form.get("name")
    try:
        password = passwords.hashed(form.get("password"))
        session = service_of(request).do(sessions.FollowLink(code, name, password, _old(request)))
    except BusyError as error:
        raise unavailable(str(error), 5) from None
    except (PasswordError, Problem) as error:
        context = {"code": code, "name": name, "least": passwords.LEAST_LENGTH, "notice": _bad(str(error))}
        return render("start.html", context, status=getattr(error, "status", 422))
    return _opened(request, session, "/")


def _opened(request: Request, session: sessions.NewSession, target: str) -> Response:
    response = RedirectResponse(target, 303)
    sessions.set_cookie(response, session.cookie, is_secure(request))
    return response


def _again(name: str, target: str, text: str, status: int) -> Response:
    return render("signin.html", {"next": target, "name": name, "notice": _bad(text)}, status=status)


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
