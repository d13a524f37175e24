"""Where webhooks may go: to addresses on the public Internet, and to networks that the operator allows.

A server that sends requests to any given address could be directed to machines that only it can reach. So a host is
resolved once, each of its addresses must be public or allowed, and the connection goes to the checked address, not to
the name; a proxy, too, is told the address.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

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


def resolve_webhook(url: str, egress: Egress, lookup: Resolver = socket.getaddrinfo) -> Target:
    """Look up the host of an address once, and refuse it unless all its IP addresses are public or allowed."""
    host, port, secure, path = check_webhook_url(url, egress)
    try:
        found = lookup(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as error:
        raise AddressError(f"the host of the webhook was not found: {error}") from None
    addresses = [_plain_address(str(one[4][0])) for one in found]
    allowed = [any(address in network for network in egress.allow) for address in addresses]
    for address, allow in zip(addresses, allowed, strict=True):
        if not (allow or _is_public(address)):
            raise AddressError(
                "the host of the webhook is neither on the public Internet nor in a network that --webhook-allow names"
            )
        if not (allow or secure):
            raise AddressError(_HTTPS)
    if not addresses:
        raise AddressError("the host of the webhook has no IP address")
    return Target(str(addresses[0]), port, secure, host, path, allowed[0])


def _plain_address(text: str) -> Address:
    """Return an IP address; an IPv4 address that is written as one of IPv6 is what it stands for."""
    address = ipaddress.ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address not in _PUBLIC_V6:
        return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _REFUSED)
