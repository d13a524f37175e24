"""What is kept of a benchmark: a number of facts per cell, in a file that is small and sealed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sidelight._storage import contents, replacing
from sidelight.errors import SidelightError

FORMAT, FORMAT_VERSION = "sidelight benchmark", 1
LAWS, CONTEXTS = "laws", "contexts"


class GameFacts(NamedTuple):
    """A game of the benchmark, as far as it is compared with others."""

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
    """Who played: a label, the strategy's name and parameters, whether it is told the horizon, or only a limit."""

    label: str
    strategy: str
    parameters: Mapping[str, Any]
    knows_horizon: bool = False
    limit: bool = False


class CellFacts(NamedTuple):
    """A player in a world of a game, up to a horizon: mean regret and its standard error (None for a single run)."""

    game: str
    world: str
    player: str
    horizon: int
    runs: int
    mean: float
    error: float | None


class PoolFacts(NamedTuple):
    """A player in all worlds of one group of a game, run by run: tail, share of linear regret, speed."""

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
    "cells": CellFacts,
    "pools": PoolFacts,
}
# What rows of cells and pools name by its place in another table.
_PLACES = {"game": "games", "world": "worlds", "player": "players"}


@dataclass(frozen=True)
class Summary:
    """A benchmark's results; `facts` says which study, versions and day they are of, and what is missing."""

    facts: Mapping[str, Any]
    games: tuple[GameFacts, ...] = ()
    worlds: tuple[WorldFacts, ...] = ()
    players: tuple[PlayerFacts, ...] = ()
    cells: tuple[CellFacts, ...] = ()
    pools: tuple[PoolFacts, ...] = ()
    _by_label: dict[str, dict[str, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for table in ("games", "worlds", "players"):
            self._by_label[table] = {each.label: each for each in getattr(self, table)}

    def game(self, label: str) -> GameFacts:
        """Return the game of that label."""
        found: GameFacts = self._by_label["games"][label]
        return found

    def world(self, label: str) -> WorldFacts:
        """Return the world of that label."""
        found: WorldFacts = self._by_label["worlds"][label]
        return found

    def player(self, label: str) -> PlayerFacts:
        """Return the player of that label."""
        found: PlayerFacts = self._by_label["players"][label]
        return found

    @property
    def horizons(self) -> tuple[int, ...]:
        """The horizons at which regret was looked at."""
        return tuple(sorted({cell.horizon for cell in self.cells}))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data with a digest; labels in rows as places, which keeps the file small."""
        places = {table: {label: k for k, label in enumerate(found)} for table, found in self._by_label.items()}

        def plain(row: Any) -> list[Any]:
            named = row._asdict()
            return [
                places[_PLACES[name]][value] if name in _PLACES and not isinstance(row, PlayerFacts) else value
                for name, value in named.items()
            ]

        tables = {
            table: {"columns": list(kind._fields), "rows": [plain(row) for row in getattr(self, table)]}
            for table, kind in _TABLES.items()
        }
        data = {"format": FORMAT, "format_version": FORMAT_VERSION, **self.facts, **tables}
        return data | {"digest": digest(data)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Summary:
        """Return what `to_dict` described; a digest that does not fit is an error."""
        if data.get("format") != FORMAT or data.get("format_version") != FORMAT_VERSION:
            raise SidelightError("this is not the summary of a benchmark, or one of another version of sidelight")
        rest = {key: value for key, value in data.items() if key != "digest"}
        if digest(rest) != data.get("digest"):
            raise SidelightError("the summary of the benchmark does not fit its digest: it was changed or cut off")
        tables: dict[str, Any] = {}
        for table, kind in _TABLES.items():
            rows = [dict(zip(data[table]["columns"], row, strict=True)) for row in data[table]["rows"]]
            if table in ("cells", "pools"):
                for row in rows:
                    for name in row.keys() & _PLACES.keys():
                        row[name] = tables[_PLACES[name]][row[name]].label
            tables[table] = tuple(kind(**row) for row in rows)
        facts = {key: value for key, value in rest.items() if key not in (*_TABLES, "format", "format_version")}
        return cls(facts, **tables)


def digest(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of plain data, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def write(path: Path, summary: Summary) -> None:
    """Write a summary, a row a line."""
    data = summary.to_dict()
    parts = [f"{json.dumps(key)}: {_lines(value)}" for key, value in data.items()]
    with replacing(path) as draft:
        draft.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8", newline="\n")


def read(path: Path) -> Summary:
    """Read a summary."""
    text = contents(path)
    try:
        data = json.loads(text)
    except ValueError as error:
        raise SidelightError(f"{str(path)!r} is not the summary of a benchmark: {error}") from None
    return Summary.from_dict(data)


def _lines(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"columns", "rows"}:
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value["rows"])
        return f'{{"columns": {json.dumps(value["columns"])}, "rows": [\n{rows}\n]}}'
    return json.dumps(value)
