"""The ICML 2024 paper as a study: `paper` has one short file per table and figure.

`runs` makes the numbers, here or on a cluster, `verdicts` compares them with the printed ones, and `output` writes the
report.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from sidelight.errors import SidelightError
from sidelight.reproduction.exhibit import Exhibit
from sidelight.text import did_you_mean

__all__ = ["load", "names", "select"]

_NAMES = (*(f"table{k}" for k in range(1, 6)), *(f"figure{k}" for k in range(1, 6)))


def names() -> tuple[str, ...]:
    """Return the names of all tables and figures, in the order of reports."""
    return _NAMES


def load(name: str) -> Exhibit:
    """Return a table or figure of the paper."""
    if name not in _NAMES:
        hint = did_you_mean(name, _NAMES)
        raise SidelightError(f"the paper has no {name!r}: {hint}there are {', '.join(_NAMES)}, and all")
    exhibit: Exhibit = importlib.import_module(f"sidelight.reproduction.paper.{name}").EXHIBIT
    return exhibit


def select(wanted: Iterable[str]) -> list[Exhibit]:
    """Return the named tables and figures, in order and each once; "all", or no name, means all of them."""
    chosen = list(wanted)
    for name in chosen:
        if name != "all":
            load(name)
    everything = not chosen or "all" in chosen
    return [load(name) for name in _NAMES if everything or name in chosen]
