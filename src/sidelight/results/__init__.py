"""What a simulation returns: regrets at checkpoints, their statistics, and files that store them."""

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
