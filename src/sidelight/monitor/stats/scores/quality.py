"""What a score is worth: how well it ranks errors, and how often predictions with such a score are wrong.

Within one bin of scores every prediction was as likely to be verified as any other, so the share of errors among its
answers estimates its error rate r_b however bins are sampled. With q_b the share of predictions in the bin,

    AUC = sum_b q_b r_b [sum_(a < b) q_a (1 - r_a) + q_b (1 - r_b) / 2] / (p (1 - p)),      p = sum_b q_b r_b:

the chance that an error has a larger score than a right prediction. Its standard error follows from those of the rates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sidelight.monitor.stats.confidence import RateTest
from sidelight.monitor.stats.scores.bins import MISSING, RANKS, Array

_WIDTH = 1.96
_USELESS = 0.6
_FEWEST_ERRORS = 10
_CLEARLY = 3.0


@dataclass(frozen=True)
class Bin:
    """Predictions with similar scores: those between two ranks among the first scores of the monitor."""

    low: float
    high: float
    share: float
    """The share of the predictions of the class, as far as they were candidates for verification."""
    verified: int
    errors: int
    interval: tuple[float, float]
    """Holds the error rate of the bin with the confidence of the class, however often you look."""


@dataclass(frozen=True)
class ScoreReport:
    """What the scores of one class are worth."""

    spared: int
    """Predictions that were let pass because of their scores."""
    saved: int
    """How many more answers would have told as much without scores; negative if scores cost some."""
    auc: float | None
    """The chance that an error has a larger score than a right prediction; None before there are enough answers."""
    auc_interval: tuple[float, float] | None
    """The same, two standard errors to either side."""
    bins: tuple[Bin, ...]
    found: tuple[float, float] | None
    """If the score has two values: bounds on the share of errors that the larger one finds (true positive rate) ..."""
    alarmed: tuple[float, float] | None
    """... and on the share of right predictions that have it, too (false positive rate)."""
    answered: tuple[float, float] | None = None
    """The share of verifications that were answered, of those with scores in the lower and in the upper half."""
    warning: str | None = None
    """What is wrong with the score, if anything."""


def score_quality_statistics(
    test: RateTest, seen: Array, counts: tuple[Array, Array], saved: tuple[int, int], answered: tuple[Array, Array]
) -> ScoreReport:
    """Return the quality of scores, given predictions, answers and errors by bin.

    `saved` are spared predictions and saved answers; `answered` says for each settled verification its score and
    whether it was answered.
    """
    verified, errors = (one[:MISSING] for one in counts)
    shares = seen[:MISSING] / max(1.0, float(seen[:MISSING].sum()))
    bins = tuple(
        Bin(low, high, share, int(n), int(e), test.interval(int(e), int(n)))
        for low, high, share, n, e in zip((0.0, *RANKS), (*RANKS, 1.0), shares.tolist(), verified, errors, strict=True)
        if n or share
    )
    area = _area_under_score_curve(shares, verified, errors) if errors.sum() and verified.sum() > errors.sum() else None
    ends = None if area is None else (max(0.0, area[0] - _WIDTH * area[1]), min(1.0, area[0] + _WIDTH * area[1]))
    halves = _answered_shares_by_median_score(*answered)
    warning = _warn_of_unfair_score_losses(*answered, halves) or (
        _doubt_score_quality(ends) if errors.sum() >= _FEWEST_ERRORS else None
    )
    return ScoreReport(
        *saved, None if area is None else area[0], ends, bins, *_bounds_of_two_valued_score(bins), halves, warning
    )


def _area_under_score_curve(shares: Array, verified: Array, errors: Array) -> tuple[float, float]:
    """Return the area under the curve and its standard error, with rates shrunk to the mean by one answer."""
    mean = float(errors.sum() / verified.sum())
    rates = (errors + mean) / (verified + 1.0)
    wrong, right = shares * rates, shares * (1.0 - rates)
    below, above = np.cumsum(right) - right, np.cumsum(wrong[::-1])[::-1] - wrong
    p, area = float(wrong.sum()), float(wrong @ (below + right / 2.0))
    whole = p * (1.0 - p)
    slopes = shares * (below + right / 2.0 - above - wrong / 2.0) / whole - area * shares * (1.0 - 2.0 * p) / whole**2
    return area / whole, math.sqrt(float(slopes**2 @ (rates * (1.0 - rates) / (verified + 1.0))))


def _bounds_of_two_valued_score(bins: tuple[Bin, ...]) -> tuple[tuple[float, float] | None, tuple[float, float] | None]:
    """Return bounds on the true and the false positive rate of a score with two values.

    Each bound is reached where both error rates are at an end of their intervals.
    """
    if len(bins) != 2:
        return None, None
    low, high = bins

    def share_above_two_valued_score(of_low: float, of_high: float) -> float:
        whole = high.share * of_high + low.share * of_low
        return high.share * of_high / whole if whole else 0.0

    (least, most), (fewest, greatest) = low.interval, high.interval
    return (share_above_two_valued_score(most, fewest), share_above_two_valued_score(least, greatest)), (
        share_above_two_valued_score(1.0 - least, 1.0 - greatest),
        share_above_two_valued_score(1.0 - most, 1.0 - fewest),
    )


def _answered_shares_by_median_score(scores: Array, answered: Array) -> tuple[float, float] | None:
    """Return the share of answered verifications below and above the median score."""
    if not len(scores):
        return None
    upper = scores > np.median(scores)
    if upper.all() or not upper.any():
        return None
    return float(answered[~upper].mean()), float(answered[upper].mean())


def _warn_of_unfair_score_losses(scores: Array, answered: Array, halves: tuple[float, float] | None) -> str | None:
    """Warn if answers to high scores are lost more often than others, or less often."""
    if halves is None:
        return None
    mean = float(answered.mean())
    error = 2.0 * math.sqrt(max(mean * (1.0 - mean), 1.0 / len(scores)) / len(scores))
    if abs(halves[1] - halves[0]) <= _CLEARLY * error:
        return None
    return (
        f"{100 * halves[1]:.0f} % of verifications with high scores were answered, and {100 * halves[0]:.0f} % of "
        "those with low ones: losses that depend on the score bias the error rate"
    )


def _doubt_score_quality(ends: tuple[float, float] | None) -> str | None:
    if ends is None or ends[1] >= _USELESS:
        return None
    if ends[1] < 0.5:
        return "larger scores go with fewer errors: if the score is a confidence, set score_is='confidence'"
    return "the score hardly tells errors from right predictions, so it saves nothing"
