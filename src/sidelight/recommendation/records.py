"""The stored results of the benchmark: a few numbers per player and world, in a small file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from sidelight._storage import read_file_contents, write_file_text
from sidelight.errors import SidelightError

LAWS, CONTEXTS = "laws", "contexts"


class GameFacts(NamedTuple):
    """The properties of a game that are compared."""

    label: str
    name: str
    kind: str
    actions: int
    outcomes: int
    pairs: int
    span: float
    """The largest loss minus the smallest, among the actions that can be optimal."""
    digest: str = ""
    """Of losses and symbols: two games with the same one are the same but for names."""


class WorldFacts(NamedTuple):
    """A world: its label, its group ("laws" or "contexts") and how many numbers a context has."""

    label: str
    group: str
    dimension: int = 0


class PlayerFacts(NamedTuple):
    """A player: its label, strategy and parameters, whether it is told the horizon, and whether it is only a limit."""

    label: str
    strategy: str
    parameters: Mapping[str, Any]
    knows_horizon: bool = False
    limit: bool = False


class CaseFacts(NamedTuple):
    """A player in a world of a game, up to a horizon: mean regret and its standard error (None for a single run)."""

    game: str
    world: str
    player: str
    horizon: int
    runs: int
    mean: float
    error: float | None


class PoolFacts(NamedTuple):
    """How a player did in one group of a game's worlds, pooled over runs: tail, share of linear regret, speed."""

    game: str
    group: str
    player: str
    horizon: int
    runs: int
    q99: float | None
    """The 99 % quantile of regret; None if there are fewer than `TAIL_RUNS` runs."""
    linear: float
    nanoseconds: float


TAIL_RUNS = 400
"""How many runs a 99 % quantile needs."""

_TABLES: dict[str, Any] = {
    "games": GameFacts,
    "worlds": WorldFacts,
    "players": PlayerFacts,
    "cases": CaseFacts,
    "pools": PoolFacts,
}


@dataclass(frozen=True)
class Benchmark:
    """A benchmark's results; `facts` says which study, versions and day they are of, and what is missing."""

    facts: Mapping[str, Any]
    games: tuple[GameFacts, ...] = ()
    worlds: tuple[WorldFacts, ...] = ()
    players: tuple[PlayerFacts, ...] = ()
    cases: tuple[CaseFacts, ...] = ()
    pools: tuple[PoolFacts, ...] = ()

    @cached_property
    def game(self) -> dict[str, GameFacts]:
        """The games by their labels."""
        return {each.label: each for each in self.games}

    @cached_property
    def world(self) -> dict[str, WorldFacts]:
        """The worlds by their labels."""
        return {each.label: each for each in self.worlds}

    @cached_property
    def player(self) -> dict[str, PlayerFacts]:
        """The players by their labels."""
        return {each.label: each for each in self.players}

    @property
    def horizons(self) -> tuple[int, ...]:
        """The horizons at which regret was looked at."""
        return tuple(sorted({case.horizon for case in self.cases}))


def write_benchmark(path: Path, benchmark: Benchmark) -> None:
    """Write the results as JSON: the facts, and tables with a row a line."""
    parts = [f'"facts": {json.dumps(benchmark.facts)}']
    for table in _TABLES:
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in getattr(benchmark, table))
        parts.append(f'"{table}": [\n{rows}\n]')
    write_file_text(path, "{\n" + ",\n".join(parts) + "\n}\n")


def read_benchmark(path: Path) -> Benchmark:
    """Read results that `write_benchmark` wrote."""
    text = read_file_contents(path)
    try:
        data = json.loads(text)
        tables = {table: tuple(kind(*row) for row in data[table]) for table, kind in _TABLES.items()}
        return Benchmark(data["facts"], **tables)
    except (ValueError, KeyError, TypeError) as error:
        raise SidelightError(f"{str(path)!r} is not the summary of a benchmark: {error!r}") from None
