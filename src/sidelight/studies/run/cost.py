"""What a study will cost, from a short try of every player on every game."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import NamedTuple

from sidelight.results import Results
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.tasks import Task
from sidelight.tasks import Failure, cores, run_here

_FEW, _MANY = 16, 2_000  # rounds of the first try and, if that is over soon, of another
_SOON = 0.01  # seconds


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


def estimate(cases: Iterable[Case]) -> Cost:
    """Try every player briefly on every game, and say what all runs of some cases will cost.

    A run of T rounds is taken to cost a + b T, with a and b from two tries; what costs more and more per round takes
    longer than that.
    """
    kinds: dict[Hashable, list[Case]] = {}
    for case in cases:
        kinds.setdefault((case.player, case.game, case.world.kind, case.horizon), []).append(case)
    found = {kind: group[0] for kind, group in kinds.items()}
    first = _tried(found, _FEW)
    quick = [kind for kind, each in first.items() if isinstance(each, float) and each < _SOON]
    more = _tried({kind: found[kind] for kind in quick}, _MANY)
    seconds = []
    failures: dict[Case, Failure] = {}
    for kind, group in kinds.items():
        one = first[kind]
        if isinstance(one, Failure):
            failures |= dict.fromkeys(group, one)
        else:
            seconds.append(sum(case.runs for case in group) * _per_run(group[0].horizon, one, more.get(kind)))
    rounds = sum(case.runs * case.horizon for group in kinds.values() for case in group)
    return Cost(rounds, sum(seconds) if seconds else None, failures)


def _per_run(horizon: int, few: float, many: float | Failure | None) -> float:
    """Return the seconds of a run, from those of two shorter ones."""
    if horizon <= _FEW:
        return few
    if not isinstance(many, float):
        return few / _FEW * horizon
    slope = max(0.0, many - few) / (min(_MANY, horizon) - _FEW)
    return few + slope * (horizon - _FEW)


def _tried(cases: dict[Hashable, Case], rounds: int) -> dict[Hashable, float | Failure]:
    """Play one run of each case, of at most so many rounds; return the seconds it took, or why it failed."""
    found: dict[Hashable, float | Failure] = {}
    tasks = {
        Task(replace(case, horizon=min(rounds, case.horizon), runs=1, checkpoints=1), 0, 1): kind
        for kind, case in cases.items()
    }

    def finished(task: Task, result: Results | Failure) -> None:
        found[tasks[task]] = result if isinstance(result, Failure) else float(result.seconds or 0.0)

    run_here(list(tasks), finished, workers=1)
    return found
