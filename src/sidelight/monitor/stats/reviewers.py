"""Reviewers err: what the share of "wrong" answers says about an error rate if each kind of mistake is bounded.

If a reviewer misses an error, or calls a right prediction wrong, with chances of at most f each, a class whose error
rate is p gets "wrong" answers at a rate between p (1 - f) and p + (1 - p) f.
"""

from __future__ import annotations


def answered_rates(rate: float, reviewer_error: float) -> tuple[float, float]:
    """Return the least and the largest rate of "wrong" answers that an error rate can have.

    For the tolerance this is the band that cannot be decided: while "wrong" answers come at a rate within it, the error
    rate may be on either side.
    """
    return rate * (1.0 - reviewer_error), rate + (1.0 - rate) * reviewer_error


def true_rates(low: float, high: float, reviewer_error: float) -> tuple[float, float]:
    """Return the error rates that rates of answers between `low` and `high` can come from."""
    right = 1.0 - reviewer_error
    return max(0.0, (low - reviewer_error) / right), min(1.0, high / right)
