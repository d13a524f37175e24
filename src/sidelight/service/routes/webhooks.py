"""Receivers of webhooks over HTTP, for those who administer by program."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Body, Path, Response
from pydantic import BaseModel, Field

from sidelight.service.asked import Asked, asked
from sidelight.service.responses import answer
from sidelight.service.routing import make_router, problems
from sidelight.service.shapes import Shape
from sidelight.service.webhooks import endpoints
from sidelight.service.webhooks.endpoints import CreateWebhook, RemoveWebhook, Webhook
from sidelight.service.webhooks.events import EVENTS

router = make_router("webhooks")
WebhookId = Annotated[str, Path(pattern="^wh_[0-9a-f]{12}$")]
_ABOUT = "; ".join(f"{name}: {words}" for name, words in EVENTS.items())


class WebhookIn(Shape):
    """A receiver to enter."""

    url: Annotated[str, Field(min_length=1, max_length=2_000, description="Begins with https://.")]
    events: Annotated[list[str], Field(min_length=1, description=_ABOUT)]
    monitors: Annotated[list[str] | None, Field(description="Names; null for all monitors.")] = None


class WebhookOut(BaseModel):
    """A receiver."""

    id: str
    url: str
    events: list[str]
    monitors: Annotated[list[str] | None, Field(description="Ids of monitors; null for all.")]
    created_at: float
    created_by: str
    disabled_at: float | None
    failure: Annotated[str | None, Field(description="Why the last message did not arrive.")]


class NewWebhookOut(WebhookOut):
    """A receiver that was just entered."""

    secret: Annotated[str, Field(description="What messages are signed with (Standard Webhooks 1.0), shown this once.")]


class WebhooksOut(BaseModel):
    """All receivers, the newest first."""

    webhooks: list[WebhookOut]


@router.get("/v1/webhooks", response_model=WebhooksOut, responses=problems(), summary="List the webhooks")
async def list_all(asked: Annotated[Asked, asked("admin", everywhere=True)]) -> Response:
    """Return all receivers, those that were removed included."""

    def read() -> list[Webhook]:
        with asked.service.read() as tx:
            return endpoints.listed(tx)

    return answer({"webhooks": [one._asdict() for one in await asyncio.to_thread(read)]})


@router.post(
    "/v1/webhooks",
    status_code=201,
    response_model=NewWebhookOut,
    responses=problems("conflict", body=True),
    summary="Enter a webhook",
)
async def create(
    body: Annotated[WebhookIn, Body()], asked: Annotated[Asked, asked("admin", everywhere=True)]
) -> Response:
    """Enter a receiver; the secret is shown in this answer and never again."""
    loopback = asked.service.options.webhooks_to_loopback
    job = CreateWebhook(asked.caller.actor, body.url, body.events, body.monitors, loopback)
    new = await asked.service.submit(job)
    return answer(new.webhook._asdict() | {"secret": new.secret}, 201)


@router.post(
    "/v1/webhooks/{id}/remove",
    status_code=204,
    responses=problems("not-found"),
    response_class=Response,
    summary="Remove a webhook",
)
async def remove(id: WebhookId, asked: Annotated[Asked, asked("admin", everywhere=True)]) -> Response:
    """Send nothing more to a receiver, and drop what waits."""
    await asked.service.submit(RemoveWebhook(asked.caller.actor, id))
    return Response(status_code=204)
