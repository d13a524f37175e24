"""What a study will cost, from short tries on this machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import NamedTuple

from sidelight.studies.guard import Failure
from sidelight.studies.plan import Cell
from sidelight.studies.work import Task
from sidelight.tasks import cores

_LEAST = 0.03  # seconds that a try must take to be believed
_ROUNDS = 256  # of the first try
_STEEP = 1.3  # more than this power of the rounds is more than noise


class Cost(NamedTuple):
    """What some cells cost."""

    rounds: int
    seconds: float
    """Of one core."""
    failures: dict[Cell, Failure]
    """What failed in a short try already."""

    @property
    def minutes_here(self) -> float:
        """On all cores of this machine."""
        return self.seconds / cores() / 60


def estimate(cells: Iterable[Cell], told: Callable[[str], None] = lambda text: None) -> Cost:
    """Try every player briefly on every game, and say what all runs of some cells will cost.

    Tries are measured in time of the processor, so that what else runs on this machine does not count. They are doubled
    until they take long enough; if the last one took much more than twice the one before, the cost is taken to grow
    like a power of the rounds, else like a line.
    """
    rounds, seconds = 0, 0.0
    failures: dict[Cell, Failure] = {}
    known: dict[Hashable, Callable[[int], float] | Failure] = {}
    for cell in cells:
        kind = (cell.player, cell.game, cell.world.kind)
        if kind not in known:
            told(cell.title)
            known[kind] = _tried(cell)
        law = known[kind]
        rounds += cell.runs * cell.horizon
        if isinstance(law, Failure):
            failures[cell] = law
        else:
            seconds += cell.runs * law(cell.horizon)
    return Cost(rounds, seconds, failures)


def _tried(cell: Cell) -> Callable[[int], float] | Failure:
    """Return how long a run takes as a function of its rounds."""
    if not cell.horizon:
        first = _seconds(cell, 0)  # compiles
        each = first if isinstance(first, Failure) else _seconds(cell, 0)
        return each if isinstance(each, Failure) else lambda rounds: each
    rounds = min(_ROUNDS, cell.horizon)
    _seconds(cell, rounds)  # compiles
    warm = _seconds(cell, rounds)
    if isinstance(warm, Failure):
        return warm
    before, taken = 0.0, warm
    while taken < _LEAST and rounds < cell.horizon:
        rounds = min(2 * rounds, cell.horizon)
        found = _seconds(cell, rounds)
        if isinstance(found, Failure):
            return found
        before, taken = taken, found
    return _grown(rounds, before, taken)


def _grown(rounds: int, before: float, taken: float) -> Callable[[int], float]:
    """Return the cost of a horizon from that of so many rounds, and of half as many (0 if that is not known)."""
    power = math.log2(taken / before) if before > 0 else 1.0
    if power > _STEEP:
        return lambda horizon: taken * (horizon / rounds) ** min(2.0, power)
    slope = (taken - before) / (rounds / 2) if 0 < before < taken else taken / rounds
    return lambda horizon: max(0.0, taken + slope * (horizon - rounds))


def _seconds(cell: Cell, rounds: int) -> float | Failure:
    """Return how long one run of so many rounds takes."""
    task = Task(replace(cell, horizon=rounds, checkpoints=1, seed=cell.seed), 0, 1)
    started = time.process_time()
    done = task.perform()
    return done if isinstance(done, Failure) else max(1e-7, time.process_time() - started)
