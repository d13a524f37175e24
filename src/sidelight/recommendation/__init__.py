"""Recommend a strategy for a game from the stored results of the benchmark.

`studies/benchmark.toml` is the study. `records` says what is kept of it, `scores` how good each player is, `similarity`
which of its games are most like another one, and `recommendation` what follows for a game of one's own.
"""

from sidelight.recommendation.recommendation import Recommendation, recommend

__all__ = ["Recommendation", "recommend"]
