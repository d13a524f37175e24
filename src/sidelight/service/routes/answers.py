"""Taking in what verifications have shown."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Response

from sidelight.service import answering
from sidelight.service.answering import CONFLICT, GONE, UNKNOWN, Answered, AnswerTo
from sidelight.service.asked import AskedOf, asked_of
from sidelight.service.problems import Problem, place, relocated
from sidelight.service.responses import answer
from sidelight.service.routing import make_router, problems
from sidelight.service.shapes import AnswerIn, AnswerOut, Answers, AnswersOut

router = make_router("answers")
_REFUSED = {UNKNOWN: "not-found", CONFLICT: "conflict", GONE: "gone"}


@router.post(
    "/v1/monitors/{monitor}/answers",
    response_model=AnswerOut | AnswersOut,
    responses=problems("not-found", "conflict", "gone", body=True),
    summary="Tell what verifications have shown",
)
async def take(body: Annotated[Answers, Body()], asked: Annotated[AskedOf, asked_of("answer")]) -> Response:
    """Take in one answer, or a batch with a result for each.

    A prediction that was let pass gives the status "not chosen", which is no error: labels of a night cover everything.
    Of a single answer, an id that is not known is 404, another answer that stands 409, a forgotten item 410; in a batch
    these are statuses of the item.
    """
    single = isinstance(body, AnswerIn)
    given = [body] if isinstance(body, AnswerIn) else body.answers
    rows = [AnswerTo(one.id, one.correct, one.label, one.skipped, one.replace) for one in given]
    with relocated(None if single else "answers"):
        results = await asked.service.submit(answering.answers(asked.monitor, rows, actor=asked.caller.actor))
    if single and results[0].status in _REFUSED:
        found = results[0]
        stands = {} if found.correct is None else {"correct": found.correct}
        raise Problem(_REFUSED[found.status], found.detail, places=[place(["id"], found.detail, **stands)])
    plain = [_plain(one) for one in results]
    return answer(plain[0] if single else {"answers": plain})


def _plain(one: Answered) -> dict[str, Any]:
    return {"id": one.id, "status": one.status, "verdict": one.verdict, "detail": one.detail}
