"""For operators: health, readiness and metrics."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import BaseModel

from sidelight.service.api.requests import Call, needs
from sidelight.service.api.routing import make_router, problems
from sidelight.service.domain import metrics
from sidelight.service.domain.service import Service
from sidelight.service.http.responses import SAFE_HEADERS, answer
from sidelight.service.problems import unavailable
from sidelight.service.store import migrations

router = make_router("operations")
STALE = 30.0
"""A writer that has been silent for this many seconds is considered hung."""


class Health(BaseModel):
    """The service is healthy."""

    status: Literal["ok"]


@router.get(
    "/healthz", response_model=Health, responses=problems(guarded=False), summary="Say whether the process runs"
)
async def alive() -> Response:
    """Answer without looking at the database."""
    return answer({"status": "ok"})


@router.get(
    "/readyz",
    response_model=Health,
    responses=problems("unavailable", guarded=False),
    summary="Say whether requests are served",
)
async def ready(request: Request) -> Response:
    """Answer 503 unless the database has the schema of this version and room for more, and the writer is working."""
    service: Service = request.app.state.service
    await asyncio.to_thread(_check_database, service)
    if service.writer.refused:
        raise unavailable("the database did not take the last changes: see the log", 10)
    silent = time.monotonic() - service.writer.heartbeat
    if silent > STALE:
        raise unavailable(f"the writer has not responded for {silent:.0f} s: restart the process", 10)
    return answer({"status": "ok"})


def _check_database(service: Service) -> None:
    with service.read() as tx:
        migrations.check_version(migrations.version_of(tx))
    if not service.storage.has_room():
        raise unavailable("the disk is full: make room", 10)


@router.get(
    "/metrics",
    response_class=Response,
    responses=problems() | {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    summary="Metrics for Prometheus",
)
async def measure(call: Annotated[Call, needs("report")]) -> Response:
    """Return the metrics of the monitors that the caller may see, from the database."""
    text = await asyncio.to_thread(metrics.metrics, call.service, call.caller.monitors)
    return Response(text, headers=SAFE_HEADERS | {"Content-Type": metrics.MEDIA_TYPE})
