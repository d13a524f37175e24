"""What a study will cost, from a short try of every player on every game."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sidelight.results import Results
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.tasks import Task, tasks_in_random_order
from sidelight.tasks import Failure, cores, run_here

_FEW, _MANY = 16, 1_000  # rounds of the first try and, if that is over soon, of another
_SOON = 0.03  # seconds


class Cost(NamedTuple):
    """What some cases cost."""

    rounds: int
    seconds: float | None
    """Of one core; None if nothing could be tried."""
    failures: dict[Case, Failure]
    """What failed in a short try already."""

    def minutes(self, workers: int | None = None) -> float | None:
        """Return how long it takes on so many cores of this machine, by default on all."""
        return None if self.seconds is None else self.seconds / (workers or cores()) / 60


def estimate(cases: Sequence[Case]) -> Cost:
    """Try every player briefly on every game, and say what all runs of some cases will cost.

    A run of T rounds is taken to cost a + b T, with a and b from two tries; what costs more and more per round takes
    longer than that.
    """
    kinds: dict[Hashable, list[Case]] = {}
    for case in cases:
        kinds.setdefault((case.player, case.game, case.world.kind, case.horizon), []).append(case)
    groups = [(group, _try_of(group[0], _FEW), _try_of(group[0], _MANY)) for group in kinds.values()]
    found = _tried({few for _, few, _ in groups})
    found |= _tried({few for _, few, _ in groups if few.case.player.policy})  # the first of them had to compile
    found |= _tried({many for _, few, many in groups if few != many and _is_quick(found[few])})
    seconds = 0.0
    failures: dict[Case, Failure] = {}
    for group, few, many in groups:
        one = found[few]
        if isinstance(one, Failure):
            failures |= dict.fromkeys(group, one)
        else:
            seconds += sum(case.runs for case in group) * _per_run(group[0].horizon, one, found.get(many))
    rounds = sum(case.runs * case.horizon for case in cases)
    return Cost(rounds, seconds if len(failures) < len(cases) else None, failures)


def _is_quick(found: float | Failure) -> bool:
    return not isinstance(found, Failure) and found < _SOON


def _per_run(horizon: int, few: float, many: float | Failure | None) -> float:
    """Return the seconds of a run, from those of two shorter ones."""
    if horizon <= _FEW:
        return few
    if not isinstance(many, float):
        return few / _FEW * horizon
    slope = max(0.0, many - few) / (min(_MANY, horizon) - _FEW)
    return few + slope * (horizon - _FEW)


def _try_of(case: Case, rounds: int) -> Task:
    """Return one run of a case, of at most so many rounds."""
    return Task(replace(case, horizon=min(rounds, case.horizon), runs=1, checkpoints=1), 0, 1)


def _tried(tasks: Iterable[Task]) -> dict[Task, float | Failure]:
    """Return the seconds that each task takes, or why it fails."""
    found: dict[Task, float | Failure] = {}

    def finished(task: Task, result: Results | Failure) -> None:
        found[task] = result if isinstance(result, Failure) else float(result.measures["seconds"].sum())

    run_here(tasks_in_random_order(list(tasks)), finished, workers=1)
    return found
