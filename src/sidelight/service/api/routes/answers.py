"""Answers: what verifications showed."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Response

from sidelight.service.api.requests import MonitorCall, needs_on
from sidelight.service.api.routing import BatchRoute, make_router, problems
from sidelight.service.api.shapes import AnswerIn, AnswerOut, Answers, AnswersOut
from sidelight.service.domain import answers
from sidelight.service.domain.answers import CONFLICT, GONE, UNKNOWN, Answered, AnswerTo
from sidelight.service.http.responses import answer
from sidelight.service.problems import Problem, place, relocated

router = make_router("answers", BatchRoute)
_REFUSED = {UNKNOWN: "not-found", CONFLICT: "conflict", GONE: "gone"}


@router.post(
    "/v1/monitors/{monitor}/answers",
    response_model=AnswerOut | AnswersOut,
    responses=problems("not-found", "conflict", "gone", body=True),
    summary="Record what verifications showed",
)
async def take(body: Annotated[Answers, Body()], call: Annotated[MonitorCall, needs_on("answer")]) -> Response:
    """Record one answer, or a batch with a result for each.

    A prediction that was let pass gets the status "not chosen", which is not an error: you may send labels for
    everything. For a single answer, an unknown id gives 404, a verification with a different answer 409, and a
    forgotten verification 410; in a batch these are statuses of the results.

    An answer settles its verification. In a monitor with two reviews or hidden predictions, and for people who have
    signed in, this needs the scope settle, too; reviews go through the queue. A monitor that hides predictions does not
    say whether an answer is right.
    """
    single = isinstance(body, AnswerIn)
    given = [body] if isinstance(body, AnswerIn) else body.answers
    rows = [AnswerTo(one.id, one.correct, one.label, one.skipped, one.replace) for one in given]
    with relocated(None if single else "answers"):
        settles = call.caller.may("settle")
        job = answers.answers(call.monitor, rows, actor=call.caller.actor, settles=settles)
        results = await call.service.submit(job)
    if single and results[0].status in _REFUSED:
        found = results[0]
        stands = {} if found.correct is None else {"correct": found.correct}
        raise Problem(_REFUSED[found.status], found.detail, places=[place(["id"], found.detail, **stands)])
    plain = [_plain(one) for one in results]
    return answer(plain[0] if single else {"answers": plain})


def _plain(one: Answered) -> dict[str, Any]:
    return {"id": one.id, "status": one.status, "verdict": one.verdict, "detail": one.detail}
