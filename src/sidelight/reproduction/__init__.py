"""The experiments of the ICML 2024 paper: one short file per table and figure, and what it takes to run and judge them.

An experiment (`experiment`) is planned (`plan`), done task by task (`work`) here or on a cluster (`local`, `cluster`),
kept on disk (`store`), compared with the printed numbers (`judgment`), and written up (`reproduce`).
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from sidelight.errors import SidelightError
from sidelight.reproduction.experiment import Experiment
from sidelight.text import did_you_mean

__all__ = ["load", "names", "select"]

_NAMES = (*(f"table{k}" for k in range(1, 6)), *(f"figure{k}" for k in range(1, 6)))


def names() -> tuple[str, ...]:
    """Return the names of all experiments, in the order of reports."""
    return _NAMES


def load(name: str) -> Experiment:
    """Return an experiment."""
    if name not in _NAMES:
        hint = did_you_mean(name, _NAMES)
        raise SidelightError(f"there is no experiment {name!r}: {hint}there are {', '.join(_NAMES)}, and all")
    experiment: Experiment = importlib.import_module(f"sidelight.reproduction.paper.{name}").EXPERIMENT
    return experiment


def select(wanted: Iterable[str]) -> list[Experiment]:
    """Return the named experiments, in order and each once; "all", or no name, means all of them."""
    chosen = list(wanted)
    for name in chosen:
        if name != "all":
            load(name)
    everything = not chosen or "all" in chosen
    return [load(name) for name in _NAMES if everything or name in chosen]
