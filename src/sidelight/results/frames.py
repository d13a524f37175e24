"""Regrets as a long table: one row per run and checkpoint."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sidelight.errors import SidelightError

if TYPE_CHECKING:
    from sidelight.results.results import Results

COLUMNS = ("game", "strategy", "run", "round", "regret")
_BACKENDS = {"pandas": "pandas", "polars": "polars"}


def records(results: Results) -> Iterator[dict[str, Any]]:
    """Yield the rows of the long table as dictionaries of plain Python values."""
    game, strategy = texts(results)
    rounds = results.rounds.tolist()
    for run, row in enumerate(results.regret):
        for number, value in zip(rounds, row.tolist(), strict=True):
            yield {"game": game, "strategy": strategy, "run": run, "round": number, "regret": value}


def frame(results: Results, backend: str | None) -> Any:
    """Return the long table as a data frame of pandas, else of polars, or of the one that is named."""
    if backend is not None and backend not in _BACKENDS:
        raise SidelightError(f"there is no backend {backend!r}: give {' or '.join(map(repr, _BACKENDS))}")
    library = _library([backend] if backend else list(_BACKENDS))
    game, strategy = texts(results)
    size = results.regret.size
    labels = {"game": [game] * size, "strategy": [strategy] * size}
    return library.DataFrame(labels | numbers(results))


def numbers(results: Results) -> dict[str, Any]:
    """Return the columns run, round and regret, run by run."""
    runs, checkpoints = results.regret.shape
    return {
        "run": np.repeat(np.arange(runs, dtype=np.int64), checkpoints),
        "round": np.tile(results.rounds, runs),
        "regret": results.regret.flatten(),
    }


def texts(results: Results) -> tuple[str, str]:
    """Return what stands in the columns game and strategy.

    A game without a name is "unnamed", because grouping drops rows whose key is missing.
    """
    game, strategy = results.game.name or "unnamed", results.label
    return _encodable(game), _encodable(strategy)


def _encodable(text: str) -> str:
    """Return the text with half characters (lone surrogates), which no table can hold, written out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _library(names: list[str]) -> Any:
    for name in names:
        try:
            return importlib.import_module(_BACKENDS[name])
        except ImportError:
            continue
    missing = " nor ".join(names)
    raise SidelightError(
        f"{'neither ' if len(names) > 1 else ''}{missing} is {'' if len(names) > 1 else 'not '}installed: "
        f"run `pip install {names[0]}`, or use to_records(), which needs nothing"
    )
