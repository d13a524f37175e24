"""The whole way: from a choice of experiments to finished runs, second looks and verdicts.

Work that is on disk already is not done again; what is damaged, or was made by other code, is. A cell that lies outside
two standard errors gets ten times the runs before it may be called different.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from sidelight.errors import SidelightError
from sidelight.experiments import judgment, plan
from sidelight.experiments.account import TableAccount
from sidelight.experiments.experiment import Entry, Experiment
from sidelight.experiments.experiment import Protocol as Way
from sidelight.experiments.plan import Profile
from sidelight.experiments.store import State, Store, counted
from sidelight.experiments.work import Arrays, Done, Task

_MEMORY = 1 << 28  # bytes of runs that are kept at hand; more are read from disk again


class Runner(Protocol):
    """Whoever does tasks: the cores of this machine, or a cluster."""

    def __call__(
        self,
        tasks: Sequence[Task],
        finished: Callable[[Task, Done], None],
        advance: Callable[[Task, int], None],
    ) -> None:
        """Do the tasks; call `finished` for each in this thread, `advance` now and then from any."""


class Display(Protocol):
    """Whoever is told how the work goes."""

    def begin(self, experiments: Sequence[tuple[str, Sequence[Task]]], pending: Sequence[Task]) -> None:
        """Hear which tasks each experiment needs, and which of them are still to be done."""

    def advance(self, task: Task, rounds: int) -> None:
        """Hear of finished rounds, from any thread."""

    def finished(self, task: Task) -> None:
        """Hear that a task is on disk."""

    def note(self, text: str) -> None:
        """Hear something that people should know."""

    def end(self) -> None:
        """Hear that nothing more will come, because all is done or because it was interrupted."""


class Choice(NamedTuple):
    """What to reproduce."""

    experiments: Sequence[Experiment]
    protocols: Sequence[Way]
    profile: Profile

    def tasks(self, experiments: Sequence[Experiment] | None = None) -> list[Task]:
        """Return all tasks of some experiments, or of all, each once."""
        chosen = self.experiments if experiments is None else experiments
        found = plan.entries(chosen, self.protocols, self.profile)
        return [task for entry in found for task in self.tasks_of(entry)]

    def tasks_of(self, entry: Entry, runs: int | None = None) -> list[Task]:
        """Return the tasks of an entry: those of the profile, or enough for so many runs."""
        return list(plan.tasks(entry, runs or self.profile.runs_of(entry), self.profile.seed))


class Reproduction:
    """Finished runs of a choice, and what follows from them."""

    def __init__(self, choice: Choice, store: Store) -> None:
        self.choice, self.store = choice, store
        self._runs: dict[Entry, int] = {}  # more than the profile's, where there was a second look
        self._arrays: dict[tuple[Entry, int], Arrays] = {}

    def run(self, runner: Runner, display: Display, share: tuple[int, int] | None = None) -> float:
        """Do what is not done yet, or one share (k of n) of it; return the seconds it took.

        Which tasks belong to a share depends only on the choice, not on what is done already.
        """
        groups = [(experiment.name, self.choice.tasks([experiment])) for experiment in self.choice.experiments]
        tasks = self.choice.tasks()
        if share is not None:
            mine = set(tasks[share[0] - 1 :: share[1]])
            tasks = [task for task in tasks if task in mine]
            groups = [(name, [task for task in group if task in mine]) for name, group in groups]
        return self._do(tasks, groups, runner, display)

    def look_again(self, runner: Runner, display: Display) -> float:
        """Give cells that look different more runs; return the seconds it took."""
        doubtful: dict[str, list[Entry]] = {}
        for experiment, table in self._judged():
            for entry in self._doubtful(experiment, table):
                self._runs[entry] = self.choice.profile.rerun_of(entry)
                doubtful.setdefault(experiment.name, []).append(entry)
        groups = [
            (
                f"{name}, second look",
                [task for entry in found for task in self.choice.tasks_of(entry, self._runs[entry])],
            )
            for name, found in doubtful.items()
        ]
        tasks = list(dict.fromkeys(task for _, group in groups for task in group))
        return self._do(tasks, groups, runner, display) if tasks else 0.0

    def missing(self) -> list[Task]:
        """Return the tasks of the choice that are not on disk, or not whole."""
        states = counted(self.store, self.choice.tasks())
        return [task for state, found in states.items() if state is not State.READY for task in found]

    def tables(self) -> list[TableAccount]:
        """Return all tables with verdicts."""
        return [table for _, table in self._judged()]

    def arrays(self, entry: Entry) -> Arrays:
        """Return the runs of an entry, those of a second look included."""
        runs = self.runs(entry)
        if (entry, runs) not in self._arrays:
            if sum(array.nbytes for arrays in self._arrays.values() for array in arrays.values()) > _MEMORY:
                self._arrays.clear()
            self._arrays[entry, runs] = self.store.gather(self.choice.tasks_of(entry, runs))
        return self._arrays[entry, runs]

    def runs(self, entry: Entry) -> int:
        """Return how many runs of an entry there are."""
        return self._runs.get(entry, self.choice.profile.runs_of(entry))

    def _judged(self) -> list[tuple[Experiment, TableAccount]]:
        profile = self.choice.profile
        return [
            (experiment, judgment.table_account(experiment, way, profile, self.arrays))
            for experiment in self.choice.experiments
            if experiment.is_table
            for way in self.choice.protocols
        ]

    def _doubtful(self, experiment: Experiment, table: TableAccount) -> list[Entry]:
        """Return the entries behind cells that need a second look."""
        labels = {(b.setting, c.label) for b in table.blocks for c in b.cells if judgment.needs_rerun(c)}
        profile = self.choice.profile
        return [
            line.entry
            for line in plan.lines(experiment, table.protocol, profile)
            if (line.section.setting.title, line.player.name) in labels
            and profile.rerun_of(line.entry) > profile.runs_of(line.entry)
        ]

    def _do(self, tasks: Sequence[Task], groups: Any, runner: Runner, display: Display) -> float:
        """Do those of the tasks that are not on disk; return the seconds it took, 0 if there were none."""
        states = counted(self.store, tasks)
        for state, why in ((State.DAMAGED, "damaged"), (State.STALE, "from other code or parameters")):
            if states[state]:
                several = len(states[state]) > 1
                text = f"{len(states[state])} stored piece{'s' if several else ''} of work"
                display.note(f"{text} {'were' if several else 'was'} {why} and will be done again")
        ready = set(states[State.READY])
        pending = [task for task in tasks if task not in ready]
        started = time.perf_counter()
        display.begin(groups, pending)

        def finished(task: Task, done: Done) -> None:
            self.store.keep(task, done)
            display.finished(task)

        try:
            if pending:
                runner(pending, finished, display.advance)
        finally:
            display.end()
        return time.perf_counter() - started if pending else 0.0


def share_of(text: str) -> tuple[int, int]:
    """Read "i/n": share i of n, from 1 to n."""
    try:
        index, count = (int(part) for part in text.split("/"))
    except ValueError:
        index, count = 0, 0
    if not 1 <= index <= count:
        raise SidelightError(f"the share is {text!r}: write i/n with i from 1 to n, such as 2/8")
    return index, count
