"""Statistics of plain samples, one number per run: mean, spread, confidence bands, wins and t-tests."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import Literal, NamedTuple, get_args

import numpy as np

from sidelight.errors import SidelightError
from sidelight.kernels.arrays import Floats

PERCENTS = (5, 25, 50, 75, 95, 99)

Side = Literal["two-sided", "less", "greater"]
"""What is to be shown about the first mean: that it differs from the second, is less, or is greater."""


class TTest(NamedTuple):
    """The outcome of a t-test on two means."""

    statistic: float
    """t, negative where the first mean is lower."""
    degrees: float
    """Degrees of freedom."""
    p_value: float
    """The chance of this much evidence for `text` if the two means were equal."""
    side: Side
    text: str = ""
    """What a small p-value speaks for, in words, and the name of the test."""


class Summary(NamedTuple):
    """A summary of one number over many runs, such as the regret at a checkpoint.

    The fields after `max` are filled in when several summaries are compared.
    """

    round: int | None
    """The checkpoint; None if the number does not belong to a round."""
    runs: int
    """The number of runs n."""
    mean: float
    """sum x / n."""
    std: float
    """sqrt(sum (x - mean)^2 / (n - 1)); NaN for one run, which says nothing about spread."""
    standard_error: float
    """std / sqrt(n); NaN for one run."""
    min: float
    """The lowest value."""
    quantiles: Mapping[int, float]
    """From the percentage (5, 25, 50, 75, 95, 99) to the quantile, interpolated linearly between runs."""
    max: float
    """The highest value."""
    label: str = ""
    """Whose runs they are."""
    strict_wins: int | None = None
    """Runs in which it was best alone; None where runs are not shared, so that nobody wins one."""
    tied_wins: int | None = None
    """Runs in which it was best together with others."""
    tests: tuple[TTest | None, ...] = ()
    """One for each comparison; None in the row the others are compared with, or where one of both has a single run."""
    limit_ratio: float | None = None
    """The mean over that of the limit, in the runs that both have."""
    microseconds: float | None = None
    """Of one core, per round, in the piece of work that was quickest: a busy machine only adds to it."""

    @property
    def median(self) -> float:
        """The 50 % quantile."""
        return self.quantiles[50]

    @property
    def q99(self) -> float:
        """The 99 % quantile."""
        return self.quantiles[99]

    @property
    def test(self) -> TTest | None:
        """The test of the first comparison, if there is one."""
        return self.tests[0] if self.tests else None

    @property
    def p_value(self) -> float | None:
        """Of the first test, if there is one."""
        return None if self.test is None else self.test.p_value

    @property
    def text(self) -> str:
        """What a small p-value speaks for, in words; empty where there is none."""
        return "" if self.test is None else self.test.text


class Band(NamedTuple):
    """The mean regret at each checkpoint and the ends of its confidence interval there."""

    mean: Floats
    low: Floats
    high: Floats


def summarize_sample(values: Floats, at: int | None = None, label: str = "") -> Summary:
    """Summarize one number over many runs, one value per run."""
    mean, deviation = sample_mean_and_deviation(values)
    quantiles = np.percentile(values, PERCENTS)
    return Summary(
        round=at,
        runs=values.size,
        mean=mean,
        std=deviation,
        standard_error=deviation / math.sqrt(values.size),
        min=float(values.min()),
        quantiles={percent: float(value) for percent, value in zip(PERCENTS, quantiles, strict=True)},
        max=float(values.max()),
        label=label,
    )


def sample_mean_and_deviation(values: Floats) -> tuple[float, float]:
    """Return mean and sample standard deviation (divisor n - 1); the latter is NaN for a single value."""
    means, deviations = _mean_and_deviation_of_columns(values[:, None])
    return float(means[0]), float(deviations[0])


def confidence_band_of_runs(regret: Floats, confidence: float) -> Band:
    """Return mean +- z std / sqrt(n) at each checkpoint, where z is the (1 + confidence) / 2 quantile of N(0, 1)."""
    if not 0 < confidence < 1:
        raise SidelightError(f"confidence is {confidence!r}: give a number between 0 and 1, such as 0.99")
    means, deviations = _mean_and_deviation_of_columns(regret)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * deviations / math.sqrt(regret.shape[0])
    return Band(means, means - half, means + half)


def _mean_and_deviation_of_columns(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean and the sample standard deviation of each column."""
    # The rounded mean of equal numbers can differ from them, which would show a spread where there is none.
    same = np.all(values == values[0], axis=0)
    means = np.where(same, values[0], values.mean(axis=0))
    if values.shape[0] == 1:
        return means, np.full(values.shape[1], np.nan)
    return means, np.where(same, 0.0, values.std(axis=0, ddof=1))


def wins_in_runs(values: Floats, tolerance: float = 1e-9) -> list[tuple[int, int]]:
    """Count, for each row of an array (contestants, runs), the columns where it is lowest: alone, and with others."""
    lowest = values.min(axis=0)
    best = values <= lowest + tolerance * np.maximum(1.0, np.abs(lowest))
    alone = best.sum(axis=0) == 1
    return [(int((row & alone).sum()), int((row & ~alone).sum())) for row in best]


def welch_test_of_samples(a: Floats, b: Floats, side: Side = "two-sided") -> TTest:
    """Test two means without assuming equal variances (Welch's t-test), from two or more numbers each.

    With v = std^2 / n of each, t = (mean_a - mean_b) / sqrt(v_a + v_b), and by Welch and Satterthwaite
    degrees = (v_a + v_b)^2 / (v_a^2 / (n_a - 1) + v_b^2 / (n_b - 1)). If neither sample varies,
    degrees = n_a + n_b - 2, and t is 0 for equal means and infinite otherwise.
    """
    (mean_a, square_a), (mean_b, square_b) = _sample_mean_and_square_error(a), _sample_mean_and_square_error(b)
    total = square_a + square_b
    if total == 0:
        degrees = float(a.size + b.size - 2)
    else:
        share = square_a / total
        degrees = 1 / (share**2 / (a.size - 1) + (1 - share) ** 2 / (b.size - 1))
    return _t_test_from_error(mean_a - mean_b, math.sqrt(total), degrees, side)


def paired_test_of_differences(differences: Floats, side: Side = "two-sided") -> TTest:
    """Test whether the mean of two or more differences d is 0: t = mean(d) / (std(d) / sqrt(n)), degrees = n - 1.

    If they do not vary, t is 0 where they are 0 and infinite otherwise.
    """
    mean, deviation = sample_mean_and_deviation(differences)
    return _t_test_from_error(mean, deviation / math.sqrt(differences.size), float(differences.size - 1), side)


def _t_test_from_error(difference: float, error: float, degrees: float, side: Side) -> TTest:
    check_side_of_test(side)
    without_error = math.copysign(math.inf, difference) if difference else 0.0
    statistic = difference / error if error else without_error
    return TTest(statistic, degrees, p_value_of_t(statistic, degrees, side), side)


def p_value_of_t(statistic: float, degrees: float, side: Side) -> float:
    """Return the chance of this much evidence for a side, or more, if the means were equal."""
    from scipy.special import stdtr

    if side == "two-sided":
        return min(1.0, 2 * float(stdtr(degrees, -abs(statistic))))
    return float(stdtr(degrees, statistic if side == "less" else -statistic))


def check_side_of_test(side: str) -> None:
    """Raise an error for an unknown side."""
    if side not in get_args(Side):
        raise SidelightError(f"side is {side!r}: it is one of {', '.join(map(repr, get_args(Side)))}")


def _sample_mean_and_square_error(values: Floats) -> tuple[float, float]:
    """Return the mean and its squared standard error."""
    mean, deviation = sample_mean_and_deviation(values)
    return mean, deviation**2 / values.size
