"""Monitors: creating, listing, changing and archiving them, and their reports."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Body, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from typing_extensions import TypedDict

from sidelight.monitor.report.breakdown import TrueClasses
from sidelight.service.api.requests import Admin, ApiCall, api_monitor_scope, api_scope, prefers_media_type
from sidelight.service.api.routing import api_refusals, make_api_router
from sidelight.service.domain import monitors
from sidelight.service.domain.inputs import Shape
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.http.guards import SAFE_HEADERS, http_reply
from sidelight.service.journal.entry import journal_json
from sidelight.service.limits import BATCH
from sidelight.service.maintenance.check import prune_journal
from sidelight.service.settings import ALL_SCHEMA, CHANGEABLE_SCHEMA

router = make_api_router("monitors")
_Settings = Annotated[
    dict[Annotated[str, Field(max_length=64)], Any],
    Field(max_length=BATCH),
    AfterValidator(lambda value: journal_json(value) and value),  # refuses infinite numbers, which JSON cannot say
]
_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


class MonitorIn(Shape):
    """A monitor to create."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$", max_length=64)]
    settings: Annotated[_Settings, WithJsonSchema(ALL_SCHEMA)]


class SettingsIn(Shape):
    """Settings to change."""

    settings: Annotated[_Settings, WithJsonSchema(CHANGEABLE_SCHEMA)]


class PruneIn(Shape):
    """How much of a journal to keep."""

    days: Annotated[float | None, Field(ge=0, description="Keep so many days; null for as long as retries work.")] = (
        None
    )


class PrunedOut(TypedDict):
    """How many entries were deleted."""

    deleted: int


class MonitorOut(TypedDict):
    """A monitor."""

    name: str
    id: str
    settings: dict[str, Any]
    number: Annotated[int, Field(description="Number of the last journal entry.")]
    created_at: float
    archived_at: float | None


class MonitorsOut(TypedDict):
    """The monitors that the caller may see, by name."""

    monitors: list[MonitorOut]


class ReportOut(BaseModel):
    """The report on every class, as returned by `Report.to_dict` of the library."""

    model_config = ConfigDict(extra="allow")

    classes: list[dict[str, Any]]
    policy: str
    confidence: float
    verifications: int
    pending: int
    predictions: int
    saved: int


_Administrator = Annotated[ApiCall, api_monitor_scope("admin")]


@router.post(
    "/v1/monitors",
    name="create",
    status_code=201,
    response_model=MonitorOut,
    responses=api_refusals("conflict"),
)
async def create_route(body: Annotated[MonitorIn, Body()], call: Admin) -> Response:
    """Create a monitor; its settings are the arguments of `ClassifierMonitor` and of the review queue by name."""
    job = await asyncio.to_thread(monitors.create_served_monitor, body.name, body.settings, actor=call.caller.actor)
    row = await call.do(job)
    call.state.names.forget(body.name)
    return http_reply(_monitor_route_reply(row), 201, {"Location": f"/v1/monitors/{row.name}"})


@router.get("/v1/monitors", name="list_all")
async def list_all_route(call: Annotated[ApiCall, api_scope("report")]) -> MonitorsOut:
    """List the monitors that the caller may see, by name; archived ones are left out."""
    only, found = call.caller.monitors, await call.read(monitors.list_served_monitors)
    return {"monitors": [_monitor_route_reply(one) for one in found if only is None or one.id in only]}


@router.get("/v1/monitors/{monitor}", name="show")
async def show_route(call: Annotated[ApiCall, api_monitor_scope("report")]) -> MonitorOut:
    """Describe a monitor and its settings."""
    return _monitor_route_reply(await call.read(lambda tx: monitors.find_served_monitor(tx, call.name)))


@router.patch("/v1/monitors/{monitor}", name="change", responses=api_refusals("gone"))
async def change_route(body: Annotated[SettingsIn, Body()], call: _Administrator) -> MonitorOut:
    """Change caps, pending limits and settings of the queue, all or none; any others need a new monitor."""
    return _monitor_route_reply(
        await call.do(monitors.change_served_monitor(call.monitor, body.settings, actor=call.caller.actor))
    )


@router.post("/v1/monitors/{monitor}/archive", name="archive", responses=api_refusals("gone"))
async def archive_route(call: _Administrator) -> MonitorOut:
    """Archive a monitor for good; a new monitor may then use its name, but inherits nothing."""
    row = await call.do(monitors.archive_served_monitor(call.monitor, actor=call.caller.actor))
    call.state.names.forget(call.name)
    return _monitor_route_reply(row)


@router.post("/v1/monitors/{monitor}/prune", name="shorten")
async def shorten_route(body: Annotated[PruneIn, Body()], call: _Administrator) -> PrunedOut:
    """Delete old journal entries after replacing them with a sealed snapshot; retries of older ids count again."""
    return {"deleted": await asyncio.to_thread(prune_journal, call.service, call.monitor, days=body.days)}


@router.get(
    "/v1/monitors/{monitor}/report",
    name="report",
    response_model=ReportOut,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
)
async def report_route(call: Annotated[ApiCall, api_monitor_scope("report")]) -> Any:
    """Report on every class, as JSON, or as a page if the Accept header prefers text/html."""
    found = await asyncio.to_thread(call.service.report, call.monitor)
    if not prefers_media_type(call.request.headers.get("accept", ""), "text/html"):
        return await asyncio.to_thread(found.to_dict)
    page = await asyncio.to_thread(found.to_html, title=f"Report of the monitor {call.name}")
    headers = SAFE_HEADERS | {"Content-Security-Policy": _PAGE_POLICY}
    return Response(page.encode("utf-8", "replace"), media_type="text/html", headers=headers)


@router.get("/v1/monitors/{monitor}/true-classes", name="true_classes", responses=api_refusals("conflict"))
async def true_classes_route(call: Annotated[ApiCall, api_monitor_scope("report")]) -> TrueClasses:
    """Say which true classes were predicted as which, and how much of each is missed, where answers told them.

    There are at most 100 true classes, those with the most answers first.
    """
    return await asyncio.to_thread(call.service.true_classes, call.monitor)


def _monitor_route_reply(row: MonitorRow) -> MonitorOut:
    return {
        "name": row.name,
        "id": row.id,
        "settings": row.settings,
        "number": row.last,
        "created_at": row.created_at,
        "archived_at": row.archived_at,
    }
