"""The whole reproduction: from a choice of experiments to finished runs, second looks and verdicts.

Work that is already on disk is not repeated, unless it is damaged or was made by other code. A number that lies
outside two standard errors gets ten times the runs before it may be called different.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sidelight.errors import SidelightError
from sidelight.reproduction import judgment, plan
from sidelight.reproduction.account import Part
from sidelight.reproduction.experiment import Condition, Experiment, Protocol
from sidelight.reproduction.plan import Profile
from sidelight.results import Results
from sidelight.studies.execution import Crew, Display, Execution, Groups
from sidelight.studies.store import KEPT, State, Store
from sidelight.studies.work import Task, tasks
from sidelight.tasks import Share

_MEMORY = 1 << 28  # bytes of runs that are kept at hand; more are read from disk again


class Choice(NamedTuple):
    """What to reproduce."""

    experiments: Sequence[Experiment]
    protocols: Sequence[Protocol]
    profile: Profile

    def tasks(self, experiments: Sequence[Experiment] | None = None) -> list[Task]:
        """Return all tasks of some experiments, or of all, each once."""
        chosen = self.experiments if experiments is None else experiments
        found = plan.conditions(chosen, self.protocols, self.profile)
        return list(dict.fromkeys(task for condition in found for task in self.tasks_of(condition)))

    def tasks_of(self, condition: Condition, runs: int | None = None) -> list[Task]:
        """Return the tasks of a condition: those of the profile, or enough for this many runs."""
        return tasks(plan.cell(condition, self.profile), runs, condition.seconds_per_run)


class Reproduction:
    """The finished runs of a choice, and the verdicts that follow."""

    def __init__(self, choice: Choice, store: Store) -> None:
        self.choice, self.store = choice, store
        self._runs: dict[Condition, int] = {}  # more than the profile's, where there was a second look
        self._results: dict[tuple[Condition, int], Results] = {}

    def run(self, crew: Crew, display: Display, share: Share | None = None) -> float:
        """Do the missing work, or one share of it; return the seconds it took.

        Which tasks belong to a share depends only on the choice, not on what is done already.
        """
        groups = [(experiment.name, self.choice.tasks([experiment])) for experiment in self.choice.experiments]
        every = self.choice.tasks()
        if share is not None:
            mine = set(share.of(every))
            every = [task for task in every if task in mine]
            groups = [(name, [task for task in group if task in mine]) for name, group in groups]
        return self._do(every, groups, crew, display)

    def look_again(self, crew: Crew, display: Display) -> float:
        """Give numbers that look different more runs; return the seconds it took."""
        doubtful: dict[str, list[Condition]] = {}
        for table in self.tables():
            for condition in self._doubtful(table):
                self._runs[condition] = self.choice.profile.rerun_of(condition)
                doubtful.setdefault(table.name, []).append(condition)
        groups = [
            (
                f"{name}, second look",
                [task for condition in found for task in self.choice.tasks_of(condition, self._runs[condition])],
            )
            for name, found in doubtful.items()
        ]
        every = list(dict.fromkeys(task for _, group in groups for task in group))
        return self._do(every, groups, crew, display) if every else 0.0

    def missing(self) -> list[Task]:
        """Return the tasks of the choice that are not on disk, or not whole."""
        states = self.store.states(self.choice.tasks(), thorough=True)
        return [task for task, state in states.items() if state is not State.READY]

    def tables(self) -> list[Part]:
        """Return all tables with verdicts."""
        profile = self.choice.profile
        return [
            Part(experiment, protocol, judgment.judge(experiment, protocol, profile, self.results))
            for experiment in self.choice.experiments
            if experiment.is_table
            for protocol in self.choice.protocols
        ]

    def results(self, condition: Condition) -> Results:
        """Return the runs of a condition, those of a second look included."""
        runs = self.runs(condition)
        if (condition, runs) not in self._results:
            if sum(results.regret.nbytes for results in self._results.values()) > _MEMORY:
                self._results.clear()
            self._results[condition, runs] = self.store.gather(self.choice.tasks_of(condition, runs))
        return self._results[condition, runs]

    def runs(self, condition: Condition) -> int:
        """Return how many runs of a condition there are."""
        return self._runs.get(condition, self.choice.profile.runs_of(condition))

    def _doubtful(self, table: Part) -> list[Condition]:
        """Return the conditions behind numbers that need a second look."""
        doubtful = {(number.setting, number.label) for number in table.numbers if judgment.needs_rerun(number)}
        profile = self.choice.profile
        return [
            line.condition
            for line in plan.lines(table.experiment, table.protocol, profile)
            if (line.section.setting.title, line.player.name) in doubtful
            and profile.rerun_of(line.condition) > profile.runs_of(line.condition)
        ]

    def _do(self, tasks: Sequence[Task], groups: Groups, crew: Crew, display: Display) -> float:
        """Do the tasks that are not on disk; return the seconds it took, 0 if there were none."""
        done = Execution(self.store, crew, display).do(tasks, groups, thorough=True)
        for cell, failure in done.failures.items():
            raise SidelightError(f"{cell.title} failed ({failure.reason}). {KEPT}\n{failure.traceback}")
        return done.seconds
