"""Whether the service answers: decisions fail open, and callers are spared the wait while it is down."""

from __future__ import annotations

import logging
import threading
import time

_FAILURES, _REST, _LOG_EVERY = 3, 5.0, 60.0
_log = logging.getLogger("sidelight.client")


class Health:
    """Tracks whether the service answers: counts what passed without it, and spares callers the wait while it is down.

    After three failures in a row decisions pass at once for five seconds; then one call tries again.
    """

    def __init__(self) -> None:
        self.unreachable, self._counting = 0, threading.Lock()
        self._failures, self._until, self._silent_until = 0, 0.0, 0.0

    @property
    def resting(self) -> bool:
        """Whether to pass without asking; the first call after the pause tries again, the others keep passing."""
        now = time.monotonic()
        if self._failures < _FAILURES:
            return False
        if now < self._until:
            return True
        self._until = now + _REST
        return False

    def failed(self, decisions: int, why: str) -> None:
        """Count decisions that could not be obtained."""
        self._failures += 1
        self._until = time.monotonic() + _REST
        self.passed(decisions, why)

    def passed(self, decisions: int, why: str | None = None) -> None:
        """Count predictions that pass without a decision; a reason is logged, once a minute at most."""
        now = time.monotonic()
        with self._counting:
            self.unreachable += decisions
        if why is not None and now >= self._silent_until:
            self._silent_until = now + _LOG_EVERY
            _log.warning("%s; predictions pass without a decision, %d so far", why, self.unreachable)

    def refused(self, predictions: int, error: Exception) -> None:
        """Log that predictions in the background were refused, because their futures may be ignored."""
        _log.error("%d predictions were refused in the background: %s", predictions, error)

    def worked(self) -> None:
        """Record that the service replied."""
        if self._failures:
            _log.warning("the service answers again; %d predictions passed without a decision", self.unreachable)
        self._failures, self._silent_until = 0, 0.0
