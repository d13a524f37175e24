"""How long the rest of some work will take, learned from what is done.

Work of one kind (a player on a game) costs about the same per round everywhere. So each kind is measured by its
finished tasks; a kind of which nothing is finished yet is taken to cost what its player costs elsewhere, or else what a
first guess says, scaled as guesses for the others had to be. One task of each kind is done before the others (see
`sidelight.tasks`), so that all kinds are known early. The remaining time is the sum over all kinds, divided by how many
cores were busy on average so far.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from sidelight.studies.work import Task


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
    finished: float = 0.0
    """How much of it was done by finished tasks."""
    seconds: float = 0.0
    """What those took."""


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


class Forecast:
    """Hears of work and says how much time is left."""

    def __init__(self, pending: Sequence[Task], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._started = clock, clock()
        self._lock = threading.Lock()
        self._kinds: dict[Hashable, _Kind] = {}
        self._players: dict[Hashable, _Known] = {}
        self._all = _Known()
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
        """Hear that a task is finished, and what it took; None if somebody else did it, or if it failed."""
        with self._lock:
            if task not in self._advanced:
                return
            kind, units = self._kinds[task.kind], _units(task)
            kind.begun += units - self._advanced.pop(task)
            if seconds is None:
                kind.units -= units
                kind.begun -= units
            else:
                kind.finished += units
                kind.seconds += seconds
                for known in (self._players.setdefault(kind.player, _Known()), self._all):
                    known.add(units, seconds, task.seconds)

    @property
    def share(self) -> float:
        """Which share of the work is done, in time."""
        with self._lock:
            spent, left = self._spent(), self._left()
        return spent / (spent + left) if spent + left > 0 else 0.0

    def remaining(self) -> float | None:
        """Return the seconds that are left; None as long as nothing is known."""
        with self._lock:
            spent, left = self._spent(), self._left()
            elapsed = self._clock() - self._started
        return left * elapsed / spent if spent > 0 else None

    def _spent(self) -> float:
        """Return the seconds of one core that went into what is done."""
        return sum(self._rate(kind) * kind.begun for kind in self._kinds.values())

    def _left(self) -> float:
        return sum(self._rate(kind) * max(0.0, kind.units - kind.begun) for kind in self._kinds.values())

    def _rate(self, kind: _Kind) -> float:
        """Return seconds per unit of a kind, as well as they are known."""
        if kind.finished:
            return kind.seconds / kind.finished
        if kind.player in self._players:
            elsewhere = self._players[kind.player]
            return elsewhere.seconds / elsewhere.units
        guess = kind.guess / kind.units if kind.units else 0.0
        return guess * (self._all.seconds / self._all.guess if self._all.guess else 1.0)


def _units(task: Task) -> float:
    return float(task.rounds or task.count)
