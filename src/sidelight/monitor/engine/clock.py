"""How far a monitor has come, and how long it waits for an answer.

Patience counts later decisions of the whole monitor, or time. Counted in later verifications of the class, it would
never run out once the class is no longer asked about. By default it is ten times the median of the last 400 delays,
late ones included, and from 500 to 5 000 decisions. The median, because no channel with less than half of the answers
should decide how long all others are held up; ten times, because of delays with an exponential law one in a thousand is
longer. No default is both quick and unbiased: an overdue verification is passed over, and if wrong answers take longer
than right ones, more wrong answers are passed over; they count once they come.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sidelight.errors import SidelightError
from sidelight.monitor.engine.line import PENDING
from sidelight.monitor.inputs import monitor_input_seconds

if TYPE_CHECKING:
    from sidelight.monitor.engine.ledger import LedgerEntry


class EngineClock:
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
            return [monitor_input_seconds(self.first_time), monitor_input_seconds(self.last_time)]
        except SidelightError:
            return None


_LEAST, _MOST, _FACTOR, _RECENT = 500, 5_000, 10, 400
_SHORT = _LEAST // _FACTOR


class AnswerPatience:
    """Which verifications are overdue. `limit` is how many later decisions, or seconds, an answer may take.

    `queue` holds the verifications measured in decisions, oldest first; some of them may already be answered.
    """

    def __init__(self, setting: int | float | timedelta | None) -> None:
        self.timed = isinstance(setting, timedelta)
        self.adaptive = setting is None
        self.limit: float = setting.total_seconds() if isinstance(setting, timedelta) else setting or _LEAST
        self._delays: deque[int] = deque()
        self._long = 0
        self.queue: deque[LedgerEntry] = deque()
        self._heap: list[tuple[float, int, LedgerEntry]] = []
        self._undated: list[LedgerEntry] = []

    def wait_for(self, verification: LedgerEntry) -> None:
        """Wait for one more answer; if time is measured and its time is not known, from the next known time on."""
        if verification.due is not None:
            heapq.heappush(self._heap, (verification.due, verification.number, verification))
        elif self.timed:
            self._undated.append(verification)
        elif self.limit < math.inf:
            queue = self.queue
            while queue and queue[0].status != PENDING:
                queue.popleft()
            queue.append(verification)

    def _elapsed(self, decided: int, now: float | None) -> bool:
        """Return whether the oldest verification, answered or not, is past its time."""
        queue = self.queue
        if queue and decided - queue[0].asked_at > self.limit:
            return True
        return now is not None and bool(self._heap) and self._heap[0][0] < now

    def overdue(self, decided: int, now: float | None) -> Iterator[LedgerEntry]:
        """Yield the verifications that are overdue after this many decisions, or now, and stop waiting for them."""
        if now is not None and self._undated:
            undated, self._undated = self._undated, []
            for verification in undated:
                verification.due = now + self.limit
                self.wait_for(verification)
        while self._elapsed(decided, now):
            verification = self.queue.popleft() if now is None else heapq.heappop(self._heap)[2]
            if verification.status == PENDING:
                yield verification

    def learn(self, delay: int) -> None:
        """Record after how many later decisions an answer came."""
        if not self.adaptive:
            return
        self._delays.append(delay)
        self._long += delay > _SHORT
        if len(self._delays) > _RECENT:
            self._long -= self._delays.popleft() > _SHORT
        rank = (len(self._delays) - 1) // 2
        if self._long + rank < len(self._delays):  # mostly answers come soon, and the median need not be known
            self.limit = _LEAST
        else:
            self.limit = min(_MOST, _FACTOR * sorted(self._delays)[rank])

    @property
    def delays(self) -> list[int]:
        """The latest delays, for files."""
        return list(self._delays)
