"""Recorded outcomes in files: .npz, .npy or .csv."""

from __future__ import annotations

import contextlib
import csv
import functools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sidelight._storage import file_contents
from sidelight.environments import Replay
from sidelight.errors import NoFileError, SidelightError
from sidelight.results.sealed import naming_file

_OUTCOME = "outcome"


class _Recorded(NamedTuple):
    """The arrays of a recording; None for those that its file does not have."""

    outcomes: Any
    contexts: Any = None
    law: Any = None


def recording(path: Path, law: Any = None) -> Replay:
    """Return the recorded outcomes of a file, with contexts and laws if there are some.

    A law that is given, as a tuple or a tuple of tuples, counts instead of that in the file.
    """
    if path.suffix.lower() not in (".npz", ".npy", ".csv"):
        raise SidelightError(f"cannot tell the format of {str(path)!r}: name a recording .npz, .npy or .csv")
    if "\0" in str(path):
        raise NoFileError(f"there is no file {str(path)!r}")
    if not path.is_file():
        file_contents(path)  # for a clear error
    state = path.stat()
    return _recording(path, law, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=8)
def _recording(path: Path, law: Any, modified: int, size: int) -> Replay:
    """Read a file; one that did not change since is not read again."""
    with naming_file(path):
        found = _columns(path) if path.suffix.lower() == ".csv" else _arrays(path)
        return Replay(found.outcomes, found.contexts, found.law if law is None else law)


def _arrays(path: Path) -> _Recorded:
    loaded = np.load(path, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return _Recorded(loaded)
    with loaded as arrays:
        parts = {name: arrays[name] for name in ("outcomes", "contexts", "law") if name in arrays.files}
    if "outcomes" not in parts:
        raise SidelightError("has no array 'outcomes'")
    return _Recorded(**parts)


def _columns(path: Path) -> _Recorded:
    """Return the column `outcome` of a CSV file, and all others as contexts."""
    with _understood(), path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream)
        names = list(reader.fieldnames or ())
        if _OUTCOME not in names:
            raise SidelightError(f"has no column {_OUTCOME!r}: its first row gives the names of the columns")
        others = [name for name in names if name != _OUTCOME]
        outcomes, contexts = [], []
        for row in reader:
            outcomes.append(_whole(row, reader.line_num))
            contexts.append([_number(row, name, reader.line_num) for name in others])
    if not outcomes:
        raise SidelightError("has the names of columns, but no rows: write one row for each outcome")
    return _Recorded(np.array(outcomes), np.array(contexts) if others else None)


@contextlib.contextmanager
def _understood() -> Iterator[None]:
    """Raise a clear error for a file that is not CSV."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise SidelightError(f"is not UTF-8 text: {error}") from None
    except csv.Error as error:
        raise SidelightError(f"cannot be read as CSV: {error}") from None


def _whole(row: Mapping[str | None, Any], number: int) -> int:
    text = row[_OUTCOME]
    try:
        found = int(text or "")
    except ValueError:
        raise SidelightError(f"row {number}: {_OUTCOME} {text or ''!r} is not a whole number") from None
    if not 0 <= found < 2**31:
        raise SidelightError(f"row {number}: {_OUTCOME} {found} is not the index of an outcome, which are 0, 1, ...")
    return found


def _number(row: Mapping[str | None, Any], name: str, number: int) -> float:
    text = row[name]
    try:
        found = float(text or "")
    except ValueError:
        found = math.nan
    if None in row:
        raise SidelightError(f"row {number} has more values than there are columns")
    if not math.isfinite(found):
        raise SidelightError(f"row {number}: {name} {text or ''!r} is not a number")
    return found
