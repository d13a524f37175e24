"""Doing what is not done yet, and keeping it, whatever happens: to other pieces, to this process, beside another one.

A piece of work that fails is told of and not kept; the others go on. Several processes may work in one folder: each
piece is done by the one that claims it first.
"""

from __future__ import annotations

import threading
import time
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sidelight.errors import SidelightError
from sidelight.results import Results
from sidelight.studies.guard import Failure
from sidelight.studies.plan import Cell
from sidelight.studies.store import KEPT, OtherSourcesError, State, Store
from sidelight.studies.work import Spent, Task
from sidelight.tasks import DiedError, TaskError
from sidelight.text import count

_SAME = "all workers need the same versions of sidelight, NumPy and SciPy as this process, and of your own modules"
_WAIT = 1.0  # seconds between two looks at what another process is doing

Groups = Sequence[tuple[str, Sequence[Task]]]
"""The parts of the work that people hear about, each with all of its tasks."""


class Display(typing.Protocol):
    """Whoever is told how the work goes."""

    def begin(self, groups: Groups, pending: Sequence[Task]) -> None:
        """Hear which tasks each part of the work needs, and which of them are still to be done."""

    def advance(self, task: Task, rounds: int) -> None:
        """Hear of finished rounds, from any thread."""

    def finished(self, task: Task, spent: Spent | None) -> None:
        """Hear that a task is over, and how long it took.

        None means that another process did it.
        """

    def dropped(self, task: Task) -> None:
        """Hear that a task will not be done, because another one of its cell failed."""

    def failed(self, task: Task, failure: Failure) -> None:
        """Hear that a task failed, the first of its cell."""

    def note(self, text: str) -> None:
        """Hear something that people should know."""

    def end(self) -> None:
        """Hear that nothing more will come, because all is done or because it was interrupted."""


class Silence:
    """A display that shows nothing."""

    def begin(self, groups: Groups, pending: Sequence[Task]) -> None:
        """Do nothing."""

    def advance(self, task: Task, rounds: int) -> None:
        """Do nothing."""

    def finished(self, task: Task, spent: Spent | None) -> None:
        """Do nothing."""

    def dropped(self, task: Task) -> None:
        """Do nothing."""

    def failed(self, task: Task, failure: Failure) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class Crew(NamedTuple):
    """Who does the work, and whether that is this machine, where `run_here` shares it with other processes."""

    runner: Callable[..., None]
    here: bool


@dataclass
class Done:
    """What became of some work."""

    seconds: float = 0.0
    """How long it took; 0 if there was nothing to do."""
    ran: list[Task] = field(default_factory=list)
    """What was done now."""
    again: list[Task] = field(default_factory=list)
    """Those of them that were there already, but damaged or from other code or parameters."""
    failures: dict[Cell, Failure] = field(default_factory=dict)


class _Claims:
    """What this process has claimed and not given back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._held: dict[Task, Callable[[], None]] = {}
        self._lock = threading.Lock()

    def take(self, task: Task) -> bool:
        """Claim a task; False if another process is at it."""
        give_back = self._store.claim(task)
        if give_back is None:
            return False
        with self._lock:
            self._held[task] = give_back
        return True

    def give_back(self, task: Task) -> None:
        """Give a claim back, if there is one."""
        with self._lock:
            give_back = self._held.pop(task, None)
        if give_back is not None:
            give_back()

    def give_all_back(self) -> None:
        """Give everything back, as after an interruption."""
        for task in list(self._held):
            self.give_back(task)


class _Elsewhere(NamedTuple):
    """Another process has done a task, or is at it."""

    done: bool


class Execution:
    """Does tasks and keeps what they return."""

    def __init__(self, store: Store, crew: Crew, display: Display) -> None:
        self.store, self.crew, self.display = store, crew, display
        self._done = Done()
        self._busy: list[Task] = []
        self._stale: set[Task] = set()
        self._claims = _Claims(store)

    def do(self, tasks: Sequence[Task], groups: Groups, thorough: bool = False) -> Done:
        """Do those of the tasks that are not on disk; if `thorough`, files that are there are read and checked."""
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
        self.display.begin(groups, pending)
        try:
            self._do_all(pending)
        except TaskError as error:
            raise SidelightError(f"{error}. {KEPT}") from error
        finally:
            self._claims.give_all_back()
            self.display.end()
        self._done.seconds = time.perf_counter() - started if pending else 0.0
        return self._done

    def _do_all(self, pending: Sequence[Task]) -> None:
        """Do tasks, and then those that another process gave up."""
        waiting = list(pending)
        options = {"instead": self._instead} if self.crew.here else {}
        while waiting:
            self._busy = []
            self.crew.runner(waiting, self._finished, self.display.advance, **options)
            waiting = self._busy
            if waiting:
                time.sleep(_WAIT)

    def _instead(self, task: Task) -> Failure | _Elsewhere | None:
        """Claim a task; if it is not to be done here, return why."""
        if task.cell in self._done.failures:
            return Failure("not tried, as other runs of the same cell failed", "")
        if self.store.has(task):
            return _Elsewhere(done=True)
        if not self._claims.take(task):
            return _Elsewhere(done=False)
        # Another process may have finished it just before.
        return _Elsewhere(done=True) if self.store.has(task) else None

    def _finished(self, task: Task, result: Results | Failure | DiedError | _Elsewhere) -> None:
        if isinstance(result, _Elsewhere) and not result.done:
            self._busy.append(task)
            return
        if isinstance(result, _Elsewhere):
            self.display.finished(task, None)
        elif isinstance(result, DiedError):
            self._fail(task, Failure(str(result), ""))
        elif isinstance(result, Failure):
            self._fail(task, result)
        else:
            self._keep(task, result)
        self._claims.give_back(task)

    def _fail(self, task: Task, why: Failure) -> None:
        if task.cell in self._done.failures:
            self.display.dropped(task)
        else:
            self._done.failures[task.cell] = why
            self.display.failed(task, why)

    def _keep(self, task: Task, result: Results) -> None:
        try:
            self.store.keep(task, result)
        except OtherSourcesError as error:
            if not self.crew.here:
                raise SidelightError(f"a worker returned {error} for {task.cell.title}: {_SAME}") from None
            self._fail(task, Failure(f"its sources were edited while the study was running ({error})", ""))
            return
        if task in self._stale:
            self.store.remove_former(task)
        self._done.ran.append(task)
        self.display.finished(task, Spent(result.seconds or 0.0, result.fact("compiling") or 0.0))
