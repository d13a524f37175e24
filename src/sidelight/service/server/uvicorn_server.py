"""Run uvicorn until a signal to stop: it answers the requests it has accepted, and the process ends with 0.

uvicorn limits neither how long nor how large the head of a request may be, and answers 503 to everybody once there are
many connections. So slow heads are closed here, and whoever waits longest makes room for a new connection. A proxy in
front does better, but a server must not stop without one either.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sidelight.service.limits import ACCEPTED_AT_ONCE, GRACE, HEAD, KEEP_ALIVE, PATIENCE, limit_of_service_connections


class UvicornConnection(HttpToolsProtocol):
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
        idle = [each for each in others if isinstance(each, UvicornConnection) and each._waiting is not None]
        if idle and len(others) >= limit_of_service_connections():
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
        """Stop the timer of a closed connection."""
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


_STOP = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


class UvicornServer(uvicorn.Server):
    """A uvicorn server that calls `ready` once it accepts requests."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object] = lambda: None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting requests."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve_with_uvicorn(
    app: Any,
    listener: socket.socket,
    *,
    grace: float = GRACE,
    proxies: str = "",
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Answer requests with an ASGI application until told to stop; `ready` is called once they are accepted.

    Accepted requests may take `grace` seconds after the signal to stop. Forwarded headers of `proxies`, addresses
    separated by commas, are trusted.
    """
    server = UvicornServer(uvicorn_configuration(app, grace, proxies), ready)
    with _stop_server_on_signals(server):
        server.run(sockets=[listener])


def uvicorn_configuration(app: Any, grace: float = GRACE, proxies: str = "") -> uvicorn.Config:
    """Return the configuration of uvicorn for an application; the parameters are those of `serve_with_uvicorn`."""
    return uvicorn.Config(
        app,
        http=UvicornConnection,
        loop="asyncio",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        backlog=ACCEPTED_AT_ONCE,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(grace)),
        lifespan="on",
    )


@contextlib.contextmanager
def _stop_server_on_signals(server: UvicornServer) -> Iterator[None]:
    """Let signals stop the server within the block.

    uvicorn handles them itself while it runs, but raises them again at the end, when they would kill the process.
    """
    numbers = [getattr(signal, name) for name in _STOP if hasattr(signal, name)]
    before = {number: signal.signal(number, server.handle_exit) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
