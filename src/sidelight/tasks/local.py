"""Tasks on the cores of this machine."""

from __future__ import annotations

import heapq
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sidelight.tasks.order import in_order
from sidelight.tasks.processes import DiedError, NoProcessError, Process
from sidelight.tasks.task import Task

T = TypeVar("T", bound=Task)

# Seconds after which it is worth starting processes. Until then threads of this process do the work.
_WORTHWHILE = 2.0
# A thread that is told to stop takes less than this, unless it is preparing something. It is left to itself then, since
# only the main thread writes files.
_PATIENCE = 2.0


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """Somebody else ended the work."""


def run_here(
    tasks: Sequence[T],
    finished: Callable[[T, Any], None],
    advance: Callable[[T, int], None],
    workers: int | None = None,
    instead: Callable[[T], Any] = lambda task: None,
) -> None:
    """Perform tasks on so many cores, by default on all; call `finished` in this thread as they end.

    Short work is done by threads; work that lasts longer goes on in a process for each core, so that cores do not wait
    for each other, and tasks that are better done apart begin there (see `Where`). If a process dies, the result of its
    task is a `DiedError`, and the others go on. An error or Ctrl-C ends all tasks within a fraction of a second.

    One task of each loop comes first, then one of each kind, then the others, those first that are likely to take
    longest, as far as their kind is known. A task whose loop another worker is compiling has to wait as long as there
    are others.

    Before a task is performed, `instead` is asked, from any thread, for a result that makes this unnecessary.
    """
    queue = _Queue(tasks, max(1, min(workers or cores(), len(tasks))))
    hands = [_Worker(queue, advance, instead) for _ in range(queue.workers)]
    for hand in hands:
        hand.start()
    try:
        for _ in tasks:
            finished(*queue.next_result())
    finally:
        queue.stop.set()
        for hand in hands:
            hand.process.kill()
        end = time.monotonic() + _PATIENCE
        for hand in hands:
            hand.join(max(0.0, end - time.monotonic()))


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Kind:
    """The tasks of one kind that wait, each with its place in the order of all, and what others of them took."""

    waiting: deque[tuple[int, Task]] = field(default_factory=deque)
    is_new: bool = True
    done: int = 0
    seconds: float = 0.0

    @property
    def urgency(self) -> tuple[bool, float, int]:
        """When its next task is due, compared with those of other kinds."""
        return not self.is_new, -self.seconds / self.done if self.done else 0.0, self.waiting[0][0]


class _Queue:
    """Tasks to do and results to fetch, shared by threads."""

    def __init__(self, tasks: Sequence[Task], workers: int) -> None:
        self._kinds: dict[Hashable, _Kind] = {}
        for place, task in enumerate(in_order(tasks)):
            self._kinds.setdefault(_key(task), _Kind()).waiting.append((place, task))
        # Kinds by urgency, some of them more than once: only what is still true counts.
        self._urgent = [(kind.urgency, key) for key, kind in self._kinds.items()]
        heapq.heapify(self._urgent)
        self._begun: set[Hashable] = set()  # loops that some worker has come across
        self._compiling: set[Hashable] = set()
        self.workers = workers
        self.stop = threading.Event()
        self.no_processes = threading.Event()
        self._lock = threading.Condition()
        self._results: deque[Any] = deque()

    def take(self) -> Task | None:
        """Return what is to be done next; None if there is nothing left."""
        with self._lock:
            if (key := self._most_urgent()) is None:
                return None
            kind = self._kinds[key]
            _, task = kind.waiting.popleft()
            kind.is_new = False
            self._push(key)
            if task.kernel not in self._begun:
                self._begun.add(task.kernel)
                self._compiling.add(task.kernel)
            return task

    def _most_urgent(self) -> Hashable | None:
        """Take out the most urgent kind, if possible one whose loop nobody is compiling."""
        aside = []
        found = None
        while self._urgent and found is None:
            urgency, key = heapq.heappop(self._urgent)
            kind = self._kinds[key]
            if not kind.waiting or kind.urgency != urgency:
                continue
            if kind.waiting[0][1].kernel in self._compiling:
                aside.append((urgency, key))
            else:
                found = key
        if found is None and aside:
            _, found = aside.pop(0)
        for entry in aside:
            heapq.heappush(self._urgent, entry)
        return found

    def _push(self, key: Hashable) -> None:
        if self._kinds[key].waiting:
            heapq.heappush(self._urgent, (self._kinds[key].urgency, key))

    def compiled(self, task: Task) -> None:
        """Hear that the loop of a task runs."""
        if task.kernel in self._compiling:
            with self._lock:
                self._compiling.discard(task.kernel)

    def give(self, task: Task, result: Any, seconds: float | None) -> None:
        """Hand over a task with its result, or an error that ends all work; say how long it took, if it did."""
        self.compiled(task)
        with self._lock:
            if seconds is not None:
                kind = self._kinds[_key(task)]
                kind.done += 1
                kind.seconds += seconds
                self._push(_key(task))
            self._results.append((task, result))
            self._lock.notify()

    def next_result(self) -> tuple[Any, Any]:
        """Wait for the next finished task; raise what a thread raised."""
        with self._lock:
            # In slices: on some platforms a thread that waits without a timeout does not notice Ctrl-C.
            while not self._results:
                self._lock.wait(0.2)
            task, result = self._results.popleft()
        if isinstance(result, BaseException) and not isinstance(result, DiedError):
            raise result
        return task, result


def _key(task: Task) -> Hashable:
    return task.kind, task.kernel


class _Worker(threading.Thread):
    """Does tasks, in this process or in one of its own, until there are none or until it is time to stop."""

    def __init__(self, queue: _Queue, advance: Callable[[Any, int], None], instead: Callable[[Any], Any]) -> None:
        super().__init__(daemon=True)
        self._queue, self._advance, self._instead = queue, advance, instead
        self._started_at = time.monotonic()
        self.process = Process()

    def run(self) -> None:
        """Do tasks."""
        while not self._queue.stop.is_set() and (task := self._queue.take()) is not None:
            result: Any
            begun = None
            try:
                if (result := self._instead(task)) is None:
                    begun = time.monotonic()
                    result = self._perform(task)
            except Stopped:
                break
            except BaseException as error:
                result = error
            self._queue.give(task, result, None if begun is None else time.monotonic() - begun)
        self.process.end()

    def _perform(self, task: Task) -> Any:
        listener = _Listener(task, self._queue, self._advance)
        late = time.monotonic() - self._started_at > _WORTHWHILE
        if (task.where == "apart" or (task.where == "anywhere" and late)) and not self._queue.no_processes.is_set():
            try:
                return self.process.perform(task, listener)
            except NoProcessError:
                self._queue.no_processes.set()
        if self._queue.stop.is_set():
            raise Stopped
        return task.perform(listener)


class _Listener:
    """Passes progress on, and ends the task once the others have stopped."""

    def __init__(self, task: Any, queue: _Queue, advance: Callable[[Any, int], None]) -> None:
        self._task, self._queue, self._advance = task, queue, advance

    def advance(self, count: int) -> None:
        """Hear of finished rounds."""
        if self._queue.stop.is_set():
            raise Stopped
        if count:
            self._queue.compiled(self._task)
        self._advance(self._task, count)
