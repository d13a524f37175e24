"""The numbers of the paper's tables, from `published.json` next to this file."""

from __future__ import annotations

import functools
import json
from importlib.resources import files
from typing import Any, NamedTuple

RUNS = 96
"""How many runs are behind each published number."""


class Pair(NamedTuple):
    """A published mean with its standard deviation, and what else the paper says of it."""

    mean: float
    std: float
    decimals: int
    """How many are printed."""
    median: float | None = None
    p_value: float | None = None
    wins: int | None = None
    """Runs with the best value, ties included."""


def pair(table: str, setting: str, name: str, measure: str = "regret") -> Pair | None:
    """Return what the paper prints for one strategy in one setting of one table, or None if it prints nothing."""
    row = _tables().get(table, {}).get(setting, {}).get(name)
    if row is None:
        return None
    if measure == "regret":
        mean, std, p_value, wins = row
        return Pair(mean, std, 3, p_value=p_value, wins=wins)
    first, decimals = {"f1": (0, 3), "verifications": (3, 0)}[measure]
    mean, median, std = row[first : first + 3]
    return Pair(mean, std, decimals, median=median)


@functools.cache
def _tables() -> dict[str, Any]:
    tables: dict[str, Any] = json.loads(
        (files("sidelight.reproduction") / "published.json").read_text(encoding="utf-8")
    )
    return tables
