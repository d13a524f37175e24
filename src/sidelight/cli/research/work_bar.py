"""Progress of work that takes minutes: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from sidelight.simulation.progress import terminal_bar
from sidelight.tasks.display import Display
from sidelight.tasks.task import Failure, Task
from sidelight.text import count

_LINES = 60.0  # seconds between two lines where there is no terminal


class WorkBar(Display):
    """Shows how many pieces of work are done, and how much time is left.

    Pieces are done in an order that has nothing to do with their cost, so those that are left take about as long, one
    by one, as those that are done.
    """

    def __init__(self, shown: bool | None = None) -> None:
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._bar: Any = None
        self._item: Any = None
        self._total = self._before = self._done = 0
        self._started = self._told = 0.0

    def begin(self, title: str, total: int, pending: int) -> None:
        """Start, given how many tasks there are and how many of them are still to be done."""
        self._total, self._before, self._done = total, total - pending, total - pending
        self._started = self._told = time.monotonic()
        if self._shown and pending:
            self._bar = terminal_bar(transient=False)
            self._item = self._bar.add_task(title, total=pending)
            self._bar.start()

    def finished(self, task: Task) -> None:
        """Count a task."""
        self._done += 1
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._item, advance=1)
        elif now - self._told > _LINES:
            self._told = now
            left = (now - self._started) / (self._done - self._before) * (self._total - self._done)
            click.echo(f"{self._done} of {count(self._total, 'piece')} of work are done, {time_left(left)}", err=True)

    def failed(self, task: Task, failure: Failure) -> None:
        """Report a task that failed."""
        self.note(f"{task.title} failed: {failure.reason}")

    def note(self, text: str) -> None:
        """Print a note."""
        line = f"sidelight: note: {text}"
        if self._bar is not None:
            self._bar.console.print(line, highlight=False, markup=False)
        else:
            click.echo(line, err=True)

    def end(self) -> None:
        """Stop the bar."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def time_left(seconds: float) -> str:
    """Say how much time is left."""
    if seconds < 100:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"
