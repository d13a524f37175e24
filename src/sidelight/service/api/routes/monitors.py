"""Monitors: creating, listing, changing and archiving them, and their reports."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Body, Request, Response

from sidelight.service.api.requests import Asked, AskedOf, asked, asked_of
from sidelight.service.api.routing import links, make_router, problems
from sidelight.service.api.shapes import MonitorIn, MonitorOut, MonitorsOut, ReportOut, SettingsIn
from sidelight.service.domain import monitor_changes, monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.http.responses import SAFE_HEADERS, answer

router = make_router("monitors")
_NEXT = links(
    "$response.body#/name", "decisions.decide", "monitors.show", "monitors.report", "journal.read", "monitors.archive"
)
_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


@router.post(
    "/v1/monitors",
    status_code=201,
    response_model=MonitorOut,
    responses=problems("conflict", body=True) | {201: {"links": _NEXT}},
    summary="Create a monitor",
)
async def create(
    body: Annotated[MonitorIn, Body()], asked: Annotated[Asked, asked("admin", everywhere=True)]
) -> Response:
    """Create a monitor; its settings are the arguments of `ClassifierMonitor` and of the review queue by name."""
    job = await asyncio.to_thread(monitors.create, body.name, body.settings, actor=asked.caller.actor)
    row = await asked.service.submit(job)
    asked.state.names.forget(body.name)
    return answer(_plain(row), 201, {"Location": f"/v1/monitors/{row.name}"})


@router.get(
    "/v1/monitors",
    response_model=MonitorsOut,
    responses=problems(),
    summary="List the monitors that the caller may see",
)
async def list_all(asked: Annotated[Asked, asked("report")]) -> Response:
    """Return the monitors that are not archived, by name."""

    def read() -> list[MonitorRow]:
        with asked.service.read() as tx:
            return monitors.every(tx)

    only = asked.caller.monitors
    return answer(
        {"monitors": [_plain(one) for one in await asyncio.to_thread(read) if only is None or one.id in only]}
    )


@router.get(
    "/v1/monitors/{monitor}", response_model=MonitorOut, responses=problems("not-found"), summary="Describe a monitor"
)
async def show(asked: Annotated[AskedOf, asked_of("report")]) -> Response:
    """Return one monitor with its settings."""

    def read() -> MonitorRow:
        with asked.service.read() as tx:
            return monitors.find(tx, asked.name)

    return answer(_plain(await asyncio.to_thread(read)))


@router.patch(
    "/v1/monitors/{monitor}",
    response_model=MonitorOut,
    responses=problems("not-found", "gone", body=True),
    summary="Change caps, pending limits and settings of the queue",
)
async def change(body: Annotated[SettingsIn, Body()], asked: Annotated[AskedOf, asked_of("admin")]) -> Response:
    """Change settings, all or none; any others need a new monitor."""
    job = monitor_changes.change(asked.monitor, body.settings, actor=asked.caller.actor)
    return answer(_plain(await asked.service.submit(job)))


@router.post(
    "/v1/monitors/{monitor}/archive",
    response_model=MonitorOut,
    responses=problems("not-found", "gone"),
    summary="Archive a monitor",
)
async def archive(asked: Annotated[AskedOf, asked_of("admin")]) -> Response:
    """Close a monitor for good; a new monitor may then use its name, but inherits nothing."""
    row = await asked.service.submit(monitors.archive(asked.monitor, actor=asked.caller.actor))
    asked.state.names.forget(asked.name)
    return answer(_plain(row))


@router.get(
    "/v1/monitors/{monitor}/report",
    response_model=ReportOut,
    responses=problems("not-found") | {200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
    summary="Report on every class",
)
async def report(request: Request, asked: Annotated[AskedOf, asked_of("report")]) -> Response:
    """Return the report as JSON, or as a page if the Accept header prefers text/html."""
    found = await asyncio.to_thread(asked.service.report, asked.monitor)
    if prefers_html(request.headers.get("accept", "")):
        page = await asyncio.to_thread(found.to_html, title=f"Report of the monitor {asked.name}")
        headers = SAFE_HEADERS | {"Content-Security-Policy": _PAGE_POLICY}
        return Response(page.encode("utf-8", "replace"), media_type="text/html", headers=headers)
    return answer(await asyncio.to_thread(found.to_dict))


def prefers_html(accept: str) -> bool:
    """Say whether an Accept header names text/html before JSON and before */*; weights are ignored."""
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    html = kinds.index("text/html") if "text/html" in kinds else len(kinds)
    json = min((kinds.index(one) for one in ("application/json", "*/*") if one in kinds), default=len(kinds))
    return html < json


def _plain(row: MonitorRow) -> dict[str, Any]:
    return {
        "name": row.name,
        "id": row.id,
        "settings": row.settings,
        "number": row.last,
        "created_at": row.created_at,
        "archived_at": row.archived_at,
    }
