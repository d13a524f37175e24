"""Signals that stop a process."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

GRACE = 20.0
"""How many seconds accepted requests may take after the signal to stop."""
_STOP = ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")


@contextlib.contextmanager
def stopping(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` at SIGTERM, SIGINT (Ctrl-C) and SIGHUP within the block; outside the main thread, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _STOP if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: stop()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
