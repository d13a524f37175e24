"""Join parts of one experiment that were run separately."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._checks import canonical_json_of_results
from sidelight.results._sameness import require_results_of_same_experiment, seed_parts_of_results
from sidelight.results.provenance import ORIGINS
from sidelight.results.results import Results

_OWN = ("created", "parts")


def concatenate(results: Iterable[Results], seed: Any = None) -> Results:
    """Join shards of one experiment (same game, strategy, environment and checkpoints) along their runs, in order.

    Shards with the same seed hold the same runs and are refused, unless `seed` says what all of them were made from
    (when one seeded experiment was split into disjoint runs). Otherwise the seed of the whole is {"shards": [{"seed":
    ..., "runs": ...}, ...]}. Seconds are added up. The manifest holds what all shards agree on, and the manifest of
    each shard under "parts".
    """
    shards = list(results)
    if not shards:
        raise SidelightError("there are no results to join: give one or more shards")
    for other in shards[1:]:
        require_results_of_same_experiment(shards[0], other)
    if len(shards) == 1 and seed is None:
        return shards[0]
    first = shards[0]
    known = [s.seconds for s in shards if s.seconds is not None]
    return Results(
        game=first._game,
        strategy=first.strategy,
        environment=first.environment,
        rounds=first.rounds,
        regret=np.concatenate([s.regret for s in shards]),
        plays=np.concatenate([s.plays for s in shards]),
        measures={name: np.concatenate([s.measures[name] for s in shards]) for name in first.measures},
        seed=_joint_seed_of_results(shards) if seed is None else seed,
        regret_kind=first.regret_kind,
        seconds=sum(known) if len(known) == len(shards) else None,
        label=first._label,
        manifest=_joint_manifest_of_results(shards),
    )


def _joint_seed_of_results(shards: list[Results]) -> Any:
    listed = [part for shard in shards for part in seed_parts_of_results(shard.seed, shard.n_runs)]
    seen: set[str] = set()
    for part in listed:
        text = canonical_json_of_results(part["seed"])
        if part["seed"] is not None and text in seen:
            raise SidelightError(
                f"two shards have the seed {part['seed']!r}, so they hold the same runs: give each its own seed, "
                "or, if they are disjoint parts of one seeded experiment, pass seed= to concatenate"
            )
        seen.add(text)
    return {"shards": listed}


def _joint_manifest_of_results(shards: list[Results]) -> dict[str, Any]:
    """Merge the manifests of shards: None where they differ, and the origin of each under "parts"."""
    manifests = [shard.manifest for shard in shards]
    joint: dict[str, Any] = {}
    for key in (key for key in manifests[0] if key not in _OWN):
        values = {canonical_json_of_results(m.get(key)) for m in manifests}
        if len(values) == 1 or key in ORIGINS:
            joint[key] = manifests[0][key] if len(values) == 1 else None
    own = [m.get("parts") or [{key: m[key] for key in (*ORIGINS, "seed", "seconds")}] for m in manifests]
    return joint | {"parts": [part for group in own for part in group]}
