"""Connections whose clients must get on: slow heads are closed, and whoever waits longest makes room for a new one.

uvicorn limits neither how long nor how large the head of a request may be, and answers 503 to everybody once there are
many connections. A proxy in front does better, but a server must not stop without one either.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sidelight.service.limits import HEAD, KEEP_ALIVE, PATIENCE, most_connections


class Connection(HttpToolsProtocol):
    """A connection that is closed if the head of a request is too slow or too large, or if there are too many."""

    _waiting: float | None = None
    """Since when the client has owed a request, or the rest of one; None while it waits for the server."""
    _late: asyncio.TimerHandle | None = None
    """What closes the connection unless a head comes."""
    _came = 0
    """How many bytes of that head have come, at least."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Await the first request; if there are too many connections, close the one that waits longest."""
        super().connection_made(transport)
        self._await_head(PATIENCE)
        others = [each for each in self.connections if each is not self and not each.transport.is_closing()]
        idle = [each for each in others if isinstance(each, Connection) and each._waiting is not None]
        if idle and len(others) >= most_connections():
            min(idle, key=lambda each: each._waiting or 0.0).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read data; close the connection if they are all still one head."""
        self._came += len(data)
        super().data_received(data)
        if self._late is not None and self._came > HEAD:
            self.transport.abort()

    def on_headers_complete(self) -> None:
        """Take the head of a request."""
        self._stop_timer()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Take a request whose body has come as well."""
        self._waiting = None
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Await the next request, unless it is there already."""
        super().on_response_complete()
        if self.cycle.response_complete:
            self._await_head(KEEP_ALIVE + PATIENCE)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._stop_timer()
        super().connection_lost(exc)

    def _await_head(self, patience: float) -> None:
        self._stop_timer()
        self._waiting, self._came = self.loop.time(), 0
        self._late = self.loop.call_later(patience, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
