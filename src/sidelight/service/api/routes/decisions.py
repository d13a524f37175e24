"""Deciding about predictions, and answers: what verifications showed."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from fastapi import Body
from pydantic import Field, Tag
from typing_extensions import TypedDict

from sidelight.service.api.requests import ApiCall, api_monitor_scope
from sidelight.service.api.routing import BatchRoute, api_refusals, discriminate_batch_body, make_api_router
from sidelight.service.domain import answers, decisions
from sidelight.service.domain.answers import CONFLICT, GONE, UNKNOWN
from sidelight.service.domain.inputs import AnswerTo, Label, Prediction, Shape
from sidelight.service.limits import BATCH
from sidelight.service.problems import Problem, problem_place, relocate_problems_of_rows

router = make_api_router("decisions", BatchRoute)


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
    discriminate_batch_body("predictions"),
    Body(),
]


@router.post("/v1/monitors/{monitor}/decisions", name="decide", responses=api_refusals("conflict", "gone"))
async def decide_route(
    body: Predictions, call: Annotated[ApiCall, api_monitor_scope("decide")]
) -> DecisionOut | DecisionsOut:
    """Decide which predictions to verify: one, or a batch, completely or not at all.

    An id that was decided before gets the same decision again; with another class, it is a conflict.
    """
    single = isinstance(body, Prediction)
    given = [body] if isinstance(body, Prediction) else body.predictions
    with relocate_problems_of_rows(None if single else "predictions"):
        made = await call.do(decisions.decide_predictions(call.service, call.monitor, given, actor=call.caller.actor))
    plain: Any = [
        {"id": one.id, "verify": one.verify, "reason": one.reason, "prediction": one.prediction}
        | ({} if one.propensity is None else {"propensity": one.propensity})
        for one in made
    ]
    return plain[0] if single else {"decisions": plain}


_REFUSED = {UNKNOWN: "not-found", CONFLICT: "conflict", GONE: "gone"}
_Status = Literal[
    "recorded", "unchanged", "corrected", "released", "withdrawn", "not chosen", "unknown", "conflict", "gone"
]


class AnswersIn(Shape):
    """Many answers; each gets its own result."""

    answers: Annotated[list[AnswerTo], Field(max_length=BATCH)]


class AnswerOut(TypedDict):
    """The result of one answer."""

    id: str
    status: _Status
    verdict: str | None
    detail: str


class AnswersOut(TypedDict):
    """Results in the order of the answers."""

    answers: list[AnswerOut]


@router.post("/v1/monitors/{monitor}/answers", name="take", responses=api_refusals("conflict", "gone"))
async def answers_route(
    body: Annotated[
        Annotated[AnswerTo, Tag("one")] | Annotated[AnswersIn, Tag("many")],
        discriminate_batch_body("answers"),
        Body(),
    ],
    call: Annotated[ApiCall, api_monitor_scope("answer")],
) -> AnswerOut | AnswersOut:
    """Record what verifications showed: one answer, or a batch with a result for each.

    A prediction that was let pass gets the status "not chosen", which is not an error: you may send labels for
    everything. For a single answer, an unknown id gives 404, a verification with a different answer 409, and a
    forgotten verification 410; in a batch these are statuses of the results.

    An answer settles its verification. In a monitor with two reviews or hidden predictions, and for people who have
    signed in, this needs the scope settle, too; reviews go through the queue. A monitor that hides predictions does not
    say whether an answer is right.
    """
    single = isinstance(body, AnswerTo)
    given = [body] if isinstance(body, AnswerTo) else body.answers
    with relocate_problems_of_rows(None if single else "answers"):
        job = answers.record_answers(call.monitor, given, actor=call.caller.actor, settles=call.caller.may("settle"))
        results = await call.do(job)
    if single and results[0].status in _REFUSED:
        found = results[0]
        stands = {} if found.correct is None else {"correct": found.correct}
        raise Problem(_REFUSED[found.status], found.detail, places=[problem_place(["id"], found.detail, **stands)])
    plain: Any = [{"id": one.id, "status": one.status, "verdict": one.verdict, "detail": one.detail} for one in results]
    return plain[0] if single else {"answers": plain}
