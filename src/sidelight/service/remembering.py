"""Values that are remembered for some seconds, and not too many of them."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SECONDS = 5.0
"""Longest time that anything is remembered: what another process changes is seen everywhere after it."""
_MOST = 10_000


class Remembered(Generic[K, V]):
    """A dictionary whose entries end; threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = _MOST) -> None:
        self.clock, self._most = clock, most
        self._known: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> tuple[V] | None:
        """Return what is remembered, wrapped so that it may be None."""
        found = self._known.get(key)
        return (found[1],) if found is not None and self.clock() < found[0] else None

    def put(self, key: K, value: V, until: float) -> None:
        """Remember until a time of the clock."""
        with self._lock:
            self._known[key] = until, value
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def forget(self, key: K) -> None:
        """Forget one entry."""
        with self._lock:
            self._known.pop(key, None)
