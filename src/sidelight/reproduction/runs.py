"""Run the studies behind the paper's numbers, and run again what looks different.

Work that is already on disk is not repeated, unless it is damaged or was made by other code. A number that lies
outside two standard errors gets ten times the runs before it may be called different.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sidelight.errors import SidelightError
from sidelight.reproduction.exhibit import RUNS, SLOW, Exhibit, Profile
from sidelight.reproduction.verdicts import (
    ReproducedNumber,
    ReproducedPart,
    judge_reproduced_numbers,
    needs_second_look,
)
from sidelight.results import Results, ResultSet
from sidelight.studies import Study
from sidelight.studies.plan.cases import Case, plan_cases
from sidelight.studies.plan.tasks import CaseTask, split_cases_into_tasks
from sidelight.studies.reporting.standings import labels_of_case
from sidelight.studies.running.execution import Crew, TaskExecution
from sidelight.studies.store.store import KEPT, State, Store
from sidelight.tasks import Share
from sidelight.tasks.display import Display

SECOND_LOOK = 10 * RUNS
"""How many runs a number gets that looks different, before anybody looks for a reason."""


class Reproduction:
    """Tables and figures of the paper under one or two profiles, and the store of their runs."""

    def __init__(self, exhibits: Sequence[Exhibit], profiles: Sequence[Profile], store: Store) -> None:
        self.exhibits, self.profiles, self.store = exhibits, profiles, store
        self._more: dict[Case, int] = {}  # runs, where there was a second look

    def cases(self) -> list[Case]:
        """Return the cases of all tables and figures, each once, even if several of them show it."""
        studies = [study for each in self.exhibits for profile in self.profiles for study in each.studies(profile)]
        return list(dict.fromkeys(case for study in studies for case in plan_cases(study)))

    def tasks(self) -> list[CaseTask]:
        """Return the tasks of all tables and figures, without second looks."""
        return [task for case in self.cases() for task in split_cases_into_tasks(case)]

    def run(self, crew: Crew, display: Display, share: Share | None = None) -> float:
        """Run unfinished tasks, or one share of them; return the seconds it took.

        Which tasks belong to a share depends only on the choice, not on what is done already.
        """
        every = self.tasks()
        return self._do(every if share is None else share.of(every), "reproduction", crew, display)

    def look_again(self, crew: Crew, display: Display) -> float:
        """Run more runs of numbers that look different; return the seconds it took."""
        doubtful = {number.labels for table in self.tables() for number in table.numbers if needs_second_look(number)}
        again = [
            case
            for case in self.cases()
            if labels_of_case(case) in doubtful and case.runs < SECOND_LOOK and case.player.name not in SLOW
        ]
        self._more |= dict.fromkeys(again, SECOND_LOOK)
        work = [task for case in again for task in split_cases_into_tasks(case, SECOND_LOOK)]
        return self._do(work, "second look", crew, display) if work else 0.0

    def missing(self) -> list[CaseTask]:
        """Return the tasks whose results are missing or damaged."""
        states = self.store.states(self.tasks(), thorough=True)
        return [task for task, state in states.items() if state is not State.READY]

    def tables(self) -> list[ReproducedPart]:
        """Judge the numbers of all tables."""
        return [
            ReproducedPart(exhibit, profile.protocol, self._numbers(exhibit, profile))
            for exhibit in self.exhibits
            if exhibit.is_table
            for profile in self.profiles
        ]

    def _numbers(self, exhibit: Exhibit, profile: Profile) -> list[ReproducedNumber]:
        parts = (
            judge_reproduced_numbers(exhibit, study, profile.protocol, self.results(study))
            for study in exhibit.studies(profile)
        )
        return [number for part in parts for number in part]

    def results(self, study: Study) -> ResultSet:
        """Return the results of a study, the runs of second looks included."""
        return self.results_of(plan_cases(study))

    def results_of(self, found: Iterable[Case]) -> ResultSet:
        """Return the results of some cases."""
        return ResultSet((labels_of_case(case), self._reader(case)) for case in found)

    def runs(self, case: Case) -> int:
        """Return how many runs of a case there are."""
        return self._more.get(case, case.runs)

    def _reader(self, case: Case) -> Callable[[], Results]:
        return lambda: self.store.gather(split_cases_into_tasks(case, self.runs(case)))

    def _do(self, tasks: Sequence[CaseTask], title: str, crew: Crew, display: Display) -> float:
        """Run unfinished tasks; return the seconds it took, 0 if there were none."""
        done = TaskExecution(self.store, crew, display).do(tasks, title, thorough=True)
        for case, failure in done.failures.items():
            raise SidelightError(f"{case.title} failed ({failure.reason}). {KEPT}\n{failure.traceback}")
        return done.seconds
