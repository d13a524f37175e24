"""How good a strategy can be: the asymptotic lower bound C*(p). `BayesOptimal` is among the strategies."""

from sidelight.limits.lower_bound import LowerBound as LowerBound
from sidelight.limits.lower_bound import lower_bound as lower_bound

__all__ = ["LowerBound", "lower_bound"]
