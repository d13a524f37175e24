"""Guards that requests pass: the size of bodies, the rate of each client, and the hosts that are served."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import re
from collections.abc import Collection

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sidelight.service.http.responses import problem_response
from sidelight.service.limits import BODY, PATIENCE, SLOWEST
from sidelight.service.problems import Problem

_HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[\w.-]+))(?::[0-9]{0,5})?")

_CLOSE = {"Connection": "close"}
"""The rest of a body that was refused is not read, so its connection cannot be used again."""


class BodyLimit:
    """Count the bytes of each body as it is read: answer 413 if there are too many, and 408 if they come too slowly."""

    def __init__(self, app: ASGIApp, most: int = BODY, patience: float = PATIENCE) -> None:
        self.app, self.most, self.patience = app, most, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        problem = too_large(self.most) if _announced(scope) > self.most else None
        counted, more, started = 0, True, False
        end = asyncio.get_running_loop().time() + self.patience

        async def counting() -> Message:
            nonlocal counted, more, problem
            if not more:
                return await receive()  # waits until the client disconnects
            try:
                async with asyncio.timeout_at(end + counted / SLOWEST):
                    message = await receive()
            except TimeoutError:
                problem = Problem("timeout", "the body did not arrive in time: send it again", headers=_CLOSE)
                raise _Interrupted from None
            counted, more = counted + len(message.get("body", b"")), message.get("more_body", False)
            if counted > self.most:
                problem = too_large(self.most)
                raise _Interrupted
            return message

        async def sending(message: Message) -> None:
            nonlocal started
            if problem is not None and not started:
                return  # ignore the application's answer to the interruption
            started = True
            await send(message)

        if problem is None:
            with contextlib.suppress(_Interrupted):
                await self.app(scope, counting, sending)
        if problem is not None and not started:
            await problem_response(problem)(scope, receive, send)


class _Interrupted(Exception):  # noqa: N818, never leaves this file
    """The rest of the body is not read."""


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
    return Problem("too-large", detail, headers=_CLOSE)


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
