"""How often a caller or an address may come: token buckets."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sidelight.service.problems import Problem, retry_after


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
            raise Problem("too-many", detail, headers=retry_after(wait))
        return wait

    def forget(self, key: str) -> None:
        """Fill the bucket of a key."""
        with self._lock:
            self._buckets.pop(key, None)


def neighborhood(host: str) -> str:
    """Return what counts as one client: an IPv4 address, or an IPv6 network of 64 bits, which one customer gets."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(ipaddress.IPv6Address(int(address) >> 64 << 64)) if mapped is None else str(mapped)
    return str(address)
