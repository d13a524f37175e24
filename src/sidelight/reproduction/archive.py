"""What a reproduction writes for other tools: all runs in one table, and a manifest of everything."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import replacing
from sidelight.reproduction.experiment import Condition
from sidelight.results import Results, sealed
from sidelight.results.frames import long


def write_runs(path: Path, conditions: Sequence[Condition], arrived: Callable[[Condition], Results]) -> None:
    """Write one row per condition, measure, run and checkpoint to a Parquet file that any tool can read.

    In the use case there is one value per run, and its round is 0.
    """
    rows = (block for condition in conditions for block in _rows(condition, arrived(condition)))
    sealed.write_table(path, rows, categories=True)


def _rows(condition: Condition, results: Results) -> Iterator[dict[str, Any]]:
    texts = {
        "setting": condition.setting.place,
        "protocol": condition.protocol,
        "strategy": condition.strategy,
        "parameters": json.dumps(dict(condition.parameters)),
    }
    for measure in condition.setting.measures:
        if measure == "regret":
            table = long(results.rounds, results.regret, "value")
        else:
            table = long(np.zeros(1, np.int64), results.values(measure)[:, None], "value")
        numbers = {name: table[name].astype(np.int32) for name in ("run", "round")}
        yield texts | {"measure": measure} | numbers | {"value": table["value"]}


def write_manifest(path: Path, facts: Mapping[str, Any], runs: Mapping[Condition, int], files: Sequence[Path]) -> None:
    """Write what was run, with which versions, and the SHA-256 of the files that hold it."""
    manifest = {
        "format": "sidelight reproduction",
        "format_version": 1,
        **facts,
        "entries": [{**condition.identity(), "runs": count} for condition, count in runs.items()],
        "files": {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.exists()},
    }
    with replacing(path) as draft:
        draft.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
