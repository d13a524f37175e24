"""Verifications: which are pending, and deleting the payloads of predictions on request."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import Field
from typing_extensions import TypedDict

from sidelight.monitor import Reason
from sidelight.service.api.requests import Call, needs_on
from sidelight.service.api.routing import BatchRoute, make_router, refusals
from sidelight.service.api.validation import Page
from sidelight.service.domain import monitors, retention
from sidelight.service.domain.inputs import Label, Shape, Text
from sidelight.service.domain.retention import Erased
from sidelight.service.domain.verifications import OVERDUE
from sidelight.service.journal import entry as journal
from sidelight.service.limits import BATCH
from sidelight.service.store.base import Reader

router = make_router("verifications", BatchRoute)
_SQL = (
    "SELECT id, class, number, reason, asked_at, state FROM verifications "
    "WHERE monitor = ? AND number > ? AND state IN ('open', 'overdue') ORDER BY number LIMIT ?"
)


class PendingOut(TypedDict):
    """A pending verification."""

    id: str
    prediction: Annotated[Label | None, Field(description="The class; null if the monitor is reviewed blind.")]
    number: Annotated[int, Field(description="Its number among all verifications, from 1 in the order requested.")]
    reason: str
    asked_at: Annotated[float, Field(description="Seconds since 1970.")]
    overdue: Annotated[bool, Field(description="Whether the monitor has stopped waiting; the answer still counts.")]


class PendingsOut(TypedDict):
    """Pending verifications, oldest first."""

    pending: list[PendingOut]


@router.get("/v1/monitors/{monitor}/pending")
async def pending(query: Annotated[Page, Query()], call: Annotated[Call, needs_on("answer")]) -> PendingsOut:
    """List pending verifications in the order requested; fewer than `limit` means that no more are left."""

    def look(tx: Reader) -> list[Any]:
        blind = monitors.find_monitor(tx, call.name).settings.get("blind", False)
        return [
            {
                "id": id,
                "prediction": None if blind else journal.read_text(name),
                "number": number,
                "reason": Reason.of(reason),
                "asked_at": asked_at,
                "overdue": state == OVERDUE,
            }
            for id, name, number, reason, asked_at, state in tx.all(_SQL, call.monitor, query.after, query.limit)
        ]

    return {"pending": await call.read(look)}


class ErasuresIn(Shape):
    """The predictions whose payloads to delete."""

    ids: Annotated[list[Text], Field(max_length=BATCH)]


class ErasuresOut(TypedDict):
    """Results in the order of the ids."""

    erased: list[Erased]


@router.post("/v1/monitors/{monitor}/erase", responses=refusals("gone"))
async def erase(body: Annotated[ErasuresIn, Body()], call: Annotated[Call, needs_on("admin")]) -> ErasuresOut:
    """Delete payloads on request now, whatever the retention; waiting verifications are released."""
    return {"erased": await call.do(retention.erase_payloads(call.monitor, body.ids, actor=call.caller.actor))}
