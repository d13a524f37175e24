"""Work that may go wrong without taking other work with it: what raises or hangs becomes a `Failure`."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from sidelight.tasks import Advancing
from sidelight.tasks.local import Stopped

_GLANCE = 0.5  # seconds between two looks at whether the work moves
_PREPARING = 600.0  # seconds more until it first moves, for importing and compiling


class Failure(NamedTuple):
    """Why a piece of work has no result."""

    reason: str
    """In one line."""
    traceback: str
    """Where it happened, for whoever wrote the strategy."""


class Pulse:
    """Passes progress on and remembers when there was some; the first may come late."""

    def __init__(self, listener: Any) -> None:
        self._listener = listener
        self.last = time.monotonic() + _PREPARING

    def advance(self, count: int) -> None:
        """Hear of finished rounds."""
        self.last = time.monotonic()
        if self._listener is not None:
            self._listener.advance(count)


def guarded(work: Callable[[Pulse], Any], progress: Advancing | bool, patience: float) -> Any:
    """Return what `work` returns, or a `Failure` if it raises, or if no round is finished for `patience` seconds.

    They begin when the work first reports, even if that is no round: until then it may have to compile. Python cannot
    end a thread, so work that hangs is left to itself; the process does not wait for it when it ends.
    """
    pulse = Pulse(progress if hasattr(progress, "advance") else None)
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append(work(pulse))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(min(_GLANCE, patience))
        if thread.is_alive() and time.monotonic() - pulse.last > patience:
            return _hung(thread, patience)
    found = outcome[0]
    if isinstance(found, Stopped):
        raise found
    if isinstance(found, BaseException):
        return _raised(found)
    return found


def _raised(error: BaseException) -> Failure:
    text = "".join(traceback.format_exception(error))
    line = " ".join(str(error).split())
    return Failure(f"{type(error).__name__}: {line}" if line else type(error).__name__, text)


def _hung(thread: threading.Thread, patience: float) -> Failure:
    frame = sys._current_frames().get(thread.ident or 0)
    text = "".join(traceback.format_stack(frame)) if frame is not None else ""
    return Failure(f"no round was finished for {patience:g} s", f"It was last seen here:\n{text}" if text else "")
