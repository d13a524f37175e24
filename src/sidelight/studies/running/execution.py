"""Run unfinished tasks and store their results.

A task that fails is reported, and the others go on. Several processes may work in one folder, each in an order of its
own; a task that two of them begin at the same time is done twice, with the same results.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.results import Results
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.tasks import CaseTask, shuffle_case_tasks
from sidelight.studies.store.store import KEPT, OtherCodeError, State, Store
from sidelight.tasks import Failure, TaskError
from sidelight.tasks.display import Display
from sidelight.text import count

_SAME = "all workers need the same versions of sidelight, NumPy and SciPy as this process, and of your own modules"
_DONE_ELSEWHERE = object()
"""In place of results that another process has stored."""


class Crew(NamedTuple):
    """Who does the work, and whether that is this machine, where other processes may work in the same folder."""

    runner: Callable[..., None]
    here: bool


@dataclass
class Done:
    """What was done."""

    seconds: float = 0.0
    """How long it took; 0 if there was nothing to do."""
    ran: list[CaseTask] = field(default_factory=list)
    again: list[CaseTask] = field(default_factory=list)
    """Tasks that were there already, but damaged or from other code or parameters."""
    failures: dict[Case, Failure] = field(default_factory=dict)


class TaskExecution:
    """Performs tasks and stores their results."""

    def __init__(self, store: Store, crew: Crew, display: Display) -> None:
        self.store, self.crew, self.display = store, crew, display
        self._done = Done()
        self._stale: set[CaseTask] = set()

    def do(self, tasks: Sequence[CaseTask], title: str = "", thorough: bool = False) -> Done:
        """Run the tasks without stored results; if `thorough`, stored files are read and checked."""
        self._done = Done()
        states = self.store.states(tasks, thorough)
        for state, why in ((State.DAMAGED, "damaged"), (State.STALE, "from other code or parameters")):
            found = [task for task, each in states.items() if each is state]
            if found:
                verb = "were" if len(found) > 1 else "was"
                self.display.note(f"{count(len(found), 'stored piece')} of work {verb} {why} and will be done again")
            self._done.again += found
            for task in found if state is State.DAMAGED else []:
                self.store.remove(task)
        self._stale = {task for task, state in states.items() if state is State.STALE}
        pending = [task for task, state in states.items() if state is not State.READY]
        started = time.perf_counter()
        self.display.begin(title, len(tasks), len(pending))
        try:
            options = {"instead": self._instead} if self.crew.here else {}
            self.crew.runner(shuffle_case_tasks(pending), self._finished, **options)
        except TaskError as error:
            raise SidelightError(f"{error}. {KEPT}") from error
        finally:
            self.display.end()
        self._done.seconds = time.perf_counter() - started if pending else 0.0
        return self._done

    def _instead(self, task: CaseTask) -> Any:
        """Return a reason to skip a task: other runs of its case failed, or another process has done it."""
        if task.case in self._done.failures:
            return Failure("not tried, as other runs of the same case failed")
        return _DONE_ELSEWHERE if self.store.has(task) else None

    def _finished(self, task: CaseTask, result: Any) -> None:
        if isinstance(result, Results):
            result = self._kept(task, result)
        if isinstance(result, Failure) and task.case not in self._done.failures:
            self._done.failures[task.case] = result
            self.display.failed(task, result)
        self.display.finished(task)

    def _kept(self, task: CaseTask, result: Results) -> Results | Failure:
        """Store results; return the failure if they cannot be used."""
        try:
            self.store.keep(task, result)
        except OtherCodeError as error:
            if not self.crew.here:
                raise SidelightError(f"{error}: {_SAME}") from None
            return Failure("its sources were edited while the study was running")
        if task in self._stale:
            self.store.remove_former(task)
        self._done.ran.append(task)
        return result
