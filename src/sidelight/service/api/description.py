"""The OpenAPI description: every answer of each route, and the scope that it needs."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from sidelight.service.api.routing import gates_of_route

_TEXT = {"type": "string"}
_PROBLEM = {
    "title": "Problem",
    "description": "Why the request was refused (RFC 9457); nothing has changed.",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": _TEXT,
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": {**_TEXT, "description": "What is wrong, and what to do."},
        "errors": {
            "type": "array",
            "description": "Everything that is wrong, each with a JSON pointer to its place.",
            "items": {
                "type": "object",
                "required": ["detail", "pointer"],
                "properties": {"detail": _TEXT, "pointer": _TEXT},
            },
        },
    },
}
_SECURITY = {"key": {"type": "http", "scheme": "bearer", "description": "A key, see `sidelight admin key create`."}}


def describe_openapi(app: FastAPI) -> dict[str, Any]:
    """Return the description; it is made only once."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=_ABOUT, routes=app.routes)
        made.setdefault("components", {}).setdefault("schemas", {})["Problem"] = _PROBLEM
        made["components"]["securitySchemes"] = _SECURITY
        for route in app.state.api_routes:
            for method in route.methods or ():
                _add_scope_to_operation(made["paths"][route.path][method.lower()], route)
        for unused in ("HTTPValidationError", "ValidationError"):
            made["components"]["schemas"].pop(unused, None)
        app.openapi_schema = made
    return app.openapi_schema


def _add_scope_to_operation(operation: dict[str, Any], route: APIRoute) -> None:
    """Add the scope of an operation."""
    scopes = sorted({gate.scope for gate in gates_of_route(route.dependant)})
    operation["security"] = [{"key": scopes}] if scopes else []
    if scopes:
        operation["x-scope"] = scopes[0]


_ABOUT = (
    "Which predictions of a classifier to verify, and which classes are wrong more often than tolerated. Send a key "
    "as 'Authorization: Bearer KEY'. After 503 or no reply, send the request again with the same ids: a decision never "
    "changes."
)
