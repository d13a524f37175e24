"""The ICML 2024 paper as a study: `paper` has its tables and figures of games, `use_case` those of classifiers.

`runs` makes the numbers, here or on a cluster, `verdicts` compares them with the printed ones, and `output` writes the
report.
"""

from __future__ import annotations

from collections.abc import Iterable

from sidelight.errors import SidelightError
from sidelight.reproduction import paper, use_case
from sidelight.reproduction.exhibit import Exhibit
from sidelight.text import did_you_mean

__all__ = ["load", "names", "select"]

_ORDERED = sorted((*paper.EXHIBITS, *use_case.EXHIBITS), key=lambda each: (not each.is_table, each.name))
_EXHIBITS = {each.name: each for each in _ORDERED}


def names() -> tuple[str, ...]:
    """Return the names of all tables and figures, in the order of reports."""
    return tuple(_EXHIBITS)


def load(name: str) -> Exhibit:
    """Return a table or figure of the paper."""
    if name not in _EXHIBITS:
        hint = did_you_mean(name, names())
        raise SidelightError(f"the paper has no {name!r}: {hint}there are {', '.join(_EXHIBITS)}, and all")
    return _EXHIBITS[name]


def select(wanted: Iterable[str]) -> list[Exhibit]:
    """Return the named tables and figures, in order and each once; "all", or no name, means all of them."""
    chosen = list(wanted) or ["all"]
    known = {load(name).name for name in chosen if name != "all"}
    return [each for each in _EXHIBITS.values() if "all" in chosen or each.name in known]
