"""Guards that requests pass: the size of bodies, the rate of each client, and the hosts that are served."""

from __future__ import annotations

import contextlib
import ipaddress
import re
from collections.abc import Collection

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sidelight.service.http.responses import problem_response
from sidelight.service.limits import BODY
from sidelight.service.problems import Problem

_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[\w.-]+))(?::[0-9]{0,5})?")


class BodyLimit:
    """Count the bytes of each body as it is read, and answer 413 as soon as there are too many."""

    def __init__(self, app: ASGIApp, most: int = BODY) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        counted, started, exceeded = 0, False, _announced(scope) > self.most

        async def counting() -> Message:
            nonlocal counted, exceeded
            message = await receive()
            counted += len(message.get("body", b""))
            if counted > self.most:
                exceeded = True
                raise _TooLarge
            return message

        async def sending(message: Message) -> None:
            nonlocal started
            if exceeded and not started:
                return  # ignore the application's answer to the interruption
            started = True
            await send(message)

        if not exceeded:
            with contextlib.suppress(_TooLarge):
                await self.app(scope, counting, sending)
        if exceeded and not started:
            await problem_response(too_large(self.most))(scope, receive, send)


class _TooLarge(Exception):  # noqa: N818, never leaves this file
    """The body is larger than allowed."""


async def read_body(request: Request, most: int) -> bytes:
    """Return the body of a request, or refuse it as soon as it is too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise too_large(most)
    return bytes(body)


def too_large(most: int) -> Problem:
    """Return the refusal of a body with more than `most` bytes."""
    detail = f"the body has more than {most} bytes: send fewer predictions or answers at once"
    # The rest of the body is not read, so the connection cannot be reused.
    return Problem("too-large", detail, headers={"Connection": "close"})


def _announced(scope: Scope) -> int:
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0]) if lengths and lengths[0].isdigit() and len(lengths[0]) < 20 else 0


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
