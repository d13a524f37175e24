"""How far a monitor has come: decisions, verifications, and the times that came with them."""

from __future__ import annotations

from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.inputs import seconds_of


class Clock:
    """Counters of the whole monitor.

    A batch is handed out as a whole: all its verifications are as old as its last decision, number `batch_end`.
    `first_time` and `last_time` are the times of the first and the last decision that had one, as given. `settled`
    counts how often the status of a verification has changed since the monitor was made or loaded.
    """

    __slots__ = ("asked", "batch_end", "decided", "first_time", "last_time", "settled")

    def __init__(self) -> None:
        self.decided = self.asked = self.batch_end = self.settled = 0
        self.first_time: Any = None
        self.last_time: Any = None

    def note_time(self, time: Any) -> None:
        """Remember the time of a decision; it is parsed only when it is needed."""
        if self.first_time is None:
            self.first_time = time
        self.last_time = time

    def times(self) -> list[float] | None:
        """Return the first and the last time in seconds since 1970, if they can be read."""
        try:
            return [seconds_of(self.first_time), seconds_of(self.last_time)]
        except SidelightError:
            return None
