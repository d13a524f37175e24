"""Runs of one simulation in blocks that other machines can play."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from sidelight.environments.base import Environment
from sidelight.errors import SidelightError, WrongTypeError
from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies import plugins
from sidelight.strategies.base import Strategy
from sidelight.tasks import Advancing, Where

_MOST = 64  # blocks: enough for many workers, and few enough that each is worth sending
_ROUNDS = 200_000  # of a block, at least: a fraction of a second


@dataclass(frozen=True, eq=False)
class SimulationBlock:
    """Describe runs `first` to `first + count - 1` of a simulation; results depend on these fields alone."""

    strategy: Strategy
    environment: Environment
    horizon: int
    seed: int
    checkpoints: tuple[int, ...]
    first: int
    count: int
    origin: str = ""
    """The package and version of a strategy that is not ours."""

    @property
    def title(self) -> str:
        """Its name in error messages."""
        game = self.strategy.game.name or "game"
        return f"{self.strategy.name} on {game}, runs {self.first} to {self.first + self.count - 1}"

    @property
    def where(self) -> Where:
        """Where it can be performed."""
        return "anywhere"

    @property
    def patience(self) -> float:
        """Seconds without progress after which it is given up: never."""
        return float("inf")

    def perform(self, progress: Advancing | bool = False) -> tuple[Floats, Integers]:
        """Play; return regret at the checkpoints and plays, a row per run."""
        from sidelight.simulation.runs import simulate

        if (here := origin_of_simulated_strategy(self.strategy)) != self.origin:
            raise SidelightError(
                f"a worker has {self.strategy.name} of {here or 'no installed package'} instead of {self.origin}: "
                "install the same version on all machines"
            )
        results = simulate(
            self.strategy,
            self.environment,
            self.horizon,
            self.count,
            self.seed,
            list(self.checkpoints),
            workers=1,
            first_run=self.first,
            progress=progress,
        )
        return results.regret, results.plays


def split_simulation_into_blocks(block: SimulationBlock) -> list[SimulationBlock]:
    """Split a block, of all runs, into smaller ones of nearly equal length."""
    count = max(1, min(block.count, _MOST, block.count * block.horizon // _ROUNDS))
    ends = [block.first + block.count * k // count for k in range(count + 1)]
    return [replace(block, first=first, count=end - first) for first, end in pairwise(ends)]


def origin_of_simulated_strategy(strategy: Strategy) -> str:
    """Return the package and version that a strategy comes from; empty for ours and for a user's loose files."""
    plugin = plugins.plugin_of_strategy_class(type(strategy))
    return "" if plugin is None else plugin.origin


def scheduler_address_of_simulation(cluster: Any) -> str:
    """Return the address of a scheduler, given as text or as a cluster or client of Dask."""
    scheduler = getattr(cluster, "scheduler", None)
    places = (getattr(cluster, "scheduler_address", None), getattr(scheduler, "address", None), cluster)
    found = next((each for each in places if isinstance(each, str)), "")
    if not found:
        raise WrongTypeError(
            f"cluster is {cluster!r}: give the address of a Dask scheduler, such as tcp://host:8786, a Dask cluster or "
            "a client"
        )
    return found
