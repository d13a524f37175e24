"""Finished runs on disk: each task in a sealed file of its own, all runs in one table, and a manifest of everything."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import replacing
from sidelight.errors import FileError, NoFileError, SidelightError
from sidelight.experiments.experiment import Condition
from sidelight.experiments.work import Task
from sidelight.results import sealed
from sidelight.results._sameness import differing
from sidelight.results.frames import long
from sidelight.results.sealed import Arrays, Sealed

KEPT = "What was finished before is kept, and the same command goes on from there"


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

    def states(self, tasks: Sequence[Task]) -> dict[Task, State]:
        """Say which tasks are finished; their whole files are read and checked."""
        return {task: self._read(task)[0] for task in tasks}

    def gather(self, tasks: Sequence[Task]) -> Arrays:
        """Return the arrays of several finished tasks of one condition, run after run."""
        parts = []
        for task in tasks:
            state, arrays = self._read(task)
            if state is not State.READY:
                raise SidelightError(f"{str(self.path(task))!r} is {state.value}: run the same command again")
            parts.append(arrays)
        shared = ("rounds",)  # the same in all runs
        return {
            name: parts[0][name] if name in shared else np.concatenate([part[name] for part in parts])
            for name in parts[0]
        }

    def keep(self, task: Task, done: Sealed) -> None:
        """Write what became of a task."""
        wanted = task.facts()
        if other := differing(done.facts, wanted):
            difference = ", ".join(
                f"{name} = {done.facts.get(name)!r} instead of {wanted.get(name)!r}" for name in other
            )
            raise SidelightError(
                f"a worker returned {difference} for {task.condition.place}: "
                "all workers need the same versions of sidelight, NumPy and SciPy as this process"
            )
        try:
            sealed.write(self.path(task), done.facts, done.arrays)
        except FileError as error:
            raise FileError(f"{error}. {KEPT}") from None

    def _read(self, task: Task) -> tuple[State, Arrays]:
        try:
            facts, arrays = sealed.read(self.path(task))
        except NoFileError:
            return State.MISSING, {}
        except FileError:
            raise
        except SidelightError:
            return State.DAMAGED, {}
        return (State.STALE, {}) if differing(facts, task.facts()) else (State.READY, arrays)


def write_runs(path: Path, conditions: Sequence[Condition], arrived: Callable[[Condition], Arrays]) -> None:
    """Write one row per condition, measure, run and checkpoint to a Parquet file that any tool can read.

    In the use case there is one value per run, and its round is 0.
    """
    rows = (block for condition in conditions for block in _rows(condition, arrived(condition)))
    sealed.write_table(path, rows, categories=True)


def _rows(condition: Condition, arrays: Arrays) -> Iterator[dict[str, Any]]:
    texts = {
        "setting": condition.setting.place,
        "protocol": condition.protocol,
        "strategy": condition.strategy,
        "parameters": json.dumps(dict(condition.parameters)),
    }
    for measure in condition.setting.measures:
        values = arrays[measure].astype(float)
        rounds = arrays["rounds"] if values.ndim == 2 else np.zeros(1, np.int64)
        table = long(rounds, values.reshape(len(values), -1), "value")
        numbers = {name: table[name].astype(np.int32) for name in ("run", "round")}
        yield texts | {"measure": measure} | numbers | {"value": table["value"]}


def write_manifest(path: Path, facts: Mapping[str, Any], runs: Mapping[Condition, int], files: Sequence[Path]) -> None:
    """Write what was run, with which versions, and the SHA-256 of the files that hold it."""
    manifest = {
        "format": "sidelight reproduction",
        "format_version": 1,
        **facts,
        "entries": [{**condition.identity(), "runs": count} for condition, count in runs.items()],
        "files": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.exists()},
    }
    with replacing(path) as draft:
        draft.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
