"""A server in a process of its own that can be killed: `python process.py DATABASE [FAULT...]`.

Imports take a second, so one parent imports everything and forks a child for every line "start" on its standard input;
it answers with the child's process id and port. A fault makes the server worse on purpose, to see that a test notices.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time

from sidelight.monitor import ClassifierMonitor
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.server.app import _find_routers_of_app, make_app
from sidelight.service.server.uvicorn_server import serve_with_uvicorn
from sidelight.service.store import open_storage, postgres, sqlite
from sidelight.service.writer.writer import Writer, _tell_results_of_writer_group


def acknowledge_early() -> None:
    """Answer before the commit."""
    run = Writer._run_jobs

    def hasty(self, group, work):
        run(self, group, work)
        _tell_results_of_writer_group(group)
        time.sleep(0.05)

    Writer._run_jobs = hasty


def no_sync() -> None:
    """Do not wait for the disk."""
    open_file = sqlite.SQLiteStorage._open

    def careless(self):
        open_file(self)
        self._writer.execute("PRAGMA synchronous=OFF")

    sqlite.SQLiteStorage._open = careless


def no_lock() -> None:
    """Let processes write to one monitor at the same time."""
    postgres.PostgresTransaction.locking = ""


def small_log() -> None:
    """Checkpoint often."""
    sqlite._LARGE_WAL = 1 << 16


FAULTS = {
    "acknowledge-early": acknowledge_early,
    "no-sync": no_sync,
    "no-lock": no_lock,
    "small-log": small_log,
}


def run(database: str) -> None:
    """Serve until killed."""
    service = Service(open_storage(database), options=Options(snapshot_every=200, requests_per_second=1e6))
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    port = listener.getsockname()[1]
    with contextlib.suppress(SystemExit):
        ready = lambda: os.write(1, f"{os.getpid()} {port}\n".encode())  # noqa: E731
        serve_with_uvicorn(make_app(service), listener, grace=5, ready=ready)
    service.close()


def main(database: str, *faults: str) -> None:
    """Fork a server for each line."""
    for fault in faults:
        FAULTS[fault]()
    list(_find_routers_of_app())  # imports all that a server needs, and so does the library when it decides
    ClassifierMonitor(0.1, cap=1).decide("a")
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run(database)
                code = 0
            except BaseException as error:
                os.write(1, f"failed {error!r}\n".replace("\n", " ").encode() + b"\n")
            os._exit(code)
        _, status = os.waitpid(child, 0)
        os.write(1, f"ended {os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
