"""Guards that requests pass: the size of bodies, the rate of each client, and the hosts that are served."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sidelight.service.limits import BODY
from sidelight.service.problems import Problem, retry_after
from sidelight.service.responses import problem_response

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


class RateLimit:
    """A token bucket per key: at most `burst` tokens, refilled at `rate` per second; each request takes one.

    Each process counts separately, so with k processes a key gets up to k times the rate.

    Parameters
    ----------
    patience
        How many seconds a request may be told to wait for its token; one that would wait longer is refused.
    words
        What a refused caller is told.
    most
        How many keys are remembered.
    """

    def __init__(
        self,
        rate: float,
        burst: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        most: int = 10_000,
        *,
        patience: float = 0.0,
        words: str = "this key may send {rate:g} requests per second: send larger batches, or wait {wait:.2g} s",
    ) -> None:
        self.rate, self.burst = rate, max(1.0, 2 * rate if burst is None else burst)
        self._clock, self._most, self._patience, self._words = clock, most, patience, words
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take one token and return how many seconds to wait for it, or refuse and say when to try again."""
        now = self._clock()
        with self._lock:
            tokens, last = self._buckets.pop(key, (self.burst, now))
            tokens = min(self.burst, tokens + self.rate * (now - last))
            wait = max(0.0, (1.0 - tokens) / self.rate)
            enough = wait <= self._patience
            self._buckets[key] = (tokens - 1.0 if enough else tokens, now)
            while len(self._buckets) > self._most:  # the buckets used longest ago are full again
                self._buckets.popitem(last=False)
        if not enough:
            wait -= self._patience
            detail = self._words.format(rate=self.rate, wait=wait)
            raise Problem("too-many", detail, headers=retry_after(wait))
        return wait

    def forget(self, key: str) -> None:
        """Fill the bucket of a key."""
        with self._lock:
            self._buckets.pop(key, None)


def neighborhood(host: str) -> str:
    """Return what counts as one client: an IPv4 address, or an IPv6 network of 64 bits, which one customer gets."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(ipaddress.IPv6Address(int(address) >> 64 << 64)) if mapped is None else str(mapped)
    return str(address)
