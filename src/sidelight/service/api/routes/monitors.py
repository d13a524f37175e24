"""Monitors: creating, listing, changing and archiving them, and their reports."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Body, Response

from sidelight.service.api.requests import Admin, Call, MonitorCall, needs, needs_on
from sidelight.service.api.routing import links, make_router, problems
from sidelight.service.api.shapes import MonitorIn, MonitorOut, MonitorsOut, PrunedOut, PruneIn, ReportOut, SettingsIn
from sidelight.service.domain import monitor_changes, monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.http.responses import SAFE_HEADERS, answer
from sidelight.service.maintenance.prune import prune

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
async def create(body: Annotated[MonitorIn, Body()], call: Admin) -> Response:
    """Create a monitor; its settings are the arguments of `ClassifierMonitor` and of the review queue by name."""
    job = await asyncio.to_thread(monitors.create, body.name, body.settings, actor=call.caller.actor)
    row = await call.service.submit(job)
    call.state.names.forget(body.name)
    return answer(_plain(row), 201, {"Location": f"/v1/monitors/{row.name}"})


@router.get(
    "/v1/monitors",
    response_model=MonitorsOut,
    responses=problems(),
    summary="List the monitors that the caller may see",
)
async def list_all(call: Annotated[Call, needs("report")]) -> Response:
    """Return the monitors that are not archived, by name."""
    only = call.caller.monitors
    found = await call.read(monitors.every)
    return answer({"monitors": [_plain(one) for one in found if only is None or one.id in only]})


@router.get(
    "/v1/monitors/{monitor}", response_model=MonitorOut, responses=problems("not-found"), summary="Describe a monitor"
)
async def show(call: Annotated[MonitorCall, needs_on("report")]) -> Response:
    """Return one monitor with its settings."""
    return answer(_plain(await call.read(lambda tx: monitors.find(tx, call.name))))


@router.patch(
    "/v1/monitors/{monitor}",
    response_model=MonitorOut,
    responses=problems("not-found", "gone", body=True),
    summary="Change caps, pending limits and settings of the queue",
)
async def change(body: Annotated[SettingsIn, Body()], call: Annotated[MonitorCall, needs_on("admin")]) -> Response:
    """Change settings, all or none; any others need a new monitor."""
    job = monitor_changes.change(call.monitor, body.settings, actor=call.caller.actor)
    return answer(_plain(await call.service.submit(job)))


@router.post(
    "/v1/monitors/{monitor}/archive",
    response_model=MonitorOut,
    responses=problems("not-found", "gone"),
    summary="Archive a monitor",
)
async def archive(call: Annotated[MonitorCall, needs_on("admin")]) -> Response:
    """Close a monitor for good; a new monitor may then use its name, but inherits nothing."""
    row = await call.service.submit(monitors.archive(call.monitor, actor=call.caller.actor))
    call.state.names.forget(call.name)
    return answer(_plain(row))


@router.post(
    "/v1/monitors/{monitor}/prune",
    response_model=PrunedOut,
    responses=problems("not-found", body=True),
    summary="Delete old journal entries",
)
async def shorten(body: Annotated[PruneIn, Body()], call: Annotated[MonitorCall, needs_on("admin")]) -> Response:
    """Replace journal entries with a sealed snapshot, except for the last days; retries of older ids count again."""
    return answer({"deleted": await asyncio.to_thread(prune, call.service, call.monitor, days=body.days)})


@router.get(
    "/v1/monitors/{monitor}/report",
    response_model=ReportOut,
    responses=problems("not-found") | {200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
    summary="Report on every class",
)
async def report(call: Annotated[MonitorCall, needs_on("report")]) -> Response:
    """Return the report as JSON, or as a page if the Accept header prefers text/html."""
    found = await asyncio.to_thread(call.service.report, call.monitor)
    if prefers_html(call.request.headers.get("accept", "")):
        page = await asyncio.to_thread(found.to_html, title=f"Report of the monitor {call.name}")
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
