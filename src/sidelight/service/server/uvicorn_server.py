"""One server process: it accepts requests until told to stop, answers those it has accepted, and ends with 0.

It stops at SIGTERM or SIGINT, or when its *lifeline* closes, a pipe whose other end the supervisor holds: the system
closes it however the supervisor ends, even if killed. (The workers of uvicorn would keep running.)
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from sidelight.service.limits import KEEP_ALIVE
from sidelight.service.server.connections import Connection, close_late
from sidelight.service.server.listener import Listener
from sidelight.service.server.signals import GRACE, stopping

_SPARE = 10.0
_log = logging.getLogger("sidelight.serve")


class Server(uvicorn.Server):
    """A uvicorn server for which a signal to stop is not a failure.

    Parameters
    ----------
    config
        The configuration of uvicorn.
    ready
        Called once requests are accepted.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object] | None = None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start accepting requests."""
        await super().startup([Listener(fileno=one.detach()) for one in sockets or ()])
        if self._ready is not None and self.started:
            self._ready()

    async def on_tick(self, counter: int) -> bool:
        """Close connections whose clients take too long, once a second; uvicorn calls this ten times as often."""
        if counter % 10 == 0:
            close_late(self.server_state.connections)
        return await super().on_tick(counter)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the first signal; do not raise it again at the end as uvicorn does, so that the exit code is 0."""
        with stopping(self.stop):
            yield

    def stop(self) -> None:
        """Stop accepting, answer accepted requests, and end; if that takes too long, end anyway."""
        if not self.should_exit:
            self.should_exit = True
            _last_resort((self.config.timeout_graceful_shutdown or GRACE) + _SPARE)


def _last_resort(seconds: float) -> None:
    """End the process after this many seconds, whatever its state."""

    def end() -> None:
        _log.error("the process did not stop within %g s and is ended now", seconds)
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def serve(
    app: Any,
    listener: socket.socket,
    *,
    grace: float = GRACE,
    proxies: str = "",
    ready: Callable[[], object] | None = None,
    lifeline: int | None = None,
) -> None:
    """Answer requests with an ASGI application until told to stop.

    Parameters
    ----------
    app
        The application.
    listener
        A bound socket.
    grace
        How many seconds accepted requests may take after the signal to stop.
    proxies
        Addresses of proxies whose forwarded headers are trusted, separated by commas.
    ready
        Called once requests are accepted.
    lifeline
        A file descriptor; the server stops when its other end is closed.
    """
    server = Server(configured(app, grace, proxies), ready)
    if lifeline is not None:
        threading.Thread(target=_watch, args=(lifeline, server.stop), daemon=True).start()
    server.run(sockets=[listener])


def configured(app: Any, grace: float = GRACE, proxies: str = "") -> uvicorn.Config:
    """Return the configuration of uvicorn for an application; the parameters are those of `serve`."""
    return uvicorn.Config(
        app,
        http=Connection,
        loop="asyncio",  # others accept connections without asking `Listener`
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(grace)),
        lifespan="on",
    )


def _watch(lifeline: int, stop: Callable[[], object]) -> None:
    """Wait until a pipe is closed, then stop."""
    with contextlib.suppress(OSError):
        while os.read(lifeline, 4096):
            pass
    stop()
