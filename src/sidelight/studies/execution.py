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
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.results.sealed import Sealed
from sidelight.studies.guard import Abandoned, Failure
from sidelight.studies.plan import Cell
from sidelight.studies.store import KEPT, State, Store
from sidelight.studies.work import Task
from sidelight.tasks import Advancing, Runner, TaskError
from sidelight.text import count

_WAIT = 1.0  # seconds between two looks at what another process is doing

Groups = Sequence[tuple[str, Sequence[Task]]]
"""The parts of the work that people hear about, each with all of its tasks."""


class Display(typing.Protocol):
    """Whoever is told how the work goes."""

    def begin(self, groups: Groups, pending: Sequence[Task]) -> None:
        """Hear which tasks each part of the work needs, and which of them are still to be done."""

    def advance(self, task: Task, rounds: int) -> None:
        """Hear of finished rounds, from any thread."""

    def finished(self, task: Task, seconds: float | None) -> None:
        """Hear that a task is over, and how long one core took for it.

        None means that another process did it, or that it was not tried because its cell had failed.
        """

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

    def finished(self, task: Task, seconds: float | None) -> None:
        """Do nothing."""

    def failed(self, task: Task, failure: Failure) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def end(self) -> None:
        """Do nothing."""


class Crew(NamedTuple):
    """Who does the work, and whether it is done by threads of this process."""

    runner: Runner
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


@dataclass(frozen=True)
class _Shared:
    """A task that other processes may want to do, too."""

    task: Task
    store: Store = field(compare=False)
    claims: _Claims = field(compare=False)

    @property
    def title(self) -> str:
        return self.task.title

    @property
    def seconds(self) -> float:
        return self.task.seconds

    @property
    def rounds(self) -> int:
        return self.task.rounds

    @property
    def costly(self) -> bool:
        return self.task.costly

    @property
    def kernel(self) -> Any:
        return self.task.kernel

    @property
    def kind(self) -> Any:
        return self.task.kind

    def perform(self, progress: Advancing | bool = False) -> Any:
        """Do it, unless another process has done it or is at it."""
        if self.store.has(self.task):
            return _Elsewhere(True)
        if not self.claims.take(self.task):
            return _Elsewhere(False)
        # Another process may have finished it just before.
        return _Elsewhere(True) if self.store.has(self.task) else self.task.perform(progress)


class Execution:
    """Does tasks and keeps what they return."""

    def __init__(self, store: Store, crew: Crew, display: Display) -> None:
        self.store, self.crew, self.display = store, crew, display
        self._done = Done()
        self._busy: list[Task] = []
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
        while waiting:
            self._busy = []
            given = [_Shared(task, self.store, self._claims) for task in waiting] if self.crew.here else waiting
            self.crew.runner(given, self._finished, self._advance)
            waiting = self._busy
            if waiting:
                time.sleep(_WAIT)

    def _advance(self, given: Any, rounds: int) -> None:
        task = given.task if isinstance(given, _Shared) else given
        if task.cell in self._done.failures:
            raise Abandoned
        self.display.advance(task, rounds)

    def _finished(self, given: Any, result: Any) -> None:
        task: Task = given.task if isinstance(given, _Shared) else given
        if isinstance(result, _Elsewhere):
            if result.done:
                self._claims.give_back(task)
                self.display.finished(task, None)
            else:
                self._busy.append(task)
            return
        self._keep(task, result)
        self._claims.give_back(task)

    def _keep(self, task: Task, result: Sealed | Failure) -> None:
        if isinstance(result, Failure):
            if task.cell in self._done.failures:
                self.display.finished(task, None)
            else:
                self._done.failures[task.cell] = result
                self.display.failed(task, result)
            return
        self.store.keep(task, result)
        self._done.ran.append(task)
        self.display.finished(task, float(result.arrays["seconds"].sum()))
