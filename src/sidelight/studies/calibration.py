"""What a study will cost, from short tries on this machine.

Every kind of work (a player on a game) is tried with more and more rounds, until a run takes some milliseconds. Then,
again and again, the kind that seems to cost most in all is tried with more rounds, until time is up or nothing that
matters is left to be learned.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from sidelight.simulation import simulate
from sidelight.studies.guard import Failure, Pulse, guarded
from sidelight.studies.plan import Cell
from sidelight.studies.work import Task, pair, prepare, tasks
from sidelight.tasks import cores

_BUDGET = 10.0  # seconds for tries of more rounds
_ROUNDS = 16  # of the first try
_MANY = 32  # times as many in the next, as long as a run takes less than
_LEAST = 0.002  # seconds
_MORE = 4  # times as many in those that follow
_ENOUGH = 2.0  # seconds for the first tries of a player: games that are left then are taken to be like the others
_RUNS = 2  # of the try that tells what a run costs from what a piece of work costs
_STORING = 0.002  # seconds for which a finished piece of work is written
_STEEP = 1.3  # more than this power of the rounds is more than noise
_LONGEST = 0.3  # share of the time for all tries that one of them may take
_MATTERS = 1e-3  # share of all seconds below which a kind is known well enough


class Cost(NamedTuple):
    """What some cells cost."""

    rounds: int
    seconds: float
    """Of one core."""
    failures: dict[Cell, Failure]
    """What failed in a short try already."""

    def minutes(self, workers: int | None = None) -> float:
        """Return how long it takes on so many cores of this machine, by default on all."""
        return self.seconds / (workers or cores()) / 60


@dataclass
class _Kind:
    """Work that costs about as much per round, and what is known of that."""

    cells: list[Cell] = field(default_factory=list)
    piece: float = 0.0
    """Seconds of a piece of work without its runs."""
    tries: list[tuple[int, float]] = field(default_factory=list)
    """Rounds of a run, and seconds."""

    @property
    def horizon(self) -> int:
        return self.cells[0].horizon

    @property
    def is_known(self) -> bool:
        return self.tries[-1][0] >= self.horizon

    def run(self) -> float:
        """Return the seconds of a run: those of the last try, and for the other rounds as many as it says.

        If the last three tries took more and more per round, the cost is taken to grow like a power of the rounds.
        """
        rounds, seconds = self.tries[-1]
        before, less = self.tries[-2] if len(self.tries) > 1 else (0, 0.0)
        if self.is_known:
            return seconds
        powers = [math.log(late[1] / early[1]) / math.log(late[0] / early[0]) for early, late in pairwise(self.tries)]
        if len(powers) > 1 and (power := min(powers[-2:])) > _STEEP:
            return float(seconds * (self.horizon / rounds) ** min(2.0, power))
        slope = (seconds - less) / (rounds - before) if less < seconds else seconds / rounds
        return seconds + slope * (self.horizon - rounds)

    def be_like(self, others: Sequence[_Kind]) -> None:
        """Take a round to cost what it costs on average in other kinds."""
        rate = fmean(other.run() / max(1, other.horizon) for other in others)
        self.piece = fmean(other.piece for other in others)
        self.tries = [(self.horizon, rate * max(1, self.horizon))]

    def total(self) -> float:
        """Return the seconds of all cells."""
        pieces = sum(len(tasks(cell)) for cell in self.cells)
        return sum(cell.runs for cell in self.cells) * self.run() + pieces * (self.piece + _STORING)


def estimate(cells: Iterable[Cell], budget: float = _BUDGET) -> Cost:
    """Try every player briefly on every game, and say what all runs of some cells will cost.

    Tries are measured in time of the processor, so that what else runs on this machine does not count.
    """
    kinds: dict[Hashable, _Kind] = {}
    for cell in cells:
        kinds.setdefault(Task(cell, 0, 1).kind, _Kind()).cells.append(cell)
    failures: dict[Cell, Failure] = {}
    kernels: set[Hashable] = set()
    known: dict[str, list[_Kind]] = {}
    spent: dict[str, float] = defaultdict(float)
    left = []
    for kind in kinds.values():
        player = kind.cells[0].player.name
        if spent[player] > _ENOUGH and player in known:
            left.append(kind)
            continue
        started = time.process_time()
        failure = _begun(kind, kernels)
        spent[player] += time.process_time() - started
        if failure is None:
            known.setdefault(player, []).append(kind)
        else:
            failures |= dict.fromkeys(kind.cells, failure)
    _refine([kind for group in known.values() for kind in group], budget)
    for kind in left:
        kind.be_like(known[kind.cells[0].player.name])
    good = [*left, *(kind for group in known.values() for kind in group)]
    return Cost(
        rounds=sum(cell.runs * cell.horizon for kind in kinds.values() for cell in kind.cells),
        seconds=sum(kind.total() for kind in good),
        failures=failures,
    )


def _begun(kind: _Kind, kernels: set[Hashable]) -> Failure | None:
    """Try a kind for the first time; return why that fails, if it does."""
    cell = kind.cells[0]
    rounds = min(_ROUNDS, cell.horizon)
    if (kernel := Task(cell, 0, 1).kernel) not in kernels:
        kernels.add(kernel)
        _seconds(cell, rounds)  # compiles
    one = _seconds(cell, rounds)
    if isinstance(one, Failure):
        return one
    several = _seconds(cell, rounds, _RUNS)
    if isinstance(several, Failure):
        return several
    run = max(1e-7, (several - one) / (_RUNS - 1))
    kind.piece = max(0.0, one - run)
    kind.tries = [(rounds, run)]
    while not kind.is_known and kind.tries[-1][1] < _LEAST:
        _try(kind, _MANY)
    return None


def _try(kind: _Kind, more: int) -> None:
    """Try a kind with so many times more rounds."""
    rounds = min(more * kind.tries[-1][0], kind.horizon)
    found = _seconds(kind.cells[len(kind.tries) % len(kind.cells)], rounds)  # worlds differ, too
    if isinstance(found, Failure):  # what fails only after many rounds is left to the run itself
        kind.tries.append((kind.horizon, kind.run()))
    else:
        kind.tries.append((rounds, max(1e-7, found - kind.piece)))


def _refine(kinds: list[_Kind], budget: float) -> None:
    """Try what seems to cost most with more rounds, until time is up or the rest does not matter."""
    totals = {id(kind): kind.total() for kind in kinds}
    end = time.process_time() + budget
    while time.process_time() < end:
        everything = sum(totals.values())
        open_kinds = [
            kind
            for kind in kinds
            if not kind.is_known
            and totals[id(kind)] > _MATTERS * everything
            and _MORE * kind.tries[-1][1] < _LONGEST * budget
        ]
        if not open_kinds:
            return
        kind = max(open_kinds, key=lambda each: totals[id(each)])
        _try(kind, _MORE)
        totals[id(kind)] = kind.total()


def _seconds(cell: Cell, rounds: int, runs: int = 1) -> float | Failure:
    """Return how long some runs take if they end after so many rounds."""
    task = Task(cell, 0, runs)

    def play(pulse: Pulse) -> None:
        prepare(task)
        pulse.advance(0)
        simulate(*pair(cell), rounds, runs, cell.seed, 1, workers=1, progress=pulse)

    started = time.process_time()
    done = task.perform() if cell.player.policy else guarded(play, False, cell.patience)
    return done if isinstance(done, Failure) else max(1e-7, time.process_time() - started)
