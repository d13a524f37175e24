"""How long the rest of some work will take, learned from what is done.

Work of one kind (a player in a place: a game, a kind of worlds and a horizon) costs about the same per round. So each
kind is measured by its finished tasks or, as long as there are none, by those under way, and one task of each kind is
begun before the others (see `sidelight.tasks`). All kinds are also predicted from the others, as a first guess g times
an effect of the strategy and an effect of the place,

    log(seconds per round / g) = a_strategy + b_place,

fitted by least squares to the kinds that are measured, b_place with a penalty, as few may know a place. Logarithms make
predictions too small on average; they are scaled so that those of a strategy's measured kinds add up to what they took.
Since single tasks may take far less or more than most of their kind, predictions of measured kinds count, too: as much
as one measured task, or less if the tasks of a kind turn out to be more alike than the kinds that the strategy has.
Loops that are not compiled yet are taken to need as long as the others did.

The remaining time is the sum of all that, divided by the number of workers. Where that is not known, it is divided by
how many tasks were under way on average in the later half of the time so far.
"""

from __future__ import annotations

import bisect
import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, pvariance

from sidelight.studies.work import Spent, Task

_SWEEPS = 4  # of least squares, in turns for strategies and places
_PENALTY = 1.0  # as much as one measured kind
_LEAST = 0.01  # tasks that a prediction is worth
_ENOUGH = 5  # degrees of freedom that tell how much tasks of a kind differ


@dataclass
class _UnderWay:
    """A task that was begun and is not finished."""

    rounds: int = 0
    """How many it has told of."""
    last: float | None = None
    """When it last told of some; what came before the first ones may have been compiling."""


@dataclass
class _Kind:
    """What is known of one kind of work."""

    strategy: str
    place: Hashable
    guess: float = 0.0
    """Seconds for all that is to be done, guessed beforehand."""
    tasks: int = 0
    units: float = 0.0
    """How much is to be done, in rounds (or runs, where rounds are not counted)."""
    begun: float = 0.0
    """How much of it is done, tasks under way included."""
    measured: float = 0.0
    """How much of it was measured: all tasks that are finished, or else what is known of those under way."""
    seconds: float = 0.0
    """What that took."""
    finished: bool = False
    """Whether one of its tasks is finished."""
    helped: float = 0.0
    """How much of it other processes did."""
    logs: list[float] = field(default_factory=list)
    """Logarithms of the seconds per unit of its finished tasks."""

    @property
    def ratio(self) -> float:
        """What it takes compared with the guess, if it is measured."""
        return self.seconds / self.measured * self.units / self.guess


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
        self._rates: dict[Hashable, float] = {}  # seconds per unit of all kinds, as far as they are known
        self._outdated = True  # whether more is known by now
        self._loops = Counter(task.kernel for task in pending)  # how many open tasks need each
        self._compiling: dict[Hashable, float] = {}  # what the first task of each loop took for that
        self._moments, self._sums = [self._started], [0.0]  # when tasks ended, and seconds of all until then
        self._open: dict[Task, _UnderWay] = {}  # the tasks that are not finished
        for task in pending:
            self._open[task] = _UnderWay()
            kind = self._kinds.setdefault(task.kind, _Kind(task.cell.player.name, task.kind[1:]))
            kind.tasks += 1
            kind.guess += task.seconds
            kind.units += _units(task)

    def advance(self, task: Task, rounds: int) -> None:
        """Hear of finished rounds of a task under way."""
        with self._lock:
            if task not in self._open or not rounds:  # a cluster tells of all rounds once a task is over
                return
            own, kind, now = self._open[task], self._kinds[task.kind], self._clock()
            own.rounds += rounds
            kind.begun += rounds
            if own.last is not None and not kind.finished:
                kind.measured += rounds
                kind.seconds += now - own.last
                self._outdated = True
            own.last = now

    def finished(self, task: Task, spent: Spent | None) -> None:
        """Hear that a task is finished, and what it took.

        None means that another process did it, which helps and will go on doing so: the task counts, but nothing is
        learned about what it costs.
        """
        with self._lock:
            if task not in self._open:
                return
            kind, units = self._kinds[task.kind], _units(task)
            kind.begun += units - self._closed(task).rounds
            if spent is None:
                kind.helped += units
                return
            self._moments.append(self._clock())
            self._sums.append(self._sums[-1] + spent.seconds + spent.compiling)
            self._compiling.setdefault(task.kernel, spent.compiling)
            if not kind.finished:
                kind.finished, kind.measured, kind.seconds = True, 0.0, 0.0
            kind.measured += units
            kind.seconds += spent.seconds
            kind.logs.append(math.log(max(spent.seconds, 1e-9) / units))
            self._outdated = True

    def failed(self, task: Task) -> None:
        """Hear that a task failed: it is neither done nor left."""
        with self._lock:
            if task in self._open:
                kind = self._kinds[task.kind]
                kind.begun -= self._closed(task).rounds
                kind.units -= _units(task)
                kind.guess -= task.seconds
                kind.tasks -= 1
                self._outdated = True

    @property
    def share(self) -> float:
        """Which share of the work is done, in time."""
        with self._lock:
            self._update()
            spent = sum(self._rates[key] * kind.begun for key, kind in self._kinds.items())
            spent, left = spent + sum(self._compiling.values()), self._left()
        return spent / (spent + left) if spent + left > 0 else 0.0

    def remaining(self) -> float | None:
        """Return the seconds that are left; None as long as nothing is known of some strategy."""
        with self._lock:
            if not self._open:
                return 0.0
            self._update()
            met = {kind.strategy for kind in self._kinds.values() if kind.measured}
            busy, own = self._workers or self._busy(), self._sums[-1]
            if not busy or any(kind.tasks and kind.strategy not in met for kind in self._kinds.values()):
                return None
            helped = sum(self._rates[key] * kind.helped for key, kind in self._kinds.items())
            return self._left() / (busy * (1.0 + helped / own if own else 1.0))

    def _closed(self, task: Task) -> _UnderWay:
        """Take a task out of those that are not finished."""
        self._loops[task.kernel] -= 1
        return self._open.pop(task)

    def _busy(self) -> float:
        """Return how many tasks were under way on average in the later half of the time so far."""
        now = self._clock()
        place = bisect.bisect_right(self._moments, (self._started + now) / 2) - 1
        if place == len(self._moments) - 1:  # nothing ended since
            place = 0
        passed = now - self._moments[place]
        return (self._sums[-1] - self._sums[place]) / passed if passed > 0 else 0.0

    def _left(self) -> float:
        """Return the seconds of one core that are left."""
        playing = sum(self._rates[key] * max(0.0, kind.units - kind.begun) for key, kind in self._kinds.items())
        to_compile = sum(tasks > 0 and loop not in self._compiling for loop, tasks in self._loops.items())
        return playing + (to_compile * fmean(self._compiling.values()) if self._compiling else 0.0)

    def _update(self) -> None:
        if self._outdated:
            self._rates, self._outdated = _rates(self._kinds), False


def _rates(kinds: dict[Hashable, _Kind]) -> dict[Hashable, float]:
    """Return seconds per unit of all kinds: those of measured ones, and predictions for the others."""
    measured = [kind for kind in kinds.values() if kind.measured and kind.tasks]
    predict = _prediction(measured)
    actual: defaultdict[str, float] = defaultdict(float)
    predicted: defaultdict[str, float] = defaultdict(float)
    for kind in measured:
        actual[kind.strategy] += kind.ratio * kind.guess
        predicted[kind.strategy] += predict(kind)
    weights = _weights(measured, predict)
    rates = {}
    for key, kind in kinds.items():
        if not kind.tasks:  # all of them failed
            rates[key] = 0.0
            continue
        scale = actual[kind.strategy] / predicted[kind.strategy] if predicted[kind.strategy] else 1.0
        prior, weight = scale * predict(kind) / kind.units, weights[kind.strategy] * kind.units / kind.tasks
        rates[key] = (kind.seconds + weight * prior) / (kind.measured + weight)
    return rates


def _weights(measured: Sequence[_Kind], predict: Callable[[_Kind], float]) -> defaultdict[str, float]:
    """Return how many tasks a prediction is worth, for each strategy: at most 1, which it is until that is known.

    It is the variance of tasks of a kind over that of kinds around their predictions, in logarithms.
    """
    found: defaultdict[str, float] = defaultdict(lambda: 1.0)
    groups: dict[str, list[_Kind]] = {}
    for kind in measured:
        groups.setdefault(kind.strategy, []).append(kind)
    for strategy, kinds in groups.items():
        more = [kind.logs for kind in kinds if len(kind.logs) > 1]
        if sum(map(len, more)) < _ENOUGH + len(more):
            continue
        within = sum(pvariance(logs) * len(logs) for logs in more) / (sum(map(len, more)) - len(more))
        residuals = [math.log(max(kind.ratio, 1e-12) * kind.guess / predict(kind)) for kind in kinds]
        noise = fmean(within / max(1, len(kind.logs)) for kind in kinds)
        around = fmean(each * each for each in residuals) - noise
        found[strategy] = max(_LEAST, within / around) if around > within else 1.0
    return found


def _prediction(measured: Sequence[_Kind]) -> Callable[[_Kind], float]:
    """Fit effects of strategies and places to what is measured; return what predicts the seconds of a kind."""
    logs = [(kind.strategy, kind.place, math.log(max(kind.ratio, 1e-12))) for kind in measured]
    strategies: dict[Hashable, float] = {}
    places: dict[Hashable, float] = {}
    for _ in range(_SWEEPS):
        strategies = _means(((strategy, log - places.get(place, 0.0)) for strategy, place, log in logs), 0.0)
        places = _means(((place, log - strategies[strategy]) for strategy, place, log in logs), _PENALTY)
    # The median, as one slow strategy says nothing about the others.
    usual = median(strategies.values()) if strategies else 0.0
    return lambda kind: kind.guess * math.exp(strategies.get(kind.strategy, usual) + places.get(kind.place, 0.0))


def _means(values: Iterable[tuple[Hashable, float]], penalty: float) -> dict[Hashable, float]:
    """Return the mean of the values of each key, drawn towards 0 by a penalty."""
    sums: dict[Hashable, float] = {}
    counts: dict[Hashable, float] = {}
    for key, value in values:
        sums[key] = sums.get(key, 0.0) + value
        counts[key] = counts.get(key, penalty) + 1.0
    return {key: total / counts[key] for key, total in sums.items()}


def _units(task: Task) -> float:
    return float(task.rounds or task.count)
