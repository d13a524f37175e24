"""Pages that are asked for again and again: the answer is 304 while nothing has changed."""

from __future__ import annotations

import hashlib

from fastapi import Request, Response

from sidelight.service.pages.rendering import page_headers


def etag_of(request: Request, *parts: object) -> str:
    """Return what changes whenever the page would: who looks, where, and what it is made from."""
    text = repr((request.url.path, request.url.query, *parts))
    return f'W/"{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]}"'


def unchanged(request: Request, etag: str) -> Response | None:
    """Return the short answer for whoever has the page already."""
    if request.headers.get("if-none-match") != etag:
        return None
    headers = page_headers("none") | {"ETag": etag}
    return Response(status_code=304, headers=headers)
