"""Run uvicorn until a signal to stop: it answers the requests it has accepted, and the process ends with 0."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from sidelight.service.limits import ACCEPTED_AT_ONCE, GRACE, KEEP_ALIVE
from sidelight.service.server.connections import Connection

_STOP = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


class Server(uvicorn.Server):
    """A uvicorn server that calls `ready` once it accepts requests."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object] = lambda: None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting requests."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(
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
    server = Server(uvicorn_configuration(app, grace, proxies), ready)
    with _stopped_by_signals(server):
        server.run(sockets=[listener])


def uvicorn_configuration(app: Any, grace: float = GRACE, proxies: str = "") -> uvicorn.Config:
    """Return the configuration of uvicorn for an application; the parameters are those of `serve`."""
    return uvicorn.Config(
        app,
        http=Connection,
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
def _stopped_by_signals(server: Server) -> Iterator[None]:
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
