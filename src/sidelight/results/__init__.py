"""What a simulation returns: regrets at checkpoints, further measures, their statistics, and files that store them."""

from sidelight.results.comparison import Comparison, Wins, compare, paired, welch, wins
from sidelight.results.result_set import Labels, ResultSet
from sidelight.results.results import Results
from sidelight.results.shards import concatenate
from sidelight.results.statistics import Band, Side, Summary, TTest

__all__ = [
    "Band",
    "Comparison",
    "Labels",
    "ResultSet",
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
