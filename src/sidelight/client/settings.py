"""The settings of the clients: the address of the service, the key, and how long to try."""

from __future__ import annotations

import ipaddress
import os
from typing import Any
from urllib.parse import urlsplit

from sidelight._version import __version__
from sidelight.client.calls import Limits
from sidelight.client.exchange import Reply, Send
from sidelight.client.health import Health
from sidelight.errors import SidelightError

LARGEST_REPLY = 64 << 20
TOO_LARGE, TOO_LATE = "its reply has more than 64 MB", "no complete reply in time"


class ClientSettings:
    """What `Client` and `AsyncClient` share; `Client` explains the parameters."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 2.0,
        patience: float = 30.0,
        retries: int = 3,
        transport: Any = None,
    ) -> None:
        for name, value in (("timeout", timeout), ("patience", patience)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
                raise SidelightError(f"{name} is {value!r}: give a number of seconds above 0")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise SidelightError(f"retries is {retries!r}: give a whole number, 0 or more")
        self.url = _address(url)
        self._headers = _headers(os.environ.get("SIDELIGHT_KEY") if key is None else key)
        self._limits = Limits(float(timeout), float(patience), retries)
        self._health, self._transport = Health(), transport
        self._open()

    @property
    def unreachable(self) -> int:
        """How many predictions have passed because no decision could be obtained."""
        return self._health.unreachable

    def _open(self) -> None:
        """Open the HTTP client."""
        raise NotImplementedError

    def _http_options(self) -> dict[str, Any]:
        """Return the arguments of httpx's clients; for this machine, a proxy from the environment is ignored."""
        return {
            "headers": self._headers,
            "transport": self._transport,
            "trust_env": not _is_loopback(self.url),
            "follow_redirects": False,
        }

    def _request(self, step: Send) -> dict[str, Any]:
        """Return the arguments of httpx's `stream`."""
        headers = {} if step.body is None else {"Content-Type": "application/json"}
        url = self.url + step.path
        return {"method": step.method, "url": url, "content": step.body, "headers": headers, "timeout": step.timeout}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.url}>"  # without the key


def reply_of(response: Any, content: bytes | bytearray) -> Reply:
    """Convert an httpx response to a `Reply`."""
    return Reply(
        response.status_code, {name.lower(): value for name, value in response.headers.items()}, bytes(content)
    )


def failure_of(error: Exception) -> str:
    """Return in words why there was no reply."""
    name = type(error).__name__
    return f"{name}: {error}" if str(error) else name


def _address(url: str) -> str:
    """Return the address without a slash at its end, checked."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except (ValueError, TypeError, AttributeError):
        good = False
    if not good:
        raise SidelightError(f"{url!r} is not the address of a service: give one like 'http://127.0.0.1:8765'")
    if parts.username is not None or parts.query or parts.fragment:
        raise SidelightError(
            "the address contains a user name, a query or a fragment: leave it out, and give the key as key="
        )
    return url.rstrip("/")


def _headers(key: str | None) -> dict[str, str]:
    if key is None or not isinstance(key, str) or not key.strip():
        raise SidelightError(
            "there is no key: give key=... or set SIDELIGHT_KEY; create one with `sidelight admin key create`"
        )
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SidelightError("the key contains characters that no key has: copy the whole key again, and nothing else")
    return {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json",
        "User-Agent": f"sidelight/{__version__}",
    }


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
