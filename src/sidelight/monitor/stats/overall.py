"""The error rate over all predictions, with an interval that is valid at all times.

For the class c with n_c answers of which e_c were errors, the beta-binomial mixture

    M_c(p) = B(a + e_c, b + n_c - e_c) / B(a, b) / (p^e_c (1 - p)^(n_c - e_c)),      a = 1/2, a / (a + b) = τ_c,

is a martingale at its rate (Robbins 1970). So is the product over classes, whatever decides adaptively which
predictions are verified, and with the chance 1 - α it never reaches 1 / α (Ville). The interval of the overall rate is
the range of sum_c (N_c / N) p_c, with N_c predictions of class c, over all rates with sum_c log M_c(p_c) <= log(1/α).
That set is convex, and for a multiplier λ the best rates have a closed form: w = λ (n p - e) / (p (1 - p)), a quadratic
equation for p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.monitor.stats.confidence import true_rates_from_answered_rates

_HALVINGS = 60
_Array = npt.NDArray[np.float64]


class Counts(NamedTuple):
    """One class: its tolerance, its predictions, the answers that count, and the errors among them."""

    tolerance: float
    predictions: int
    verified: int
    errors: int


@dataclass(frozen=True)
class Overall:
    """The error rate over all predictions so far, classes weighted by their predictions."""

    estimate: float | None
    """Each class at its share of errors among its answers; None before the first answer."""
    interval: tuple[float, float]
    """Holds the rate at all times at once with the monitor's confidence, if the rates of classes do not change."""
    tolerance: float
    """That of the classes, each weighted by its predictions; 0 before the first one."""
    verdict: Literal["above", "below", "unknown"]

    def __str__(self) -> str:
        if not self.tolerance:
            return "Overall error rate: unknown before the first prediction"
        low, high = self.interval
        estimate = "" if self.estimate is None else f"{self.estimate:.4f}, "
        verdict = "not yet known to be above or below" if self.verdict == "unknown" else self.verdict
        return (
            f"Overall error rate: {estimate}between {low:.4f} and {high:.4f}; {verdict} the tolerance "
            f"{self.tolerance:.4g}"
        )


def overall_rate(classes: Sequence[Counts], confidence: float, reviewer_error: float = 0.0) -> Overall:
    """Return the error rate over all predictions, with its interval."""
    low, high = true_rates_from_answered_rates(*overall_confidence_interval(classes, confidence), reviewer_error)
    total = sum(one.predictions for one in classes)
    tolerance = sum(one.predictions * one.tolerance for one in classes) / total if total else 0.0
    verdict: Literal["above", "below", "unknown"] = "unknown"
    if total and low > tolerance:
        verdict = "above"
    elif total and high < tolerance:
        verdict = "below"
    return Overall(overall_rate_estimate(classes), (low, high), tolerance, verdict)


class _Classes(NamedTuple):
    """What the largest overall rate depends on, by class: shares of all predictions, errors, right answers."""

    share: _Array
    errors: _Array
    right: _Array


def overall_confidence_interval(classes: Sequence[Counts], confidence: float) -> tuple[float, float]:
    """Return the least and the largest overall rate that is not refuted."""
    total = sum(one.predictions for one in classes)
    if not any(one.verified and one.predictions for one in classes):
        return 0.0, 1.0
    counted = [one for one in classes if one.predictions]
    limit = -math.log1p(-confidence) - sum(_log_mixed_likelihood(one) for one in counted)
    rows = [(one.predictions / total, one.errors, one.verified - one.errors) for one in counted]
    share, errors, right = np.array(rows, dtype=np.float64).T
    return (
        max(0.0, 1.0 - _largest_overall_rate(_Classes(share, right, errors), limit)),
        min(1.0, _largest_overall_rate(_Classes(share, errors, right), limit)),
    )


def overall_rate_estimate(classes: Sequence[Counts]) -> float | None:
    """Return the rate over all predictions of classes with answers, each class at its share of errors."""
    known = [one for one in classes if one.verified and one.predictions]
    total = sum(one.predictions for one in known)
    return sum(one.predictions * one.errors / one.verified for one in known) / total if total else None


def _largest_overall_rate(classes: _Classes, limit: float) -> float:
    """Return the largest overall rate with - sum_c log(p^e (1 - p)^r) <= limit: bisection of log λ, rounded up."""
    low, high = -60.0, 60.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _log_unlikelihood_of_rates(classes, _roots_at_overall_multiplier(classes, math.exp(middle))) > limit:
            low = middle
        else:
            high = middle
    return float(np.sum(classes.share * _roots_at_overall_multiplier(classes, math.exp(low))))


def _roots_at_overall_multiplier(classes: _Classes, multiplier: float) -> _Array:
    """Return the larger root of w p² + (λ n - w) p - λ e = 0 for each class; 1 where no answer was right."""
    share, errors, right = classes
    linear = multiplier * (errors + right) - share
    root = np.sqrt(linear * linear + 4.0 * share * multiplier * errors)
    falling = linear <= 0.0  # where each form of the root is exact
    above = np.where(falling, root - linear, 2.0 * multiplier * errors)
    below = np.where(falling, 2.0 * share, linear + root)
    return np.where(right > 0.0, np.minimum(1.0, above / below), 1.0)


def _log_unlikelihood_of_rates(classes: _Classes, rates: _Array) -> float:
    """Return - sum_c log(p^e (1 - p)^r), which may be infinite."""
    _, errors, right = classes
    with np.errstate(divide="ignore", invalid="ignore"):
        wrong = np.where(errors > 0.0, errors * np.log(rates), 0.0)
        return -float(np.sum(wrong + np.where(right > 0.0, right * np.log1p(-rates), 0.0)))


def _log_mixed_likelihood(one: Counts) -> float:
    """Return log B(a + e, b + n - e) - log B(a, b)."""
    a, b = 0.5, 0.5 * (1.0 - one.tolerance) / one.tolerance
    gamma, n, e = math.lgamma, one.verified, one.errors
    return gamma(a + e) + gamma(b + n - e) - gamma(a + b + n) - gamma(a) - gamma(b) + gamma(a + b)
