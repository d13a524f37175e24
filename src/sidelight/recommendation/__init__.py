"""The benchmark: its summary, and what it says about which strategy to use.

`studies/benchmark.toml` is the study; `summary` makes of its runs what is kept (`records`), `scores` and `tables` say
who is how good, and `recommendation` answers for a game of one's own.
"""

from sidelight.recommendation.recommendation import Recommendation, recommend

__all__ = ["Recommendation", "recommend"]
