"""For operators: health, readiness and metrics."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any, Literal

from fastapi import Request, Response
from typing_extensions import TypedDict

from sidelight.service.api.requests import Call, needs_scope
from sidelight.service.api.routing import make_router, refusals
from sidelight.service.domain import metrics
from sidelight.service.domain.service import Service
from sidelight.service.http.responses import SAFE_HEADERS
from sidelight.service.problems import unavailable_now
from sidelight.service.store.schema import check_schema

router = make_router("operations")
STALE = 30.0
"""A writer that has been silent for this many seconds is considered hung."""


_TEXT: dict[int | str, Any] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class Health(TypedDict):
    """The service is healthy."""

    status: Literal["ok"]


@router.get("/healthz")
async def alive() -> Health:
    """Say whether the process runs, without looking at the database."""
    return {"status": "ok"}


@router.get("/readyz", responses=refusals("unavailable"))
async def ready(request: Request) -> Health:
    """Say whether requests are served.

    The answer is 503 unless the database has the schema of this version and room for more, and the writer is working.
    """
    service: Service = request.app.state.service
    await asyncio.to_thread(_check_database, service)
    if service.writer.refused:
        raise unavailable_now("the database did not take the last changes: see the log", 10)
    silent = time.monotonic() - service.writer.heartbeat
    if silent > STALE:
        raise unavailable_now(f"the writer has not responded for {silent:.0f} s: restart the process", 10)
    return {"status": "ok"}


def _check_database(service: Service) -> None:
    with service.read() as tx:
        check_schema(tx)
    if not service.storage.has_room():
        raise unavailable_now("the disk is full: make room", 10)


@router.get("/metrics", response_class=Response, responses=_TEXT)
async def measure(call: Annotated[Call, needs_scope("report")]) -> Response:
    """Return metrics for Prometheus of the monitors that the caller may see, from the database."""
    text = await asyncio.to_thread(metrics.make_metrics, call.service, call.caller.monitors)
    return Response(text, headers=SAFE_HEADERS | {"Content-Type": metrics.MEDIA_TYPE})
