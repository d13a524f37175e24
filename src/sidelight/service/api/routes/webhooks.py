"""Webhooks over HTTP, for administration by programs."""

from __future__ import annotations

from typing import Annotated

from fastapi import Body, Path, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import Admin
from sidelight.service.api.routing import make_router, problems
from sidelight.service.api.shapes import Names, Shape
from sidelight.service.http.responses import answer
from sidelight.service.limits import BATCH
from sidelight.service.webhooks import endpoints
from sidelight.service.webhooks.endpoints import create_webhook, remove_webhook
from sidelight.service.webhooks.events import EVENTS

router = make_router("webhooks")
WebhookId = Annotated[str, Path(pattern="^wh_[0-9a-f]{12}$")]
_ABOUT = "; ".join(f"{name}: {words}" for name, words in EVENTS.items())


class WebhookIn(Shape):
    """A webhook to create."""

    url: Annotated[
        str, Field(min_length=1, max_length=2_000, description="The receiver's address; starts with https://.")
    ]
    events: Annotated[list[str], Field(min_length=1, max_length=BATCH, description=_ABOUT)]
    monitors: Annotated[Names | None, Field(description="Names of monitors; null for all.")] = None


class WebhookOut(BaseModel):
    """A webhook."""

    id: str
    url: str
    events: list[str]
    monitors: Annotated[list[str] | None, Field(description="Ids of monitors; null for all.")]
    created_at: float
    created_by: str
    disabled_at: float | None
    failure: Annotated[str | None, Field(description="Why the last message was not delivered.")]


class NewWebhookOut(WebhookOut):
    """A new webhook."""

    secret: Annotated[str, Field(description="Signs messages (Standard Webhooks 1.0); it is not shown again.")]


class WebhooksOut(BaseModel):
    """All webhooks, newest first."""

    webhooks: list[WebhookOut]


@router.get("/v1/webhooks", response_model=WebhooksOut, responses=problems(), summary="List the webhooks")
async def list_all(call: Admin) -> Response:
    """Return all webhooks, including removed ones."""
    return answer({"webhooks": [one._asdict() for one in await call.read(endpoints.listed)]})


@router.post(
    "/v1/webhooks",
    status_code=201,
    response_model=NewWebhookOut,
    responses=problems("conflict", body=True),
    summary="Create a webhook",
)
async def create(body: Annotated[WebhookIn, Body()], call: Admin) -> Response:
    """Create a webhook; its secret is shown only in this answer."""
    loopback = call.service.options.webhooks_to_loopback
    job = create_webhook(call.caller.actor, body.url, body.events, body.monitors, loopback)
    new = await call.service.submit(job)
    return answer(new.webhook._asdict() | {"secret": new.secret}, 201)


@router.post(
    "/v1/webhooks/{id}/remove",
    status_code=204,
    responses=problems("not-found"),
    response_class=Response,
    summary="Remove a webhook",
)
async def remove(id: WebhookId, call: Admin) -> Response:
    """Remove a webhook, and drop its waiting messages."""
    await call.service.submit(remove_webhook(call.caller.actor, id))
    return Response(status_code=204)
