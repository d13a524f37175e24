"""What a study will cost, from a short try of every player on every game."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from sidelight.results import Results
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.tasks import CaseTask, shuffle_case_tasks
from sidelight.tasks import Failure, cores, run_here

_ROUNDS = 200  # of a try


class StudyCost(NamedTuple):
    """What some cases cost."""

    rounds: int
    seconds: float | None
    """Of one core; None if nothing could be tried."""
    failures: dict[Case, Failure]
    """What failed in a short try already."""

    def minutes(self, workers: int | None = None) -> float | None:
        """Return how long it takes on so many cores of this machine, by default on all."""
        return None if self.seconds is None else self.seconds / (workers or cores()) / 60


def estimate_running_cost(cases: Sequence[Case]) -> StudyCost:
    """Try every player briefly on every game, and extrapolate the cost of all runs of some cases.

    All rounds are taken to cost alike; what costs more and more per round takes longer than that.
    """
    kinds: dict[Hashable, list[Case]] = {}
    for case in cases:
        kinds.setdefault((case.player, case.game, case.world.kind, case.horizon), []).append(case)
    groups = [(group, _short_trial_run_of_case(group[0])) for group in kinds.values()]
    found = _time_trial_runs({task for _, task in groups})
    # Of policies, the first one had to compile.
    found |= _time_trial_runs({task for _, task in groups if task.case.player.policy})
    seconds = 0.0
    failures: dict[Case, Failure] = {}
    for group, task in groups:
        one = found[task]
        if isinstance(one, Failure):
            failures |= dict.fromkeys(group, one)
        else:
            seconds += sum(case.runs for case in group) * one * max(1, group[0].horizon) / max(1, task.case.horizon)
    rounds = sum(case.runs * case.horizon for case in cases)
    return StudyCost(rounds, seconds if len(failures) < len(cases) else None, failures)


def _short_trial_run_of_case(case: Case) -> CaseTask:
    """Return one short run of a case."""
    return CaseTask(replace(case, horizon=min(_ROUNDS, case.horizon), runs=1, checkpoints=1), 0, 1)


def _time_trial_runs(tasks: Iterable[CaseTask]) -> dict[CaseTask, float | Failure]:
    """Return the seconds that each task takes, or why it fails."""
    found: dict[CaseTask, float | Failure] = {}

    def finish_trial_run(task: CaseTask, result: Results | Failure) -> None:
        found[task] = result if isinstance(result, Failure) else float(result.measures["seconds"].sum())

    run_here(shuffle_case_tasks(list(tasks)), finish_trial_run, workers=1)
    return found
