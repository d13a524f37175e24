"""Connections: what a client may send before its request can be answered at all, and how long it may take.

uvicorn reads HTTP with httptools, which is fast and sets no limits. Without any, a client could fill the memory with a
header that never ends, or hold connections by sending one byte now and then.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD = 64 << 10
"""Most bytes of the request line and the headers; a client may send as much as is read at once before it is counted."""
PATIENCE = 20.0
"""Seconds within which they must have come."""


class Connection(HttpToolsProtocol):
    """A connection whose requests have heads of limited size that come in limited time."""

    _came = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in what has come, unless the head is too long."""
        if self._timer is not None:
            self._came += len(data)
            if self._came > HEAD + len(data):
                self._stop_waiting()
                self.send_400_response("The headers are too long.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Wait for the headers of a request."""
        super().on_message_begin()
        if self._timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Go on with a request whose headers are there; an error makes uvicorn answer 400."""
        self._stop_waiting()
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > HEAD:
            raise ValueError("the headers are too long")
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._came = 0
        self._timer = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
