"""The review queue for programs: claim, review and release verifications, withdraw reviews, settle disagreements."""

from __future__ import annotations

import base64
import json
from typing import Annotated, Any, NotRequired

from fastapi import Body
from pydantic import Field
from typing_extensions import TypedDict

from sidelight.service.api.requests import ApiCall, api_monitor_scope
from sidelight.service.api.routing import api_refusals, make_api_router
from sidelight.service.domain import inputs
from sidelight.service.domain.inputs import Label, Shape
from sidelight.service.domain.queue import (
    MOST_CLAIMED,
    MOST_NUMBER,
    Claimed,
    claim_verifications,
    release_claimed_verification,
    review_settings_of_queue,
)
from sidelight.service.domain.reviews import Reviewed, Said, give_review, settle_over_reviews, withdraw_review
from sidelight.service.store.base import Reader

router = make_api_router("queue")
Number = Annotated[int, Field(ge=1, le=MOST_NUMBER, description="Number of the verification, from a claim.")]
Revision = Annotated[
    int | None,
    Field(
        ge=0,
        le=MOST_NUMBER,
        description="Revision of the verification as you saw it; needed to replace a settled answer.",
    ),
]


class ClaimIn(Shape):
    """How many verifications to claim."""

    count: Annotated[int, Field(ge=1, le=MOST_CLAIMED)] = 1


class ReviewIn(Shape):
    """A review: exactly one of `correct`, `label` and `skipped`."""

    number: Number
    correct: bool | None = None
    label: Annotated[Label | None, Field(description="The true class.")] = None
    skipped: bool = False
    revision: Revision = None
    replace: Annotated[bool, Field(description="Whether to replace a settled answer.")] = False


class VerificationIn(Shape):
    """A verification."""

    number: Number


class VerificationOut(TypedDict):
    """A verification to review; the prediction is left out if the monitor hides it from reviewers."""

    number: int
    id: str
    revision: int
    asked_at: float
    lease_until: float
    slot: int
    labels: list[str]
    prediction: NotRequired[Label]
    payload: NotRequired[Any]


class ClaimOut(TypedDict):
    """Verifications that the caller now holds, oldest first."""

    verifications: list[VerificationOut]


class ReleaseOut(TypedDict):
    """Whether the caller held the verification."""

    released: bool


_Reviewer = Annotated[ApiCall, api_monitor_scope("answer")]


@router.post("/v1/monitors/{monitor}/queue/claim", name="claim", responses=api_refusals("gone"))
async def claim_route(body: Annotated[ClaimIn, Body()], call: _Reviewer) -> ClaimOut:
    """Claim verifications to review: the oldest with a free slot, which no one else gets until the lease ends.

    With the scope settle, this includes verifications whose reviews disagree.
    """
    job = claim_verifications(call.monitor, call.caller.actor, body.count, call.caller.may("settle"))
    claimed = await call.do(job)
    return {"verifications": await call.read(lambda tx: _claim_reply_of_route(tx, call.monitor, claimed))}


@router.post("/v1/monitors/{monitor}/queue/answer", name="review", responses=api_refusals("conflict", "gone"))
async def review_route(body: Annotated[ReviewIn, Body()], call: _Reviewer) -> Reviewed:
    """Review a verification; a settled answer changes only with `replace` and the `revision`."""
    said, settles = Said(body.correct, body.label, body.skipped), call.caller.may("settle")
    job = give_review(call.monitor, call.caller.actor, body.number, said, body.revision, body.replace, settles)
    return await call.do(job)


@router.post("/v1/monitors/{monitor}/queue/withdraw", name="withdraw", responses=api_refusals("conflict", "gone"))
async def withdraw_route(body: Annotated[VerificationIn, Body()], call: _Reviewer) -> Reviewed:
    """Withdraw the caller's review of a verification; if it settled the verification, that is open again."""
    return await call.do(withdraw_review(call.monitor, call.caller.actor, body.number))


@router.post("/v1/monitors/{monitor}/queue/release", name="release")
async def release_route(body: Annotated[VerificationIn, Body()], call: _Reviewer) -> ReleaseOut:
    """Release a verification that the caller claimed and will not review, so that someone else can."""
    return {"released": await call.do(release_claimed_verification(call.monitor, call.caller.actor, body.number))}


@router.post("/v1/monitors/{monitor}/queue/settle", name="settle", responses=api_refusals("conflict", "gone"))
async def settle_route(
    body: Annotated[ReviewIn, Body()], call: Annotated[ApiCall, api_monitor_scope("settle")]
) -> Reviewed:
    """Settle a verification, whatever its reviews say."""
    said = Said(body.correct, body.label, body.skipped)
    job = settle_over_reviews(call.monitor, call.caller.actor, body.number, said, body.revision, body.replace)
    return await call.do(job)


def _claim_reply_of_route(tx: Reader, monitor: str, claimed: list[Claimed]) -> list[Any]:
    """Return verifications with their payloads as plain data for JSON."""
    review = review_settings_of_queue(tx, monitor)
    sql = "SELECT verification, media_type, content FROM payloads WHERE verification IN (??) AND monitor = ?"
    rows = tx.among(sql, [one.verification.number for one in claimed], monitor)
    sent = {verification: payload_in_api_reply(kind, bytes(content)) for verification, kind, content in rows}
    found = []
    for verification, slot, until in claimed:
        plain: dict[str, Any] = {
            "number": verification.number,
            "id": verification.id,
            "revision": verification.revision,
            "slot": slot,
        }
        plain |= {"asked_at": verification.asked_at, "lease_until": until, "labels": list(review.labels)}
        plain |= {} if review.blind else {"prediction": verification.prediction}
        found.append(plain | ({"payload": sent[verification.number]} if verification.number in sent else {}))
    return found


def payload_in_api_reply(kind: str, content: bytes) -> Any:
    """Return a payload in the form in which it was sent."""
    if kind.startswith("image/"):
        return {"image": base64.b64encode(content).decode("ascii")}
    text = content.decode("utf-8", "replace")
    if kind == inputs.JSON:
        return json.loads(text)
    return {"link": text} if kind == inputs.LINK else {"text": text}
