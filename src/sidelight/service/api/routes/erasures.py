"""Deleting the payloads of predictions on request."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Body, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import MonitorCall, needs_on
from sidelight.service.api.routing import BatchRoute, make_router, problems
from sidelight.service.api.shapes import Shape, Text
from sidelight.service.domain import retention
from sidelight.service.http.responses import answer
from sidelight.service.limits import BATCH

router = make_router("erasing", BatchRoute)


class ErasuresIn(Shape):
    """The predictions whose payloads to delete."""

    ids: Annotated[list[Text], Field(max_length=BATCH)]


class ErasureOut(BaseModel):
    """The result for one prediction."""

    id: str
    status: Literal["released", "erased", "unknown"]
    payload: Annotated[bool, Field(description="Whether there was a payload.")]


class ErasuresOut(BaseModel):
    """Results in the order of the ids."""

    erased: list[ErasureOut]


@router.post(
    "/v1/monitors/{monitor}/erase",
    response_model=ErasuresOut,
    responses=problems("not-found", "gone", body=True),
    summary="Delete payloads on request",
)
async def erase(body: Annotated[ErasuresIn, Body()], call: Annotated[MonitorCall, needs_on("admin")]) -> Response:
    """Delete the payloads of predictions now, whatever the retention; waiting verifications are released."""
    results = await call.service.submit(retention.erase(call.monitor, body.ids, actor=call.caller.actor))
    return answer({"erased": [one._asdict() for one in results]})
