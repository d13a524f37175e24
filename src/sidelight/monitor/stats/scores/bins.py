"""What a score says about the chance of an error: scores fall into bins, and a curve through the bins is learned.

A bin is a range of ranks among the first scores of a monitor; the last ranks, where errors are expected, have the
narrowest bins, and predictions without a score have a bin of their own. In the bin b, whose middle rank has the normal
quantile x_b, a class is wrong with the chance

    g_b = logistic(a + s x_b),      then corrected to      g_b (e_b + 4) / (n_b g_b + 4),

where n_b and e_b are the answers and errors of the class in this bin: where a bin has many errors of its own, the curve
need not be monotone. Intercept and slope are the most probable ones under normal priors: the intercept about
logit(tolerance) - 0.3, the slope about that of the other classes. All of this only decides what is worth verifying: if
it is wrong, verdicts take longer and are as valid as before.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

RANKS = (0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.87, 0.92, 0.95, 0.97, 0.98, 0.99, 0.995)
"""Where bins end."""
MISSING = len(RANKS) + 1
"""The bin of predictions without a score."""
BINS = MISSING + 1
EDGES_AFTER = (64, 512)
"""After so many scores the edges of bins are set, and set again."""
_MIDDLES = [(low + high) / 2 for low, high in zip((0.0, *RANKS), (*RANKS, 1.0), strict=True)]
_QUANTILES = np.array([*(NormalDist().inv_cdf(middle) for middle in _MIDDLES), 0.0])
_SLOPE_SD, _SLOPE_SD_BETWEEN, _INTERCEPT_SD, _INTERCEPT_SHIFT = 0.7, 0.35, 1.5, -0.3
_BIN_PRIOR = 4.0
_HIGHEST = 0.98
_STEPS, _PRECISION = 25, 1e-6


def quantile_edges_of_score_bins(scores: Iterable[float]) -> list[float]:
    """Return the edges of bins that these scores suggest."""
    found: list[float] = np.quantile(np.fromiter(scores, float), RANKS, method="inverted_cdf").tolist()
    return found


def score_bin_of(edges: Sequence[float], score: float) -> int:
    """Return the bin of a score; NaN stands for a missing one."""
    return MISSING if score != score else bisect.bisect_right(edges, score)


class Slope(NamedTuple):
    """Hold a class's estimate of how error rates change with scores: value times precision, and precision."""

    weighted: float = 0.0
    precision: float = 0.0


class Prior(NamedTuple):
    """What is believed about the slope of a class beforehand."""

    mean: float
    variance: float


def prior_of_score_slopes(others: Iterable[Slope]) -> Prior:
    """Return the prior that the other classes suggest: slopes differ between classes with standard deviation 0.35."""
    weighted = precision = 0.0
    for one in others:
        weighted, precision = weighted + one.weighted, precision + one.precision
    if not precision:
        return Prior(0.0, _SLOPE_SD**2)
    whole = precision + _SLOPE_SD**-2
    return Prior(weighted / whole, min(_SLOPE_SD**2, _SLOPE_SD_BETWEEN**2 + 1.0 / whole))


def fit_logits_of_score_bins(verified: Array, errors: Array, tolerance: float, prior: Prior) -> tuple[Array, Slope]:
    """Return the logits of the chances of an error by bin, and what these answers say about the slope alone."""
    start = a = math.log(tolerance / (1.0 - tolerance)) + _INTERCEPT_SHIFT
    s, x, weights = prior.mean, _QUANTILES, (_INTERCEPT_SD**-2, 1.0 / prior.variance)
    for _ in range(_STEPS):
        rates = logistic_of_score(a + s * x)
        rest, curve = errors - verified * rates, verified * rates * (1.0 - rates)
        slope_of_a = float(rest.sum()) - (a - start) * weights[0]
        slope_of_s = float(rest @ x) - (s - prior.mean) * weights[1]
        bent = curve * x
        aa, mixed, ss = float(curve.sum()) + weights[0], float(bent.sum()), float(bent @ x)
        determinant = aa * (ss + weights[1]) - mixed * mixed
        da = ((ss + weights[1]) * slope_of_a - mixed * slope_of_s) / determinant
        ds = (aa * slope_of_s - mixed * slope_of_a) / determinant
        size = max(1.0, abs(da), abs(ds))
        a, s = a + da / size, s + ds / size
        if abs(da) + abs(ds) < _PRECISION:
            break
    precision = max(0.0, ss - mixed * mixed / aa)
    rates = logistic_of_score(a + s * x)
    rates = np.minimum(_HIGHEST, rates * (errors + _BIN_PRIOR) / (verified * rates + _BIN_PRIOR))
    return np.log(rates / (1.0 - rates)), Slope(precision * s + (s - prior.mean) * weights[1], precision)


def logistic_of_score(logits: Array) -> Array:
    """Return 1 / (1 + e^-v)."""
    return 1.0 / (1.0 + np.exp(-np.clip(logits, -35.0, 35.0)))
