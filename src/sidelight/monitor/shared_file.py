"""A monitor in a file that several processes use, and texts that stand for what it knows."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from sidelight._storage import locked
from sidelight.errors import FileError
from sidelight.monitor.decisions import Id, Label
from sidelight.monitor.monitor import ClassifierMonitor
from sidelight.monitor.text_files import check_file


@contextlib.contextmanager
def changing(path: str | os.PathLike[str]) -> Iterator[ClassifierMonitor]:
    """Yield the monitor in a file, and save it when the block ends well; other processes wait for their turn."""
    check_file(os.fspath(path))
    with locked(path):
        monitor = ClassifierMonitor.load(path)
        yield monitor
        monitor.save(path)


def create(path: str | os.PathLike[str], monitor: ClassifierMonitor) -> None:
    """Save a new monitor where there is no file yet."""
    with locked(path):
        if os.path.exists(path):
            raise FileError(f"there is a file {os.fspath(path)!r} already: remove it, or give another name")
        monitor.save(path)


def class_of(monitor: ClassifierMonitor, value: Any) -> Label:
    """Return the class that a text stands for: one that the monitor knows as a number, or the text itself."""
    known = monitor._spelled.get(value) if isinstance(value, str) else None
    return value if known is None else known


def id_of(monitor: ClassifierMonitor, value: Any) -> Id:
    """Return the id that a text stands for: a number if the monitor was asked about that and not about the text."""
    ledger = monitor._ledger
    known = isinstance(value, str) and (value in ledger.verifications or value in ledger.passes)
    with contextlib.suppress(ValueError, TypeError):
        if not known and isinstance(value, str) and str(int(value)) == value and int(value) in ledger.verifications:
            return int(value)
    return value
