"""Connections: how much a client may send before its request is complete, and how long that may take.

uvicorn reads HTTP with httptools, which is fast but sets no limits. Without limits, a client could fill the memory with
an endless header, or hold connections by sending a byte now and then.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD = 64 << 10
"""Maximum bytes of the request line and headers; up to one read more may arrive before they are counted."""
PATIENCE = 20.0
"""Seconds within which the request line and headers must arrive."""


class Connection(HttpToolsProtocol):
    """A connection that limits the size of headers and the time they take."""

    _came = 0
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read data, unless the headers are too long."""
        if self._timer is not None:
            self._came += len(data)
            if self._came > HEAD + len(data):
                self._stop_waiting()
                self.send_400_response("The headers are too long.")
                return
        super().data_received(data)

    def on_message_begin(self) -> None:
        """Start waiting for the headers of a request."""
        super().on_message_begin()
        if self._timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Continue with a request whose headers are complete; after an error, uvicorn answers 400."""
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
