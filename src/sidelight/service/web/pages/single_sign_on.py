"""Signing in through a provider: to it with a ticket, and back with a code."""

from __future__ import annotations

from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse

from sidelight.service.auth import sessions
from sidelight.service.auth.single_sign_on import SECONDS, SingleSignOn, Ticket
from sidelight.service.problems import Problem
from sidelight.service.web.visitors import door_of, is_secure, local_path, make_router, own_address, service_of

router = make_router()
_COOKIE = "sidelight-ticket"
_PATH = "/signin"
_LONGEST_NAME = 100


@router.get("/signin/provider")
async def to_provider(request: Request, next: str = "/") -> Response:
    """Send the browser to the provider."""
    ticket = Ticket.new(local_path(next))
    await door_of(request).knock(request)
    address = await run_in_threadpool(_provider(request).address, ticket, _callback(request))
    response = RedirectResponse(address, 303)
    response.set_cookie(
        _COOKIE,
        ticket.cookie,
        max_age=SECONDS,
        path=_PATH,
        secure=is_secure(request),
        httponly=True,
        samesite="lax",
    )
    return response


@router.get("/signin/callback")
async def back_from_provider(
    request: Request, state: str = "", code: str = "", iss: str | None = None, error: str | None = None
) -> Response:
    """Open a session for somebody whom the provider has identified; the ticket works once."""
    ticket = Ticket.read(request.cookies.get(_COOKIE), state)
    if error is not None or not code:
        raise Problem("forbidden", "the provider did not sign you in: try again")
    await door_of(request).knock(request)
    cookie = await run_in_threadpool(_sign_in, request, ticket, code, iss)
    response = RedirectResponse(local_path(ticket.next), 303)
    sessions.set_cookie(response, cookie, is_secure(request))
    response.delete_cookie(_COOKIE, path=_PATH, secure=is_secure(request), httponly=True, samesite="lax")
    return response


def _sign_in(request: Request, ticket: Ticket, code: str, issuer: str | None) -> str:
    through = _provider(request)
    claims = through.claims(ticket, code, issuer, _callback(request))
    subject = f"{through.provider.issuer} {claims['sub']}"
    name = next(filter(None, (_shown(claims.get(one)) for one in ("preferred_username", "email", "name", "sub"))))
    old = sessions.cookie_of(request, is_secure(request))
    return service_of(request).do(sessions.sign_in_subject(subject, name, through.provider.scopes(claims), old))


def _shown(name: object) -> str:
    """Return a name without control characters and marks of direction, which people may have typed in themselves."""
    text = name if isinstance(name, str) else ""
    return "".join(one for one in text if one.isprintable()).strip()[:_LONGEST_NAME]


def _provider(request: Request) -> SingleSignOn:
    through: SingleSignOn | None = request.app.state.single_sign_on
    if through is None:
        raise Problem("not-found", "this service has no provider to sign in with")
    return through


def _callback(request: Request) -> str:
    return f"{own_address(request).rstrip('/')}/signin/callback"
