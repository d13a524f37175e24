"""Routes of the HTTP interface: the caller is checked before the body is read, and JSON is read strictly."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from typing import Any, get_type_hints

from fastapi import APIRouter, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Discriminator, TypeAdapter, ValidationError
from pydantic_core import from_json
from starlette.types import ASGIApp, Receive, Scope, Send

from sidelight.service.auth.callers import AuthGate
from sidelight.service.http.guards import http_reply, read_http_body
from sidelight.service.limits import BODY, FIELDS, PARTS, PLACES, SMALL_BODY
from sidelight.service.problems import MEDIA_TYPE, TITLES, Problem, problem_place, request_text_fault

_ALWAYS = ("wrong-host", "invalid")
_GUARDED = ("unauthorized", "forbidden", "too-many", "unavailable")
_WITH_BODY = ("bad-request", "too-large", "media-type")
_MONITORS, _MONITOR = "/v1/monitors/", "/v1/monitors/{monitor}/"
_BATCHES = ("one", "many")
"""Names of shapes that pydantic adds to places, but that bodies do not contain."""
_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_JSON = re.compile(r"application/json *(; *charset=\"?utf-8\"?)? *", re.IGNORECASE)


class _NoQuery(BaseModel):
    """The query of a route that takes none."""

    model_config = ConfigDict(extra="forbid")


class ApiRoute(APIRoute):
    """A route that first checks the caller, then reads query and body, and then calls its function with them.

    FastAPI describes it. But it would read the body first, so a client without a key could make the server parse
    megabytes; and it takes half the time of a decision to find out what to call a function with.
    """

    most = SMALL_BODY

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        takes = inspect.signature(endpoint).parameters
        kinds = [*_ALWAYS, *(_GUARDED if "call" in takes else ()), *(_WITH_BODY if "body" in takes else ())]
        kinds += ["not-found"] if "{" in path else []
        options["responses"] = api_refusals(*kinds) | dict(options.get("responses") or {})
        options["summary"] = re.split(r"[;.\n]", inspect.getdoc(endpoint) or "")[0]
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the function that handles a request."""
        gate: Any = next(gates_of_route(self.dependant), None)  # its subclasses return what a route is called with
        hints = get_type_hints(self.endpoint, include_extras=True)
        readers = {name: TypeAdapter(hints[name]).validate_python for name in ("query", "body") if name in hints}
        takes_id, takes_request = "id" in hints, "request" in hints

        async def handle_api_request(request: Request) -> Response:
            given: dict[str, Any] = {}
            if gate is not None:
                monitor = {name: text for name, text in request.path_params.items() if name == "monitor"}
                given["call"] = await gate(request, **monitor)
            if takes_id:
                given["id"] = request.path_params["id"]
                if request_text_fault(given["id"]) is not None:  # PostgreSQL cannot even look for some texts
                    raise Problem("not-found", "there is nothing with this id: list what there is")
            if takes_request:
                given["request"] = request
            if "query" in readers:
                given["query"] = _validate_api_request(readers["query"], dict(request.query_params), "query")
            elif request.scope["query_string"]:
                _validate_api_request(_NoQuery.model_validate, dict(request.query_params), "query")
            if "body" in readers:
                given["body"] = _validate_api_request(
                    readers["body"], await _read_json_request(request, self.most), "body"
                )
            found = await self.endpoint(**given)
            if isinstance(found, Response):
                return found
            status = self.status_code or 200
            return Response(status_code=status) if found is None else http_reply(found, status)

        self.respond = handle_api_request
        return handle_api_request


class BatchRoute(ApiRoute):
    """A route that takes many rows at once."""

    most = BODY


def make_api_router(tag: str, route_class: type[ApiRoute] = ApiRoute) -> APIRouter:
    """Return the router of a file in `routes/`; its operations are named after the file and the function."""
    return APIRouter(
        route_class=route_class, tags=[tag], generate_unique_id_function=lambda route: f"{tag}.{route.name}"
    )


def api_refusals(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """Describe kinds of problem with which a route may refuse; those common to all such routes are added to it."""
    found: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        status, title = TITLES[kind]
        found[status] = {"description": title, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
    return found


def gates_of_route(dependant: Dependant) -> Iterator[AuthGate]:
    """Yield the gates that a route depends on."""
    if isinstance(dependant.call, AuthGate):
        yield dependant.call
    for one in dependant.dependencies:
        yield from gates_of_route(one)


def discriminate_batch_body(name: str) -> Discriminator:
    """Return the discriminator between a batch, which is an object with the field `name`, and a single row."""
    return Discriminator(lambda value: _BATCHES[isinstance(value, dict) and name in value])


def _validate_api_request(validate: Callable[[Any], Any], value: Any, source: str) -> Any:
    try:
        return validate(value)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)
    more = f" (the first {PLACES} of {len(wrong)} are listed)" if len(wrong) > PLACES else ""
    places = [_error_place_in_request(one, source) for one in wrong[:PLACES]]
    raise Problem("invalid", f"some values are not allowed{more}; nothing changed", places=places)


def _error_place_in_request(error: Mapping[str, Any], source: str) -> dict[str, Any]:
    """Return the place of an error with its remedy, in ASCII and without repeating the input."""
    path = [step for n, step in enumerate(error["loc"]) if n or step not in _BATCHES]
    words = error["msg"].removeprefix("Value error, ").encode("ascii", "replace").decode("ascii")
    if error["type"].startswith("union_tag"):
        words = "give an object"
    return (
        problem_place(path, words)
        if source == "body"
        else problem_place([], words, **{"in": source, "name": str(path[-1])})
    )


async def _read_json_request(request: Request, most: int) -> Any:
    """Return the JSON of a request; what takes much memory or gives endless errors is refused before it is checked."""
    if not _JSON.fullmatch(request.headers.get("content-type", "")):
        raise Problem("media-type", "send JSON in UTF-8, with the header 'Content-Type: application/json'")
    if request.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
        raise Problem("media-type", "send the body uncompressed, without Content-Encoding")
    body = await read_http_body(request, most)
    if len(body) > PARTS and body.count(b"[") + body.count(b"{") + body.count(b":") > PARTS:
        raise Problem("bad-request", f"the body has more than {PARTS} brackets and colons: send fewer rows at once")
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError as error:
        text = str(error).encode("ascii", "replace").decode("ascii")
        raise Problem("bad-request", f"the body is not JSON: {text}; send one JSON value") from None
    rows = [one for each in value.values() if isinstance(each, list) for one in each] if isinstance(value, dict) else ()
    if any(isinstance(one, dict) and len(one) > FIELDS for one in (value, *rows)):
        raise Problem("invalid", f"an object has more than {FIELDS} fields: leave out those that are unknown")
    return value


class MonitorRoutes:
    """Call the routes of a monitor by a table: matching one pattern after the other takes longer than deciding."""

    def __init__(self, app: ASGIApp, routes: Iterable[ApiRoute], handlers: Mapping[type[Exception], Any]) -> None:
        self.app, self.handlers = app, handlers
        self.table = {
            (method, route.path.removeprefix(_MONITOR)): route
            for route in routes
            if route.path.startswith(_MONITOR)
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
