"""Tasks on the cores of this machine."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sidelight.tasks.order import in_order
from sidelight.tasks.task import Task

T = TypeVar("T", bound=Task)

# A thread that is told to stop takes less than this, unless it is preparing something. It is left to itself then, since
# only the main thread writes files.
_PATIENCE = 2.0


class Stopped(Exception):  # noqa: N818 - nothing went wrong
    """Somebody else ended the work."""


class _Watched:
    """Passes progress on, and ends the task once the others have stopped."""

    def __init__(self, task: Any, stop: threading.Event, advance: Callable[[Any, int], None]) -> None:
        self._task, self._stop, self._advance = task, stop, advance

    def advance(self, count: int) -> None:
        """Hear of finished rounds."""
        if self._stop.is_set():
            raise Stopped
        self._advance(self._task, count)


def run_here(
    tasks: Sequence[T],
    finished: Callable[[T, Any], None],
    advance: Callable[[T, int], None],
    workers: int | None = None,
) -> None:
    """Perform tasks on threads, which the compiled loops keep busy; call `finished` in this thread as they end.

    One thread takes no costly task as long as there are cheap ones: these need compiling first, which only one thread
    can do at a time, and then all can join in what is left. An error or Ctrl-C ends all tasks within a fraction of a
    second.
    """
    queue = _Queue(tasks, max(1, min(workers or cores(), len(tasks))))
    threads = [threading.Thread(target=queue.work, args=(advance,), daemon=True) for _ in range(queue.workers)]
    for thread in threads:
        thread.start()
    try:
        for _ in tasks:
            finished(*queue.next_result())
    finally:
        queue.stop.set()
        for thread in threads:
            thread.join(_PATIENCE)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Queue:
    """Tasks to do and results to fetch, shared by threads."""

    def __init__(self, tasks: Sequence[Task], workers: int) -> None:
        ordered = in_order(tasks)
        self._costly = deque(task for task in ordered if task.costly)
        self._cheap = deque(task for task in ordered if not task.costly)
        self._busy = 0  # threads with a costly task
        self.workers = workers
        self.stop = threading.Event()
        self._lock = threading.Condition()
        self._results: deque[Any] = deque()

    def work(self, advance: Callable[[Any, int], None]) -> None:
        """Do tasks until there are none, or until it is time to stop."""
        while not self.stop.is_set():
            with self._lock:
                task = self._take()
            if task is None:
                return
            result: Any
            try:
                result = task, task.perform(_Watched(task, self.stop, advance))
            except Stopped:
                return
            except BaseException as error:
                result = error
            with self._lock:
                self._busy -= task.costly
                self._results.append(result)
                self._lock.notify()

    def next_result(self) -> tuple[Any, Any]:
        """Wait for the next finished task; raise what a thread raised."""
        with self._lock:
            # In slices: on some platforms a thread that waits without a timeout does not notice Ctrl-C.
            while not self._results:
                self._lock.wait(0.2)
            result = self._results.popleft()
        if isinstance(result, BaseException):
            raise result
        found: tuple[Any, Any] = result
        return found

    def _take(self) -> Task | None:
        enough = self._cheap and self._busy >= max(1, self.workers - 1)
        if self._costly and not enough:
            self._busy += 1
            return self._costly.popleft()
        return self._cheap.popleft() if self._cheap else None
