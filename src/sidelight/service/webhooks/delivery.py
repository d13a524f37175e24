"""Sending one message: no redirects, no proxy but the one that was given, and a time limit."""

from __future__ import annotations

import base64
import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from sidelight._version import __version__
from sidelight.service.options import Egress
from sidelight.service.webhooks.addresses import AddressError, Target, resolve_webhook

SECONDS = 15.0
"""Maximum time for one message, from connecting to the status of the answer."""


def send_message(url: str, body: bytes, headers: Mapping[str, str], egress: Egress) -> int | str:
    """Post `body` and return the status of the answer, or why there was none."""
    try:
        target = resolve_webhook(url, egress)
        return _post(_Connection(target, None if target.direct else egress.proxy), target, body, headers)
    except AddressError as error:
        return str(error)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: the receiver cannot be reached or did not answer in {SECONDS:g} s"


class _Connection(http.client.HTTPConnection):
    """A connection to the checked address, perhaps through a proxy; TLS is verified against the host name."""

    def __init__(self, target: Target, proxy: str | None) -> None:
        super().__init__(target.host, target.port, timeout=SECONDS)
        self.target, self.proxy, self.late = target, proxy, False

    def connect(self) -> None:
        """Connect without looking up the host again."""
        proxy = urlsplit(self.proxy or "")
        where = (proxy.hostname, proxy.port or 80) if proxy.hostname else (self.target.address, self.target.port)
        self.sock = socket.create_connection(where, SECONDS)
        if proxy.hostname:
            self._check_time()
            self._open_tunnel(proxy.username, proxy.password)
        if self.target.secure:
            # The socket is stored before the handshake, so that the handshake can be cut off, too.
            self.sock = secure = ssl.create_default_context().wrap_socket(
                self.sock, server_hostname=self.target.host, do_handshake_on_connect=False
            )
            self._check_time()
            secure.do_handshake()
        self._check_time()

    def _open_tunnel(self, user: str | None, password: str | None) -> None:
        """Ask the proxy to connect to the checked address, so that it need not look up the host."""
        address = f"[{self.target.address}]" if ":" in self.target.address else self.target.address
        lines = [f"CONNECT {address}:{self.target.port} HTTP/1.1", f"Host: {address}:{self.target.port}"]
        if user is not None:
            login = f"{unquote(user)}:{unquote(password or '')}".encode()
            lines.append(f"Proxy-Authorization: Basic {base64.b64encode(login).decode('ascii')}")
        self.sock.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
        with http.client.HTTPResponse(self.sock, method="CONNECT") as reply:
            reply.begin()
            if reply.status != 200:
                raise AddressError(f"the proxy answered {reply.status} when asked to connect to the receiver")

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
