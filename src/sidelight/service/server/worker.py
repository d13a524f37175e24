"""A server process under a supervisor: `python -m sidelight.service.server.worker LIFELINE READY LISTENER`.

The arguments are file descriptors: the lifeline, whose first line holds the options as JSON (a database address may
contain a password, which must not show in the list of processes); a pipe to report that requests are accepted; and the
socket.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from sidelight.errors import SidelightError
from sidelight.service.server.signals import stopping

Build = Callable[[dict[str, Any]], AbstractContextManager[Any]]


def run(build: Build, arguments: list[str]) -> int:
    """Serve the application that `build` makes from the options, until told to stop; return the exit code."""
    from sidelight.service.server.uvicorn_server import serve

    lifeline, ready, listener = map(int, arguments)
    with contextlib.ExitStack() as stack:
        with stopping(lambda: os._exit(0)):  # nothing has been accepted yet
            options = json.loads(_line(lifeline))
            try:
                app = stack.enter_context(build(options))
            except SidelightError as error:
                sys.stderr.write(f"sidelight: error: {error}\n")
                return 1
        serve(
            app,
            socket.socket(fileno=listener),
            grace=options["grace"],
            proxies=options["proxies"],
            ready=lambda: _tell(ready),
            lifeline=lifeline,
        )
    return 0


def _tell(ready: int) -> None:
    os.write(ready, b"ready\n")
    os.close(ready)


def _line(handle: int) -> bytes:
    """Return the first line from a pipe, without reading beyond it."""
    found = b""
    while not found.endswith(b"\n"):
        part = os.read(handle, 1)
        if not part:
            raise SystemExit(1)  # the supervisor is gone
        found += part
    return found


def main() -> int:
    """Run one process of `sidelight serve`."""
    from sidelight.service.server.run import application

    return run(application, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
