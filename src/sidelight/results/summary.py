"""Mean, spread and confidence of the regrets of independent runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._checks import FloatArray

PERCENTS = (5, 25, 50, 75, 95, 99)


class Summary(NamedTuple):
    """The regrets of all runs at one checkpoint, in a few numbers."""

    round: int
    """The checkpoint."""
    runs: int
    """The number of runs n."""
    mean: float
    """sum x / n."""
    std: float
    """sqrt(sum (x - mean)^2 / (n - 1)); NaN for one run, which says nothing about spread."""
    standard_error: float
    """std / sqrt(n); NaN for one run."""
    min: float
    """The lowest regret."""
    quantiles: Mapping[int, float]
    """From the percentage (5, 25, 50, 75, 95, 99) to the quantile, interpolated linearly between runs."""
    max: float
    """The highest regret."""


class Band(NamedTuple):
    """The mean regret at each checkpoint and the ends of its confidence interval there."""

    mean: FloatArray
    low: FloatArray
    high: FloatArray


def summarize(values: FloatArray, at: int) -> Summary:
    """Describe the regrets of all runs at one checkpoint."""
    mean, deviation = mean_and_deviation(values)
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
    )


def mean_and_deviation(values: FloatArray) -> tuple[float, float]:
    """Return mean and sample standard deviation (divisor n - 1); the latter is NaN for a single value."""
    means, deviations = _columns(values[:, None])
    return float(means[0]), float(deviations[0])


def confidence_band(regret: FloatArray, confidence: float) -> Band:
    """Return mean +- z std / sqrt(n) at each checkpoint, where z is the (1 + confidence) / 2 quantile of N(0, 1)."""
    if not 0 < confidence < 1:
        raise SidelightError(f"confidence is {confidence!r}: give a number between 0 and 1, such as 0.99")
    means, deviations = _columns(regret)
    half = NormalDist().inv_cdf((1 + confidence) / 2) * deviations / math.sqrt(regret.shape[0])
    return Band(means, means - half, means + half)


def _columns(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and the sample standard deviation of each column."""
    # The rounded mean of equal numbers can miss them, which would leave a spread that is not there.
    same = np.all(values == values[0], axis=0)
    means = np.where(same, values[0], values.mean(axis=0))
    if values.shape[0] == 1:
        return means, np.full(values.shape[1], np.nan)
    return means, np.where(same, 0.0, values.std(axis=0, ddof=1))
