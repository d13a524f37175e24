"""Progress of work that takes minutes: a bar per experiment on a terminal, elsewhere a line per finished experiment."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sidelight.simulation.progress import terminal_bar

if TYPE_CHECKING:
    from sidelight.studies.guard import Failure
    from sidelight.studies.work import Spent, Task

_SOON = 0.2  # seconds between two moves of a bar


class Bars:
    """Shows how far each experiment has come and how much time is left.

    Work that several experiments share counts for each of them. A task counts by a rough estimate of its cost, so bars
    move evenly.
    """

    def __init__(self, shown: bool | None = None) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._lock = threading.Lock()
        self._groups: dict[Task, list[str]] = {}
        self._open_tasks: Counter[str] = Counter()
        self._left: dict[str, float] = {}
        self._total: dict[str, float] = {}
        self._done: dict[Task, float] = {}
        self._bar: Any = None
        self._ids: dict[str, Any] = {}
        self._started = self._moved = 0.0

    def begin(self, experiments: Sequence[tuple[str, Sequence[Task]]], pending: Sequence[Task]) -> None:
        """Start, given the tasks each experiment needs and those still to do."""
        todo = set(pending)
        self._groups, self._left, self._total, self._done, self._ids = {}, {}, {}, {}, {}
        self._open_tasks = Counter()
        self._started = time.monotonic()
        if len(experiments) > 1:
            experiments = [*experiments, ("all together", list({task for _, group in experiments for task in group}))]
        for name, tasks in experiments:
            self._total[name] = sum(task.seconds for task in tasks)
            self._left[name] = sum(task.seconds for task in tasks if task in todo)
            for task in tasks:
                if task in todo:
                    self._groups.setdefault(task, []).append(name)
                    self._open_tasks[name] += 1
        if self._shown and todo:
            self._open()

    def advance(self, task: Task, rounds: int) -> None:
        """Count finished rounds; any thread may call this."""
        if task.rounds:
            self._count(task, self._done.get(task, 0.0) + task.seconds * rounds / task.rounds)

    def failed(self, task: Task, failure: Failure) -> None:
        """Report a task that failed."""
        self.note(f"{task.title} failed: {failure.reason}")
        self.finished(task)

    def finished(self, task: Task, spent: Spent | None = None) -> None:
        """Count a task that is on disk."""
        self._count(task, task.seconds)
        with self._lock:
            for name in self._groups.pop(task, []):
                self._open_tasks[name] -= 1
                if not self._open_tasks[name]:
                    self._finish(name)

    def dropped(self, task: Task) -> None:
        """Count a task that is not tried."""
        self.finished(task)

    def note(self, text: str) -> None:
        """Print a note."""
        self._say(f"sidelight: note: {text}")

    def end(self) -> None:
        """Remove the bars."""
        if self._bar is not None:
            self._draw()
            self._bar.stop()
            self._bar = None

    def _count(self, task: Task, done: float) -> None:
        with self._lock:
            done = min(done, task.seconds)
            more = done - self._done.get(task, 0.0)
            self._done[task] = done
            for name in self._groups.get(task, []):
                self._left[name] -= more
            if self._bar is not None and time.monotonic() - self._moved > _SOON:
                self._draw()

    def _finish(self, name: str) -> None:
        self._left[name] = 0.0
        if self._bar is None and name != "all together":
            click.echo(f"{name} finished after {time.monotonic() - self._started:.0f} s", err=True)

    def _say(self, text: str) -> None:
        if self._bar is not None:
            self._bar.console.print(text, highlight=False, markup=False)
        else:
            click.echo(text, err=True)

    def _draw(self) -> None:
        self._moved = time.monotonic()
        for name, bar in self._ids.items():
            self._bar.update(bar, completed=self._total[name] - max(0.0, self._left[name]))

    def _open(self) -> None:
        self._bar = terminal_bar(transient=False)
        for name, total in self._total.items():
            self._ids[name] = self._bar.add_task(name, total=total, completed=total - self._left[name])
        self._bar.start()
