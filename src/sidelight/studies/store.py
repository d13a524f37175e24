"""Finished runs on disk: each task in a sealed file of its own, whose name says what it depends on.

A file `runs/<game>/<world>/<player>-<horizon>-00000-00047-<key>.npz` holds runs 0 to 47 of a cell; the key is a digest
of game, world, player, horizon, checkpoints, seed and all sources that can decide the runs. So whether a task is done
is seen from the names in a folder, however many there are; that a file is whole is checked when it is read.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path

import numpy as np

from sidelight._storage import claim
from sidelight.errors import FileError, NoFileError, SidelightError
from sidelight.results import sealed
from sidelight.results._sameness import differing
from sidelight.results.sealed import Arrays, Sealed
from sidelight.studies.plan import Cell
from sidelight.studies.work import Task, key, tasks

KEPT = "What was finished before is kept, and the same command goes on from there"
_NAME = re.compile(r"(.+-\d{5,}-\d{5,})-([0-9a-f]{16})\.npz")


class State(Enum):
    """What the store has of a task."""

    READY = "ready"
    MISSING = "missing"
    DAMAGED = "damaged"
    STALE = "stale"
    """It was made by other code, or with other parameters."""


class Store:
    """A folder of finished tasks."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self._keys: dict[int, tuple[Cell, str]] = {}

    def path(self, task: Task) -> Path:
        """Return where a task is kept."""
        return self.folder / task.cell.place / f"{_stem(task)}-{self.key(task.cell)}.npz"

    def key(self, cell: Cell) -> str:
        """Return the key of a cell."""
        if id(cell) not in self._keys or self._keys[id(cell)][0] is not cell:
            self._keys[id(cell)] = cell, key(cell)
        return self._keys[id(cell)][1]

    def states(self, tasks: Sequence[Task], thorough: bool = False) -> dict[Task, State]:
        """Say which tasks are finished, by the names of their files or, if `thorough`, by reading and checking them."""
        if thorough:
            return {task: self._read(task)[0] for task in tasks}
        found: dict[Task, State] = {}
        names: dict[str, dict[str, set[str]]] = {}
        for task in tasks:
            place = task.cell.place
            if place not in names:
                names[place] = self.names(place)
            keys = names[place].get(_stem(task), set())
            ready = self.key(task.cell) in keys
            found[task] = State.READY if ready else State.STALE if keys else State.MISSING
        return found

    def gather(self, tasks: Sequence[Task]) -> Arrays:
        """Return the arrays of several finished tasks of one cell, run after run."""
        parts = []
        for task in tasks:
            state, arrays = self._read(task)
            if state is not State.READY:
                raise DamagedError(task, f"{str(self.path(task))!r} is {state.value}: run the same command again")
            parts.append(arrays)
        shared = ("rounds",)  # the same in all runs
        return {
            name: parts[0][name] if name in shared else np.concatenate([part[name] for part in parts])
            for name in parts[0]
        }

    def keep(self, task: Task, done: Sealed) -> None:
        """Write what became of a task, in the place of what other code or parameters made of it."""
        wanted = task.facts()
        if other := differing(done.facts, wanted):
            difference = ", ".join(
                f"{name} = {done.facts.get(name)!r} instead of {wanted.get(name)!r}" for name in other
            )
            raise SidelightError(
                f"a worker returned {difference} for {task.cell.title}: "
                "all workers need the same versions of sidelight, NumPy and SciPy as this process"
            )
        path = self.path(task)
        try:
            sealed.write(path, done.facts, done.arrays)
        except FileError as error:
            raise FileError(f"{error}. {KEPT}") from None
        for former in self.names(task.cell.place).get(_stem(task), set()) - {self.key(task.cell)}:
            with contextlib.suppress(OSError):
                (path.parent / f"{_stem(task)}-{former}.npz").unlink()

    def remove(self, task: Task) -> None:
        """Remove the file of a task."""
        self.path(task).unlink(missing_ok=True)

    def has(self, task: Task) -> bool:
        """Say whether a task is finished, by the name of its file."""
        return self.path(task).exists()

    def has_all(self, cell: Cell, names: Mapping[str, set[str]]) -> bool:
        """Say whether all runs of a cell are among the names of its folder."""
        wanted = self.key(cell)
        return all(wanted in names.get(_stem(task), ()) for task in tasks(cell))

    def claim(self, task: Task) -> Callable[[], None] | None:
        """Claim a task for this process; return what gives the claim back, or None if another process is at it."""
        return claim(self.path(task))

    def names(self, place: str) -> dict[str, set[str]]:
        """Return, for each cell and range of runs in a folder, the keys there are."""
        found: dict[str, set[str]] = {}
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.folder / place) as entries:
            for entry in entries:
                if match := _NAME.fullmatch(entry.name):
                    found.setdefault(match[1], set()).add(match[2])
        return found

    def _read(self, task: Task) -> tuple[State, Arrays]:
        try:
            facts, arrays = sealed.read(self.path(task))
        except NoFileError:
            stale = self.names(task.cell.place).get(_stem(task))
            return State.STALE if stale else State.MISSING, {}
        except FileError:
            raise
        except SidelightError:
            return State.DAMAGED, {}
        return (State.STALE, {}) if differing(facts, task.facts()) else (State.READY, arrays)


class DamagedError(SidelightError):
    """A stored task that does not hold what was written."""

    def __init__(self, task: Task, message: str) -> None:
        super().__init__(message)
        self.task = task


def _stem(task: Task) -> str:
    return f"{task.cell.stem}-{task.first:05d}-{task.first + task.count - 1:05d}"
