"""Guards that requests pass: the size of bodies, the rate of each client, and the hosts that are served."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
from collections.abc import Collection
from functools import lru_cache

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from sidelight.service.http.responses import problem_response
from sidelight.service.limits import PATIENCE, SLOWEST
from sidelight.service.problems import Problem

_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[\w.-]+))(?::[0-9]{0,5})?")

_CLOSE = {"Connection": "close"}
"""The rest of a body that was refused is not read, so its connection cannot be used again."""


async def read_body(request: Request, most: int, patience: float = PATIENCE) -> bytes:
    """Return the body of a request; refuse it as soon as it is too large, or if it comes too slowly."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > most):
        raise too_large(most)
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
            raise too_large(most)
    return body


def too_large(most: int) -> Problem:
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
            if len(named) != 1 or host_of(named[0]) not in self.hosts:
                detail = "the Host header does not name this server: use its address, or start it with --url"
                await problem_response(Problem("wrong-host", detail))(scope, receive, send)
                return
        await self.app(scope, receive, send)


@lru_cache(maxsize=1024)
def host_of(header: str) -> str:
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
