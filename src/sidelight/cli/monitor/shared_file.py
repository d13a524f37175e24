"""A monitor in a file that several processes use."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from sidelight._storage import file_lock
from sidelight.errors import FileError
from sidelight.monitor.io.rows import check_rows_file
from sidelight.monitor.monitor import ClassifierMonitor


@contextlib.contextmanager
def changing_monitor_file(path: str | os.PathLike[str]) -> Iterator[ClassifierMonitor]:
    """Yield the monitor in a file, and save it if the block succeeds; other processes wait for their turn."""
    check_rows_file(os.fspath(path))
    with file_lock(path):
        monitor = ClassifierMonitor.load(path)
        yield monitor
        monitor.save(path)


def create_shared_monitor_file(path: str | os.PathLike[str], monitor: ClassifierMonitor) -> None:
    """Save a new monitor where there is no file yet."""
    with file_lock(path):
        if os.path.exists(path):
            raise FileError(f"there is a file {os.fspath(path)!r} already: remove it, or give another name")
        monitor.save(path)


def shared_file_text(value: Any) -> Any:
    """Return a class or an id as text: a shell and CSV cannot tell 7 from "7", so files of monitors have only text."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value) if isinstance(value, int | float) else value
