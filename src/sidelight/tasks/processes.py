"""Worker processes, in which a task can crash or hang without harming anything else."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import types
import warnings
from concurrent.futures import Future
from multiprocessing import connection, context
from pathlib import Path
from typing import Any, TextIO

from pebble import ProcessExpired, ProcessPool

from sidelight.kernels import compiled_available
from sidelight.tasks.task import PREPARING, Failure, Task, failure_of_hung_task, perform_task_or_fail

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class TaskProcesses:
    """A pool of worker processes that start when the first task arrives and are replaced when they end."""

    def __init__(self, count: int) -> None:
        self._traces = tempfile.TemporaryDirectory(prefix="sidelight-")
        self._pool = ProcessPool(count, initializer=_begin_task_process, context=_Context())

    def submit(self, task: Task) -> Future[Any]:
        """Send a task to the next free process."""
        future: Future[Any] = self._pool.schedule(_perform_task_in_process, args=[task, self._trace(task)])
        return future

    def result(self, future: Future[Any], task: Task) -> Any:
        """Return the result of a finished task, or the failure."""
        try:
            result, texts = future.result()
        except ProcessExpired as error:
            return self._expired(task, error.exitcode)
        except Exception as error:
            return Failure.of(error)
        for text in texts:
            warnings.warn(text, stacklevel=2)
        return result

    def stop(self) -> None:
        """Kill all processes at once."""
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()
        self._traces.cleanup()

    def _trace(self, task: Task) -> str:
        return str(Path(self._traces.name, str(hash(task))))

    def _expired(self, task: Task, code: int | None) -> Failure:
        """Say why a process ended in the middle of a task: its watchdog, which leaves a trace, or a crash."""
        trace = Path(self._trace(task))
        if trace.exists() and (text := trace.read_text(encoding="utf-8", errors="replace")):
            return failure_of_hung_task(task, text)
        names = {-int(each): each.name for each in signal.Signals}
        ending = f"by signal {names.get(code, code)}" if code is not None and code < 0 else f"with exit code {code}"
        return Failure(f"the process that performed {task.title} ended {ending}")


class _TaskProcess(context.SpawnProcess):
    """A new interpreter that does not run the user's script again."""

    @staticmethod
    def _Popen(process_obj: Any) -> Any:  # noqa: N802 - its name in the standard library
        main, environment = sys.modules["__main__"], dict(os.environ)
        sys.modules["__main__"] = types.ModuleType("__main__")
        os.environ.update(_ONE_THREAD | environment | ({} if compiled_available() else {"SIDELIGHT_JIT": "0"}))
        try:
            return context.SpawnProcess._Popen(process_obj)
        finally:
            sys.modules["__main__"] = main
            os.environ.clear()
            os.environ.update(environment)


class _Context(context.SpawnContext):
    Process = _TaskProcess


def _begin_task_process() -> None:
    """Leave Ctrl-C to the process that started this one, keep out of its output, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    threading.Thread(target=_end_task_process_with_parent, daemon=True).start()


def _end_task_process_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os._exit(1)


def _perform_task_in_process(task: Task, trace: str) -> tuple[Any, list[str]]:
    """Perform a task in a worker process; return its result, or the failure, and the texts of its warnings."""
    with open(trace, "w", encoding="utf-8") as stream, warnings.catch_warnings(record=True) as caught:
        watchdog = _TaskWatchdog(task.patience, stream)
        result = perform_task_or_fail(task, watchdog)
        faulthandler.cancel_dump_traceback_later()
    return result, list(dict.fromkeys(str(each.message) for each in caught))


class _TaskWatchdog:
    """End this process after too long without progress, even if compiled code never returns to Python."""

    def __init__(self, patience: float, stream: TextIO) -> None:
        self._patience, self._stream = patience, stream
        faulthandler.dump_traceback_later(patience + PREPARING, exit=True, file=stream)

    def advance(self, count: int) -> None:
        """Restart the timer of the watchdog."""
        faulthandler.dump_traceback_later(self._patience, exit=True, file=self._stream)
