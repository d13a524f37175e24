"""How good a strategy can be: the asymptotic lower bound C*(p), and what is proved about strategies, as numbers.

`BayesOptimal` is among the strategies.
"""

from sidelight.limits.lower_bound import LowerBound as LowerBound
from sidelight.limits.lower_bound import lower_bound
from sidelight.limits.upper_bound import UpperBound as UpperBound
from sidelight.limits.upper_bound import upper_bound

__all__ = ["LowerBound", "UpperBound", "lower_bound", "upper_bound"]
