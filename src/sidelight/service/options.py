"""The options of a service."""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from sidelight.service.auth.single_sign_on import SignInProvider


Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def stop_service_process(error: BaseException) -> None:
    """End the process at once: after a disk failure, no waiting request may be answered."""
    sys.stderr.write(f"sidelight: {error}; stopping\n")
    sys.stderr.flush()
    os._exit(70)


def is_loopback_host(host: str) -> bool:
    """Say whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Egress:
    """How webhooks leave: where to, besides the public Internet, and through which proxy."""

    allow: tuple[Network, ...] = ()
    """Internal networks that may get messages, even over http; they are reached without the proxy."""
    proxy: str | None = None
    """An address like http://user:password@proxy.example:3128."""


INTERNET = Egress()
"""Only the public Internet, without a proxy."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a service; the defaults suit one machine."""

    most_waiting: int = 4096
    """Maximum number of requests that wait for the writer; more are refused with 503."""
    most_in_group: int = 1024
    """Maximum number of requests that are committed together."""
    most_rows_in_group: int = 5000
    """Predictions and answers after which no further request is added to a group."""
    snapshot_every: int = 50_000
    """Journal entries after which a snapshot of a monitor is stored, so that a start does not replay them."""
    retry_days: float = 7.0
    """How long a decision is returned again for its id."""
    time_back: float = 86_400.0
    """How many seconds in the past the `time` of a prediction may be; it decides which day's cap applies."""
    time_ahead: float = 300.0
    url: str | None = None
    """The address that users see, https://... behind a proxy; links start with it."""
    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    """Host names, without ports, that requests may use; that of `url` is always included."""
    requests_per_second: float = 1000.0
    """Requests per second that each key may send to each process."""
    provider: SignInProvider | None = None
    """Where people may sign in without a password of this service."""
    local_passwords: bool = True
    """Whether people may sign in with a password of this service."""
    egress: Egress = INTERNET
    """How webhooks leave."""
    on_fatal: Callable[[BaseException], None] = stop_service_process
    """Called after a disk failure."""

    @property
    def allowed_hosts(self) -> frozenset[str]:
        """All host names that requests may use."""
        own = urlsplit(self.url).hostname if self.url else None
        return frozenset(self.hosts) | ({f"[{own}]" if ":" in own else own} if own else set())
