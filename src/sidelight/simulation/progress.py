"""A progress bar on a terminal, silence elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any, Self

# Work that is over before this many seconds needs no bar.
_PATIENCE = 0.5
_ROOM = 60  # columns that a bar with everything needs


def make_simulation_progress_bar(transient: bool) -> Any:
    """Return a Rich progress bar on stderr that also fits narrow terminals; a `transient` one disappears at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining

    console = Console(stderr=True)
    roomy = (TaskProgressColumn(), TimeElapsedColumn(), TextColumn("left")) if console.width >= _ROOM else ()
    remaining = Remaining(compact=console.width < _ROOM)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=None), *roomy, remaining)
    return Progress(*columns, console=console, transient=transient, speed_estimate_period=60)


class Progress:
    """Counts rounds from several threads and shows the progress."""

    def __init__(self, title: str, total: int, shown: bool | None = None) -> None:
        self._title, self._total = title, total
        self._shown = sys.stderr.isatty() if shown is None else shown
        self._lock = threading.Lock()
        self._done = 0
        self._started = time.monotonic()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, count: int) -> None:
        """Count finished work; may be called from any thread."""
        if not self._shown:
            return
        with self._lock:
            self._done += count
            if self._bar is None and time.monotonic() - self._started > _PATIENCE:
                self._open()
            if self._bar is not None:
                self._bar.update(self._task, completed=self._done)

    def _open(self) -> None:
        self._bar = make_simulation_progress_bar(transient=True)
        self._task = self._bar.add_task(self._title, total=self._total)
        self._bar.start()
