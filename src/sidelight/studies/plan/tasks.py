"""The smallest piece of work: some runs of one case. A pure function of its description, on any machine."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidelight.environments import Environment
from sidelight.kernels import compiled_available
from sidelight.results import Results
from sidelight.simulation import players, simulate
from sidelight.strategies import KernelStrategy, Strategy, plugins
from sidelight.studies.build import objects
from sidelight.studies.classifiers.watching import watch_simulated_classifiers
from sidelight.studies.plain_data import thaw_plain_data
from sidelight.studies.plan import code
from sidelight.studies.plan.cases import Case
from sidelight.tasks import Advancing, Where

_WATCHED = ("predictions", "rates", "verified", "errors", "certain", "verifications", "f1")
_compiled: set[Any] = set()  # loops that this process has compiled


@dataclass(frozen=True)
class CaseTask:
    """Runs `first` to `first + count - 1` of a case."""

    case: Case
    first: int
    count: int

    def __hash__(self) -> int:
        return hash((self.first, self.count, self.case.seed, self.case.horizon, self.case.player.label))

    @property
    def title(self) -> str:
        """The name of the task in errors."""
        return f"{self.case.title}, runs {self.first} to {self.first + self.count - 1}"

    @property
    def patience(self) -> float:
        """Seconds without a finished round after which it is given up."""
        return self.case.patience

    @property
    def where(self) -> Where:
        """Where it can run: here for classes of the running script, apart for other people's code, else anywhere."""
        if self.case.player.policy:
            return "anywhere"
        world = self.case.world
        names = [self.case.player.name, *([str(world.value)] if world.kind in ("laws", "environment") else [])]
        modules = [module for module, rest in map(players.split_player_name, names) if rest is not None]
        if "__main__" in modules:
            return "here"
        ours = all(module.partition(".")[0] == "sidelight" for module in modules)
        ours = ours and plugins.strategy_plugin_named(self.case.player.name) is None
        return "anywhere" if ours and compiled_available() else "apart"

    def perform(self, progress: Advancing | bool = False) -> Results:
        """Play the runs on one core.

        The measure "seconds" is the time of the processor in each run: neither other work on this machine counts, nor
        compiling, nor what is made once for all runs.
        """
        if not self.case.player.policy:
            _prepare_case_task(self)
        if not isinstance(progress, bool):
            progress.advance(0)
        clock = time.perf_counter if self.case.player.policy else time.thread_time  # policies have threads of their own
        started = clock()
        results = _watch_case_task(self) if self.case.player.policy else _play_case_task(self, progress)
        seconds = clock() - started
        return results.with_facts(
            measures={**results.measures, "seconds": np.full(self.count, seconds / self.count)},
            seconds=seconds,
            label=self.case.player.label,
            manifest={"definition": self.case.definition, "code": code.code_digests_of_case(self.case)},
        )


def split_cases_into_tasks(case: Case, runs: int | None = None) -> list[CaseTask]:
    """Split the runs of a case into tasks; more runs later begin with the same tasks."""
    total = case.runs if runs is None else runs
    return [CaseTask(case, first, min(case.block, total - first)) for first in range(0, total, case.block)]


def shuffle_case_tasks(found: Sequence[CaseTask]) -> list[CaseTask]:
    """Put the settings of tasks in an order that has nothing to do with their cost, another one in each process.

    So what is done at any time tells how long the rest will take, and processes that share the work meet seldom. Tasks
    of a setting stay together, as they share the game, the environment and compiled loops.
    """
    return sorted(found, key=lambda task: code.digest_of_case_text(f"{os.getpid()} {task.case.place}"))


def forget_files_of_case_tasks() -> None:
    """Forget what was read from the files that cases depend on: they may change while a process goes on."""
    objects.forget_built_objects()
    code.refresh_code_digests()
    _compiled.clear()


def strategy_and_environment_of_case(case: Case) -> tuple[Strategy, Environment]:
    """Return the strategy and the environment of a case."""
    environment = objects.build_study_environment(case.world, case.game, case.folder)
    return objects.build_player_strategy(
        case.player, case.game, case.horizon, environment.dimension, case.folder
    ), environment


def _prepare_case_task(task: CaseTask) -> None:
    """Make the strategy, and compile its loop."""
    case = task.case
    strategy, environment = strategy_and_environment_of_case(case)
    if not isinstance(strategy, KernelStrategy):
        return
    _ = strategy.compiled_parameters
    loop = (type(strategy), type(environment), case.player, case.game)
    if loop not in _compiled:
        simulate(strategy, environment, 1, 1, case.seed, 1, workers=1, first_run=task.first, progress=False)
        _compiled.add(loop)


def _play_case_task(task: CaseTask, progress: Advancing | bool) -> Results:
    case = task.case
    return simulate(
        *strategy_and_environment_of_case(case),
        case.horizon,
        task.count,
        case.seed,
        case.rounds().tolist(),
        workers=1,
        first_run=task.first,
        progress=progress,
    )


def _watch_case_task(task: CaseTask) -> Results:
    """Let a policy watch classifiers."""
    case = task.case
    given = {name: thaw_plain_data(value) for name, value in case.world.parameters}
    own = {name: thaw_plain_data(value) for name, value in case.player.parameters}
    tolerance = given.pop("tolerance")
    outcome = watch_simulated_classifiers(
        case.world.value,
        tolerance,
        objects.build_player_policy(case.player),
        task.count,
        case.seed,
        workers=1,
        first_run=task.first,
        **given,
    )
    return Results(
        game=None,
        strategy={"name": case.player.name, "parameters": own},
        environment={"name": "classifiers", "case": case.world.value, "tolerance": tolerance, **given},
        seed=case.seed,
        measures={name: np.asarray(getattr(outcome, name)) for name in _WATCHED},
        manifest={"first_run": task.first},
    )
