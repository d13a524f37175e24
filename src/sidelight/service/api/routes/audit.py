"""The audit log over HTTP."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from fastapi import Body, Query, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import Admin
from sidelight.service.api.routing import make_router, problems
from sidelight.service.api.shapes import Shape
from sidelight.service.http.responses import answer
from sidelight.service.journal import audit
from sidelight.service.writer.unit import Work, job

router = make_router("audit")
MOST = 1_000


class NoteOut(BaseModel):
    """One entry."""

    id: str
    at: float
    actor: str
    action: str
    subject: str
    detail: dict[str, Any]


class NotesOut(BaseModel):
    """One page, newest first."""

    notes: list[NoteOut]


@router.get("/v1/audit", response_model=NotesOut, responses=problems(), summary="Read the audit log")
async def read(
    call: Admin,
    before: Annotated[float | None, Query(ge=0, le=1e15, description="Time of the last entry read so far.")] = None,
    before_id: Annotated[str, Query(pattern="^[0-9a-f]{0,32}$", description="Id of that entry.")] = "",
    limit: Annotated[int, Field(ge=1, le=MOST), Query()] = audit.PAGE,
) -> Response:
    """Return who changed keys, webhooks, reviewers and so on, newest first."""
    place = None if before is None or math.isnan(before) else (before, before_id)
    return answer({"notes": [one._asdict() for one in await call.read(lambda tx: audit.read(tx, place, limit))]})


class NoteIn(Shape):
    """Who took data out with a command."""

    action: Literal["backup made", "copy made", "data exported"]
    subject: Annotated[str, Field(max_length=200)]
    detail: Annotated[dict[str, Any], Field(max_length=10)]


@router.post(
    "/v1/audit",
    status_code=204,
    response_class=Response,
    responses=problems(body=True),
    summary="Note that data was taken out",
)
async def write(body: Annotated[NoteIn, Body()], call: Admin) -> Response:
    """Note a backup, copy or export, which the service itself does not see."""
    await call.service.submit(_note(call.caller.actor, body))
    return Response(status_code=204)


@job
def _note(work: Work, actor: str, note: NoteIn) -> None:
    audit.write(work.writing(), actor, note.action, note.subject, **note.detail)
