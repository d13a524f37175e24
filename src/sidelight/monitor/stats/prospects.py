"""What a verdict on a class is expected to cost, and, for a known error rate, exactly how many labels it takes.

Let the rate of a class be one of 15 quantiles of Beta(1 + e, (1 - τ)/τ + n - e), all equally likely, and
m_(1) <= ... <= m_(15) the labels that the test still needs at each. A plan that gives up after m_(k) labels reaches a
verdict in k of 15 cases, so the best of these plans spends

    index = min over k of [m_(1) + ... + m_(k) + (15 - k) m_(k)] / k

labels per verdict. Serving classes in the order of such an index (Gittins 1979) gives the most verdicts soonest.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.monitor.stats.confidence import EvidenceBoundary, RateTest

_RATES = 15
_LEVELS = (np.arange(_RATES) + 0.5) / _RATES
_DECIDED = np.arange(1, _RATES + 1)
_MOST_LABELS = 2.0**50
_MOST_CACHED = 1 << 14
_STEPS = 2
_LARGEST = 200.0

_Array = npt.NDArray[np.float64]


class Prospects(NamedTuple):
    """What a verdict on a class is expected to cost."""

    per_verdict: float
    """The index: labels per verdict."""
    least: float
    """m_(1), the labels that a verdict takes at the best of the 15 rates."""


@functools.lru_cache(maxsize=_MOST_CACHED)
def expected_labels_to_verdict(test: RateTest, errors: int, verified: int) -> Prospects:
    """Return the expected number of further labels until a verdict, after these answers."""
    from scipy.special import betaincinv

    seen = verified - errors if test.mirrored else errors
    rates = betaincinv(1 + seen, (1.0 - test.rate) / test.rate + verified - seen, _LEVELS)
    needed = _labels_needed_at_rates(_evidence_terms_at_rates((test.many, test.few), bool(seen)), seen, verified, rates)
    if test.margin:
        sides = [side for side in (test.not_less, test.not_more) if side is not None]
        near = [
            _labels_needed_at_rates(_evidence_terms_at_rates((side,), bool(seen)), seen, verified, rates)
            for side in sides
        ]
        needed = np.minimum(needed, np.max(near, axis=0))
    needed = np.sort(np.clip(needed, 1.0, _MOST_LABELS))
    costs = (np.cumsum(needed) + (_RATES - _DECIDED) * needed) / _DECIDED
    return Prospects(float(costs.min()), float(needed[0]))


class _Terms(NamedTuple):
    """The terms of the evidence beyond some boundaries; the logarithm of each is linear in the counts."""

    missing: _Array
    """What it lacks for a verdict before the first answer."""
    gains: _Array
    """What an error adds."""
    losses: _Array
    """What each answer takes away."""


@functools.lru_cache(maxsize=_MOST_CACHED)
def _evidence_terms_at_rates(sides: tuple[EvidenceBoundary, ...], erred: bool) -> _Terms:
    weights, gains, excesses = (np.concatenate(column) for column in zip(*(s.mixture for s in sides), strict=True))
    rates = np.repeat([side.rate for side in sides], [len(side.mixture.gains) for side in sides])
    # The alternative that the rate is 0 ends with the first error.
    alive = excesses > -1.0 if erred else np.full(len(excesses), True)
    losses = np.log1p(excesses * rates)
    return _Terms((sides[0].limit - weights)[alive], np.maximum(gains, -_MOST_LABELS)[alive], losses[alive])


def _labels_needed_at_rates(terms: _Terms, seen: int, verified: int, rates: _Array) -> _Array:
    """Return how many labels it takes at each rate until the sum of the terms is evidence enough.

    One term alone needs more, so Newton's method starts with the quickest and, because the logarithm of the sum is
    convex, comes down to the root; two steps come within a few percent. Terms for the side away from the rate vanish.
    """
    slopes = np.outer(rates, terms.gains) - terms.losses
    missing = terms.missing - seen * terms.gains + verified * terms.losses
    labels = np.divide(missing, slopes, out=np.full(slopes.shape, _MOST_LABELS), where=slopes > 0.0).min(axis=1)
    for _ in range(_STEPS):
        parts = np.exp(np.clip(labels[:, None] * slopes - missing, -_LARGEST, _LARGEST))
        total, rise = parts.sum(axis=1), (parts * slopes).sum(axis=1)
        labels = labels - np.divide(total * np.log(total), rise, out=np.zeros(_RATES), where=(rise > 0) & (total > 1))
    return labels


class Stopped(NamedTuple):
    """What becomes of a test at a given error rate."""

    labels: float
    """Expected answers until the verdict; runs that are still open at the horizon count with the horizon."""
    above: float
    """The share of runs that end with "above"; `below` and `open` likewise."""
    below: float
    open: float
    usual: int | None = None
    """The number of answers that suffices in nine of ten runs; None if the horizon does not."""


def stopping_distribution_of_test(test: RateTest, rate: float, horizon: int, forget: float = 1e-9) -> Stopped:
    """Run a test at an error rate, until fewer than a share `forget` of all runs are open."""
    few, many = test.boundary(horizon)
    law, start, labels, above, below, usual = np.ones(1), 0, 0.0, 0.0, 0.0, None
    for n in range(1, horizon + 1):
        after = np.empty(len(law) + 1)
        np.multiply(law, 1 - rate, out=after[:-1])
        after[-1] = 0.0
        after[1:] += rate * law
        law, stops = after, 0.0
        if few[n] >= start:
            cut = few[n] + 1 - start
            stops = float(law[:cut].sum())
            below, law, start = below + stops, law[cut:], start + cut
        if start + len(law) > many[n]:
            cut = max(0, many[n] - start)
            over = float(law[cut:].sum())
            above, law, stops = above + over, law[:cut], stops + over
        labels += n * stops
        if usual is None and above + below >= 0.9:
            usual = n
        if above + below > 1.0 - forget:
            break
    left = 1.0 - above - below
    return Stopped(labels + n * left, above, below, left, usual)
