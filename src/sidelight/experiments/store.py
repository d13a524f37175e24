"""Finished tasks on disk: each in a file of its own that is whole or not there, and that tells when it was damaged."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import replacing
from sidelight.errors import SidelightError
from sidelight.experiments.work import Arrays, Done, Task

_FACTS, _DIGEST = "facts", "sha256"


class State(Enum):
    """What the store has of a task."""

    READY = "ready"
    MISSING = "missing"
    DAMAGED = "damaged"
    STALE = "stale"
    """It was made by another version of the code, or with other parameters."""


class Store:
    """A folder of finished tasks."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def path(self, task: Task) -> Path:
        """Return where a task is kept."""
        runs = f"{task.first:05d}-{task.first + task.count - 1:05d}"
        seed = f"-seed-{task.seed}" if task.seed else ""
        return self.folder / task.condition.place / f"{runs}{seed}.npz"

    def state(self, task: Task) -> State:
        """Say whether a task is finished; the whole file is read and checked."""
        return self._read(task)[0]

    def load(self, task: Task) -> Arrays:
        """Return the arrays of a finished task."""
        state, arrays = self._read(task)
        if arrays is None:
            raise SidelightError(f"{str(self.path(task))!r} is {state.value}: run the same command again")
        return arrays

    def gather(self, tasks: Sequence[Task]) -> Arrays:
        """Return the arrays of several tasks of one condition, run after run."""
        parts = [self.load(task) for task in tasks]
        shared = ("rounds",)  # the same in all runs
        return {
            name: parts[0][name] if name in shared else np.concatenate([part[name] for part in parts])
            for name in parts[0]
        }

    def keep(self, task: Task, done: Done) -> None:
        """Write what became of a task."""
        if done.facts != task.facts():
            raise SidelightError(
                f"a worker returned {_difference(done.facts, task.facts())} for {task.condition.place}: "
                "all workers need the same versions of sidelight, NumPy and SciPy as this process"
            )
        path = self.path(task)
        try:
            write_sealed(path, done.facts, done.arrays)
        except OSError as error:
            raise SidelightError(
                f"cannot write {str(path)!r} ({error.strerror or error}); what was finished before is kept, and the "
                "same command goes on from there"
            ) from None

    def _read(self, task: Task) -> tuple[State, Arrays | None]:
        path = self.path(task)
        try:
            facts, arrays = read_sealed(path)
        except FileNotFoundError:
            return State.MISSING, None
        except OSError as error:
            raise SidelightError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
        except SidelightError:
            return State.DAMAGED, None
        return (State.READY, arrays) if facts == task.facts() else (State.STALE, None)


def write_sealed(path: Path, facts: Mapping[str, Any], arrays: Arrays) -> None:
    """Write plain facts and arrays of numbers to an .npz file, with a digest of everything in it."""
    text = json.dumps(facts, sort_keys=True)
    ordered = {name: np.asarray(arrays[name]) for name in sorted(arrays)}
    extra = {_FACTS: np.array(text), _DIGEST: np.array(_digest(text, ordered))}
    with replacing(path) as draft, draft.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **extra, **ordered)


def read_sealed(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Return the facts and arrays in a file, or raise a SidelightError if they are not what was written."""
    content = path.read_bytes()
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in sorted(archive.files)}
        text, seal = (str(arrays.pop(name)[()]) for name in (_FACTS, _DIGEST))
        facts: dict[str, Any] = json.loads(text)
    except Exception as error:  # whatever the readers of zip, NumPy and JSON make of a damaged file
        raise SidelightError(f"{str(path)!r} is damaged ({type(error).__name__}: {error})") from None
    if seal != _digest(text, arrays):
        raise SidelightError(f"{str(path)!r} is damaged or was edited: it does not match its digest")
    return facts, arrays


def _digest(text: str, arrays: Arrays) -> str:
    """Return the SHA-256 of everything in a file, the same on every machine."""
    found = hashlib.sha256(text.encode())
    for name, array in arrays.items():
        kind = array.dtype.newbyteorder("<")
        found.update(f"\0{name}{kind.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array, dtype=kind).tobytes())
    return found.hexdigest()


def _difference(got: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    names = [name for name in wanted if got.get(name) != wanted[name]]
    return ", ".join(f"{name} = {got.get(name)!r} instead of {wanted[name]!r}" for name in names)


def counted(store: Store, tasks: Sequence[Task]) -> dict[State, list[Task]]:
    """Sort tasks by what the store has of them."""
    found: dict[State, list[Task]] = {state: [] for state in State}
    for task in tasks:
        found[store.state(task)].append(task)
    return found
