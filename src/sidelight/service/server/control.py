"""The control socket: how a command changes a SQLite database that is being served.

Only one process at a time may have such a database open, so the command asks the server, through a Unix socket. A
request is one line of JSON with the name of a command and its arguments; the reply is another line, with `result` or
`error`. Anyone who can open the socket (mode 0600) could also read the file, so no key is needed.
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
    """Return the socket on which the server of a SQLite file listens for commands."""
    return database.with_name(f"{database.name}-control")


class Control:
    """The server's end: a thread that runs commands one by one.

    Parameters
    ----------
    database
        The served file; this process has its lock, so an existing socket is a leftover.
    run
        Called with the name and arguments of each command; returns plain data.
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
        """Stop accepting commands."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread
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
        except Exception as error:  # the command must get a reply, and the thread must go on
            _log.exception("a command failed")
            reply = {"error": f"the server failed ({type(error).__name__}): see its log"}
        connection.sendall(json.dumps(reply).encode("ascii") + b"\n")


def ask(database: Path, name: str, arguments: dict[str, Any], patience: float = 5.0) -> Any:
    """Ask the server of a file to run a command, and return its result.

    A starting server locks the file a moment before it listens, so the socket is tried for `patience` seconds.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return _asked(database, name, arguments)
        except (FileNotFoundError, ConnectionRefusedError):
            if time.monotonic() >= end:
                raise SidelightError(
                    f"{str(database)!r} is in use by a process that accepts no commands: wait until it ends, or stop it"
                ) from None
            time.sleep(0.05)


def ask_if_served(database: Path, name: str, arguments: dict[str, Any]) -> Any:
    """Ask the server of a file to run a command, and return its result; None if there is no server."""
    if not socket_of(database).exists():
        return None
    try:
        return _asked(database, name, arguments)
    except (FileNotFoundError, ConnectionRefusedError):  # the server was killed, and its socket is left over
        return None


def _asked(database: Path, name: str, arguments: dict[str, Any]) -> Any:
    with socket.socket(socket.AF_UNIX) as connection, _short(socket_of(database)) as address:
        connection.settimeout(_SLOW)
        try:
            connection.connect(address)
        except PermissionError:
            raise SidelightError(
                f"another user serves {str(database)!r}: run the command as that user, for example with sudo -u"
            ) from None
        question = json.dumps({"name": name, "arguments": arguments}).encode("ascii") + b"\n"
        try:
            connection.sendall(question)
            reply = json.loads(_line(connection))
        except (OSError, ValueError):
            raise SidelightError(
                "the server stopped before it answered: check whether the command was carried out"
            ) from None
    if "error" in reply:
        raise SidelightError(reply["error"])
    return reply["result"]


def _line(connection: socket.socket) -> bytes:
    """Return one line from the other end."""
    found = b""
    while not found.endswith(b"\n"):
        part = connection.recv(1 << 16)
        if not part or len(found) > _MOST_BYTES:
            raise ValueError("the line is incomplete or too long")
        found += part
    return found


@contextlib.contextmanager
def _short(path: Path) -> Iterator[str]:
    """Yield a path for a socket that is short enough for the system, which allows about a hundred bytes."""
    if len(os.fsencode(path)) <= _LONGEST_NAME:
        yield str(path)
        return
    if not os.path.isdir("/proc/self/fd"):
        raise SidelightError(f"the path {str(path)!r} is too long for a socket: move the database to a shorter path")
    folder = os.open(path.parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)
