"""What a simulation returns: regrets at checkpoints, their statistics, and files that store them."""

import warnings
from typing import Any

from sidelight.results.comparison import Wins, compare, paired, welch, wins
from sidelight.results.results import Results
from sidelight.results.shards import concatenate
from sidelight.results.statistics import Band, Side, Summary, TTest

__all__ = [
    "Band",
    "Results",
    "Side",
    "Summary",
    "TTest",
    "Wins",
    "compare",
    "concatenate",
    "paired",
    "welch",
    "wins",
]


def __getattr__(name: str) -> Any:
    if name == "Comparison":
        text = "sidelight.results.Comparison is now Summary; the old name will be removed in the next version"
        warnings.warn(text, DeprecationWarning, stacklevel=2)
        return Summary
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
