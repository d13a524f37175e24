"""One server process: it accepts until it is told to stop, answers what it has accepted, and ends with 0.

It is told by SIGTERM or SIGINT, or by the end of its *lifeline*, a pipe whose other end the supervisor holds: however
that process ends, killed included, the system closes the pipe. (The workers of uvicorn live on in that case.)
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

from sidelight.service.process.connections import Connection
from sidelight.service.process.signals import GRACE, stopping

_SPARE = 10.0
_KEEP_ALIVE = 30
_log = logging.getLogger("sidelight.serve")


class Server(uvicorn.Server):
    """A server of uvicorn that takes a signal as a wish, not as a failure.

    Parameters
    ----------
    config
        Of uvicorn.
    ready
        Is called once requests are accepted.
    """

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object] | None = None) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept."""
        await super().startup(sockets)
        if self._ready is not None and self.started:
            self._ready()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the first signal; do not raise it again at the end, as uvicorn does, so that the exit code is 0."""
        with stopping(self.stop):
            yield

    def stop(self) -> None:
        """Stop accepting, answer what has been accepted, and end; if that takes too long, end nevertheless."""
        if not self.should_exit:
            self.should_exit = True
            _last_resort((self.config.timeout_graceful_shutdown or GRACE) + _SPARE)


def _last_resort(seconds: float) -> None:
    """End the process after so many seconds, in whatever state it is."""

    def end() -> None:
        _log.error("the process did not end in %g s, and ends now", seconds)
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
        How many seconds requests that were accepted may take after the signal to stop.
    proxies
        Addresses of proxies whose forwarded headers are believed, separated by commas.
    ready
        Is called once requests are accepted.
    lifeline
        A file descriptor at whose end to stop.
    """
    server = Server(configured(app, grace, proxies), ready)
    if lifeline is not None:
        threading.Thread(target=_watch, args=(lifeline, server.stop), daemon=True).start()
    server.run(sockets=[listener])


def configured(app: Any, grace: float = GRACE, proxies: str = "") -> uvicorn.Config:
    """Return how uvicorn serves an application here; the parameters are those of `serve`."""
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(grace)),
        lifespan="on",
    )


def _watch(lifeline: int, stop: Callable[[], object]) -> None:
    """Wait for the end of a pipe, then stop."""
    with contextlib.suppress(OSError):
        while os.read(lifeline, 4096):
            pass
    stop()
