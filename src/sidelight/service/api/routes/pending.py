"""Pending verifications: predictions that were chosen for verification and have no answer yet."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query, Response
from pydantic import BaseModel, Field

from sidelight.monitor import Reason
from sidelight.service import journal
from sidelight.service.api.requests import MonitorCall, needs_on
from sidelight.service.api.routing import make_router, problems
from sidelight.service.api.shapes import Label
from sidelight.service.domain import monitors
from sidelight.service.domain.verifications import OVERDUE
from sidelight.service.http.responses import answer

router = make_router("pending")
MOST = 1_000
_LAST = (1 << 63) - 1
_SQL = (
    "SELECT id, class, number, reason, asked_at, state FROM verifications "
    "WHERE monitor = ? AND number > ? AND state IN ('open', 'overdue') ORDER BY number LIMIT ?"
)


class PendingOut(BaseModel):
    """A pending verification."""

    id: str
    prediction: Annotated[Label | None, Field(description="The class; null if the monitor is reviewed blind.")]
    number: Annotated[int, Field(description="Its number among all verifications, from 1 in the order requested.")]
    reason: str
    asked_at: Annotated[float, Field(description="Seconds since 1970.")]
    overdue: Annotated[bool, Field(description="Whether the monitor has stopped waiting; the answer still counts.")]


class PendingsOut(BaseModel):
    """Pending verifications, oldest first."""

    pending: list[PendingOut]


@router.get(
    "/v1/monitors/{monitor}/pending",
    response_model=PendingsOut,
    responses=problems("not-found", "invalid"),
    summary="List pending verifications",
)
async def pending(
    call: Annotated[MonitorCall, needs_on("answer")],
    after: Annotated[int, Query(ge=0, le=_LAST, description="Only verifications with a larger number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST, description="Maximum number of verifications.")] = MOST,
) -> Response:
    """Return pending verifications in the order requested; fewer than `limit` means that no more are left."""
    return answer({"pending": await asyncio.to_thread(_page, call, after, limit)})


def _page(call: MonitorCall, after: int, limit: int) -> list[dict[str, Any]]:
    with call.service.read() as tx:
        rows = tx.all(_SQL, call.monitor, after, limit)
        blind = monitors.find(tx, call.name).settings.get("blind", False)
    return [
        {
            "id": id,
            "prediction": None if blind else journal.read_text(name),
            "number": number,
            "reason": Reason.of(reason),
            "asked_at": asked_at,
            "overdue": state == OVERDUE,
        }
        for id, name, number, reason, asked_at, state in rows
    ]
