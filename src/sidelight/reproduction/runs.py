"""Run the studies behind the paper's numbers, and run again what looks different.

Work that is already on disk is not repeated, unless it is damaged or was made by other code. A number that lies
outside two standard errors gets ten times the runs before it may be called different.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sidelight.errors import SidelightError
from sidelight.reproduction.exhibit import RUNS, SLOW, Exhibit, Profile
from sidelight.reproduction.verdicts import Part, judge, needs_second_look
from sidelight.results import Results, ResultSet
from sidelight.studies import Study
from sidelight.studies.execution import Crew, Display, Execution, Groups
from sidelight.studies.plan import Cell, cells
from sidelight.studies.standings import labels_of
from sidelight.studies.store import KEPT, State, Store
from sidelight.studies.work import Task, tasks
from sidelight.tasks import Share

SECOND_LOOK = 10 * RUNS
"""How many runs a number gets that looks different, before anybody looks for a reason."""


class Reproduction:
    """Tables and figures of the paper under one or two profiles, and the store of their runs."""

    def __init__(self, exhibits: Sequence[Exhibit], profiles: Sequence[Profile], store: Store) -> None:
        self.exhibits, self.profiles, self.store = exhibits, profiles, store
        self._more: dict[Cell, int] = {}  # runs, where there was a second look

    def studies(self, exhibits: Iterable[Exhibit] | None = None) -> list[Study]:
        """Return the studies of some tables and figures, or of all."""
        chosen = self.exhibits if exhibits is None else exhibits
        return [study for exhibit in chosen for profile in self.profiles for study in exhibit.studies(profile)]

    def cells(self, exhibits: Iterable[Exhibit] | None = None) -> list[Cell]:
        """Return the cells of some tables and figures, or of all; each once, even if several of them show it."""
        return list(dict.fromkeys(cell for study in self.studies(exhibits) for cell in cells(study)))

    def tasks(self, exhibits: Iterable[Exhibit] | None = None) -> list[Task]:
        """Return the tasks of some tables and figures, or of all, without second looks."""
        return [task for cell in self.cells(exhibits) for task in tasks(cell)]

    def run(self, crew: Crew, display: Display, share: Share | None = None) -> float:
        """Run unfinished tasks, or one share of them; return the seconds it took.

        Which tasks belong to a share depends only on the choice, not on what is done already.
        """
        every = self.tasks()
        mine = set(every if share is None else share.of(every))
        groups = [(each.name, [task for task in self.tasks([each]) if task in mine]) for each in self.exhibits]
        return self._do([task for task in every if task in mine], groups, crew, display)

    def look_again(self, crew: Crew, display: Display) -> float:
        """Run more runs of numbers that look different; return the seconds it took."""
        groups = []
        for exhibit in self.exhibits:
            parts = self.tables([exhibit])
            doubtful = {number.labels for part in parts for number in part.numbers if needs_second_look(number)}
            again = [
                cell
                for cell in self.cells([exhibit])
                if labels_of(cell) in doubtful and cell.runs < SECOND_LOOK and cell.player.name not in SLOW
            ]
            self._more |= dict.fromkeys(again, SECOND_LOOK)
            work = [task for cell in again for task in tasks(cell, SECOND_LOOK)]
            groups += [(f"{exhibit.name}, second look", work)] if work else []
        every = list(dict.fromkeys(task for _, group in groups for task in group))
        return self._do(every, groups, crew, display) if every else 0.0

    def missing(self) -> list[Task]:
        """Return the tasks whose results are missing or damaged."""
        states = self.store.states(self.tasks(), thorough=True)
        return [task for task, state in states.items() if state is not State.READY]

    def tables(self, exhibits: Sequence[Exhibit] | None = None) -> list[Part]:
        """Judge the numbers of some tables, or of all."""
        return [
            Part(
                exhibit,
                profile.protocol,
                [
                    number
                    for study in exhibit.studies(profile)
                    for number in judge(exhibit, study, profile.protocol, self.results(study))
                ],
            )
            for exhibit in (self.exhibits if exhibits is None else exhibits)
            if exhibit.is_table
            for profile in self.profiles
        ]

    def results(self, study: Study) -> ResultSet:
        """Return the results of a study in the order of its players, the runs of second looks included."""
        order = [player.label for player in study.players]
        return self.results_of(sorted(cells(study), key=lambda cell: order.index(cell.player.label)))

    def results_of(self, found: Iterable[Cell]) -> ResultSet:
        """Return the results of some cells."""
        return ResultSet((labels_of(cell), self._reader(cell)) for cell in found)

    def runs(self, cell: Cell) -> int:
        """Return how many runs of a cell there are."""
        return self._more.get(cell, cell.runs)

    def _reader(self, cell: Cell) -> Callable[[], Results]:
        return lambda: self.store.gather(tasks(cell, self.runs(cell)))

    def _do(self, tasks: Sequence[Task], groups: Groups, crew: Crew, display: Display) -> float:
        """Run unfinished tasks; return the seconds it took, 0 if there were none."""
        done = Execution(self.store, crew, display).do(tasks, groups, thorough=True)
        for cell, failure in done.failures.items():
            raise SidelightError(f"{cell.title} failed ({failure.reason}). {KEPT}\n{failure.traceback}")
        return done.seconds
