"""How a command changes a SQLite database that is being served: by a Unix socket of the server, for its owner alone.

One process at a time may have such a database, so the command asks that process. A request is one line of JSON, the
name of a command and its arguments; the reply is another one, with `result` or `error`. Who may open the socket (mode
0600) could read the file, too, so there is no key.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from sidelight.errors import SidelightError

Run = Callable[[str, dict[str, Any]], Any]
_LONGEST_NAME = 100
_MOST_BYTES = 16 << 20
_SLOW = 600.0
_log = logging.getLogger("sidelight.serve")


def socket_of(database: Path) -> Path:
    """Return where the server of a SQLite file listens for commands."""
    return database.with_name(f"{database.name}-control")


class Control:
    """The server's end: a thread that runs one command after the other.

    Parameters
    ----------
    database
        The file that is served; this process has its lock, so a socket that is there is left from before.
    run
        Is called with the name and the arguments of each command, and returns plain data.
    """

    def __init__(self, database: Path, run: Run) -> None:
        self._path, self._run = socket_of(database), run
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        self._listener = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            with _short(self._path) as name:
                self._listener.bind(name)
        finally:
            os.umask(before)
        self._listener.listen(16)
        self._thread = threading.Thread(target=self._accept, name="sidelight-control", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more commands."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # which wakes the thread
        self._listener.close()
        self._thread.join(5.0)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(10.0)
                try:
                    self._answer(connection)
                except (OSError, ValueError):
                    _log.warning("a command was not finished", exc_info=True)

    def _answer(self, connection: socket.socket) -> None:
        request = json.loads(_line(connection))
        try:
            reply: dict[str, Any] = {"result": self._run(str(request["name"]), dict(request["arguments"]))}
        except SidelightError as error:
            reply = {"error": str(error)}
        except Exception as error:  # whoever waits must hear of it, and the thread live on
            _log.exception("a command failed")
            reply = {"error": f"the server failed ({type(error).__name__}): its log says more"}
        connection.sendall(json.dumps(reply).encode("ascii") + b"\n")


def ask(database: Path, name: str, arguments: dict[str, Any], patience: float = 5.0) -> Any:
    """Let the server of a file run a command, and return its result.

    A server that starts has the file's lock a moment before it listens, so the socket is tried for `patience` seconds.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return _asked(socket_of(database), name, arguments)
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() >= end:
                raise SidelightError(
                    f"{str(database)!r} is in use by a process that takes no commands: wait until it ends, or stop it"
                ) from None
            time.sleep(0.05)
        except PermissionError:
            raise SidelightError(
                f"another user serves {str(database)!r}: run the command as that user, with sudo -u say"
            ) from None


def _asked(path: Path, name: str, arguments: dict[str, Any]) -> Any:
    with socket.socket(socket.AF_UNIX) as connection, _short(path) as address:
        connection.settimeout(_SLOW)
        connection.connect(address)
        question = json.dumps({"name": name, "arguments": arguments}).encode("ascii") + b"\n"
        try:
            connection.sendall(question)
            reply = json.loads(_line(connection))
        except (OSError, ValueError):
            raise SidelightError(
                "the server ended before it answered: look whether the command was carried out"
            ) from None
    if "error" in reply:
        raise SidelightError(reply["error"])
    return reply["result"]


def _line(connection: socket.socket) -> bytes:
    """Return what the other end says, up to the end of its line."""
    found = b""
    while not found.endswith(b"\n"):
        part = connection.recv(1 << 16)
        if not part or len(found) > _MOST_BYTES:
            raise ValueError("the line has no end")
        found += part
    return found


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Yield a name of a socket that is short enough for the system, which takes about a hundred bytes."""
    if len(os.fsencode(path)) <= _LONGEST_NAME:
        yield str(path)
        return
    if not os.path.isdir("/proc/self/fd"):
        raise SidelightError(f"the path {str(path)!r} is too long for a socket: keep the database in a shorter one")
    folder = os.open(path.parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
