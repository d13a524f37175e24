"""One message to one address: no redirects, no proxy from the environment, and an end to it after some seconds."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping

from sidelight._version import __version__
from sidelight.service.webhooks.addresses import AddressError, Target, resolve

SECONDS = 15.0
"""Longest time for one message, from connecting to the status of the answer."""


def send(url: str, body: bytes, headers: Mapping[str, str], *, allow_loopback: bool = False) -> int | str:
    """Post `body` and return the status of the answer, or, if there was none, why not."""
    try:
        target = resolve(url, allow_loopback=allow_loopback)
        return _post(_Connection(target), target, body, headers)
    except AddressError as error:
        return str(error)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: the receiver cannot be reached or did not answer in {SECONDS:g} s"


class _Connection(http.client.HTTPConnection):
    """A connection to the address that was checked; TLS is checked against the host's name."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self.target, self.late = target, False

    def connect(self) -> None:
        """Connect without looking the host up again."""
        self.sock = socket.create_connection((self.target.address, self.target.port), SECONDS)
        if self.target.secure:
            # The handshake comes after the socket is known here, so that it can be cut off, too.
            self.sock = secure = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            self._check_time()
            secure.do_handshake()
        self._check_time()

    def _check_time(self) -> None:
        if self.late:
            raise TimeoutError

    def cut(self) -> None:
        """End it, whatever it is doing, from another thread."""
        self.late = True
        if self.sock is not None:
            with contextlib.suppress(OSError):  # it is closed already
                # Not that of TLS, which would pull the connection from under whoever reads.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def _post(connection: _Connection, target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    # Timeouts of a socket hold for each read, so a receiver that sends byte by byte is cut off by the clock.
    cut = threading.Timer(SECONDS, connection.cut)
    cut.daemon = True
    cut.start()
    try:
        own = {"Content-Type": "application/json", "User-Agent": f"sidelight/{__version__}", "Connection": "close"}
        connection.request("POST", target.path, body, own | dict(headers))
        return connection.getresponse().status
    finally:
        cut.cancel()
        connection.close()
