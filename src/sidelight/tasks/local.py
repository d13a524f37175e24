"""Tasks on the cores of this machine."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from sidelight.tasks.task import Task, perform_task_or_fail

T = TypeVar("T", bound=Task)

_WORTHWHILE = 2.0  # seconds after which it is worth starting processes for what threads can do, too
_AHEAD = 1  # tasks that wait for a free core, so that none idles while results are written


def run_here(
    tasks: Sequence[T],
    finished: Callable[[T, Any], None],
    workers: int | None = None,
    instead: Callable[[T], Any] = lambda task: None,
) -> None:
    """Perform tasks on so many cores, by default on all; call `finished` in this thread as they end.

    Short work is done by threads; longer work goes on in processes, so that cores do not wait for each other, and tasks
    that are better done apart begin there (see `Where`). A task that raises has a `Failure` as its result; so has one
    that crashes its process or makes no progress there for too long. An error in `finished`, or Ctrl-C, ends all tasks
    within a fraction of a second.

    Before a task is performed, `instead` is asked for a result that makes this unnecessary.
    """
    count = max(1, min(workers or cores(), len(tasks)))
    hands = _LocalTaskWorkers(count)
    waiting, running = deque(tasks), dict[Future[Any], T]()
    try:
        while waiting or running:
            while waiting and len(running) < count + _AHEAD:
                task = waiting.popleft()
                if (known := instead(task)) is None:
                    running[hands.submit(task)] = task
                else:
                    finished(task, known)
            # In slices: on some platforms a thread that waits without a timeout does not notice Ctrl-C.
            for future in wait(running, timeout=0.2, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                finished(task, hands.result(future, task))
    finally:
        hands.stop()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Stopped(Exception):  # noqa: N818 - nothing went wrong
    """The work was ended from outside."""


class _LocalTaskWorkers:
    """Threads and processes that perform tasks."""

    def __init__(self, count: int) -> None:
        self._count, self._started = count, time.monotonic()
        self._threads = ThreadPoolExecutor(count)
        self._processes: Any = None
        self._apart: set[Future[Any]] = set()
        self._stop = threading.Event()

    def submit(self, task: Task) -> Future[Any]:
        """Begin a task."""
        late = time.monotonic() - self._started > _WORTHWHILE
        if task.where == "here" or (task.where == "anywhere" and not late):
            return self._threads.submit(perform_task_or_fail, task, self)
        if self._processes is None:
            from sidelight.tasks.processes import TaskProcesses

            self._processes = TaskProcesses(self._count)
        future: Future[Any] = self._processes.submit(task)
        self._apart.add(future)
        return future

    def result(self, future: Future[Any], task: Task) -> Any:
        """Return the result of a task that has ended."""
        if future not in self._apart:
            return future.result()
        self._apart.remove(future)
        return self._processes.result(future, task)

    def stop(self) -> None:
        """End everything: processes at once, threads at their next progress."""
        self._stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if self._processes is not None:
            self._processes.stop()

    def advance(self, count: int) -> None:
        """Raise `_Stopped` in a thread's task if all work was told to stop."""
        if self._stop.is_set():
            raise _Stopped
