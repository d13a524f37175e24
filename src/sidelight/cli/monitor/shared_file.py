"""A monitor in a file that several processes use, and how to read classes and ids given as text."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Collection, Iterator
from typing import Any

from sidelight._storage import file_lock
from sidelight.errors import FileError, SidelightError
from sidelight.monitor.inputs import identifier
from sidelight.monitor.io.rows import check_file
from sidelight.monitor.monitor import ClassifierMonitor
from sidelight.monitor.types import Id, Label


@contextlib.contextmanager
def changing_monitor_file(path: str | os.PathLike[str]) -> Iterator[ClassifierMonitor]:
    """Yield the monitor in a file, and save it if the block succeeds; other processes wait for their turn."""
    check_file(os.fspath(path))
    with file_lock(path):
        monitor = ClassifierMonitor.load(path)
        yield monitor
        monitor.save(path)


def create(path: str | os.PathLike[str], monitor: ClassifierMonitor) -> None:
    """Save a new monitor where there is no file yet."""
    with file_lock(path):
        if os.path.exists(path):
            raise FileError(f"there is a file {os.fspath(path)!r} already: remove it, or give another name")
        monitor.save(path)


def class_of(monitor: ClassifierMonitor, value: Any) -> Any:
    """Return the class meant by a value from a shell or a file, where 7 and "7" may look the same."""
    known = monitor.engine.spelled
    found = known.get(_written(value)) if isinstance(value, str | int | float) else None
    return _like(known.values(), value) if found is None else found


def label_of(prediction: Label, value: Any) -> Any:
    """Return the true class meant by a value: a number or text, like the predicted class."""
    found = _like([prediction], value)
    if isinstance(found, str) and not isinstance(prediction, str):
        raise SidelightError(
            f"the predicted class {prediction!r} is a number, and the label {value!r} cannot be read as one: give a "
            "number, or say that the prediction is wrong (--wrong, or false under 'correct'); nothing changed"
        )
    return found


def id_of(monitor: ClassifierMonitor, value: Any) -> Id:
    """Return the id meant by a value: as a number instead of text, or the reverse, if only that id was decided."""
    ledger, name = monitor.engine.ledger, identifier(value)
    number = int(name) if isinstance(name, str) and name.isascii() and name.isdecimal() else None
    other = number if number is not None and str(number) == name else str(name)
    known = [one in ledger.verifications or one in ledger.passes for one in (name, other)]
    return other if known == [False, True] else name


def _like(known: Collection[Label], value: Any) -> Any:
    """Return a value as a number if all known classes are numbers, as text if all are text, and else as it is."""
    texts = {isinstance(one, str) for one in known}
    if texts == {False} and isinstance(value, str):
        return _number(value)
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return _written(value) if texts == {True} and plain else value


def _number(text: str) -> Any:
    """Return the number or truth value that a text clearly means; refuse 07 or 1_000, which may be codes."""
    with contextlib.suppress(ValueError, RecursionError):
        found = json.loads(text.lower())
        if isinstance(found, int | float) and math.isfinite(found):
            return int(found) if isinstance(found, float) and found.is_integer() else found
    try:
        number = float(text)
    except ValueError:
        return text
    if not math.isfinite(number):
        return text
    raise SidelightError(
        f"the known classes are numbers, and {text!r} is not a plainly written number: write {number:g} if you mean "
        "that; nothing changed"
    )


def _written(value: Label) -> str:
    """Return a number as text, whole ones without a point."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)
