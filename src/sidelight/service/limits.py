"""Limits on what clients may send, how long they may take, and how often they may come, which token buckets count."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sidelight.service.problems import Problem, retry_after_header_of_problem

try:
    import resource
except ImportError:  # Windows, which has no such limit
    resource = None  # type: ignore[assignment]

# Bodies.
BODY = 8 << 20
"""Maximum size of a body in bytes."""
SMALL_BODY = 512 << 10
"""The same where no batches are sent."""
PARTS = 500_000
"""Maximum number of brackets and colons in JSON, texts included: each array, object and key takes memory."""
FIELDS = 50
"""Maximum number of fields of a body or of one of its rows."""
BATCH = 1_000
"""Maximum number of predictions or answers in one request."""
FORM, FORM_FIELDS = 64 << 10, 1_000
"""Maximum size of a form in bytes, and number of its fields."""
PLACES = 100
"""How many mistakes in a body are listed."""

# Connections.
HEAD = 64 << 10
"""Maximum size of the head of a request in bytes."""
PATIENCE = 20.0
"""Seconds within which a head must arrive, and a body, which gets more as it comes."""
SLOWEST = 32 << 10
"""Bytes of a body that give it one more second."""
KEEP_ALIVE = 30
"""Seconds for which a connection stays open between requests."""
GRACE = 20.0
"""Seconds that accepted requests may take after the signal to stop."""
ACCEPTED_AT_ONCE = 32
"""How many connections are accepted before it is checked how many there are; far fewer than spare files."""
_CONNECTIONS = 1_000
_SPARE_FILES = 128


def limit_of_service_connections() -> int:
    """Return how many connections a process may have: some of the files that it may open are for the database."""
    if resource is None:
        return _CONNECTIONS
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _CONNECTIONS if files == resource.RLIM_INFINITY else max(16, min(_CONNECTIONS, files - _SPARE_FILES))


# Tries to sign in, or to use a link.
SIGN_INS = (1.0, 20.0)
"""From one address: per second, and at once."""
SIGN_INS_AS = (0.25, 5.0)
"""From one address for one name: per second, and at once."""
SIGN_IN_PATIENCE = 10.0
"""Seconds that a try may have to wait; more tries are refused."""


class RateLimit:
    """A token bucket per key: at most `burst` tokens, refilled at `rate` per second; each request takes one.

    Each process counts separately, so with k processes a key gets up to k times the rate. A request may be told to wait
    `patience` seconds for its token; one that would wait longer is refused in these `words`. At most `most` keys are
    remembered.
    """

    def __init__(
        self,
        rate: float,
        burst: float | None = None,
        clock: Callable[[], float] = time.monotonic,
        most: int = 10_000,
        *,
        patience: float = 0.0,
        words: str = "this key may send {rate:g} requests per second: send larger batches, or wait {wait:.2g} s",
    ) -> None:
        self.rate, self.burst = rate, max(1.0, 2 * rate if burst is None else burst)
        self._clock, self._most, self._patience, self._words = clock, most, patience, words
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """Take one token and return how many seconds to wait for it, or refuse and say when to try again."""
        now = self._clock()
        with self._lock:
            tokens, last = self._buckets.pop(key, (self.burst, now))
            tokens = min(self.burst, tokens + self.rate * (now - last))
            wait = max(0.0, (1.0 - tokens) / self.rate)
            enough = wait <= self._patience
            self._buckets[key] = (tokens - 1.0 if enough else tokens, now)
            while len(self._buckets) > self._most:  # the buckets used longest ago are full again
                self._buckets.popitem(last=False)
        if not enough:
            wait -= self._patience
            detail = self._words.format(rate=self.rate, wait=wait)
            raise Problem("too-many", detail, headers=retry_after_header_of_problem(wait))
        return wait

    def forget(self, key: str) -> None:
        """Fill the bucket of a key."""
        with self._lock:
            self._buckets.pop(key, None)


def rate_limit_key_of_address(host: str) -> str:
    """Return the address or network that counts as one client: an IPv4 address, or an IPv6 network of 64 bits."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(ipaddress.IPv6Address(int(address) >> 64 << 64)) if mapped is None else str(mapped)
    return str(address)
