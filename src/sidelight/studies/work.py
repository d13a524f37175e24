"""The smallest piece of work: some runs of one cell. A pure function of its description, on whatever machine."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sidelight.environments import Environment
from sidelight.results._checks import canonical
from sidelight.results.provenance import written
from sidelight.results.sealed import Arrays, Sealed
from sidelight.simulation import players, simulate
from sidelight.strategies import Strategy
from sidelight.strategies.base import KernelStrategy
from sidelight.studies import making, sources
from sidelight.studies.guard import Failure, Pulse, guarded
from sidelight.studies.parameters import thawed
from sidelight.studies.plan import Cell
from sidelight.studies.study import Game, Player, World
from sidelight.studies.watching import watch_classifiers
from sidelight.tasks import Advancing

FORMAT = 1
"""Changes when runs are made or kept in another way, so that what was kept before is made again."""
_SIMULATION = ("sidelight.simulation.runs",)
_WATCHING = ("sidelight.studies.watching",)
_KEPT = ("predictions", "rates", "verified", "errors", "certain", "verifications", "f1")


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
    def costly(self) -> bool:
        """Whether short tasks should not wait for it."""
        return self.cell.block == 1

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

    def perform(self, progress: Advancing | bool = False) -> Sealed | Failure:
        """Do it, on one core; return its facts and arrays with one row per run, or why there are none."""

        def work(pulse: Pulse) -> Sealed:
            if not self.cell.player.policy:
                _prepare(self.cell)
            started = time.perf_counter()
            arrays = _watched(self) if self.cell.player.policy else _played(self, pulse)
            seconds = np.full(self.count, (time.perf_counter() - started) / self.count)
            return Sealed(self.facts(), arrays | {"seconds": seconds})

        done: Sealed | Failure = guarded(work, progress, self.cell.patience)
        return done


def tasks(cell: Cell, runs: int | None = None, seconds_per_run: float = 1.0) -> list[Task]:
    """Split the runs of a cell into tasks; more runs later begin with the same tasks."""
    total = cell.runs if runs is None else runs
    starts = range(0, total, cell.block)
    counts = [min(cell.block, total - first) for first in starts]
    return [Task(cell, first, count, count * seconds_per_run) for first, count in zip(starts, counts, strict=True)]


def key(cell: Cell) -> str:
    """Return a short name of everything that the runs of a cell depend on, but for their numbers."""
    return hashlib.sha256(canonical(_facts(cell)).encode()).hexdigest()[:16]


def code_of(cells: Iterable[Cell]) -> str:
    """Return a digest of all sources that the runs of some cells depend on."""
    codes = sorted({_facts(cell)["code"] for cell in cells})
    return hashlib.sha256("".join(codes).encode()).hexdigest()[:16]


def pair(cell: Cell) -> tuple[Strategy, Environment]:
    """Return who plays in a cell, and against what."""
    environment = making.environment(cell.world, cell.game, cell.folder)
    return making.strategy(cell.player, cell.game, cell.horizon, environment.dimension, cell.folder), environment


def _prepare(cell: Cell) -> None:
    """Make what is made once for all runs of a cell, so that it does not count as time for rounds."""
    strategy, _ = pair(cell)
    if isinstance(strategy, KernelStrategy):
        _ = strategy.compiled_parameters


def _played(task: Task, pulse: Pulse) -> Arrays:
    """Play a game."""
    cell = task.cell
    results = simulate(
        *pair(cell),
        cell.horizon,
        task.count,
        cell.seed,
        cell.rounds().tolist(),
        workers=1,
        first_run=task.first,
        progress=pulse,
    )
    return {"rounds": results.rounds, "regret": results.regret, "plays": results.plays}


def _watched(task: Task) -> Arrays:
    """Watch classifiers."""
    cell = task.cell
    given = {name: thawed(value) for name, value in cell.world.parameters}
    outcome = watch_classifiers(
        cell.world.value,
        given.pop("tolerance"),
        making.policy(cell.player),
        task.count,
        cell.seed,
        workers=1,
        first_run=task.first,
        **given,
    )
    return {name: np.asarray(getattr(outcome, name)) for name in _KEPT}


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
