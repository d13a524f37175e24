"""Files that pages load, and the pictures of payloads."""

from __future__ import annotations

from fastapi import Request, Response

from sidelight.service.domain.queue import find_verification
from sidelight.service.problems import Problem
from sidelight.service.web.rendering import STATIC, address_of_static_page_file, read_static_page_file
from sidelight.service.web.visitors import enter_page, make_page_router, monitor_of_visitor, service_of_page

router = make_page_router()
_FOREVER = "public, max-age=31536000, immutable"


@router.get("/static/{version}/{name}")
def static_page_file(version: str, name: str) -> Response:
    """Return a file; its address changes with its content, so browsers may cache it."""
    if name not in STATIC:
        raise Problem("not-found", "there is no such file: reload the page")
    caching = _FOREVER if address_of_static_page_file(name) == f"/static/{version}/{name}" else "no-store"
    headers = {"Cache-Control": caching, "X-Content-Type-Options": "nosniff"}
    return Response(read_static_page_file(name), headers=headers, media_type=STATIC[name])


@router.get("/favicon.ico")
def favicon_page_file() -> Response:
    """Return the icon under the name that browsers try."""
    return static_page_file("", "icon.svg")


@router.get("/m/{monitor}/verifications/{number}/image")
def payload_picture_for_page(request: Request, monitor: str, number: int) -> Response:
    """Return the picture of a verification. It comes from outside, so nothing in it may run or load."""
    visitor = enter_page(request)
    with service_of_page(request).read() as tx:
        found, _ = monitor_of_visitor(tx, visitor, monitor, "answer")
        sql = "SELECT media_type, content FROM payloads WHERE monitor = ? AND verification = ?"
        row = tx.one(sql, found.id, find_verification(tx, found.id, number).number)
    if row is None or not row[0].startswith("image/"):
        raise Problem("not-found", "this verification has no picture")
    headers = {
        "Cache-Control": "private, max-age=300",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Content-Disposition": "inline",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(bytes(row[1]), headers=headers, media_type=row[0])
