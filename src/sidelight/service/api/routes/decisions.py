"""Deciding about predictions."""

from __future__ import annotations

from typing import Annotated, Any, NotRequired

from fastapi import Body
from pydantic import Field, Tag
from typing_extensions import TypedDict

from sidelight.service.api.requests import Call, needs_monitor_scope
from sidelight.service.api.routing import BatchRoute, batch_discriminator, make_router, refusals
from sidelight.service.domain import decisions
from sidelight.service.domain.inputs import Label, Prediction, Shape
from sidelight.service.limits import BATCH
from sidelight.service.problems import relocated_problems

router = make_router("decisions", BatchRoute)


class PredictionsIn(Shape):
    """Many predictions, all decided or none."""

    predictions: Annotated[list[Prediction], Field(max_length=BATCH)]


class DecisionOut(TypedDict):
    """The decision about one prediction."""

    id: str
    verify: bool
    reason: str
    prediction: Label
    propensity: NotRequired[float]
    """With a score: the chance with which this prediction was verified."""


class DecisionsOut(TypedDict):
    """Decisions in the order of the predictions."""

    decisions: list[DecisionOut]


Predictions = Annotated[
    Annotated[Prediction, Tag("one")] | Annotated[PredictionsIn, Tag("many")],
    batch_discriminator("predictions"),
    Body(),
]


@router.post("/v1/monitors/{monitor}/decisions", responses=refusals("conflict", "gone"))
async def decide(body: Predictions, call: Annotated[Call, needs_monitor_scope("decide")]) -> DecisionOut | DecisionsOut:
    """Decide which predictions to verify: one, or a batch, completely or not at all.

    An id that was decided before gets the same decision again; with another class, it is a conflict.
    """
    single = isinstance(body, Prediction)
    given = [body] if isinstance(body, Prediction) else body.predictions
    with relocated_problems(None if single else "predictions"):
        made = await call.do(decisions.decide(call.service, call.monitor, given, actor=call.caller.actor))
    plain: Any = [
        {"id": one.id, "verify": one.verify, "reason": one.reason, "prediction": one.prediction}
        | ({} if one.propensity is None else {"propensity": one.propensity})
        for one in made
    ]
    return plain[0] if single else {"decisions": plain}
