"""Which results may be compared, matched or joined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._checks import canonical_json_of_results
from sidelight.results.provenance import is_same_game_of_results
from sidelight.results.results import Results


def differing_keys_of_results(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the keys in which two descriptions differ, regardless of their order."""
    return [
        name
        for name in {**one, **other}
        if canonical_json_of_results(one.get(name)) != canonical_json_of_results(other.get(name))
    ]


def _differing_facts_of_results(a: Results, b: Results, *names: str) -> list[str]:
    return differing_keys_of_results(*({name: getattr(one, name) for name in names} for one in (a, b)))


def require_results_of_same_question(a: Results, b: Results) -> None:
    """Refuse to compare final regrets that do not measure the same thing."""
    same = is_same_game_of_results(a._game, b._game)
    _require(same, a, b, "played different games: compare results of one game")
    kinds = f"({a.regret_kind} and {b.regret_kind})"
    _require(a.regret_kind == b.regret_kind, a, b, f"have different kinds of regret {kinds}: compare one kind")
    ends = f"({a.horizon} and {b.horizon})"
    _require(a.horizon == b.horizon, a, b, f"end at different rounds {ends}: compare results of the same horizon")


def require_results_of_same_runs(a: Results, b: Results) -> None:
    """Refuse to match run k of one with run k of the other unless both faced the same random numbers."""
    require_results_of_same_question(a, b)
    runs = f"have {a.n_runs} and {b.n_runs} runs"
    _require(a.n_runs == b.n_runs, a, b, f"{runs}: match results with equally many runs")
    other = _differing_facts_of_results(a, b, "environment", "seed")
    alike = "environment" not in other
    _require(alike, a, b, "ran in different environments: match runs in the same environment")
    known = is_seed_of_results_known(a.seed) and is_seed_of_results_known(b.seed)
    unknown = "a seed is unknown (None), so whether their runs match cannot be told: simulate with a seed"
    _require(known, a, b, f"cannot be matched: {unknown}")
    seeds = f"({a.seed!r} and {b.seed!r})"
    _require("seed" not in other, a, b, f"have different seeds {seeds}: match runs made from the same seed")


def results_have_same_runs(a: Results, b: Results) -> bool:
    """Say whether run k of both faced the same random numbers."""
    try:
        require_results_of_same_runs(a, b)
    except SidelightError:
        return False
    return True


def require_results_of_same_experiment(a: Results, b: Results) -> None:
    """Refuse to join runs of different experiments."""
    require_results_of_same_question(a, b)
    for what in _differing_facts_of_results(a, b, "strategy", "environment"):
        _require(False, a, b, f"differ in the {what}: join shards of one experiment")
    same = np.array_equal(a.rounds, b.rounds)
    _require(same, a, b, "have different checkpoints: join shards with the same rounds")


def seed_parts_of_results(seed: Any, runs: int) -> list[dict[str, Any]]:
    """Return the seeds that results were made from, each with its number of runs (several after joining shards)."""
    if isinstance(seed, dict) and isinstance(seed.get("shards"), list):
        return list(seed["shards"])
    return [{"seed": seed, "runs": runs}]


def is_seed_of_results_known(seed: Any) -> bool:
    """Say whether the random numbers can be reproduced."""
    return all(part.get("seed") is not None for part in seed_parts_of_results(seed, 0))


def _require(same: bool, a: Results, b: Results, words: str) -> None:
    if not same:
        raise SidelightError(f"{_both_results_names(a, b)} {words}")


def _both_results_names(a: Results, b: Results) -> str:
    return f"{a.label} and {b.label}" if a.label != b.label else f"the two results of {a.label}"
