"""Pages that browsers poll: the answer is 304 while nothing has changed."""

from __future__ import annotations

import hashlib

from fastapi import Request


class NotModified(Exception):  # noqa: N818, an answer, not a failure
    """The browser has the page with this tag already."""


def new_etag(request: Request, *parts: object) -> str:
    """Return a tag that changes whenever the page would, or raise `NotModified` if the browser has that one.

    It depends on the address and on `parts`: the visitor, and the page's data.
    """
    text = repr((request.url.path, request.url.query, *parts))
    etag = f'W/"{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]}"'
    if request.headers.get("if-none-match") == etag:
        raise NotModified(etag)
    return etag
