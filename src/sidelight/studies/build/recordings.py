"""Recorded outcomes in files: .npz, .npy or .csv."""

from __future__ import annotations

import csv
import functools
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import read_file_contents
from sidelight.environments import Replay
from sidelight.errors import NoFileError, SidelightError
from sidelight.results.sealed import name_sealed_file_in_errors

_OUTCOME = "outcome"


def load_recording_of_world(path: Path, law: Any = None) -> Replay:
    """Return the recorded outcomes of a file, with contexts and laws if there are some.

    A law that is given, as a tuple or a tuple of tuples, counts instead of that in the file.
    """
    if path.suffix.lower() not in (".npz", ".npy", ".csv"):
        raise SidelightError(f"cannot tell the format of {str(path)!r}: name a recording .npz, .npy or .csv")
    if "\0" in str(path):
        raise NoFileError(f"there is no file {str(path)!r}")
    if not path.is_file():
        read_file_contents(path)  # for a clear error
    state = path.stat()
    return _load_recording_file(path, law, state.st_mtime_ns, state.st_size)


@functools.lru_cache(maxsize=8)
def _load_recording_file(path: Path, law: Any, modified: int, size: int) -> Replay:
    """Read a file; one that did not change since is not read again."""
    with name_sealed_file_in_errors(path):
        found = _recording_columns(path) if path.suffix.lower() == ".csv" else _recording_arrays(path)
        return Replay(**found if law is None else found | {"law": law})


def _recording_arrays(path: Path) -> dict[str, Any]:
    """Return what is recorded: outcomes, and contexts and laws if the file has them."""
    loaded = np.load(path, allow_pickle=False)
    if isinstance(loaded, np.ndarray):
        return {"outcomes": loaded}
    with loaded as arrays:
        parts = {name: arrays[name] for name in ("outcomes", "contexts", "law") if name in arrays.files}
    if "outcomes" not in parts:
        raise SidelightError("has no array 'outcomes'")
    return parts


def _recording_columns(path: Path) -> dict[str, Any]:
    """Return the column `outcome` of a CSV file, and all others as contexts."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        names, *rows = list(csv.reader(stream)) or [[]]
    if _OUTCOME not in names:
        raise SidelightError(f"has no column {_OUTCOME!r}: its first row gives the names of the columns")
    table = np.empty((len(rows), len(names)))
    for number, row in enumerate(rows):
        if len(row) != len(names):
            raise SidelightError(f"row {number + 2} has {len(row)} values for {len(names)} columns")
        try:
            table[number] = [float(value) for value in row]
        except ValueError as error:
            raise SidelightError(f"row {number + 2}: {error}") from None
    place = names.index(_OUTCOME)
    outcomes, contexts = table[:, place], np.delete(table, place, axis=1)
    if not rows or not (np.isfinite(table).all() and (outcomes == outcomes.astype(np.int64)).all()):
        raise SidelightError("needs rows of numbers, and as outcomes the whole numbers 0, 1, ...")
    return {"outcomes": outcomes.astype(np.int64), "contexts": contexts if contexts.size else None}
