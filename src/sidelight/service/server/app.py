"""The application: all routes, and the middleware that every request passes through."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from sidelight._version import __version__
from sidelight.errors import SidelightError
from sidelight.service.api import routes
from sidelight.service.api.description import describe_openapi
from sidelight.service.api.requests import MonitorNames
from sidelight.service.api.routing import ApiRoute, MonitorRoutes
from sidelight.service.auth.callers import KeyRing
from sidelight.service.auth.keys import note_key_use
from sidelight.service.auth.passwords import SignInDoor
from sidelight.service.auth.single_sign_on import SingleSignOn
from sidelight.service.domain import retention
from sidelight.service.domain.service import Service
from sidelight.service.http.guards import ASCIIResponse, HostAllowList, http_problem
from sidelight.service.http.logs import AccessLog
from sidelight.service.limits import RateLimit
from sidelight.service.options import Options
from sidelight.service.problems import TITLES, Problem, unavailable_problem
from sidelight.service.store.base import StorageError
from sidelight.service.web import pages
from sidelight.service.webhooks import outbox
from sidelight.service.writer.duties import DutyClock

_LOG = logging.getLogger("sidelight.service")
# FastAPI can send traces to a host that the environment names; this keeps it from sending anything.
_SILENT: Any = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}
WITH_DUTIES = (outbox, retention)
"""Importing these modules registers their duties."""
_KIND_OF = {status: kind for kind, (status, _) in TITLES.items()}


def make_app(service: Service, options: Options | None = None, *, command_key: str | None = None) -> FastAPI:
    """Return the application that serves a service; the caller closes the service afterwards."""
    options = service.options if options is None else options
    app = FastAPI(
        title="sidelight",
        version=__version__,
        docs_url=None,  # FastAPI's pages load scripts from other sites
        redoc_url=None,
        default_response_class=ASCIIResponse,
        separate_input_output_schemas=False,
        lifespan=_lifespan_of_app(service),
        telemetry=_SILENT,
    )
    app.state.service, app.state.options = service, options
    app.state.keys, app.state.names = KeyRing(service, command_key), MonitorNames(service)
    app.state.single_sign_on = None if options.provider is None else SingleSignOn(options.provider)
    app.state.rates, app.state.door = RateLimit(options.requests_per_second), SignInDoor()
    routers = list(_find_routers_of_app())
    app.state.api_routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    for router in routers:  # as they are: `include_router` would make each route anew, in every application
        app.router.routes.extend(router.routes)
    pages.install_pages(app)
    for error, handler in _HANDLERS.items():
        app.add_exception_handler(error, handler)
    app.add_exception_handler(Exception, _app_answers_failure)
    # The middleware added last sees a request first.
    direct = [route for route in app.state.api_routes if isinstance(route, ApiRoute)]
    app.add_middleware(MonitorRoutes, routes=direct, handlers=_HANDLERS)
    app.add_middleware(HostAllowList, hosts=options.allowed_hosts)
    app.add_middleware(AccessLog)
    app.openapi = lambda: describe_openapi(app)  # type: ignore[method-assign]
    return app


def _find_routers_of_app() -> Iterator[APIRouter]:
    """Yield the routers of all files in `routes/`, so that no list has to be maintained."""
    for module in sorted(pkgutil.iter_modules(routes.__path__), key=lambda one: one.name):
        yield importlib.import_module(f"{routes.__name__}.{module.name}").router


def _lifespan_of_app(service: Service) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def run_app_lifespan(app: FastAPI) -> AsyncIterator[None]:
        clock = DutyClock(service, each_time=lambda: _note_key_use_of_app(app))
        clock.start()
        try:
            yield
        finally:
            clock.stop()

    return run_app_lifespan


def _note_key_use_of_app(app: FastAPI) -> None:
    used = app.state.keys.used()
    if used:
        app.state.service.do(note_key_use(used))


async def _app_answers_refusal(request: Request, error: Problem) -> Response:
    return http_problem(error)


async def _app_answers_unknown_route(request: Request, error: HTTPException) -> Response:
    """Answer requests with an address or method that no route has."""
    details = {
        404: "there is nothing at this address: GET /openapi.json lists the addresses",
        405: "use one of the methods in the header Allow",
    }
    kind = _KIND_OF.get(error.status_code, "bad-request")
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods_routed_by_app(request))
    return http_problem(Problem(kind, details.get(error.status_code, "the request cannot be read"), headers=headers))


def _methods_routed_by_app(request: Request) -> list[str]:
    """Return the methods of all routes at an address; each route knows only its own."""
    found: set[str] = set()
    for route in request.app.state.api_routes:
        match, _ = route.matches(request.scope)
        if match.value:
            found |= route.methods or set()
    return sorted(found)


async def _app_answers_not_allowed(request: Request, error: SidelightError) -> Response:
    """Answer a request that the library refuses; its message says what to do."""
    return http_problem(Problem("invalid", str(error)))


async def _app_answers_not_stored(request: Request, error: StorageError) -> Response:
    _LOG.warning("the database failed: %s", error)
    return http_problem(
        unavailable_problem("the database cannot be used now: send the request again with the same ids", 1)
    )


async def _app_answers_cut_off_body(request: Request, error: ClientDisconnect) -> Response:
    """Handle a client that disconnected before its body was complete; this is not a server error."""
    return http_problem(Problem("bad-request", "the body is incomplete: send it again; nothing changed"))


async def _app_answers_failure(request: Request, error: Exception) -> Response:
    detail = "this is an error in the server, see its log; whether anything changed is unknown"
    return http_problem(Problem("internal", detail))


_HANDLERS: dict[type[Exception], Any] = {
    Problem: _app_answers_refusal,
    HTTPException: _app_answers_unknown_route,
    ClientDisconnect: _app_answers_cut_off_body,
    StorageError: _app_answers_not_stored,
    SidelightError: _app_answers_not_allowed,
}
