"""All runs in one table that any tool can read, and a manifest that says where they come from."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sidelight._storage import replacing
from sidelight.experiments.experiment import Condition
from sidelight.experiments.work import Arrays

COLUMNS = ("setting", "protocol", "strategy", "parameters", "measure", "run", "round", "value")


def write_parquet(path: Path, conditions: Sequence[Condition], arrived: Callable[[Condition], Arrays]) -> bool:
    """Write one row per condition, measure, run and checkpoint; return False where pyarrow is not installed.

    One after the other, so that a table of thousands of runs needs no more memory than one condition. In the use case
    there is one value per run, and its round is 0.
    """
    try:
        arrow, parquet = (importlib.import_module(name) for name in ("pyarrow", "pyarrow.parquet"))
    except ImportError:
        return False
    texts = arrow.dictionary(arrow.int32(), arrow.string())
    kinds = [texts] * 5 + [arrow.int32(), arrow.int32(), arrow.float64()]
    schema = arrow.schema(list(zip(COLUMNS, kinds, strict=True)))
    with replacing(path) as draft, parquet.ParquetWriter(draft, schema) as writer:
        for condition in conditions:
            for measure, values in _measures(condition, arrived(condition)):
                writer.write_table(_rows(arrow, schema, condition, measure, *values))
    return True


def _measures(condition: Condition, arrays: Arrays) -> list[tuple[str, tuple[Any, Any, Any]]]:
    """Return run, round and value of every row, by measure."""
    if "regret" in arrays:
        runs, rounds = arrays["regret"].shape
        long = np.repeat(np.arange(runs), rounds), np.tile(arrays["rounds"], runs), arrays["regret"].ravel()
        return [("regret", long)]
    numbers = np.arange(len(arrays["f1"]))
    return [(name, (numbers, np.zeros_like(numbers), arrays[name])) for name in condition.setting.measures]


def _rows(arrow: Any, schema: Any, condition: Condition, measure: str, run: Any, at: Any, value: Any) -> Any:
    texts = (
        condition.setting.place,
        condition.protocol,
        condition.strategy,
        json.dumps(dict(condition.parameters)),
        measure,
    )
    # One word for all rows: its place in a dictionary of one.
    labels = [
        arrow.DictionaryArray.from_arrays(arrow.array(np.zeros(run.size, np.int32)), arrow.array([text]))
        for text in texts
    ]
    numbers = [arrow.array(run.astype(np.int32)), arrow.array(at.astype(np.int32)), arrow.array(value.astype(float))]
    return arrow.Table.from_arrays([*labels, *numbers], schema=schema)


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
