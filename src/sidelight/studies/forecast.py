"""How long the rest of some work will take, learned from what is done.

Work of one kind (a player on a game) costs about the same per round everywhere. So each kind is measured by its
finished tasks; a kind of which nothing is finished yet is taken to cost what its player costs elsewhere, or else what a
first guess says, scaled as the guesses for most other players had to be. One task of each kind is done before the
others (see `sidelight.tasks`), so that all kinds are known early. Tasks that began before any other one with the same
compiled loop had ended may have compiled it, or waited for that; they count only as long as nothing else is known. The
remaining time is the sum over all kinds, divided by the number of threads. Where that is not known, it is divided by
how many tasks were under way on average in the later half of the time so far.
"""

from __future__ import annotations

import bisect
import math
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from statistics import median

from sidelight.studies.work import Task

_COMPILING = 100.0  # seconds that no loop takes


@dataclass
class _Known:
    """What finished tasks took, together."""

    units: float = 0.0
    seconds: float = 0.0
    guess: float = 0.0
    """What they had been guessed to take."""

    def add(self, units: float, seconds: float, guess: float) -> None:
        self.units += units
        self.seconds += seconds
        self.guess += guess

    @property
    def rate(self) -> float | None:
        """Seconds per unit, if anything is known."""
        return self.seconds / self.units if self.units else None


@dataclass
class _Kind:
    """What is known of one kind of work."""

    player: Hashable
    guess: float = 0.0
    """Seconds for all that is to be done, guessed beforehand."""
    units: float = 0.0
    """How much is to be done, in rounds (or runs, where rounds are not counted)."""
    begun: float = 0.0
    """How much of it is done, tasks under way included."""
    finished: _Known = field(default_factory=_Known)
    compiled: _Known = field(default_factory=_Known)
    """Tasks that may have compiled a loop, or waited for that."""


class Forecast:
    """Hears of work and says how much time is left.

    Parameters
    ----------
    pending
        The tasks that are to be done.
    workers
        How many are done at a time; None if that is not known, as on a cluster.
    clock
        What time it is, in seconds.
    """

    def __init__(
        self, pending: Sequence[Task], workers: int | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._workers, self._clock, self._started = workers, clock, clock()
        self._lock = threading.Lock()
        self._kinds: dict[Hashable, _Kind] = {}
        self._players: dict[Hashable, _Known] = {}
        self._kernels: dict[Hashable, float] = {}  # when a task that needs the loop ended first
        self._helped = 0.0  # seconds that other processes spent, as far as their tasks are known
        self._moments, self._sums = [self._started], [0.0]  # when tasks ended, and seconds of all until then
        self._advanced: dict[Task, int] = {}  # of the tasks that are not finished
        for task in pending:
            self._advanced[task] = 0
            kind = self._kinds.setdefault(task.kind, _Kind(task.cell.player))
            kind.guess += task.seconds
            kind.units += _units(task)

    def advance(self, task: Task, rounds: int) -> None:
        """Hear of finished rounds of a task under way."""
        with self._lock:
            if task in self._advanced:  # a cluster tells of all rounds once a task is over
                self._advanced[task] += rounds
                self._kinds[task.kind].begun += rounds

    def finished(self, task: Task, seconds: float | None) -> None:
        """Hear that a task is finished, and what it took.

        None means that another process did it, which helps and will go on doing so: the task counts, but nothing is
        learned about what it costs.
        """
        with self._lock:
            if task not in self._advanced:
                return
            kind, units = self._kinds[task.kind], _units(task)
            kind.begun += units - self._advanced.pop(task)
            if seconds is None:
                self._helped += self._rate(kind) * units
                return
            now = self._clock()
            self._moments.append(now)
            self._sums.append(self._sums[-1] + seconds)
            if seconds > _COMPILING or self._kernels.setdefault(task.kernel, now) <= now - seconds:
                for known in (kind.finished, self._players.setdefault(kind.player, _Known())):
                    known.add(units, seconds, task.seconds)
            else:
                kind.compiled.add(units, seconds, task.seconds)

    def failed(self, task: Task) -> None:
        """Hear that a task failed: it is neither done nor left."""
        with self._lock:
            if task in self._advanced:
                kind = self._kinds[task.kind]
                kind.begun -= self._advanced.pop(task)
                kind.units -= _units(task)

    @property
    def share(self) -> float:
        """Which share of the work is done, in time."""
        with self._lock:
            spent, left = self._spent(), self._left()
        return spent / (spent + left) if spent + left > 0 else 0.0

    def remaining(self) -> float | None:
        """Return the seconds that are left; None as long as less than half of it can be told from finished tasks."""
        with self._lock:
            busy, own = self._workers or self._busy(), self._sums[-1]
            known = sum(kind.units for kind in self._kinds.values() if self._measured(kind) is not None)
            if not self._advanced:
                return 0.0
            if not own or not busy or known < sum(kind.units for kind in self._kinds.values()) / 2:
                return None
            return self._left() / (busy * (own + self._helped) / own)

    def _busy(self) -> float:
        """Return how many tasks were under way on average in the later half of the time so far."""
        now = self._clock()
        place = bisect.bisect_right(self._moments, (self._started + now) / 2) - 1
        if place == len(self._moments) - 1:  # nothing ended since
            place = 0
        passed = now - self._moments[place]
        return (self._sums[-1] - self._sums[place]) / passed if passed > 0 else 0.0

    def _spent(self) -> float:
        """Return the seconds of one core that went into what is done."""
        return sum(self._rate(kind) * kind.begun for kind in self._kinds.values())

    def _left(self) -> float:
        return sum(self._rate(kind) * max(0.0, kind.units - kind.begun) for kind in self._kinds.values())

    def _measured(self, kind: _Kind) -> float | None:
        """Return seconds per unit of a kind, or of its player elsewhere."""
        elsewhere = self._players.get(kind.player)
        return kind.finished.rate or (None if elsewhere is None else elsewhere.rate)

    def _rate(self, kind: _Kind) -> float:
        """Return seconds per unit of a kind, as well as they are known."""
        if (rate := self._measured(kind)) is not None:
            return rate
        guess = kind.guess / kind.units if kind.units else 0.0
        ratios = [known.seconds / known.guess for known in self._players.values() if known.guess]
        most = kind.compiled.rate  # compiling included
        if not ratios:
            return guess if most is None else most
        # The median, as one slow player says nothing about the others.
        return min(guess * median(ratios), math.inf if most is None else most)


def _units(task: Task) -> float:
    return float(task.rounds or task.count)
