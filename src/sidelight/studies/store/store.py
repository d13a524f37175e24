"""Finished runs on disk: each task is a saved `Results` whose name says what it depends on.

A file `runs/<game>/<world>/<player>-<horizon>-00000-00047-<key>.npz` holds runs 0 to 47 of a case. The key has two
halves: a digest of what the study says about the case, and one of the code and files that played it. So whether a task
is done is seen from the names in a folder, however many there are; that a file is whole is checked when it is read.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path

from sidelight.errors import FileError, NoFileError, SidelightError
from sidelight.results import Results, concatenate
from sidelight.studies.plan.cases import Case
from sidelight.studies.plan.code import code_digests_of_case, combined_digest_of_case
from sidelight.studies.plan.tasks import CaseTask, split_cases_into_tasks

KEPT = "What was finished before is kept, and the same command goes on from there"
_NAME = re.compile(r"(.+-\d{5,}-\d{5,})-([0-9a-f]{16})\.npz")

Names = Mapping[str, set[str]]
"""For each case and range of runs, the keys of the files there are."""


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
        self._keys: dict[int, tuple[Case, str]] = {}
        self._seen: dict[str, Names] = {}

    def key(self, case: Case) -> str:
        """Return the key of a case."""
        if id(case) not in self._keys:  # to hash a case takes longer
            self._keys[id(case)] = case, _store_key_of_case(case.definition, code_digests_of_case(case))
        return self._keys[id(case)][1]

    def path(self, task: CaseTask) -> Path:
        """Return where a task is kept."""
        return self.folder / task.case.place / f"{_task_stem(task)}-{self.key(task.case)}.npz"

    def states(self, tasks: Sequence[CaseTask], thorough: bool = False) -> dict[CaseTask, State]:
        """Say which tasks are finished, by the names of their files or, if `thorough`, by reading and checking them."""
        if thorough:
            return {task: self._read(task)[0] for task in tasks}
        names = {place: self.names(place) for place in {task.case.place for task in tasks}}
        found: dict[CaseTask, State] = {}
        for task in tasks:
            keys = names[task.case.place].get(_task_stem(task), set())
            found[task] = State.MISSING if not keys else State.STALE
            if self.key(task.case) in keys:
                found[task] = State.READY
        return found

    def gather(self, tasks: Sequence[CaseTask]) -> Results:
        """Return the results of several finished tasks of a player in a setting, run after run, seed after seed."""
        parts: dict[int, list[Results]] = {}
        for task in tasks:
            state, results = self._read(task)
            if results is None:
                remedy = "remove it, and run the study again" if state is State.DAMAGED else "run the study again"
                raise DamagedError(f"{str(self.path(task))!r} is {state.value}: {remedy}")
            parts.setdefault(task.case.seed, []).append(results)
        joined = concatenate(concatenate(blocks, seed=seed) for seed, blocks in parts.items())
        return joined.with_facts(label=tasks[0].case.player.label)

    def keep(self, task: CaseTask, done: Results) -> None:
        """Write the results of a task.

        Raises
        ------
        OtherCodeError
            They were made by other code or with other parameters than this process has.
        """
        if not self._is_right(task, done):
            raise OtherCodeError(f"{task.title} was done with other sources or parameters than this process has")
        try:
            done.save(self.path(task))
        except FileError as error:
            raise FileError(f"{error}. {KEPT}") from None

    def remove_former(self, task: CaseTask) -> None:
        """Remove results of a task that other code or parameters made."""
        for former in self.names(task.case.place).get(_task_stem(task), set()) - {self.key(task.case)}:
            with contextlib.suppress(OSError):
                (self.folder / task.case.place / f"{_task_stem(task)}-{former}.npz").unlink()

    def remove(self, task: CaseTask) -> None:
        """Remove the file of a task."""
        self.path(task).unlink(missing_ok=True)

    def has(self, task: CaseTask) -> bool:
        """Say whether a task is finished, by the name of its file."""
        return self.path(task).exists()

    def has_all(self, case: Case) -> bool:
        """Say whether all runs of a case are there; a folder is looked at once, until `look_again`."""
        if case.place not in self._seen:
            self._seen[case.place] = self.names(case.place)
        key, names = self.key(case), self._seen[case.place]
        return all(key in names.get(_task_stem(task), ()) for task in split_cases_into_tasks(case))

    def look_again(self) -> None:
        """Forget which files were seen in the folders."""
        self._seen.clear()

    def names(self, place: str) -> Names:
        """Return, for each case and range of runs in a folder, the keys there are."""
        found: dict[str, set[str]] = {}
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.folder / place) as entries:
            for entry in entries:
                if match := _NAME.fullmatch(entry.name):
                    found.setdefault(match[1], set()).add(match[2])
        return found

    def _read(self, task: CaseTask) -> tuple[State, Results | None]:
        try:
            results = Results.load(self.path(task))
        except NoFileError:
            stale = self.names(task.case.place).get(_task_stem(task))
            return State.STALE if stale else State.MISSING, None
        except FileError:
            raise
        except SidelightError:
            return State.DAMAGED, None
        return (State.READY, results) if self._is_right(task, results) else (State.STALE, None)

    def _is_right(self, task: CaseTask, found: Results) -> bool:
        """Return whether results belong to a task and were made by the present code."""
        made, code = (found.fact("first_run"), found.n_runs), found.fact("code")
        key = _store_key_of_case(str(found.fact("definition")), code) if isinstance(code, dict) else ""
        return (key, made) == (self.key(task.case), (task.first, task.count))


class OtherCodeError(SidelightError):
    """What was done elsewhere was not done with the code and parameters of this process."""


class DamagedError(SidelightError):
    """The file of a stored task is damaged."""


def _store_key_of_case(definition: str, code: Mapping[str, str]) -> str:
    return definition + combined_digest_of_case([code])[:8]


def _task_stem(task: CaseTask) -> str:
    return f"{task.case.stem}-{task.first:05d}-{task.first + task.count - 1:05d}"
