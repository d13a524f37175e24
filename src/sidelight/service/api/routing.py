"""Routes of the HTTP interface: the caller is checked before the body is read, and JSON is read strictly."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from sidelight.service.auth.callers import Gate
from sidelight.service.http.guards import read_body
from sidelight.service.http.strict_json import parse_json
from sidelight.service.limits import BODY, PLACES, SMALL_BODY
from sidelight.service.problems import MEDIA_TYPE, TITLES, Problem, place

_ALWAYS = ("wrong-host", "invalid")
_GUARDED = ("unauthorized", "forbidden", "too-many", "unavailable")
_WITH_BODY = ("bad-request", "too-large", "media-type")
_PROBLEM = {"$ref": "#/components/schemas/Problem"}


class Route(APIRoute):
    """A route that first checks the caller, then reads JSON, and then continues as FastAPI does.

    FastAPI reads the body first, so a client without a key could make the server read and parse megabytes.
    """

    most = SMALL_BODY

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that handles a request."""
        handle, gates, has_body = super().get_route_handler(), list(gates_of(self)), self.body_field is not None
        known = set(_query_in(self.dependant))

        async def handler(request: Request) -> Response:
            for gate in gates:
                await gate.admit(request)
            if request.scope["query_string"] and not request.query_params.keys() <= known:
                raise _unknown_query(set(request.query_params.keys()) - known)
            if has_body:
                request = await _read(request, self.most)
            return await handle(request)

        return handler


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
    kind, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if kind.strip().lower() != "application/json" or charset not in ("", "charset=utf-8"):
        raise Problem("media-type", "send JSON in UTF-8, with the header 'Content-Type: application/json'")
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise Problem("media-type", "send the body uncompressed, without Content-Encoding")
    read = _ReadRequest(request.scope, request.receive)
    read.value = parse_json(await read_body(read, most))
    return read
