"""Pages that browsers poll: the answer is 304 while nothing has changed."""

from __future__ import annotations

import hashlib

from fastapi import Request, Response

from sidelight.service.web.rendering import page_headers


def etag_of(request: Request, *parts: object) -> str:
    """Return a tag that changes whenever the page would: with the visitor, the address, and the page's data."""
    text = repr((request.url.path, request.url.query, *parts))
    return f'W/"{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]}"'


def unchanged(request: Request, etag: str) -> Response | None:
    """Return the short answer if the browser has the page already."""
    if request.headers.get("if-none-match") != etag:
        return None
    headers = page_headers("none") | {"ETag": etag}
    return Response(status_code=304, headers=headers)
