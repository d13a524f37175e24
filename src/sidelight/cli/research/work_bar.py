"""Progress of work that takes minutes: a bar on a terminal, and notes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from sidelight.simulation.progress import make_simulation_progress_bar
from sidelight.tasks.display import Display
from sidelight.tasks.task import Failure, Task


class WorkBar(Display):
    """Shows how many pieces of work are done, and how much time is left.

    Pieces are done in an order that has nothing to do with their cost, so those that are left take about as long, one
    by one, as those that are done.
    """

    def __init__(self) -> None:
        self._bar: Any = None
        self._item: Any = None

    def begin(self, title: str, total: int, pending: int) -> None:
        """Start, given how many tasks there are and how many of them are still to be done."""
        if sys.stderr.isatty() and pending:
            self._bar = make_simulation_progress_bar(transient=False)
            self._item = self._bar.add_task(title, total=pending)
            self._bar.start()

    def finished(self, task: Task) -> None:
        """Count a task."""
        if self._bar is not None:
            self._bar.update(self._item, advance=1)

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


@contextlib.contextmanager
def command_work_kept(folder: Path) -> Iterator[None]:
    """Tell the user on Ctrl-C that finished work is kept."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"Interrupted: what is finished is kept in {folder}; the same command goes on from there", err=True)
        raise
