"""What all requests pass and all replies have: hosts that are served, sizes of bodies, JSON in ASCII, and problems."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from sidelight.service.journal.entry import journal_json
from sidelight.service.limits import PATIENCE, SLOWEST
from sidelight.service.problems import MEDIA_TYPE, Problem

SAFE_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Responses are private to the caller, and browsers must not guess their type."""


class ASCIIResponse(JSONResponse):
    """A JSON answer in ASCII, so that no reader can mistake its encoding."""

    def render(self, content: Any) -> bytes:
        """Return the bytes of the body."""
        return journal_json(content).encode("ascii")


def http_reply(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> ASCIIResponse:
    """Return a JSON answer."""
    return ASCIIResponse(content, status, SAFE_HEADERS | (headers or {}))


def http_problem(problem: Problem) -> ASCIIResponse:
    """Return the answer to a refused request."""
    return ASCIIResponse(problem.to_dict(), problem.status, SAFE_HEADERS | problem.headers, MEDIA_TYPE)


_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[\w.-]+))(?::[0-9]{0,5})?")

_CLOSE = {"Connection": "close"}
"""The rest of a body that was refused is not read, so its connection cannot be used again."""


async def read_http_body(request: Request, most: int, patience: float = PATIENCE) -> bytes:
    """Return the body of a request; refuse it as soon as it is too large, or if it comes too slowly."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > most):
        raise http_body_too_large(most)
    end, body, more = time.monotonic() + patience, b"", True
    while more:
        try:
            async with asyncio.timeout(end + len(body) / SLOWEST - time.monotonic()):
                message = await request.receive()
        except TimeoutError:
            raise Problem("timeout", "the body did not arrive in time: send it again", headers=_CLOSE) from None
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body, more = body + message.get("body", b""), message.get("more_body", False)
        if len(body) > most:
            raise http_body_too_large(most)
    return body


def http_body_too_large(most: int) -> Problem:
    """Return the refusal of a body with more than `most` bytes."""
    detail = f"the body has more than {most} bytes: send fewer predictions or answers at once"
    return Problem("too-large", detail, headers=_CLOSE)


class HostAllowList:
    """Answer only requests for one of the given hosts, to prevent DNS rebinding.

    Without it, any web site could let its name resolve to a loopback address and then read what a browser on this
    machine may read.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self.app, self.hosts = app, frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http":
            named = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
            if len(named) != 1 or host_of_http_header(named[0]) not in self.hosts:
                detail = "the Host header does not name this server: use its address, or start it with --url"
                await http_problem(Problem("wrong-host", detail))(scope, receive, send)
                return
        await self.app(scope, receive, send)


@lru_cache(maxsize=1024)
def host_of_http_header(header: str) -> str:
    """Return the host of a Host header in lower case, without its port; IPv6 addresses keep their brackets.

    Anything but a host and a port gives the empty text, which no server has as its name.
    """
    found = _HOST.fullmatch(header.strip().lower())
    if found is None:
        return ""
    if found["address"] is None:
        return found["name"].removesuffix(".")
    try:
        return f"[{ipaddress.IPv6Address(found['address']).compressed}]"
    except ValueError:
        return ""
