"""What a simulation leaves behind: regrets at checkpoints, honest statistics of them, and files that keep them."""

from sidelight.results.comparison import Comparison, Wins, compare, wins
from sidelight.results.hypothesis import Side, TTest, paired, welch
from sidelight.results.results import Results
from sidelight.results.shards import concatenate
from sidelight.results.summary import Band, Summary

__all__ = [
    "Band",
    "Comparison",
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
