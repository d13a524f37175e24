"""Progress of a study: one bar and the remaining time on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from sidelight.simulation.progress import open_bar
from sidelight.text import count

if TYPE_CHECKING:
    from sidelight.studies.execution import Groups
    from sidelight.studies.forecast import Forecast
    from sidelight.studies.guard import Failure
    from sidelight.studies.work import Spent, Task

_SOON = 0.3  # seconds between two moves of the bar
_LINES = 60.0  # seconds between two lines where there is no terminal


class StudyBar:
    """Shows how far a study has come and how much time is left.

    `workers` is how many pieces of work are done at a time; None if that is not known, as on a cluster.
    """

    def __init__(self, workers: int | None = None, shown: bool | None = None) -> None:
        self._workers = workers
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._lock = threading.Lock()
        self._forecast: Forecast | None = None
        self._bar: Any = None
        self._item: Any = None
        self._total = self._done = 0
        self._share = self._moved = 0.0
        self._seeds: list[int] = []

    def begin(self, groups: Groups, pending: Sequence[Task]) -> None:
        """Start, given all tasks and those still to do."""
        from sidelight.studies.forecast import Forecast

        self._forecast = Forecast(pending, self._workers)
        self._seeds = list({task.cell.seed for _, tasks in groups for task in tasks})
        self._total = sum(len(tasks) for _, tasks in groups)
        self._done = self._total - len(pending)
        self._moved = time.monotonic()
        if self._shown and pending:
            self._bar = open_bar("{task.fields[left]}")
            self._item = self._bar.add_task(groups[0][0], total=1.0, left="")
            self._bar.start()

    def advance(self, task: Task, rounds: int) -> None:
        """Count finished rounds; any thread may call this."""
        if self._forecast is not None:
            self._forecast.advance(task, rounds)
        self._draw()

    def finished(self, task: Task, spent: Spent | None) -> None:
        """Count a task that is on disk."""
        if self._forecast is not None:
            self._forecast.finished(task, spent)
        self._done += 1
        self._draw()

    def dropped(self, task: Task) -> None:
        """Hear of a task that is not tried."""
        if self._forecast is not None:
            self._forecast.failed(task)

    def failed(self, task: Task, failure: Failure) -> None:
        """Report a task that failed."""
        from sidelight.studies.skips import titled

        self.note(f"{titled(task.cell, self._seeds)} failed: {failure.reason}")
        if self._forecast is not None:
            self._forecast.failed(task)

    def note(self, text: str) -> None:
        """Print a note."""
        line = f"sidelight: note: {text}"
        if self._bar is not None:
            self._bar.console.print(line, highlight=False, markup=False)
        else:
            click.echo(line, err=True)

    def end(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _draw(self) -> None:
        with self._lock:
            now = time.monotonic()
            if self._forecast is None or now - self._moved < (_SOON if self._bar is not None else _LINES):
                return
            self._moved = now
            words = left(self._forecast.remaining())
            if self._bar is not None:
                # What is learned may make the share smaller, but a bar that goes back would puzzle people.
                self._share = max(self._share, self._forecast.share if words else 0.0)
                self._bar.update(self._item, completed=self._share, left=words)
            else:
                pieces = f"{self._done} of {count(self._total, 'piece')} of work"
                verb = "is" if 1 in (self._done, self._total) else "are"
                click.echo(f"{pieces} {verb} done{words and ', '}{words}", err=True)


def left(seconds: float | None) -> str:
    """Say how much time is left."""
    if seconds is None:
        return ""
    if seconds < 100:
        return f"about {seconds:.0f} s left"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min left"
    return f"about {seconds / 3600:.1f} h left"
