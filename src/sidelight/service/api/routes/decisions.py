"""Deciding about predictions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Response

from sidelight.monitor.types import Decision
from sidelight.service.api.requests import MonitorCall, needs_on
from sidelight.service.api.routing import BatchRoute, links, make_router, problems
from sidelight.service.api.shapes import DecisionOut, Decisions, DecisionsOut, PredictionIn
from sidelight.service.domain import decisions
from sidelight.service.domain.decisions import Prediction
from sidelight.service.http.responses import answer
from sidelight.service.problems import relocated

router = make_router("decisions", BatchRoute)
_NEXT = links(
    "$request.path.monitor", "answers.take", body={"id": "$response.body#/id", "label": "$response.body#/prediction"}
)


@router.post(
    "/v1/monitors/{monitor}/decisions",
    response_model=DecisionOut | DecisionsOut,
    responses=problems("not-found", "conflict", "gone", body=True) | {200: {"links": _NEXT}},
    summary="Decide which predictions to verify",
)
async def decide(body: Annotated[Decisions, Body()], call: Annotated[MonitorCall, needs_on("decide")]) -> Response:
    """Decide about one prediction, or about a batch, completely or not at all.

    An id that was decided before gets the same decision again; with another class, it is a conflict.
    """
    single = isinstance(body, PredictionIn)
    given = [body] if isinstance(body, PredictionIn) else body.predictions
    rows = [Prediction(one.id, one.prediction, one.time, one.payload) for one in given]
    with relocated(None if single else "predictions"):
        job = decisions.decide(call.service, call.monitor, rows, actor=call.caller.actor)
        decided = [_plain(one) for one in await call.service.submit(job)]
    return answer(decided[0] if single else {"decisions": decided})


def _plain(one: Decision) -> dict[str, Any]:
    return {"id": one.id, "verify": one.verify, "reason": one.reason, "prediction": one.prediction}
