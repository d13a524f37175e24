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
from sidelight.service.api.description import describe
from sidelight.service.api.requests import Names
from sidelight.service.api.routing import MonitorRoutes, Route
from sidelight.service.auth.callers import KeyRing
from sidelight.service.auth.keys import note_use
from sidelight.service.auth.passwords import Door
from sidelight.service.auth.single_sign_on import SingleSignOn
from sidelight.service.domain import retention
from sidelight.service.domain.service import Service
from sidelight.service.http.guards import ASCIIResponse, HostAllowList, problem_response
from sidelight.service.http.logs import AccessLog
from sidelight.service.limits import RateLimit
from sidelight.service.options import Options
from sidelight.service.problems import TITLES, Problem, unavailable_now
from sidelight.service.store.base import StorageError
from sidelight.service.web import pages
from sidelight.service.webhooks import outbox
from sidelight.service.writer.duties import Clock

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
        lifespan=_lifespan(service),
        telemetry=_SILENT,
    )
    app.state.service, app.state.options = service, options
    app.state.keys, app.state.names = KeyRing(service, command_key), Names(service)
    app.state.single_sign_on = None if options.provider is None else SingleSignOn(options.provider)
    app.state.rates, app.state.door = RateLimit(options.requests_per_second), Door()
    routers = list(_routers())
    app.state.api_routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    for router in routers:
        app.include_router(router)
    pages.install(app)
    for error, handler in _HANDLERS.items():
        app.add_exception_handler(error, handler)
    app.add_exception_handler(Exception, _answer_failure)
    # The middleware added last sees a request first.
    direct = [route for route in app.state.api_routes if isinstance(route, Route)]
    app.add_middleware(MonitorRoutes, routes=direct, handlers=_HANDLERS)
    app.add_middleware(HostAllowList, hosts=options.allowed_hosts)
    app.add_middleware(AccessLog)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    return app


def _routers() -> Iterator[APIRouter]:
    """Yield the routers of all files in `routes/`, so that no list has to be maintained."""
    for module in sorted(pkgutil.iter_modules(routes.__path__), key=lambda one: one.name):
        yield importlib.import_module(f"{routes.__name__}.{module.name}").router


def _lifespan(service: Service) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def run(app: FastAPI) -> AsyncIterator[None]:
        clock = Clock(service, each_time=lambda: _note_use(app))
        clock.start()
        try:
            yield
        finally:
            clock.stop()

    return run


def _note_use(app: FastAPI) -> None:
    used = app.state.keys.used()
    if used:
        app.state.service.do(note_use(used))


async def _answer_refusal(request: Request, error: Problem) -> Response:
    return problem_response(error)


async def _answer_not_routed(request: Request, error: HTTPException) -> Response:
    """Answer requests with an address or method that no route has."""
    details = {
        404: "there is nothing at this address: GET /openapi.json lists the addresses",
        405: "use one of the methods in the header Allow",
    }
    kind = _KIND_OF.get(error.status_code, "bad-request")
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_methods_at(request))
    return problem_response(
        Problem(kind, details.get(error.status_code, "the request cannot be read"), headers=headers)
    )


def _methods_at(request: Request) -> list[str]:
    """Return the methods of all routes at an address; each route knows only its own."""
    found: set[str] = set()
    for route in request.app.state.api_routes:
        match, _ = route.matches(request.scope)
        if match.value:
            found |= route.methods or set()
    return sorted(found)


async def _answer_not_allowed(request: Request, error: SidelightError) -> Response:
    """Answer a request that the library refuses; its message says what to do."""
    return problem_response(Problem("invalid", str(error)))


async def _answer_not_stored(request: Request, error: StorageError) -> Response:
    _LOG.warning("the database failed: %s", error)
    return problem_response(
        unavailable_now("the database cannot be used now: send the request again with the same ids", 1)
    )


async def _answer_cut_off(request: Request, error: ClientDisconnect) -> Response:
    """Handle a client that disconnected before its body was complete; this is not a server error."""
    return problem_response(Problem("bad-request", "the body is incomplete: send it again; nothing changed"))


async def _answer_failure(request: Request, error: Exception) -> Response:
    detail = "this is an error in the server, see its log; whether anything changed is unknown"
    return problem_response(Problem("internal", detail))


_HANDLERS: dict[type[Exception], Any] = {
    Problem: _answer_refusal,
    HTTPException: _answer_not_routed,
    ClientDisconnect: _answer_cut_off,
    StorageError: _answer_not_stored,
    SidelightError: _answer_not_allowed,
}
