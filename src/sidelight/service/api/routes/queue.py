"""The review queue for programs: claim, review and release verifications, withdraw reviews, settle disagreements."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import Annotated, Any, Literal

from fastapi import Body, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import MonitorCall, needs_on
from sidelight.service.api.routing import make_router, problems
from sidelight.service.api.shapes import Label, Shape
from sidelight.service.domain import payloads
from sidelight.service.domain.queue import (
    MOST_CLAIMED,
    MOST_NUMBER,
    Claimed,
    claim_verifications,
    release_verification,
    review_settings,
)
from sidelight.service.domain.reviews import Reviewed, Said, give_review, settle_verification, withdraw_review
from sidelight.service.http.responses import answer

router = make_router("queue")
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


class VerificationOut(BaseModel):
    """A verification to review; the prediction is left out if the monitor hides it from reviewers."""

    number: int
    id: str
    revision: int
    asked_at: float
    lease_until: float
    slot: int
    prediction: Label | None = None
    labels: list[str]
    payload: Any = None


class ClaimOut(BaseModel):
    """Verifications that the caller now holds, oldest first."""

    verifications: list[VerificationOut]


class ReviewOut(BaseModel):
    """The result of a review."""

    number: int
    status: Literal["settled", "recorded", "disputed", "skipped", "passed on", "withdrawn", "unchanged"]
    revision: int


class ReleaseOut(BaseModel):
    """Whether the caller held the verification."""

    released: bool


@router.post(
    "/v1/monitors/{monitor}/queue/claim",
    response_model=ClaimOut,
    response_model_exclude_unset=True,
    responses=problems("not-found", "gone", body=True),
    summary="Claim verifications to review",
)
async def claim(body: Annotated[ClaimIn, Body()], call: Annotated[MonitorCall, needs_on("answer")]) -> Response:
    """Return the oldest verifications with a free slot; no one else gets that slot until the lease ends.

    With the scope settle, this includes verifications whose reviews disagree.
    """
    settle = call.caller.may("settle")
    claimed = await call.service.submit(claim_verifications(call.monitor, call.caller.actor, body.count, settle))
    return answer({"verifications": await asyncio.to_thread(_verifications, call, claimed)})


@router.post(
    "/v1/monitors/{monitor}/queue/answer",
    response_model=ReviewOut,
    responses=problems("not-found", "conflict", "gone", body=True),
    summary="Review a verification",
)
async def review(body: Annotated[ReviewIn, Body()], call: Annotated[MonitorCall, needs_on("answer")]) -> Response:
    """Record the caller's review of a verification; a settled answer changes only with `replace` and the `revision`."""
    settles = call.caller.may("settle")
    said = Said(body.correct, body.label, body.skipped)
    job = give_review(call.monitor, call.caller.actor, body.number, said, body.revision, body.replace, settles)
    return _reviewed(await call.service.submit(job))


@router.post(
    "/v1/monitors/{monitor}/queue/withdraw",
    response_model=ReviewOut,
    responses=problems("not-found", "conflict", "gone", body=True),
    summary="Withdraw a review",
)
async def withdraw(
    body: Annotated[VerificationIn, Body()], call: Annotated[MonitorCall, needs_on("answer")]
) -> Response:
    """Withdraw the caller's review of a verification; if it settled the verification, that is open again."""
    return _reviewed(await call.service.submit(withdraw_review(call.monitor, call.caller.actor, body.number)))


@router.post(
    "/v1/monitors/{monitor}/queue/release",
    response_model=ReleaseOut,
    responses=problems("not-found", body=True),
    summary="Release a verification",
)
async def release(
    body: Annotated[VerificationIn, Body()], call: Annotated[MonitorCall, needs_on("answer")]
) -> Response:
    """Release a verification that the caller claimed and will not review, so that someone else can."""
    released = await call.service.submit(release_verification(call.monitor, call.caller.actor, body.number))
    return answer({"released": released})


@router.post(
    "/v1/monitors/{monitor}/queue/settle",
    response_model=ReviewOut,
    responses=problems("not-found", "conflict", "gone", body=True),
    summary="Settle a verification",
)
async def settle(body: Annotated[ReviewIn, Body()], call: Annotated[MonitorCall, needs_on("settle")]) -> Response:
    """Settle a verification, whatever its reviews say."""
    said = Said(body.correct, body.label, body.skipped)
    job = settle_verification(call.monitor, call.caller.actor, body.number, said, body.revision, body.replace)
    return _reviewed(await call.service.submit(job))


def _reviewed(found: Reviewed) -> Response:
    return answer({"number": found.number, "status": found.status, "revision": found.revision})


def _verifications(call: MonitorCall, claimed: list[Claimed]) -> list[dict[str, Any]]:
    """Return verifications with their payloads as plain data for JSON."""
    with call.service.read() as tx:
        review = review_settings(tx, call.monitor)
        sql = "SELECT verification, media_type, content FROM payloads WHERE verification IN (??) AND monitor = ?"
        rows = tx.among(sql, [one.verification.number for one in claimed], call.monitor)
    sent = {verification: decoded(kind, bytes(content)) for verification, kind, content in rows}
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


def decoded(kind: str, content: bytes) -> Any:
    """Return a payload in the form in which it was sent."""
    if kind.startswith("image/"):
        return {"image": base64.b64encode(content).decode("ascii")}
    text = content.decode("utf-8", "replace")
    if kind == payloads.JSON:
        return json.loads(text)
    return {"link": text} if kind == payloads.LINK else {"text": text}
