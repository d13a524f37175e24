"""Visitors of pages, what they may see, and the forms they send."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import RedirectResponse

from sidelight.service.auth import sessions
from sidelight.service.auth.keys import Caller
from sidelight.service.auth.passwords import SignInDoor
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.service import Service
from sidelight.service.http.guards import read_http_body
from sidelight.service.limits import FORM, FORM_FIELDS
from sidelight.service.problems import Problem, unavailable_problem
from sidelight.service.settings import ReviewSettings, make_review_settings, split_settings
from sidelight.service.store.base import Reader, StorageError
from sidelight.service.web.rendering import page_headers, render_page

_SCOPES = {"": "report", "/insight": "report", "/review": "answer", "/verifications": "report", "/settings": "report"}


class SignInNeeded(Exception):  # noqa: N818, a redirect, not a failure
    """The page needs a visitor who has signed in."""


class NotModified(Exception):  # noqa: N818, an answer, not a failure
    """The browser has the page with this tag already."""


class PageForm:
    """The fields of a form; every value is text."""

    def __init__(self, pairs: list[tuple[str, str]]) -> None:
        self._pairs = pairs

    def get(self, name: str, default: str = "") -> str:
        """Return the first value of a field."""
        return next((value for key, value in self._pairs if key == name), default)

    def all(self, name: str) -> list[str]:
        """Return all values of a field."""
        return [value for key, value in self._pairs if key == name]

    def whole(self, name: str) -> int | None:
        """Return a whole number, or None if the field is empty."""
        text = self.get(name).strip()
        if not text:
            return None
        if not text.isascii() or not text.isdigit() or len(text) > 15:
            raise Problem("invalid", f"{name} must be a whole number")
        return int(text)

    def number(self, name: str) -> float | None:
        """Return a number, or None if the field is empty; a decimal comma is allowed, too."""
        text = self.get(name).strip().replace(",", ".")
        try:
            return float(text) if text else None
        except ValueError:
            raise Problem("invalid", f"{name} must be a number") from None


def page_context(visitor: Reviewer, monitor: MonitorRow | None = None, tab: str | None = None) -> dict[str, Any]:
    """Return the template variables that every page needs."""
    id = None if monitor is None else monitor.id
    may = {path: visitor.may(scope, id) for path, scope in _SCOPES.items()}
    return {"who": visitor, "monitor": monitor, "tab": tab, "may": may.get}


def new_page_etag(request: Request, *parts: object) -> str:
    """Return a tag that changes whenever the page would, or raise `NotModified` if the browser has that one.

    It depends on the address and on `parts`: the visitor, and the page's data.
    """
    text = repr((request.url.path, request.url.query, *parts))
    etag = f'W/"{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == etag:
        raise NotModified(etag)
    return etag


class PageRoute(APIRoute):
    """A route that also shows refusals as pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that handles a request."""
        handle = super().get_route_handler()

        async def handle_page_request(request: Request) -> Response:
            try:
                if "\0" in request.url.path or "%00" in request.url.query:  # PostgreSQL cannot store NUL
                    raise Problem("bad-request", "this address contains a NUL character: check the link")
                if request.method not in sessions.SAFE_METHODS:
                    sessions.check_origin_of_signed_in_request(request, base_of_page(request))
                    request.state.form = await _read_page_form(request)
                return await handle(request)
            except NotModified as known:
                return Response(status_code=304, headers=page_headers("none") | {"ETag": str(known)})
            except SignInNeeded:
                return RedirectResponse(f"/signin?{urlencode({'next': _address_after_signin_page(request)})}", 303)
            except RequestValidationError:
                return render_refusal_page(
                    Problem("bad-request", "this address is incomplete or wrong: go back and try again")
                )
            except StorageError:
                return render_refusal_page(
                    unavailable_problem("the database cannot be used now: try again in a moment", 1)
                )
            except Problem as problem:
                return render_refusal_page(problem)

        return handle_page_request


def make_page_router() -> APIRouter:
    """Return a router for pages, which the OpenAPI description does not list."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


def render_refusal_page(problem: Problem) -> Response:
    """Return the page that says why something cannot be done."""
    context = {"title": problem.title, "detail": describe_problem_on_page(problem)}
    return render_page("problem.html", context, status=problem.status, headers=problem.headers)


def describe_problem_on_page(problem: Problem) -> str:
    """Describe a problem and its place in a sentence."""
    words = [
        f"{_setting_named_on_page(one)}{one['detail']}" for one in problem.places if one["detail"] not in problem.detail
    ]
    detail = "; ".join([problem.detail, *words])
    return f"{detail[:1].upper()}{detail[1:]}."


def _setting_named_on_page(place: dict[str, Any]) -> str:
    """Return the name of the setting that a place is about, which no label beside the words tells."""
    start, _, name = place["pointer"].rpartition("/")
    return f"{name}: " if start == "#/settings" and name not in place["detail"] else ""


def service_of_page(request: Request) -> Service:
    """Return the service that a request is for."""
    service: Service = request.app.state.service
    return service


def door_of_page(request: Request) -> SignInDoor:
    """Return the throttle of sign-ins."""
    door: SignInDoor = request.app.state.door
    return door


def base_of_page(request: Request) -> str | None:
    """Return the address that users see (--url), if it was given."""
    url: str | None = request.app.state.options.url
    return url


def is_secure_page(request: Request) -> bool:
    """Say whether users reach the server only over TLS."""
    return (base_of_page(request) or "").startswith("https:")


def own_address_of_pages(request: Request) -> str:
    """Return the address with which links to this server start."""
    return base_of_page(request) or f"{request.url.scheme}://{request.headers.get('host', '')}"


def local_page_path(target: str) -> str:
    """Return the target if it is a page of this server, else the first page."""
    inside = (
        target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable() and "\\" not in target
    )
    return target if inside and len(target) <= 2_000 else "/"


def enter_page(request: Request) -> Reviewer:
    """Return the visitor, or send them to the sign-in page."""
    cookie = sessions.session_cookie_of(request, is_secure_page(request))
    if cookie is None:
        raise SignInNeeded
    with service_of_page(request).read() as tx:
        reviewer = sessions.find_session(tx, cookie)
    if reviewer is None:
        raise SignInNeeded
    request.state.caller = reviewer.caller  # for the log
    return reviewer


def enter_admin_page(request: Request) -> Reviewer:
    """Return the visitor, who must be an administrator."""
    visitor = enter_page(request)
    if not visitor.admin:
        raise Problem("forbidden", "this page is for administrators only")
    return visitor


def monitor_of_visitor(tx: Reader, visitor: Reviewer, name: str, scope: str) -> tuple[MonitorRow, ReviewSettings]:
    """Return a monitor if the visitor has the scope for it; other monitors do not exist for them."""
    missing = Problem("not-found", "there is no monitor with this name, or you have no access to it")
    try:
        found = monitors.find_served_monitor(tx, name)
    except Problem:
        raise missing from None
    only = visitor.monitors
    if only is not None and found.id not in only:
        raise missing
    if not visitor.may(scope, found.id):
        raise Problem("forbidden", f"this page needs the scope {scope}: an administrator can give it to you")
    return found, make_review_settings(split_settings(found.settings)[1])


def form_of_page(request: Request) -> PageForm:
    """Return the form that was sent."""
    form: PageForm = request.state.form
    return form


async def session_caller_from_page(request: Request) -> Caller | None:
    """Return the caller if a reviewer uses the HTTP interface from a page of this server."""
    cookie = sessions.session_cookie_of(request, is_secure_page(request))
    if cookie is None:
        return None
    service = service_of_page(request)

    def find_reviewer_of_page_session() -> Reviewer | None:
        with service.read() as tx:
            return sessions.find_session(tx, cookie)

    reviewer = await asyncio.to_thread(find_reviewer_of_page_session)
    if reviewer is not None and request.method not in sessions.SAFE_METHODS:
        sessions.check_origin_of_signed_in_request(request, base_of_page(request))
    return None if reviewer is None else reviewer.caller


async def _read_page_form(request: Request) -> PageForm:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise Problem("media-type", "the request is not a form: use the form on the page")
    body = await read_http_body(request, FORM)
    try:
        text = body.decode("utf-8")
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=FORM_FIELDS, errors="strict")
    except ValueError:  # not UTF-8, or too many fields
        pairs = [("\0", "")]
    if any("\0" in name or "\0" in value for name, value in pairs):
        raise Problem("bad-request", "the form cannot be read: reload the page and try again")
    return PageForm(pairs)


def _address_after_signin_page(request: Request) -> str:
    """Return where to continue after signing in."""
    if request.method not in sessions.SAFE_METHODS:
        return "/"
    return request.url.path + (f"?{request.url.query}" if request.url.query else "")
