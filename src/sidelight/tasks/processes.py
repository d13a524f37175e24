"""Processes that perform tasks, one at a time each.

Python code runs on one thread at a time, however many cores there are, and a thread cannot be ended from outside. A
process has neither limit. It starts within a second and, unless something holds its interpreter, ends with the process
that started it, even if that is killed. Tasks go to its standard input; progress, warnings and results come from its
standard output, as pickles that follow their lengths.
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
_LENGTH = 8  # bytes that say how long a message is
_START = "import sys; sys.path[:] = {path!r}; from sidelight.tasks.processes import serve; serve()"
_READY, _ADVANCE, _WARNING, _RAISED, _DONE, _LAST = range(6)
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
_warned: dict[Any, Any] = {}  # which warnings of other processes were shown


class DiedError(TaskError):
    """The process that performed a task ended before it had done so."""


class NoProcessError(TaskError):
    """No process could be started that performs tasks, as in a program that only embeds Python."""


class Process:
    """A process that performs tasks, started when it gets its first one, and again if it has ended."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def perform(self, task: Task, progress: Advancing) -> Any:
        """Perform a task there and return its result, or raise what it raises."""
        process = self._started()
        try:
            self._send(process, task)
            while True:
                what, value = self._answer(process, task)
                if what == _LAST:
                    self.end()
                if what in (_DONE, _LAST):
                    return value
                if what == _RAISED:
                    raise value
                if what == _WARNING:
                    text, category, file, line = value
                    warnings.warn_explicit(text, category, file, line, registry=_warned)
                else:
                    progress.advance(value)
        except BaseException:
            self.end()  # it may still be at the task
            raise

    def kill(self) -> None:
        """Kill the process and those that it started, whatever they do; any thread may call this."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    def end(self) -> None:
        """End the process, and let go of it."""
        if self._process is not None:
            self.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]  # there are pipes
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.end()
        if self._process is None:
            self._process = _start()
            assert self._process.stdout is not None
            try:
                _read(self._process.stdout)
            except EOFError:
                self.end()
                raise NoProcessError(f"{sys.executable!r} does not start a process that performs tasks") from None
        return self._process

    def _send(self, process: subprocess.Popen[bytes], task: Task) -> None:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # whoever has ended does not answer, either
            _write(process.stdin, pickle.dumps(task))

    def _answer(self, process: subprocess.Popen[bytes], task: Task) -> tuple[int, Any]:
        assert process.stdout is not None
        try:
            message = _read(process.stdout)
        except EOFError:
            raise DiedError(f"the process that performed {task.title} ended {_ending(process)}") from None
        try:
            found: tuple[int, Any] = pickle.loads(message)
        except Exception as error:
            raise TaskError(f"what became of {task.title} cannot be read ({type(error).__name__}: {error})") from error
        return found


def _start() -> subprocess.Popen[bytes]:
    path = [str(entry) for entry in sys.path]
    interpreting = {} if compiled_available() else {"SIDELIGHT_JIT": "0"}
    try:
        # In a session of its own: Ctrl-C is for this process, and all that it starts can be killed together.
        return subprocess.Popen(
            [sys.executable, "-c", _START.format(path=path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_ONE_THREAD | os.environ | interpreting,
            start_new_session=True,
        )
    except (OSError, ValueError, TypeError) as error:
        raise NoProcessError(f"{sys.executable!r} cannot be started: {error}") from None


def _ending(process: subprocess.Popen[bytes]) -> str:
    """Wait for the end of a process, end those that it started, and say how it ended."""
    if hasattr(os, "waitid"):  # without asking for its code, after which its number may be another one's
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    if code >= 0:
        return f"with exit code {code}"
    names = {int(each): each.name for each in signal.Signals}
    return f"by signal {names.get(-code, -code)}"


def _write(stream: Any, message: bytes) -> None:
    stream.write(len(message).to_bytes(_LENGTH, "big") + message)
    stream.flush()


def _read(stream: Any) -> bytes:
    """Read a message; raise EOFError if there is none."""
    head: bytes = stream.read(_LENGTH)
    message: bytes = stream.read(int.from_bytes(head, "big"))
    if len(head) < _LENGTH or len(message) < int.from_bytes(head, "big"):
        raise EOFError
    return message


def serve() -> None:
    """Perform the tasks that arrive on standard input, until it ends."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a strategy reads or prints must not mix with tasks and results.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if hasattr(os, "register_at_fork"):  # what a strategy forks must not keep the other end waiting
        os.register_at_fork(after_in_child=outgoing.raw.close)
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(incoming, messages), daemon=True).start()
    starter = _Starter(outgoing)
    warnings.showwarning = starter.warn
    starter.tell(_READY, None)
    while True:
        message = messages.get()
        starter.begin()
        try:
            answer = _DONE, pickle.loads(message).perform(starter)
        except BaseException as error:
            answer = _RAISED, error
        if answer[0] == _DONE and threading.active_count() > 2:  # a task has left something behind that still runs
            answer = _LAST, answer[1]
        starter.tell(*answer)


def _receive(stream: BinaryIO, messages: queue.SimpleQueue[bytes]) -> None:
    """Receive messages; end this process, whatever it does, when there will be no more."""
    while True:
        try:
            messages.put(_read(stream))
        except (EOFError, OSError):
            os._exit(0)


class _Starter:
    """The process that started this one, and how to reach it."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._untold, self._told = 0, 0.0

    def begin(self) -> None:
        """Begin a task."""
        self._untold, self._told = 0, 0.0

    def advance(self, count: int) -> None:
        """Report finished rounds, now or with the next ones."""
        self._untold += count
        if (now := time.monotonic()) - self._told > _SOON:
            self.tell(_ADVANCE, self._untold)
            self._untold, self._told = 0, now

    def warn(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = 0, line: Any = 0
    ) -> None:
        """Pass a warning on."""
        known = category if category.__module__ == "builtins" else UserWarning
        self.tell(_WARNING, (str(message), known, filename, lineno))

    def tell(self, what: int, value: Any) -> None:
        """Send something."""
        try:
            message = pickle.dumps((what, value))
        except Exception as error:
            shown = value if isinstance(value, BaseException) else error
            reason = f"it cannot be sent back ({type(shown).__name__}: {shown})"
            message = pickle.dumps((_RAISED, TaskError(reason)))
        with self._lock:
            _write(self._stream, message)
