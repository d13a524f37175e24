"""Connections: how much a client may send, how long it may take to send and to read, and how many it may have.

uvicorn reads HTTP with httptools, which is fast but sets no limits. Without limits, a client could fill the memory with
an endless header, or hold connections by sending or reading a byte now and then. Each connection knows by when its
client must go on. If there are too many, the one whose client must go on first is closed for the new one, so that
clients who are slow on purpose keep nobody out.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sidelight.service.limits import BODY, CONNECTIONS, HEAD, KEEP_ALIVE, PATIENCE, READING, SLOWEST, SPARE_FILES
from sidelight.service.rates import neighborhood

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None  # type: ignore[assignment]

_BUSY = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_LOG = logging.getLogger("sidelight.serve")


class Connection(HttpToolsProtocol):
    """A connection whose client must send and read in time."""

    _awaiting = ""
    """What the client is sending: "head", "body", or nothing."""
    _since = 0.0
    """When it began, or when the last request was answered."""
    _came = 0
    """How many bytes it has sent since."""
    _unread: float | None = None
    """Since when it has not read what it was sent."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request, if there is room for the connection."""
        super().connection_made(transport)
        self.address = neighborhood(self.client[0] if self.client else "")
        self._await("head")
        if not self._find_room():
            _LOG.warning("there are too many connections, and a new one was refused")
            transport.write(_BUSY)
            transport.close()

    def data_received(self, data: bytes) -> None:
        """Read data, unless there is too much of it."""
        self._came += len(data)
        if self._awaiting == "head" and self._came > HEAD + len(data):
            self._awaiting = ""
            self.send_400_response("The headers are too long.")
        elif self._awaiting == "body" and self._came > BODY + HEAD and self.cycle.response_complete:
            self.transport.close()  # it was refused already, but does not stop
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """Start waiting for the headers of a request."""
        super().on_message_begin()
        if self._awaiting != "head":
            self._await("head")

    def on_headers_complete(self) -> None:
        """Continue with a request whose headers are complete; after an error, uvicorn answers 400."""
        self._await("body")
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD:
            raise ValueError("the headers are too long")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Stop waiting."""
        self._awaiting = ""
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Start waiting for the next request."""
        if not self._awaiting:
            self._since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        """Note that the client has read something."""
        self._unread = None
        super().resume_writing()

    def due(self, now: float) -> float:
        """Return by when the client must go on; infinity while it waits for the server."""
        if not self.transport.get_write_buffer_size():
            self._unread = None
        elif self._unread is None:
            self._unread = now
        reading = math.inf if self._unread is None else self._unread + READING
        if self._awaiting == "body":
            if self.flow.read_paused:  # by the server
                self._since = now
                return reading
            return min(reading, self._since + PATIENCE + self._came / SLOWEST)
        if self._awaiting == "head":
            return min(reading, self._since + PATIENCE)
        idle = self.cycle is None or self.cycle.response_complete
        return min(reading, self._since + KEEP_ALIVE) if idle else reading

    def _await(self, what: str) -> None:
        self._awaiting, self._since, self._came = what, self.loop.time(), 0

    def _find_room(self) -> bool:
        """Close another connection if there are too many, in all or from one address; False if all are at work."""
        most = most_connections()
        others: list[Any] = [one for one in self.connections if one is not self and not one.transport.is_closing()]
        near = () if self._from_proxy() else [one for one in others if one.address == self.address]
        crowd = near if len(near) >= most // 2 else others if len(others) >= most else ()
        if not crowd:
            return True
        now = self.loop.time()
        due, first = min(((one.due(now), one) for one in crowd), key=lambda pair: pair[0])
        if due == math.inf:
            return False
        first.transport.abort()
        return True

    def _from_proxy(self) -> bool:
        """Say whether the connection comes from a trusted proxy, behind which there may be anybody."""
        return self.client is not None and self.client[0] in getattr(self.app, "trusted_hosts", ())


def most_connections() -> int:
    """Return how many connections this process may have."""
    if resource is None:
        return CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS if files == resource.RLIM_INFINITY else max(16, min(CONNECTIONS, files - SPARE_FILES))


def close_late(connections: Iterable[Any]) -> None:
    """Close the connections whose clients took too long."""
    for one in list(connections):
        if one.due(one.loop.time()) < one.loop.time():
            one.transport.abort()
