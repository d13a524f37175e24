"""The journal of a monitor, page by page."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response

from sidelight.service.api.requests import Call, needs_monitor_scope
from sidelight.service.api.routing import make_router, refusals
from sidelight.service.api.validation import Page
from sidelight.service.http.responses import SAFE_HEADERS
from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader

router = make_router("journal")
MEDIA_TYPE = "application/x-ndjson"
_LINES: dict[int | str, Any] = {
    200: {"description": "One entry per line.", "content": {MEDIA_TYPE: {"schema": {"type": "string"}}}}
}


@router.get("/v1/monitors/{monitor}/journal", response_class=Response, responses=refusals("gone") | _LINES)
async def read(query: Annotated[Page, Query()], call: Annotated[Call, needs_monitor_scope("admin")]) -> Response:
    """Read the journal as JSON Lines, in order; fewer entries than `limit` mean that no more are left."""

    def look(tx: Reader) -> str:
        row = tx.one("SELECT base FROM monitors WHERE id = ?", call.monitor)
        base = 0 if row is None else row[0]
        if query.after < base:
            raise Problem("gone", f"entries up to {base} were pruned: use after={base}")
        entries = journal.entries(tx, call.monitor, query.after, query.limit)
        return "".join(f"{journal.text_of(one.plain())}\n" for one in entries)

    return Response(await call.read(look), media_type=MEDIA_TYPE, headers=SAFE_HEADERS)
