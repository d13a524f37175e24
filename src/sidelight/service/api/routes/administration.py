"""Keys, reviewers, webhooks and the audit log, for administration by programs and commands.

Whoever may use these routes is as powerful as an administrator who has signed in: a key with the scope admin for all
monitors can make further keys, invite administrators, and make a link for a lost one.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Body, Query
from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from sidelight.service.api.requests import Admin
from sidelight.service.api.routing import api_refusals, make_api_router
from sidelight.service.auth import keys, reviewers, sessions
from sidelight.service.auth.keys import GRACE, LONGEST, Key, NewKey
from sidelight.service.auth.reviewers import Reviewer, address_of_password_link
from sidelight.service.domain.inputs import Names, Shape, Text
from sidelight.service.domain.monitors import with_monitor_names
from sidelight.service.journal import audit
from sidelight.service.journal.audit import Note
from sidelight.service.limits import BATCH
from sidelight.service.webhooks import endpoints
from sidelight.service.webhooks.endpoints import NewWebhook, Webhook
from sidelight.service.webhooks.formats import EVENTS, Format
from sidelight.service.writer.unit import WriterUnit, writer_job

router = make_api_router("administration")
_EVENTS = "; ".join(f"{name}: {words}" for name, words in EVENTS.items())
_Scopes = Annotated[
    list[Literal["decide", "answer", "settle", "report", "admin"]], Field(min_length=1, max_length=BATCH)
]
_Monitors = Annotated[Names | None, Field(description="Names of monitors; null for all.")]


class RightsIn(Shape):
    """What a key or reviewer may do from now on; what is left out stays as it is."""

    scopes: Annotated[_Scopes, Field(default_factory=list)]
    monitors: _Monitors = None


class ReviewerIn(Shape):
    """A reviewer to invite."""

    name: Text
    scopes: _Scopes
    monitors: _Monitors = None


class KeyIn(ReviewerIn):
    """A key to create; its name says what it is for."""

    expires_in: Annotated[float | None, Field(gt=0, le=LONGEST, description="Seconds; null for no limit.")] = None


class RotationIn(Shape):
    """How to rotate a key."""

    grace: Annotated[float, Field(ge=0, le=LONGEST, description="Seconds that the old key still works.")] = GRACE


class KeysOut(TypedDict):
    """All keys, newest first; `monitors` are names, null for all."""

    keys: list[Key]


@router.get("/v1/keys", name="list_keys")
async def list_keys_route(call: Admin) -> KeysOut:
    """List the keys, including expired and revoked ones."""
    return {"keys": await call.read(lambda tx: with_monitor_names(tx, keys.list_keys(tx)))}


@router.post("/v1/keys", name="create_key", status_code=201)
async def create_key_route(body: Annotated[KeyIn, Body()], call: Admin) -> NewKey:
    """Create a key; it is shown only in this answer."""
    job = keys.create_key(call.caller.actor, body.name, body.scopes, body.monitors, body.expires_in)
    return await call.do(job)


@router.patch("/v1/keys/{id}", name="change_key", status_code=204)
async def change_key_route(id: str, body: Annotated[RightsIn, Body()], call: Admin) -> None:
    """Change the scopes and monitors of a key; all processes notice within five seconds."""
    await call.do(keys.change_key(call.caller.actor, id, body.model_dump(exclude_unset=True)))


@router.post("/v1/keys/{id}/rotate", name="rotate_key", status_code=201)
async def rotate_key_route(id: str, body: Annotated[RotationIn, Body()], call: Admin) -> NewKey:
    """Rotate a key; the old one works for a while, so that nothing stops."""
    return await call.do(keys.rotate_key(call.caller.actor, id, body.grace))


@router.post("/v1/keys/{id}/revoke", name="revoke_key", status_code=204)
async def revoke_key_route(id: str, call: Admin) -> None:
    """Revoke a key; all processes notice within five seconds."""
    await call.do(keys.revoke_key(call.caller.actor, id))


class ReviewersOut(TypedDict):
    """All reviewers, by name; `ready` says whether they have chosen a password."""

    reviewers: list[Reviewer]


class LinkOut(TypedDict):
    """A link to choose a password; it works once, and is not shown again."""

    link: str


@router.get("/v1/reviewers", name="list_reviewers")
async def list_reviewers_route(call: Admin) -> ReviewersOut:
    """List the reviewers, including disabled ones."""
    return {"reviewers": await call.read(lambda tx: with_monitor_names(tx, reviewers.list_reviewers(tx)))}


@router.post("/v1/reviewers", name="invite_reviewer", status_code=201, responses=api_refusals("conflict"))
async def invite_reviewer_route(body: Annotated[ReviewerIn, Body()], call: Admin) -> LinkOut:
    """Invite a reviewer, who chooses a password with the link within a week."""
    job = reviewers.invite_reviewer(call.caller.actor, body.name, body.scopes, body.monitors)
    return {"link": address_of_password_link(call.base, (await call.do(job)).code)}


@router.patch("/v1/reviewers/{id}", name="change_reviewer", status_code=204, responses=api_refusals("conflict"))
async def change_reviewer_route(id: str, body: Annotated[RightsIn, Body()], call: Admin) -> None:
    """Change the scopes and monitors of a reviewer, from the next request on."""
    await call.do(reviewers.change_reviewer(call.caller.actor, id, body.model_dump(exclude_unset=True)))


@router.post("/v1/reviewers/{id}/link", name="renew_link", status_code=201)
async def renew_link_route(id: str, call: Admin) -> LinkOut:
    """Renew the link of a reviewer to choose a password; the old password works until it is used."""
    return {
        "link": address_of_password_link(
            call.base, (await call.do(reviewers.renew_password_link(call.caller.actor, id))).code
        )
    }


@router.post("/v1/reviewers/{id}/disable", name="disable_reviewer", status_code=204, responses=api_refusals("conflict"))
async def disable_reviewer_route(id: str, call: Admin) -> None:
    """Disable a reviewer: sessions end, and what they hold is released; their answers stay."""
    await call.do(reviewers.disable_reviewer(call.caller.actor, id))


@router.post("/v1/reviewers/{id}/enable", name="enable_reviewer", status_code=204)
async def enable_reviewer_route(id: str, call: Admin) -> None:
    """Let a reviewer sign in again."""
    await call.do(reviewers.enable_reviewer(call.caller.actor, id))


@router.post("/v1/reviewers/recover", name="recover", status_code=201)
async def recover_route(call: Admin) -> LinkOut:
    """Make a link for an administrator: it makes whoever opens it within 15 minutes one."""
    code = await call.do(sessions.make_administrator_link(call.caller.actor, only_first=False))
    return {"link": address_of_password_link(call.base, code or "")}


class WebhookIn(Shape):
    """A webhook to create."""

    url: Annotated[
        str, Field(min_length=1, max_length=2_000, description="The receiver's address; starts with https://.")
    ]
    events: Annotated[list[str], Field(min_length=1, max_length=BATCH, description=_EVENTS)]
    monitors: _Monitors = None
    format: Annotated[Format, Field(description="Generic messages are signed.")] = "generic"
    routing_key: Annotated[
        str | None, Field(min_length=1, max_length=200, description="The integration key, for PagerDuty only.")
    ] = None


class WebhooksOut(TypedDict):
    """All webhooks, newest first; `failure` says why the last message was not delivered."""

    webhooks: list[Webhook]


@router.get("/v1/webhooks", name="list_webhooks")
async def list_webhooks_route(call: Admin) -> WebhooksOut:
    """List the webhooks, including removed ones."""
    return {"webhooks": await call.read(lambda tx: with_monitor_names(tx, endpoints.list_webhooks(tx)))}


@router.post("/v1/webhooks", name="create_webhook", status_code=201, responses=api_refusals("conflict"))
async def create_webhook_route(body: Annotated[WebhookIn, Body()], call: Admin) -> NewWebhook:
    """Create a webhook; its secret is shown only in this answer."""
    given = (body.url, body.events, body.monitors, call.service.options.egress, body.format, body.routing_key)
    return await call.do(endpoints.create_webhook(call.caller.actor, *given))


@router.post("/v1/webhooks/{id}/remove", name="remove_webhook", status_code=204)
async def remove_webhook_route(id: str, call: Admin) -> None:
    """Remove a webhook, and drop its waiting messages."""
    await call.do(endpoints.remove_webhook(call.caller.actor, id))


class AuditPage(Shape):
    """Which part of the audit log to read."""

    model_config = ConfigDict(strict=False, extra="forbid")

    before: Annotated[
        float | None, Field(ge=0, le=1e15, allow_inf_nan=False, description="Time of the last entry read so far.")
    ] = None
    before_id: Annotated[str, Field(pattern="^[0-9a-f]{0,32}$", description="Id of that entry.")] = ""
    limit: Annotated[int, Field(ge=1, le=1_000)] = audit.PAGE


class NotesOut(TypedDict):
    """One page, newest first."""

    notes: list[Note]


class NoteIn(Shape):
    """Who took data out with a command."""

    action: Literal["backup made", "copy made", "data exported"]
    subject: Annotated[str, Field(max_length=200)]
    detail: Annotated[dict[str, Any], Field(max_length=10)]


@router.get("/v1/audit", name="read_audit")
async def read_audit_route(query: Annotated[AuditPage, Query()], call: Admin) -> NotesOut:
    """Read the audit log: who changed keys, webhooks, reviewers and so on, newest first."""
    place = None if query.before is None else (query.before, query.before_id)
    return {"notes": await call.read(lambda tx: audit.read_audit_log(tx, place, query.limit))}


@router.post("/v1/audit", name="note", status_code=204)
async def note_route(body: Annotated[NoteIn, Body()], call: Admin) -> None:
    """Note that data was taken out by a backup, copy or export, which the service itself does not see."""
    await call.do(_note_for_route(call.caller.actor, body))


@writer_job
def _note_for_route(work: WriterUnit, actor: str, note: NoteIn) -> None:
    audit.write_audit_log(work.writing(), actor, note.action, note.subject, **note.detail)
