"""For operators: health, readiness, metrics, and the journal of a monitor."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response
from typing_extensions import TypedDict

from sidelight.service.api.requests import ApiCall, Page, api_monitor_scope, api_scope
from sidelight.service.api.routing import api_refusals, make_api_router
from sidelight.service.domain import metrics
from sidelight.service.domain.service import Service
from sidelight.service.http.guards import SAFE_HEADERS
from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem, unavailable_problem
from sidelight.service.store.base import Reader
from sidelight.service.store.schema import check_database_schema

router = make_api_router("operations")
STALE = 30.0
"""A writer that has been silent for this many seconds is considered hung."""


_TEXT: dict[int | str, Any] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class Health(TypedDict):
    """The service is healthy."""

    status: Literal["ok"]


@router.get("/healthz", name="alive")
async def alive_route() -> Health:
    """Say whether the process runs, without looking at the database."""
    return {"status": "ok"}


@router.get("/readyz", name="ready", responses=api_refusals("unavailable"))
async def ready_route(request: Request) -> Health:
    """Say whether requests are served.

    The answer is 503 unless the database has the schema of this version and room for more, and the writer is working.
    """
    service: Service = request.app.state.service
    await asyncio.to_thread(_check_readiness_for_route, service)
    if service.writer.refused:
        raise unavailable_problem("the database did not take the last changes: see the log", 10)
    silent = time.monotonic() - service.writer.heartbeat
    if silent > STALE:
        raise unavailable_problem(f"the writer has not responded for {silent:.0f} s: restart the process", 10)
    return {"status": "ok"}


def _check_readiness_for_route(service: Service) -> None:
    with service.read() as tx:
        check_database_schema(tx)
    if not service.storage.has_room():
        raise unavailable_problem("the disk is full: make room", 10)


@router.get("/metrics", name="measure", response_class=Response, responses=_TEXT)
async def measure_route(call: Annotated[ApiCall, api_scope("report")]) -> Response:
    """Return metrics for Prometheus of the monitors that the caller may see, from the database."""
    text = await asyncio.to_thread(metrics.make_monitor_metrics, call.service, call.caller.monitors)
    return Response(text, headers=SAFE_HEADERS | {"Content-Type": metrics.MEDIA_TYPE})


_JSON_LINES = "application/x-ndjson"
_LINES: dict[int | str, Any] = {
    200: {"description": "One entry per line.", "content": {_JSON_LINES: {"schema": {"type": "string"}}}}
}


@router.get(
    "/v1/monitors/{monitor}/journal",
    name="read_journal",
    response_class=Response,
    responses=api_refusals("gone") | _LINES,
)
async def read_journal_route(
    query: Annotated[Page, Query()], call: Annotated[ApiCall, api_monitor_scope("admin")]
) -> Response:
    """Read the journal as JSON Lines, in order; fewer entries than `limit` mean that no more are left."""

    def read_journal_page_for_route(tx: Reader) -> str:
        row = tx.one("SELECT base FROM monitors WHERE id = ?", call.monitor)
        base = 0 if row is None else row[0]
        if query.after < base:
            raise Problem("gone", f"entries up to {base} were pruned: use after={base}")
        entries = journal.read_journal_entries(tx, call.monitor, query.after, query.limit)
        return "".join(f"{journal.journal_json(one.plain())}\n" for one in entries)

    return Response(await call.read(read_journal_page_for_route), media_type=_JSON_LINES, headers=SAFE_HEADERS)
