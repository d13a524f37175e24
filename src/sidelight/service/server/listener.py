"""The socket that a server listens on; it is bound first, so that mistakes show at once."""

from __future__ import annotations

import errno
import socket

from sidelight.errors import SidelightError

_BACKLOG = 2048


def listen(host: str, port: int) -> socket.socket:
    """Return a bound socket, or raise an error that says why not."""
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if not 0 <= port <= 65_535:
        raise SidelightError(f"{port} is not a port: give one from 1 to 65535, or 0 for any free one")
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (socket.gaierror, UnicodeError):
        raise SidelightError(f"{host!r} is not an address of this machine: try --host 127.0.0.1") from None
    except OSError as error:
        raise SidelightError(_refusal(error, where)) from None
    # Accepted connections inherit this; without it, replies on a connection that stays open wait 40 ms for an
    # acknowledgement. (asyncio sets it only on sockets that were made with an explicit protocol.)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _refusal(error: OSError, where: str) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"{where} is in use, perhaps by another server: stop that one, or give another --port"
    if error.errno == errno.EACCES:
        return f"you may not listen on {where}: give a --port above 1023"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{where} is not an address of this machine: try --host 127.0.0.1"
    return f"cannot listen on {where}: {error.strerror or error}"


def address_of(listener: socket.socket) -> str:
    """Return the address of a server on this socket for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
