"""The audit log over HTTP."""

from __future__ import annotations

import asyncio
import math
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import Asked, asked
from sidelight.service.api.routing import make_router, problems
from sidelight.service.http.responses import answer
from sidelight.service.journal import audit
from sidelight.service.journal.audit import Note

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
    asked: Annotated[Asked, asked("admin", everywhere=True)],
    before: Annotated[float | None, Query(ge=0, le=1e15, description="Time of the last entry read so far.")] = None,
    before_id: Annotated[str, Query(pattern="^[0-9a-f]{0,32}$", description="Id of that entry.")] = "",
    limit: Annotated[int, Field(ge=1, le=MOST), Query()] = audit.PAGE,
) -> Response:
    """Return who changed keys, webhooks, reviewers and so on, newest first."""
    place = None if before is None or math.isnan(before) else (before, before_id)

    def page() -> list[Note]:
        with asked.service.read() as tx:
            return audit.read(tx, place, limit)

    return answer({"notes": [one._asdict() for one in await asyncio.to_thread(page)]})
