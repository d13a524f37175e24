"""A monitor in a file that several processes use, and how to read classes and ids given as text."""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from sidelight._storage import locked
from sidelight.errors import FileError, SidelightError
from sidelight.monitor.inputs import identifier
from sidelight.monitor.io.rows import check_file
from sidelight.monitor.monitor import ClassifierMonitor
from sidelight.monitor.types import Id, Label

_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]{0,300}))(?:(\.0+)|(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)")
_TRUTH_VALUES = {"true": True, "false": False}


@contextlib.contextmanager
def changing(path: str | os.PathLike[str]) -> Iterator[ClassifierMonitor]:
    """Yield the monitor in a file, and save it if the block succeeds; other processes wait for their turn."""
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


def classes_of(monitor: ClassifierMonitor, values: Sequence[Any]) -> list[Label]:
    """Return the classes meant by values from a shell or a file, where 7 and "7" may look the same.

    A known class is found however it is written. A new class is read like the known ones: as a number if all of them
    are numbers, as text if all of them are numbers written as text.
    """
    spelled = monitor.engine.spelled
    known = spelled.values()
    numbers, texts = _are_numbers(known), _are_written_numbers(known)

    def read(value: Any) -> Any:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        text = _written(value) if plain else value
        found = spelled.get(text) if isinstance(text, str) else None
        if found is not None:
            return found
        if numbers and isinstance(value, str):
            number = _number(value, known)
            return value if number is None else number
        return text if texts else value

    return [read(one) for one in values]


def label_of(prediction: Label, value: Any) -> Any:
    """Return the true class meant by a value: a number or text, like the predicted class."""
    if isinstance(value, str) and not isinstance(prediction, str):
        number = _number(value, [prediction])
        if number is None:
            raise SidelightError(
                f"the predicted class {prediction!r} is a number, and the label {value!r} cannot be read as one: give "
                "a number, or say that the prediction is wrong (--wrong, or false under 'correct'); nothing changed"
            )
        return number
    if isinstance(prediction, str) and isinstance(value, int | float):
        if isinstance(value, bool) or not _are_written_numbers([prediction]):
            raise SidelightError(
                f"the predicted class {prediction!r} is text, and the label {value!r} is not: write it as text, in "
                "quotation marks, or say whether the prediction is right under 'correct'; nothing changed"
            )
        return _written(value)
    return value


def id_of(monitor: ClassifierMonitor, value: Any) -> Id:
    """Return the id meant by a value: as a number instead of text, or the reverse, if only that id was decided."""
    ledger, name = monitor.engine.ledger, identifier(value)

    def decided(id: Id) -> bool:
        return id in ledger.verifications or id in ledger.passes

    number = _number(name, ()) if isinstance(name, str) else None
    other = number if isinstance(number, int) and str(number) == name else str(name)
    return other if not decided(name) and decided(other) else name


def _are_numbers(known: Collection[Label]) -> bool:
    return bool(known) and not any(isinstance(one, str) for one in known)


def _are_written_numbers(known: Collection[Label]) -> bool:
    """Say whether all classes are text that is written as `_written` writes numbers."""
    read = [_number(one, ()) if isinstance(one, str) else None for one in known]
    return bool(known) and all(
        found is not None and _written(found) == one for found, one in zip(read, known, strict=True)
    )


def _number(text: str, known: Collection[Label]) -> Label | None:
    """Return the number, or the truth value if there are such classes, that a text clearly means.

    Text that other programs may read as a number, such as 07 or 1_000, is refused: it may be a code.
    """
    if text.lower() in _TRUTH_VALUES and any(isinstance(one, bool) for one in known):
        return _TRUTH_VALUES[text.lower()]
    found = _NUMBER.fullmatch(text)
    if found and (found[2] or found[1] == text):
        return int(found[1])
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    if not found:
        if not known:
            return None
        raise SidelightError(
            f"the known classes are numbers, and {text!r} is not a plainly written number: write {number:g} if you "
            "mean that; nothing changed"
        )
    return number


def _written(value: Label) -> str:
    """Return a number as text, whole ones without a point."""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)
