"""Several server processes behind one socket: the parent binds it, starts them, and restarts those that die.

- A child ends when the parent does, however that ends, because it watches a pipe that the parent holds (`serving`).
- A child that dies is restarted, after pauses that double from half a second to half a minute.
- If a child fails before any was ready, restarting would not help: all stop, with exit code 1.
- At SIGTERM, SIGINT or SIGHUP the children answer what they have accepted and end with 0, and so does the parent.
  Children that take longer than the grace are killed; a second signal kills all.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from sidelight.errors import SidelightError
from sidelight.service.server.signals import GRACE, stopping

WORKER = (sys.executable, "-m", "sidelight.service.server.worker")
_FIRST_PAUSE, _LONGEST_PAUSE, _LONG_LIFE, _SPARE = 0.5, 30.0, 60.0, 12.0
_log = logging.getLogger("sidelight.serve")


class Child:
    """A server process, and what connects the parent to it."""

    def __init__(self, command: Sequence[str], options: Mapping[str, Any], listener: socket.socket) -> None:
        own_end, self._lifeline = os.pipe()
        self.news, ready = os.pipe()
        os.set_blocking(self.news, False)
        inherited = (own_end, ready, listener.fileno())
        try:
            # A session of its own: Ctrl-C in the terminal reaches only the parent, which stops the children.
            self.process = subprocess.Popen(
                [*command, *map(str, inherited)],
                pass_fds=inherited,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(own_end)
            os.close(ready)
        self.started, self.ready, self.silent = time.monotonic(), False, False
        with contextlib.suppress(BrokenPipeError):  # it is already dead, which the parent will notice
            os.write(self._lifeline, json.dumps(options).encode() + b"\n")

    def look(self) -> None:
        """Note whether the child has reported that it accepts requests."""
        with contextlib.suppress(BlockingIOError):
            if not self.silent:
                self.ready = bool(os.read(self.news, 16))
                self.silent = True

    def forget(self) -> None:
        """Close the pipes to an ended process."""
        os.close(self._lifeline)
        os.close(self.news)


class Supervisor:
    """Starts processes and keeps them running.

    Parameters
    ----------
    listener
        A bound socket that the children share.
    processes
        The number of processes.
    options
        What the children receive as JSON, including `grace`.
    command
        The command that runs a child; see `worker` for its arguments.
    """

    def __init__(
        self,
        listener: socket.socket,
        processes: int,
        options: Mapping[str, Any],
        command: Sequence[str] = WORKER,
    ) -> None:
        if os.name != "posix":
            raise SidelightError("several processes need Linux or macOS: leave out --processes")
        self._listener, self._command = listener, command
        self._options = {"grace": GRACE} | dict(options)
        self._children: list[Child | None] = [None] * processes
        self._due, self._pauses = [0.0] * processes, [_FIRST_PAUSE] * processes
        self._signals, self._settled, self._code = 0, False, 0

    def run(self) -> int:
        """Keep the processes running until told to stop; return the exit code."""
        awake, wake = os.pipe()
        os.set_blocking(awake, False)
        os.set_blocking(wake, False)
        before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        noticing = signal.signal(signal.SIGCHLD, lambda *_: None)
        try:
            with stopping(self._count_signal):
                while not self._signals:
                    self._start_those_due()
                    self._sleep(awake)
                    self._look_after()
                self._stop(awake)
        finally:
            signal.signal(signal.SIGCHLD, noticing)
            signal.set_wakeup_fd(before)
            self._kill()
            os.close(awake)
            os.close(wake)
        return self._code

    def _count_signal(self) -> None:
        self._signals += 1

    def _start_those_due(self) -> None:
        now = time.monotonic()
        for place, child in enumerate(self._children):
            if child is None and now >= self._due[place]:
                self._children[place] = Child(self._command, self._options, self._listener)

    def _sleep(self, awake: int, most: float = 1.0) -> None:
        """Wait for a signal, a message from a child, or the next restart, but no longer than `most` seconds."""
        starting = [child.news for child in self._children if child is not None and not child.silent]
        due = [when for child, when in zip(self._children, self._due, strict=True) if child is None]
        until = min([most, *(max(0.0, when - time.monotonic()) for when in due)])
        select.select([awake, *starting], [], [], until)
        with contextlib.suppress(BlockingIOError):
            while os.read(awake, 4096):
                pass

    def _look_after(self) -> None:
        """Note which children are ready and which are dead."""
        for place, child in enumerate(self._children):
            if child is None:
                continue
            child.look()
            self._settled = self._settled or child.ready
            code = child.process.poll()
            if code is not None:
                self._children[place] = None
                child.forget()
                self._bury(place, code, time.monotonic() - child.started)

    def _bury(self, place: int, code: int, life: float) -> None:
        """Schedule the restart of a dead child."""
        if not self._settled:
            self._signals, self._code = 1, 1
            return
        if life >= _LONG_LIFE:
            self._pauses[place] = _FIRST_PAUSE
        pause = self._pauses[place]
        self._due[place] = time.monotonic() + pause
        self._pauses[place] = min(2 * pause, _LONGEST_PAUSE)
        _log.error("a server process ended (%s) and will be restarted in %g s", _ending(code), pause)

    def _stop(self, awake: int) -> None:
        """Stop the children, and wait for them."""
        self._listener.close()  # or clients that connect now would wait in vain
        signals, end = self._signals, time.monotonic() + self._options["grace"] + _SPARE
        for child in filter(None, self._children):
            child.process.terminate()
        while any(self._children) and time.monotonic() < end and self._signals == signals:
            self._sleep(awake, 0.2)
            for place, one in enumerate(self._children):
                if one is not None and (code := one.process.poll()) is not None:
                    one.look()
                    self._children[place] = None
                    one.forget()
                    # A child that is still starting has accepted nothing, and may not handle the signal yet.
                    well = code == 0 or (code == -signal.SIGTERM and not one.ready)
                    self._code = self._code or int(not well)
        self._code = self._code or int(any(self._children))

    def _kill(self) -> None:
        """Kill the remaining children."""
        for child in filter(None, self._children):
            child.process.kill()
            child.process.wait()
            child.forget()
        self._children = [None] * len(self._children)


def _ending(code: int) -> str:
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"
