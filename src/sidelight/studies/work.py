"""The smallest piece of work: some runs of one cell. A pure function of its description, on whatever machine."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sidelight.environments import Environment
from sidelight.kernels import compiled_available
from sidelight.results import Results
from sidelight.results._checks import canonical
from sidelight.results.provenance import written
from sidelight.simulation import players, simulate
from sidelight.strategies import Strategy, plugins
from sidelight.strategies.base import KernelStrategy
from sidelight.studies import making, sources
from sidelight.studies.guard import Failure, Pulse, guarded
from sidelight.studies.parameters import thawed
from sidelight.studies.plan import Cell
from sidelight.studies.study import Game, Player, World
from sidelight.studies.watching import watch_classifiers
from sidelight.tasks import Advancing, Where

FORMAT = 1
"""Changes when runs are made or kept in another way, so that what was kept before is made again."""
_SECONDS = 1e-6  # of a round, for want of anything better
_SIMULATION = ("sidelight.simulation.runs",)
_WATCHING = ("sidelight.studies.watching",)
_compiled: set[Any] = set()  # what this process has compiled
_KEPT = ("predictions", "rates", "verified", "errors", "certain", "verifications", "f1")


MADE_FROM = "made_from"
"""Where the manifest of stored results has what they depend on."""


class Spent(NamedTuple):
    """How long a piece of work took, on one core."""

    seconds: float
    """All but compiling."""
    compiling: float = 0.0
    """What it took to compile the loop, to load it, or to wait until another thread had done so."""


@dataclass(frozen=True)
class Task:
    """Runs `first` to `first + count - 1` of a cell; `seconds` is roughly what they cost on one core."""

    cell: Cell
    first: int
    count: int
    seconds: float = field(default=1.0, compare=False)

    def __hash__(self) -> int:
        return hash((self.first, self.count, self.cell.seed, self.cell.horizon, self.cell.player.label))

    @property
    def title(self) -> str:
        """What it is called in an error."""
        return f"{self.cell.title}, runs {self.first} to {self.first + self.count - 1}"

    @property
    def rounds(self) -> int:
        """How many rounds are played."""
        return self.count * self.cell.horizon

    @property
    def kernel(self) -> tuple[str, str]:
        """What has to be compiled for it."""
        world = self.cell.world
        return self.cell.player.name, world.value if world.kind == "contexts" else world.kind

    @property
    def kind(self) -> tuple[str, str, str, int]:
        """Which tasks cost about as much per round."""
        cell = self.cell
        world = cell.world.kind if cell.world.kind == "laws" else cell.world.label
        return cell.player.label, cell.game.label, world, cell.horizon

    def facts(self) -> dict[str, Any]:
        """Return what the result depends on, as plain data; equal facts mean equal results."""
        return {**_facts(self.cell), "first_run": self.first, "runs": self.count}

    @property
    def where(self) -> Where:
        """Who can perform it: what a script defines, only this process; other people's code, better one of its own."""
        if self.cell.player.policy:
            return "anywhere"
        world = self.cell.world
        names = [self.cell.player.name, *([str(world.value)] if world.kind in ("laws", "environment") else [])]
        modules = [module for module, rest in map(players.split, names) if rest is not None]
        if "__main__" in modules:
            return "here"
        ours = all(module.partition(".")[0] == "sidelight" for module in modules)
        ours = ours and plugins.named(self.cell.player.name) is None
        return "anywhere" if ours and compiled_available() else "apart"

    def perform(self, progress: Advancing | bool = False) -> Results | Failure:
        """Do it, on one core; return the results, or why there are none."""

        def work(pulse: Pulse) -> Results:
            begun = time.perf_counter()
            compiling = 0.0 if self.cell.player.policy else prepare(self)
            pulse.advance(0)
            started = time.perf_counter()
            results = _watched(self) if self.cell.player.policy else _played(self, pulse)
            ended = time.perf_counter()
            seconds = np.full(self.count, (ended - started) / self.count)
            return results.with_facts(
                measures={**results.measures, "seconds": seconds},
                seconds=ended - begun - compiling,
                label=self.cell.player.label,
                manifest={MADE_FROM: self.facts(), "compiling": compiling},
            )

        done: Results | Failure = guarded(work, progress, self.cell.patience)
        return done


def tasks(cell: Cell, runs: int | None = None, seconds_per_run: float | None = None) -> list[Task]:
    """Split the runs of a cell into tasks; more runs later begin with the same tasks."""
    total = cell.runs if runs is None else runs
    each = _SECONDS * max(1, cell.horizon) if seconds_per_run is None else seconds_per_run
    starts = range(0, total, cell.block)
    counts = [min(cell.block, total - first) for first in starts]
    return [Task(cell, first, count, count * each) for first, count in zip(starts, counts, strict=True)]


def key(cell: Cell) -> str:
    """Return a short name of everything that the runs of a cell depend on, but for their numbers."""
    return key_of(_facts(cell))


def key_of(facts: Mapping[str, Any]) -> str:
    """Return the key of a cell from the facts of the cell or of one of its tasks."""
    own = {name: value for name, value in facts.items() if name not in ("first_run", "runs")}
    return hashlib.sha256(canonical(own).encode()).hexdigest()[:16]


def code_of(cells: Iterable[Cell]) -> str:
    """Return a digest of all sources that the runs of some cells depend on."""
    codes = sorted({_facts(cell)["code"] for cell in cells})
    return hashlib.sha256("".join(codes).encode()).hexdigest()[:16]


def refresh() -> None:
    """Look again at all files that cells depend on: in a process that goes on, they may have changed."""
    making.refresh()
    sources.refresh()
    for cached in (_played_place, _player):
        cached.cache_clear()
    _compiled.clear()


def pair(cell: Cell) -> tuple[Strategy, Environment]:
    """Return who plays in a cell, and against what."""
    environment = making.environment(cell.world, cell.game, cell.folder)
    return making.strategy(cell.player, cell.game, cell.horizon, environment.dimension, cell.folder), environment


def prepare(task: Task) -> float:
    """Make what is made once for all runs of a cell, and compile; return the seconds that compiling took.

    Neither counts as time for rounds.
    """
    cell = task.cell
    strategy, environment = pair(cell)
    if not isinstance(strategy, KernelStrategy):
        return 0.0
    _ = strategy.compiled_parameters
    started = time.perf_counter()
    if (loop := (type(strategy), task.kernel, cell.player, cell.game)) not in _compiled:
        simulate(strategy, environment, 1, 1, cell.seed, 1, workers=1, first_run=task.first, progress=False)
        _compiled.add(loop)
    return time.perf_counter() - started


def _played(task: Task, pulse: Pulse) -> Results:
    """Play a game."""
    cell = task.cell
    return simulate(
        *pair(cell),
        cell.horizon,
        task.count,
        cell.seed,
        cell.rounds().tolist(),
        workers=1,
        first_run=task.first,
        progress=pulse,
    )


def _watched(task: Task) -> Results:
    """Watch classifiers."""
    cell = task.cell
    given = {name: thawed(value) for name, value in cell.world.parameters}
    policy = {name: thawed(value) for name, value in cell.player.parameters}
    tolerance = given.pop("tolerance")
    outcome = watch_classifiers(
        cell.world.value,
        tolerance,
        making.policy(cell.player),
        task.count,
        cell.seed,
        workers=1,
        first_run=task.first,
        **given,
    )
    return Results(
        game=None,
        strategy={"name": cell.player.name, "parameters": policy},
        environment={"name": "classifiers", "case": cell.world.value, "tolerance": tolerance, **given},
        seed=cell.seed,
        measures={name: np.asarray(getattr(outcome, name)) for name in _KEPT},
        manifest={"first_run": task.first},
    )


def _facts(cell: Cell) -> dict[str, Any]:
    place = _watched_place(cell.world) if cell.player.policy else _played_place(cell.world, cell.game, cell.folder)
    rounds = None if cell.player.policy else thawed(cell.checkpoints)
    player = _player(cell.player, cell.folder)
    code = sources.digest((*place["sources"], *player["sources"]))
    own = {"player": player["what"], "horizon": cell.horizon, "checkpoints": rounds, "seed": cell.seed}
    return {"format": FORMAT, **place["what"], **own, "code": code}


@functools.lru_cache(maxsize=4096)
def _played_place(world: World, entry: Game, folder: str) -> dict[str, Any]:
    """Return what identifies game and world, and the sources that decide what happens there."""
    environment = making.environment(world, entry, folder)
    game = written(making.game(entry, folder))
    what = {"game": {name: game[name] for name in ("loss", "feedback")}, "world": environment.describe()}
    digests = {name: hashlib.sha256(canonical(value).encode()).hexdigest()[:32] for name, value in what.items()}
    return {"what": digests, "sources": (*_SIMULATION, *making.modules(environment))}


@functools.lru_cache(maxsize=4096)
def _watched_place(world: World) -> dict[str, Any]:
    what = {"classifiers": world.value, **{name: thawed(value) for name, value in world.parameters}}
    return {"what": {"game": None, "world": what}, "sources": _WATCHING}


@functools.lru_cache(maxsize=4096)
def _player(player: Player, folder: str) -> dict[str, Any]:
    kind: Any = making.policy(player) if player.policy else making.strategy_class(player, folder)
    given = {name: thawed(value) for name, value in player.parameters}
    head, rest = players.split(player.name)
    # A file may be moved with the study that it belongs to.
    name = f"{Path(head).name}:{rest}" if head.endswith(".py") else player.name
    return {"what": {"name": name, "parameters": given}, "sources": tuple(making.modules(kind))}
