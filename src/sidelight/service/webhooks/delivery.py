"""Sending one message: no redirects, no proxy from the environment, and a time limit."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping

from sidelight._version import __version__
from sidelight.service.webhooks.addresses import AddressError, Target, resolve_webhook

SECONDS = 15.0
"""Maximum time for one message, from connecting to the status of the answer."""


def send_message(url: str, body: bytes, headers: Mapping[str, str], *, allow_loopback: bool = False) -> int | str:
    """Post `body` and return the status of the answer, or why there was none."""
    try:
        target = resolve_webhook(url, allow_loopback=allow_loopback)
        return _post(_Connection(target), target, body, headers)
    except AddressError as error:
        return str(error)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: the receiver cannot be reached or did not answer in {SECONDS:g} s"


class _Connection(http.client.HTTPConnection):
    """A connection to the checked address; TLS is verified against the host name."""

    def __init__(self, target: Target) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self.target, self.late = target, False

    def connect(self) -> None:
        """Connect without looking up the host again."""
        self.sock = socket.create_connection((self.target.address, self.target.port), SECONDS)
        if self.target.secure:
            # The socket is stored before the handshake, so that the handshake can be cut off, too.
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
        """Close the connection from another thread, whatever it is doing."""
        self.late = True
        if self.sock is not None:
            with contextlib.suppress(OSError):  # already closed
                # Not the TLS shutdown, which would break a read that is in progress.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def _post(connection: _Connection, target: Target, body: bytes, headers: Mapping[str, str]) -> int:
    # A socket's timeout applies to each read, so a timer cuts off a receiver that sends byte by byte.
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
