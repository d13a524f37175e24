"""The journal of a monitor, page by page."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Query, Response

from sidelight.service import journal
from sidelight.service.api.requests import MonitorCall, needs_on
from sidelight.service.api.routing import make_router, problems
from sidelight.service.http.responses import SAFE_HEADERS
from sidelight.service.journal.entry import Entry
from sidelight.service.problems import Problem

router = make_router("journal")
MEDIA_TYPE = "application/x-ndjson"
MOST = 10_000
_LAST = (1 << 63) - 1


@router.get(
    "/v1/monitors/{monitor}/journal",
    response_class=Response,
    responses=problems("not-found", "gone")
    | {200: {"description": "One entry per line.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}},
    summary="Read the journal",
)
async def read(
    call: Annotated[MonitorCall, needs_on("admin")],
    after: Annotated[int, Query(ge=0, le=_LAST, description="Only entries with a larger number.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST, description="Maximum number of entries.")] = 1_000,
) -> Response:
    """Return entries in order as JSON Lines; fewer than `limit` means that no more are left."""
    text = await asyncio.to_thread(_page, call, after, limit)
    return Response(text, media_type=MEDIA_TYPE, headers=SAFE_HEADERS)


def _page(call: MonitorCall, after: int, limit: int) -> str:
    with call.service.read() as tx:
        row = tx.one("SELECT base FROM monitors WHERE id = ?", call.monitor)
        base = 0 if row is None else row[0]
        if after < base:
            raise Problem("gone", f"entries up to {base} were pruned: use after={base}")
        return "".join(line_of(one) + "\n" for one in journal.entries(tx, call.monitor, after, limit))


def line_of(entry: Entry) -> str:
    """Return an entry as one line of JSON."""
    return journal.text_of(entry.plain())
