"""The smallest piece of work: some runs of one condition. A pure function of its description, on whatever machine."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sidelight import games
from sidelight.experiments.experiment import Condition, GameSetting, UseCase
from sidelight.results.sealed import Arrays, Sealed
from sidelight.simulation import simulate
from sidelight.simulation.checkpoints import logarithmic
from sidelight.tasks import Advancing

_EVEN, _LOGARITHMIC = 100, 40
# What decides numbers; tables, figures and commands may change without making stored runs worthless.
_DECIDING = (
    "kernels",
    "game.py",
    "game_arrays.py",
    "games",
    "analysis",
    "optimization",
    "strategies",
    "environments",
    "limits",
    "simulation",
    *(f"monitor/{name}" for name in ("confidence.py", "evidence.py", "detection.py", "policies")),
    *(f"experiments/{name}.py" for name in ("streams", "worlds", "work", "classifiers", "use_case")),
)


@dataclass(frozen=True)
class Task:
    """Runs `first` to `first + count - 1` of a condition."""

    condition: Condition
    first: int
    count: int
    seed: int

    @property
    def title(self) -> str:
        """What it is called in an error."""
        return f"{self.condition.place}, runs {self.first} to {self.first + self.count - 1}"

    @property
    def costly(self) -> bool:
        """Whether short tasks should not wait for it."""
        return self.condition.slow

    @property
    def seconds(self) -> float:
        """Roughly what it costs on one core."""
        return self.count * self.condition.seconds_per_run

    @property
    def rounds(self) -> int:
        """How many rounds are played."""
        return self.count * self.condition.horizon

    @property
    def kernel(self) -> tuple[str, str, str]:
        """What has to be compiled for it."""
        setting = self.condition.setting
        kind = "contexts" if isinstance(setting, GameSetting) and setting.world == "contexts" else "plain"
        return self.condition.strategy, self.condition.protocol, kind

    def facts(self) -> dict[str, Any]:
        """Return what the result depends on, as plain data; equal facts mean equal results."""
        return {
            **self.condition.identity(),
            "first_run": self.first,
            "runs": self.count,
            "seed": self.seed,
            "code": code_digest(),
        }

    def perform(self, progress: Advancing | bool = False) -> Sealed:
        """Do it, on one core; return its facts, where they were computed, and arrays with one row per run."""
        setting = self.condition.setting
        arrays = _watched(self, setting) if isinstance(setting, UseCase) else _played(self, setting, progress)
        return Sealed(self.facts(), arrays)


def checkpoints(condition: Condition) -> list[int]:
    """Return the rounds at which the regret of a condition is kept.

    They are evenly spaced for linear axes and dense at the beginning for logarithmic ones. The published contextual
    numbers are those one round before the horizon (20 000 or 7 500), so these are among them.
    """
    horizon = condition.horizon
    rounds = {horizon * k // _EVEN for k in range(1, _EVEN + 1)}
    rounds |= set(logarithmic(horizon, _LOGARITHMIC))
    rounds |= {end - before for end in (7_500, 20_000) for before in (0, 1)}
    return sorted(r for r in rounds if 1 <= r <= horizon)


def _played(task: Task, setting: GameSetting, progress: Advancing | bool) -> Arrays:
    """Play a game."""
    from sidelight.experiments.worlds import environment

    condition = task.condition
    strategy = _strategy(setting.game, condition.strategy, condition.parameters)
    results = simulate(
        strategy,
        environment(setting.world, condition.protocol, condition.horizon),
        condition.horizon,
        task.count,
        task.seed,
        checkpoints(condition),
        workers=1,
        first_run=task.first,
        progress=progress,
    )
    return {"rounds": results.rounds, "regret": results.regret, "plays": results.plays}


@functools.lru_cache(maxsize=32)
def _strategy(game: str, name: str, parameters: tuple[tuple[str, Any], ...]) -> Any:
    """Return a strategy; simulations do not change it, and the Bayes-optimal one takes half a second to make."""
    from sidelight import limits, strategies

    kind = getattr(strategies, name, None) or getattr(limits, name)
    return kind(games.load(game), **dict(parameters))


def _watched(task: Task, setting: UseCase) -> Arrays:
    """Watch classifiers."""
    from sidelight.experiments.use_case import simulate_case

    outcome = simulate_case(
        setting.case,
        setting.tolerance,
        task.condition.strategy,
        task.count,
        task.seed,
        protocol=task.condition.protocol,
        workers=1,
        first_run=task.first,
        **dict(task.condition.parameters),
    )
    kept = ("predictions", "rates", "verified", "errors", "certain", "verifications", "f1")
    return {name: np.asarray(getattr(outcome, name)) for name in kept}


@functools.cache
def code_digest() -> str:
    """Return a digest of all sources that results depend on, and of the versions of NumPy and SciPy."""
    root = Path(__file__).parent.parent
    found = hashlib.sha256(f"{np.__version__}\0{importlib.metadata.version('scipy')}".encode())
    for name in _DECIDING:
        path = root / name
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            found.update(f"\0{file.relative_to(root).as_posix()}\0".encode() + file.read_bytes())
    return found.hexdigest()[:16]
