"""Which results may be put side by side, and on which grounds."""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._checks import canonical
from sidelight.results.provenance import same_game
from sidelight.results.results import Results


def require_same_question(a: Results, b: Results) -> None:
    """Refuse to compare final regrets that do not measure the same thing."""
    if not same_game(a.game, b.game):
        raise SidelightError(f"{_both(a, b)} played different games: compare results of one game")
    if a.regret_kind != b.regret_kind:
        raise SidelightError(
            f"{_both(a, b)} have different kinds of regret ({a.regret_kind} and {b.regret_kind}): compare one kind"
        )
    if a.rounds[-1] != b.rounds[-1]:
        raise SidelightError(
            f"{_both(a, b)} end at different rounds ({a.rounds[-1]} and {b.rounds[-1]}): "
            "compare results of the same horizon"
        )


def require_same_runs(a: Results, b: Results) -> None:
    """Refuse to match run k of one with run k of the other unless both faced the same random numbers."""
    require_same_question(a, b)
    if a.n_runs != b.n_runs:
        raise SidelightError(f"{_both(a, b)} have {a.n_runs} and {b.n_runs} runs: match results with equally many runs")
    if canonical(a.environment) != canonical(b.environment):
        raise SidelightError(f"{_both(a, b)} ran in different environments: match runs in the same environment")
    if not (known_seed(a.seed) and known_seed(b.seed)):
        raise SidelightError(
            f"{_both(a, b)}: a seed is unknown (None), so whether their runs match cannot be told: simulate with a seed"
        )
    if canonical(a.seed) != canonical(b.seed):
        raise SidelightError(
            f"{_both(a, b)} have different seeds ({a.seed!r} and {b.seed!r}): match runs made from the same seed"
        )


def require_same_experiment(a: Results, b: Results) -> None:
    """Refuse to join runs of different experiments."""
    require_same_question(a, b)
    for what in ("strategy", "environment"):
        if canonical(getattr(a, what)) != canonical(getattr(b, what)):
            raise SidelightError(f"{_both(a, b)} differ in the {what}: join shards of one experiment")
    if not np.array_equal(a.rounds, b.rounds):
        raise SidelightError(f"{_both(a, b)} have different checkpoints: join shards with the same rounds")


def parts(seed: Any, runs: int) -> list[dict[str, Any]]:
    """Return the seeds that results were made from, each with its number of runs (several after joining shards)."""
    if isinstance(seed, dict) and isinstance(seed.get("shards"), list):
        return list(seed["shards"])
    return [{"seed": seed, "runs": runs}]


def known_seed(seed: Any) -> bool:
    """Say whether the random numbers could be made again."""
    return all(part.get("seed") is not None for part in parts(seed, 0))


def _both(a: Results, b: Results) -> str:
    return f"{a.label} and {b.label}" if a.label != b.label else f"the two results of {a.label}"
