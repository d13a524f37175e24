"""A small cache whose entries expire after some seconds."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

SECONDS = 5.0
"""Maximum age of an entry in seconds: after that, every process sees what another one changed."""
_MOST = 10_000


class Remembered(Generic[K, V]):
    """A dictionary whose entries expire; threads may share it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = _MOST) -> None:
        self.clock, self._most = clock, most
        self._known: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> tuple[V] | None:
        """Return the entry, wrapped in a tuple because it may be None."""
        found = self._known.get(key)
        return (found[1],) if found is not None and self.clock() < found[0] else None

    def put(self, key: K, value: V, until: float) -> None:
        """Store an entry until a time of the clock."""
        with self._lock:
            self._known[key] = until, value
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def forget(self, key: K) -> None:
        """Remove one entry."""
        with self._lock:
            self._known.pop(key, None)
