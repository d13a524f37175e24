"""Regrets as a long table: one row per run and checkpoint."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.results.results import Results

_BACKENDS = ("pandas", "polars")


def records_of_results(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the rows of the long table as dictionaries of plain Python values."""
    table = columns_of_results_frame(results)
    texts = {name: column for name, column in table.items() if isinstance(column, str)}
    numbers = {name: column.tolist() for name, column in table.items() if name not in texts}
    for row in zip(*numbers.values(), strict=True):
        yield texts | dict(zip(numbers, row, strict=True))


def results_as_data_frame(results: Results, backend: str | None) -> Any:
    """Return the long table as a data frame of pandas, else of polars, or of the one that is named."""
    size, columns = results.regret.size, columns_of_results_frame(results).items()
    whole = {name: [column] * size if isinstance(column, str) else column for name, column in columns}
    return data_frame_library_for_results(backend).DataFrame(whole)


def columns_of_results_frame(results: Results) -> dict[str, Any]:
    """Return the columns of the long table, run by run; a text column, which is constant, is returned as one text.

    A game without a name is "unnamed", because grouping drops rows whose key is missing.
    """
    texts = {"game": (results.game.name if results.has_game else "") or "unnamed", "strategy": results.label}
    return texts | long_columns_of_results(results.rounds, results.regret, "regret")


def long_columns_of_results(rounds: Any, values: Any, name: str) -> dict[str, Any]:
    """Return the columns run, round and value (under this name) of an array with a row per run."""
    runs, checkpoints = values.shape
    return {
        "run": np.repeat(np.arange(runs, dtype=np.int64), checkpoints),
        "round": np.tile(rounds, runs),
        name: values.flatten(),
    }


def data_frame_library_for_results(backend: str | None) -> Any:
    """Return pandas, else polars, or the one that is named."""
    if backend is not None and backend not in _BACKENDS:
        raise SidelightError(f"there is no backend {backend!r}: give {' or '.join(map(repr, _BACKENDS))}")
    for name in [backend] if backend else _BACKENDS:
        with contextlib.suppress(ImportError):
            return importlib.import_module(name)
    missing = f"{backend} is not installed" if backend else f"neither {' nor '.join(_BACKENDS)} is installed"
    raise SidelightError(
        f"{missing}: run `pip install {backend or _BACKENDS[0]}`, or use to_records(), which needs nothing"
    )
