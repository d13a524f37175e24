"""Routes of the HTTP interface: the caller is checked before the body is read, and JSON is read strictly."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, get_type_hints

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from sidelight.service.api.validation import problem_of
from sidelight.service.auth.callers import Gate
from sidelight.service.http.guards import read_body
from sidelight.service.http.strict_json import parse_json
from sidelight.service.limits import BODY, PLACES, SMALL_BODY
from sidelight.service.problems import MEDIA_TYPE, TITLES, Problem, place

_ALWAYS = ("wrong-host", "invalid")
_GUARDED = ("unauthorized", "forbidden", "too-many", "unavailable")
_WITH_BODY = ("bad-request", "too-large", "media-type")
_MONITORS, _MONITOR = "/v1/monitors/", "/v1/monitors/{monitor}/"
_PROBLEM = {"$ref": "#/components/schemas/Problem"}


class Route(APIRoute):
    """A route that first checks the caller, then reads JSON, and then calls its function.

    FastAPI reads the body first, so a client without a key could make the server read and parse megabytes. It also
    takes half the time of a decision to find out what to call a function with, so it does that only for functions that
    take more than the body and the call.
    """

    most = SMALL_BODY

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that handles a request."""
        gates, names = list(gates_of(self)), set(inspect.signature(self.endpoint).parameters)
        known = set(_query_in(self.dependant))
        has_body = self.body_field is not None
        self.direct = bool(gates) and names <= {"body", "call"}
        handle = self._direct(gates[0]) if self.direct else super().get_route_handler()

        async def handler(request: Request) -> Response:
            for gate in gates:
                await gate.admit(request)
            if request.scope["query_string"] and not request.query_params.keys() <= known:
                raise _unknown_query(set(request.query_params.keys()) - known)
            if has_body:
                request = await _read(request, self.most)
            return await handle(request)

        self.respond = handler
        return handler

    def _direct(self, gate: Gate) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return a function that validates the body and calls the route's function with it."""
        call: Any = gate  # its subclasses return what a route is called with
        endpoint, shape = self.endpoint, get_type_hints(self.endpoint, include_extras=True).get("body")
        validate = None if shape is None else TypeAdapter(shape).validate_python

        async def handle(request: Request) -> Response:
            found = await call(request, **request.path_params)
            if validate is None:
                return await endpoint(call=found)
            try:
                body = validate(await request.json())
            except ValidationError as error:
                raise problem_of(error.errors(include_url=False), "body") from None
            return await endpoint(body=body, call=found)

        return handle


class BatchRoute(Route):
    """A route that takes many rows at once."""

    most = BODY


def make_router(tag: str, route_class: type[Route] = Route) -> APIRouter:
    """Return the router of a file in `routes/`; its operations are named after the file and the function."""
    return APIRouter(
        route_class=route_class, tags=[tag], generate_unique_id_function=lambda route: f"{tag}.{route.name}"
    )


def links(monitor: str, *operations: str, body: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return OpenAPI links to operations on the monitor that an expression names."""
    rest = {} if body is None else {"requestBody": dict(body)}
    return {name: {"operationId": name, "parameters": {"monitor": monitor}, **rest} for name in operations}


def problems(*kinds: str, guarded: bool = True, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """Describe how a route may refuse: with the given kinds of problem and those common to all such routes."""
    all_kinds = (*kinds, *(_WITH_BODY if body else ()), *(_GUARDED if guarded else ()), *_ALWAYS)
    found: dict[int | str, dict[str, Any]] = {}
    for kind in all_kinds:
        status, title = TITLES[kind]
        found[status] = {"description": title, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
    return found


def gates_of(route: APIRoute) -> Iterator[Gate]:
    """Yield the gates of a route."""
    yield from _gates_in(route.dependant)


def _gates_in(dependant: Dependant) -> Iterator[Gate]:
    if isinstance(dependant.call, Gate):
        yield dependant.call
    for one in dependant.dependencies:
        yield from _gates_in(one)


def _query_in(dependant: Dependant) -> Iterator[str]:
    yield from (one.alias for one in dependant.query_params)
    for one in dependant.dependencies:
        yield from _query_in(one)


def _unknown_query(names: Iterable[str]) -> Problem:
    detail = "this parameter is unknown: leave it out"
    places = [place([], detail, **{"in": "query", "name": name[:64]}) for name in sorted(names)[:PLACES]]
    return Problem("invalid", "some query parameters are unknown", places=places)


class _ReadRequest(Request):
    """A request whose body has already been read."""

    value: Any = None

    async def body(self) -> bytes:
        return b" "  # FastAPI asks for JSON if there is a body

    async def json(self) -> Any:
        return self.value


async def _read(request: Request, most: int) -> Request:
    kind = request.headers.get("content-type", "")
    if kind != "application/json" and not _is_json(kind):
        raise Problem("media-type", "send JSON in UTF-8, with the header 'Content-Type: application/json'")
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise Problem("media-type", "send the body uncompressed, without Content-Encoding")
    read = _ReadRequest(request.scope, request.receive)
    read.value = parse_json(await read_body(request, most))
    return read


def _is_json(kind: str) -> bool:
    name, _, parameters = kind.lower().partition(";")
    return name.strip() == "application/json" and parameters.strip().replace('"', "") in ("", "charset=utf-8")


class MonitorRoutes:
    """Call the routes of a monitor by a table: matching one pattern after the other takes longer than deciding."""

    def __init__(self, app: ASGIApp, routes: Iterable[Route], handlers: Mapping[type[Exception], Any]) -> None:
        self.app, self.handlers = app, handlers
        self.table = {
            (method, route.path.removeprefix(_MONITOR)): route
            for route in routes
            if route.direct and route.path.startswith(_MONITOR)
            for method in route.methods or ()
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        path: str = scope.get("path", "")
        name, _, rest = path.removeprefix(_MONITORS).partition("/")
        route = self.table.get((scope["method"], rest)) if name and path.startswith(_MONITORS) else None
        if route is None:
            await self.app(scope, receive, send)
            return
        scope.update(route=route, path_params={"monitor": name})
        request = Request(scope, receive)
        try:
            response = await route.respond(request)
        except tuple(self.handlers) as error:
            kind = next(one for one in type(error).__mro__ if one in self.handlers)
            response = await self.handlers[kind](request, error)
        await response(scope, receive, send)
