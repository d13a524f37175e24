"""Finished runs on disk: each task in a sealed file of its own, whose name says what it depends on.

A file `runs/<game>/<world>/<player>-<horizon>-00000-00047-<key>.npz` holds runs 0 to 47 of a cell; the key is a digest
of game, world, player, horizon, checkpoints, seed and all sources that can decide the runs. So whether a task is done
is seen from the names in a folder, however many there are. That a file is whole is checked when it is read, or when it
is not as long as `sizes.json` says it was.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from sidelight._storage import claim, replacing
from sidelight.errors import FileError, NoFileError, SidelightError
from sidelight.results import Results, concatenate
from sidelight.results._sameness import differing
from sidelight.studies.plan import Cell
from sidelight.studies.work import MADE_FROM, Task, key, tasks

KEPT = "What was finished before is kept, and the same command goes on from there"
_SIZES = "sizes.json"
_NAME = re.compile(r"(.+-\d{5,}-\d{5,})-([0-9a-f]{16})\.npz")

Names = Mapping[str, Mapping[str, int]]
"""For each cell and range of runs, the keys of the files there are, and how many bytes these have."""


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
        return self.folder / task.cell.place / _file(task, self.key(task.cell))

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
        names: dict[str, Names] = {}
        known = self._known_sizes()
        for task in tasks:
            place = task.cell.place
            if place not in names:
                names[place] = self.names(place)
            keys, key = names[place].get(_stem(task), {}), self.key(task.cell)
            if key not in keys:
                found[task] = State.STALE if keys else State.MISSING
            elif known.get(f"{place}/{_file(task, key)}", keys[key]) != keys[key]:
                found[task] = self._read(task)[0]
            else:
                found[task] = State.READY
        return found

    def remember_sizes(self) -> None:
        """Write down how long all files are, so that it is noticed if one of them changes."""
        files = [Path(folder, name) for folder, _, names in os.walk(self.folder) for name in names]
        sizes = {
            file.relative_to(self.folder).as_posix(): file.stat().st_size
            for file in sorted(files)
            if _NAME.fullmatch(file.name)
        }
        with replacing(self.folder / _SIZES) as draft:
            draft.write_text(json.dumps(sizes, indent=0) + "\n", encoding="utf-8")

    def _known_sizes(self) -> dict[str, int]:
        try:
            sizes = json.loads((self.folder / _SIZES).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return sizes if isinstance(sizes, dict) else {}

    def gather(self, tasks: Sequence[Task]) -> Results:
        """Return the results of several finished tasks of a player in a setting, run after run, seed after seed."""
        parts: dict[int, list[Results]] = {}
        for task in tasks:
            state, results = self._read(task)
            if results is None:
                raise DamagedError(task, f"{str(self.path(task))!r} is {state.value}: run the same command again")
            parts.setdefault(task.cell.seed, []).append(results)
        joined = concatenate(concatenate(blocks, seed=seed) for seed, blocks in parts.items())
        return joined.with_facts(label=tasks[0].cell.player.label)

    def keep(self, task: Task, done: Results) -> None:
        """Write the results of a task.

        Raises
        ------
        OtherSourcesError
            Whoever performed it had other sources, versions or parameters than this process.
        """
        wanted, found = task.facts(), done.fact(MADE_FROM)
        if other := differing(found, wanted):
            raise OtherSourcesError(
                ", ".join(f"{name} = {found.get(name)!r} instead of {wanted.get(name)!r}" for name in other)
            )
        try:
            done.save(self.path(task))
        except FileError as error:
            raise FileError(f"{error}. {KEPT}") from None

    def remove_former(self, task: Task) -> None:
        """Remove what other code or parameters made of a task."""
        for former in self.names(task.cell.place).get(_stem(task), {}).keys() - {self.key(task.cell)}:
            with contextlib.suppress(OSError):
                (self.folder / task.cell.place / _file(task, former)).unlink()

    def remove(self, task: Task) -> None:
        """Remove the file of a task."""
        self.path(task).unlink(missing_ok=True)

    def has(self, task: Task) -> bool:
        """Say whether a task is finished, by the name of its file."""
        return self.path(task).exists()

    def has_all(self, cell: Cell, names: Names) -> bool:
        """Say whether all runs of a cell are among the names of its folder."""
        wanted = self.key(cell)
        return all(wanted in names.get(_stem(task), ()) for task in tasks(cell))

    def claim(self, task: Task) -> Callable[[], None] | None:
        """Claim a task for this process; return what gives the claim back, or None if another process is at it."""
        return claim(self.path(task))

    def names(self, place: str) -> Names:
        """Return, for each cell and range of runs in a folder, the keys there are, and how long their files are."""
        found: dict[str, dict[str, int]] = {}
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.folder / place) as entries:
            for entry in entries:
                if match := _NAME.fullmatch(entry.name):
                    found.setdefault(match[1], {})[match[2]] = entry.stat().st_size
        return found

    def _read(self, task: Task) -> tuple[State, Results | None]:
        try:
            results = Results.load(self.path(task))
        except NoFileError:
            stale = self.names(task.cell.place).get(_stem(task))
            return State.STALE if stale else State.MISSING, None
        except FileError:
            raise
        except SidelightError:
            return State.DAMAGED, None
        found = results.fact(MADE_FROM)
        return (State.READY, results) if found is not None and self._is_right(task, found) else (State.STALE, None)

    def _is_right(self, task: Task, found: Mapping[str, Any]) -> bool:
        """Say whether stored results were made from what a task is made from now."""
        return not differing(found, task.facts())


class OtherSourcesError(SidelightError):
    """What was done elsewhere was not done with the sources, versions and parameters of this process."""


class DamagedError(SidelightError):
    """A stored task that does not hold what was written."""

    def __init__(self, task: Task, message: str) -> None:
        super().__init__(message)
        self.task = task


def _file(task: Task, key: str) -> str:
    return f"{_stem(task)}-{key}.npz"


def _stem(task: Task) -> str:
    return f"{task.cell.stem}-{task.first:05d}-{task.first + task.count - 1:05d}"
