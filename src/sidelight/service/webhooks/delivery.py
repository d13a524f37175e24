"""Sending one message to a webhook: where it may go, no redirects, no proxy but the one given, and a time limit.

Messages go to addresses on the public Internet, and to networks that the operator allows. A server that sends requests
to any given address could be directed to machines that only it can reach. So a host is resolved once, each of its
addresses must be public or allowed, and the connection goes to the checked address, not to the name; a proxy, too, is
told the address.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from sidelight._version import __version__
from sidelight.errors import SidelightError
from sidelight.service.options import Egress

LONGEST = 2_000
_HTTPS = "webhooks to the public Internet are sent only over https: give an address that starts with https://"
_PUBLIC_V6 = ipaddress.ip_network("2000::/3")
_REFUSED = tuple(
    ipaddress.ip_network(text)
    for text in (
        "64:ff9b::/96",  # NAT64 (RFC 6052) and its local prefix (RFC 8215): an IPv4 address behind a translator
        "64:ff9b:1::/48",
        "2002::/16",  # 6to4 (RFC 3056), likewise; the next is its relays
        "192.88.99.0/24",
        "100.64.0.0/10",  # shared by the customers of a provider (RFC 6598)
    )
)
Resolver = Callable[..., list[tuple[Any, ...]]]


Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressError(SidelightError):
    """Webhooks must not go to this address."""


class Target(NamedTuple):
    """A checked address: where to connect, and what to request there."""

    address: str
    port: int
    secure: bool
    host: str
    path: str
    """The path, including the query."""
    direct: bool = False
    """Whether the address is in an allowed network."""


def check_webhook_url(url: str, egress: Egress) -> tuple[str, int, bool, str]:
    """Return host, port, whether it is https, and path of a valid webhook address, without looking up the host."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise AddressError("the address cannot be read: give one like https://example.com/hook") from None
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        raise AddressError(f"give an address of at most {LONGEST} ASCII characters without spaces: encode others")
    if not host or parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressError("give an address with a host and without a user or fragment, like https://example.com/hook")
    secure = parts.scheme == "https"
    if not secure and not (parts.scheme == "http" and egress.allow):
        raise AddressError(_HTTPS)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return host, (443 if secure else 80) if port is None else port, secure, path


def resolve_webhook_host(url: str, egress: Egress, lookup: Resolver = socket.getaddrinfo) -> Target:
    """Look up the host of an address once, and refuse it unless all its IP addresses are public or allowed."""
    host, port, secure, path = check_webhook_url(url, egress)
    try:
        found = lookup(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise AddressError(f"the host of the webhook was not found: {error}") from None
    addresses = [_plain_webhook_ip(str(one[4][0])) for one in found]
    allowed = [any(address in network for network in egress.allow) for address in addresses]
    for address, allow in zip(addresses, allowed, strict=True):
        if not (allow or _is_public_webhook_ip(address)):
            raise AddressError(
                "the host of the webhook is neither on the public Internet nor in a network that --webhook-allow names"
            )
        if not (allow or secure):
            raise AddressError(_HTTPS)
    if not addresses:
        raise AddressError("the host of the webhook has no IP address")
    return Target(str(addresses[0]), port, secure, host, path, allowed[0])


def _plain_webhook_ip(text: str) -> Address:
    """Parse an IP address; an IPv4 address in IPv6 notation becomes plain IPv4."""
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def _is_public_webhook_ip(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_V6:
        return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _REFUSED)


SECONDS = 15.0
"""Maximum time for one message, from connecting to the status of the answer."""


def send_webhook_message(url: str, body: bytes, headers: Mapping[str, str], egress: Egress) -> int | str:
    """Post `body` and return the status of the answer, or why there was none."""
    try:
        target = resolve_webhook_host(url, egress)
        return _post_webhook_message(
            _WebhookConnection(target, None if target.direct else egress.proxy), target, body, headers
        )
    except AddressError as error:
        return str(error)
    except (OSError, http.client.HTTPException) as error:
        return f"{type(error).__name__}: the receiver cannot be reached or did not answer in {SECONDS:g} s"


class _WebhookConnection(http.client.HTTPConnection):
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
        """Close the connection from another thread, even in the middle of a request."""
        self.late = True
        if self.sock is not None:
            with contextlib.suppress(OSError):  # already closed
                # Not the TLS shutdown, which would break a read that is in progress.
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)


def _post_webhook_message(
    connection: _WebhookConnection, target: Target, body: bytes, headers: Mapping[str, str]
) -> int:
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
