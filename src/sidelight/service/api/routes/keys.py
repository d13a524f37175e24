"""Keys over HTTP, for administration by programs."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Body, Path, Response
from pydantic import BaseModel, Field

from sidelight.service.api.requests import Admin
from sidelight.service.api.routing import make_router, problems
from sidelight.service.api.shapes import Names, Shape, Text
from sidelight.service.auth import keys
from sidelight.service.auth.keys import GRACE, LONGEST, NewKey, create_key, revoke_key, rotate_key
from sidelight.service.http.responses import answer
from sidelight.service.limits import BATCH

router = make_router("keys")
KeyId = Annotated[str, Path(pattern="^[a-z2-9]{10}$", description="The ten characters after sl_.")]
Scope = Literal["decide", "answer", "settle", "report", "admin"]


class KeyIn(Shape):
    """A key to create."""

    name: Annotated[Text, Field(description="What the key is for.")]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=BATCH)]
    monitors: Annotated[Names | None, Field(description="Names of monitors; null for all.")] = None
    expires_in: Annotated[float | None, Field(gt=0, le=LONGEST, description="Seconds; null for no limit.")] = None


class RotationIn(Shape):
    """How to rotate a key."""

    grace: Annotated[float, Field(ge=0, le=LONGEST, description="Seconds that the old key still works.")] = GRACE


class KeyOut(BaseModel):
    """A key; its secret is not stored."""

    id: str
    name: str
    prefix: str
    scopes: list[str]
    monitors: Annotated[list[str] | None, Field(description="Ids of monitors; null for all.")]
    created_at: float
    created_by: str
    expires_at: float | None
    revoked_at: float | None
    used_at: float | None


class NewKeyOut(KeyOut):
    """A new key."""

    key: Annotated[str, Field(description="The key itself; it is not shown again.")]


class KeysOut(BaseModel):
    """All keys, newest first."""

    keys: list[KeyOut]


@router.get("/v1/keys", response_model=KeysOut, responses=problems(), summary="List the keys")
async def list_all(call: Admin) -> Response:
    """Return all keys, including expired and revoked ones."""
    return answer({"keys": [one._asdict() for one in await call.read(keys.listed)]})


@router.post(
    "/v1/keys", status_code=201, response_model=NewKeyOut, responses=problems(body=True), summary="Create a key"
)
async def create(body: Annotated[KeyIn, Body()], call: Admin) -> Response:
    """Create a key; it is shown only in this answer."""
    job = create_key(call.caller.actor, body.name, body.scopes, body.monitors, body.expires_in)
    return _new(await call.service.submit(job))


@router.post(
    "/v1/keys/{id}/rotate",
    status_code=201,
    response_model=NewKeyOut,
    responses=problems("not-found", body=True),
    summary="Rotate a key",
)
async def rotate(id: KeyId, body: Annotated[RotationIn, Body()], call: Admin) -> Response:
    """Create a key with the same scopes; the old one works for a while, so that nothing stops."""
    return _new(await call.service.submit(rotate_key(call.caller.actor, id, body.grace)))


@router.post(
    "/v1/keys/{id}/revoke",
    status_code=204,
    responses=problems("not-found"),
    summary="Revoke a key",
    response_class=Response,
)
async def revoke(id: KeyId, call: Admin) -> Response:
    """Revoke a key; all processes notice within five seconds."""
    await call.service.submit(revoke_key(call.caller.actor, id))
    return Response(status_code=204)


def _new(new: NewKey) -> Response:
    return answer(new.key._asdict() | {"key": new.text}, 201)
