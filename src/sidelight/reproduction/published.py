"""The numbers that the paper prints, from `published.json`, and why others can differ, from `reasons.toml`."""

from __future__ import annotations

import functools
import json
import tomllib
from importlib.resources import files
from typing import Any, NamedTuple


class Pair(NamedTuple):
    """A printed mean with its standard deviation, and what else the paper says of it."""

    mean: float
    std: float
    decimals: int
    """How many are printed."""
    median: float | None = None
    p_value: float | None = None
    wins: int | None = None
    """Runs with the best value, ties included."""


def printed_numbers_of_player(study: str, label: str, measure: str = "regret") -> Pair | None:
    """Return the printed numbers of a player of a study, or None if the paper has none."""
    row = _read_published_studies().get(study, {}).get(label)
    if row is None:
        return None
    if measure == "regret":
        mean, std, p_value, wins = row
        return Pair(mean, std, 3, p_value=p_value, wins=wins)
    first, decimals = {"f1": (0, 3), "verifications": (3, 0)}[measure]
    mean, median, std = row[first : first + 3]
    return Pair(mean, std, decimals, median=median)


@functools.cache
def _read_published_studies() -> dict[str, Any]:
    text = (files("sidelight.reproduction") / "published.json").read_text(encoding="utf-8")
    studies: dict[str, Any] = json.loads(text)["studies"]
    return studies


class Reason(NamedTuple):
    """One reason: its title, a sentence that states it, its evidence, and the tests that show it."""

    title: str
    sentence: str
    evidence: str
    tests: list[str]


_REASONS = (files("sidelight.reproduction") / "reasons.toml").read_text(encoding="utf-8")
REASONS = {key: Reason(**values) for key, values in tomllib.loads(_REASONS).items()}
