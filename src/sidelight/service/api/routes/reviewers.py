"""Reviewers over HTTP, for administration by programs and commands."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Body, Path, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import Admin
from sidelight.service.api.routing import make_router, problems
from sidelight.service.api.shapes import Names, Shape, Text
from sidelight.service.auth import reviewers, sessions
from sidelight.service.auth.links import address
from sidelight.service.http.responses import answer
from sidelight.service.limits import BATCH

router = make_router("reviewers")
ReviewerId = Annotated[str, Path(pattern="^[a-z2-9]{10}$")]
Scope = Literal["answer", "settle", "report", "admin"]


class ReviewerIn(Shape):
    """A reviewer to invite."""

    name: Text
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=BATCH)]
    monitors: Annotated[Names | None, Field(description="Names of monitors; null for all.")] = None


class ReviewerOut(BaseModel):
    """A person who signs in."""

    id: str
    name: str
    ready: Annotated[bool, Field(description="Whether they have chosen a password.")]
    scopes: list[str]
    monitors: Annotated[list[str] | None, Field(description="Ids of monitors; null for all.")]
    created_at: float
    disabled_at: float | None


class ReviewersOut(BaseModel):
    """All reviewers, by name."""

    reviewers: list[ReviewerOut]


class LinkOut(BaseModel):
    """A link to choose a password; it works once, and is not shown again."""

    link: str


@router.get("/v1/reviewers", response_model=ReviewersOut, responses=problems(), summary="List the reviewers")
async def list_all(call: Admin) -> Response:
    """Return all reviewers, including disabled ones."""
    return answer({"reviewers": [one._asdict() for one in await call.read(reviewers.listed)]})


@router.post(
    "/v1/reviewers",
    status_code=201,
    response_model=LinkOut,
    responses=problems("conflict", body=True),
    summary="Invite a reviewer",
)
async def invite(body: Annotated[ReviewerIn, Body()], call: Admin) -> Response:
    """Add a reviewer, who chooses a password with the link within a week."""
    job = reviewers.invite_reviewer(call.caller.actor, body.name, body.scopes, body.monitors)
    return answer({"link": address(call.base, (await call.service.submit(job)).code)}, 201)


@router.post(
    "/v1/reviewers/{id}/link",
    status_code=201,
    response_model=LinkOut,
    responses=problems("not-found"),
    summary="Renew the link of a reviewer",
)
async def renew(id: ReviewerId, call: Admin) -> Response:
    """Return a new link to choose a password; the old password works until it is used."""
    new = await call.service.submit(reviewers.renew_link(call.caller.actor, id))
    return answer({"link": address(call.base, new.code)}, 201)


@router.post(
    "/v1/reviewers/{id}/disable",
    status_code=204,
    response_class=Response,
    responses=problems("not-found", "conflict"),
    summary="Disable a reviewer",
)
async def disable(id: ReviewerId, call: Admin) -> Response:
    """End the sessions of a reviewer and release what they hold; their answers stay."""
    await call.service.submit(reviewers.disable_reviewer(call.caller.actor, id))
    return Response(status_code=204)


@router.post(
    "/v1/reviewers/{id}/enable",
    status_code=204,
    response_class=Response,
    responses=problems("not-found"),
    summary="Enable a reviewer",
)
async def enable(id: ReviewerId, call: Admin) -> Response:
    """Let a reviewer sign in again."""
    await call.service.submit(reviewers.enable_reviewer(call.caller.actor, id))
    return Response(status_code=204)


@router.post(
    "/v1/reviewers/recover",
    status_code=201,
    response_model=LinkOut,
    responses=problems(),
    summary="Make a link for an administrator",
)
async def recover(call: Admin) -> Response:
    """Return a link that makes whoever opens it within 15 minutes an administrator."""
    code = await call.service.submit(sessions.make_first_link(only_first=False))
    return answer({"link": address(call.base, code or "")}, 201)
