"""Processes that perform tasks, one at a time each.

Python code runs on one thread at a time, however many cores there are, and a thread cannot be ended from outside. A
process has neither limit. It starts within a second and ends with the process that started it, even if that is killed.
Tasks, progress, warnings and results are pickled and go through its standard input and output.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import warnings
from typing import Any, BinaryIO

from sidelight.kernels import compiled_available
from sidelight.tasks.task import Advancing, Task, TaskError

_SOON = 0.1  # seconds between two reports of progress
_START = "import sys; sys.path[:] = {path!r}; from sidelight.tasks.processes import serve; serve()"
_UNPICKLED = (EOFError, OSError, pickle.UnpicklingError)  # what reading raises when the other end is gone
_warned: dict[Any, Any] = {}  # which warnings of other processes were shown


class DiedError(TaskError):
    """The process that performed a task ended before it had done so."""


class Process:
    """A process that performs tasks, started when it gets its first one, and again if it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def perform(self, task: Task, progress: Advancing) -> Any:
        """Perform a task there and return its result, or raise what it raises."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(pickle.dumps(task))
            process.stdin.flush()
            while (answer := pickle.load(process.stdout))[0] != "done":
                if answer[0] == "advance":
                    progress.advance(answer[1])
                elif answer[0] == "warning":
                    text, category, file, line = answer[1]
                    warnings.warn_explicit(text, category, file, line, registry=_warned)
                else:
                    raise answer[1]
        except _UNPICKLED:
            reason = f"the process that performed {task.title} ended {_ending(process)}"
            self.end()
            raise DiedError(reason) from None
        except BaseException:
            self.end()  # it may still be at the task
            raise
        return answer[1]

    def kill(self) -> None:
        """Kill the process, whatever it does; any thread may call this."""
        if self._process is not None:
            self._process.kill()

    def end(self) -> None:
        """End the process, and let go of it."""
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(OSError):
                self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.end()
        if self._process is None:
            environment = os.environ if compiled_available() else os.environ | {"SIDELIGHT_JIT": "0"}
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
            )
        return self._process


def _ending(process: subprocess.Popen[bytes]) -> str:
    code = process.wait()
    return f"with exit code {code}" if code >= 0 else f"by signal {signal.Signals(-code).name}"


def serve() -> None:
    """Perform the tasks that arrive on standard input, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a strategy reads or prints must not mix with tasks and results.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(incoming, tasks), daemon=True).start()
    starter = _Starter(outgoing)
    warnings.showwarning = starter.warn
    while True:
        task = tasks.get()
        try:
            answer = "done", task.perform(starter)
        except BaseException as error:
            answer = "raised", error
        starter.tell(*answer)
        if threading.active_count() > 2:  # a task has left something behind that still runs
            os._exit(0)


def _receive(stream: BinaryIO, tasks: queue.SimpleQueue[Task]) -> None:
    """Receive tasks; end this process, whatever it does, when there will be no more."""
    while True:
        try:
            tasks.put(pickle.load(stream))
        except _UNPICKLED:
            os._exit(0)


class _Starter:
    """The process that started this one, and how to reach it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._untold, self._told = 0, 0.0

    def advance(self, count: int) -> None:
        """Report finished rounds, now or with the next ones."""
        self._untold += count
        if (now := time.monotonic()) - self._told > _SOON:
            self.tell("advance", self._untold)
            self._untold, self._told = 0, now

    def warn(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = 0, line: Any = 0
    ) -> None:
        """Pass a warning on."""
        self.tell("warning", (str(message), category, filename, lineno))

    def tell(self, what: str, value: Any) -> None:
        """Send something."""
        try:
            message = pickle.dumps((what, value))
        except Exception as error:
            reason = f"{type(value).__name__}: {value}" if isinstance(value, BaseException) else str(error)
            message = pickle.dumps(("raised", TaskError(f"what it returned cannot be sent back ({reason})")))
        with self._lock:
            self._stream.write(message)
            self._stream.flush()
