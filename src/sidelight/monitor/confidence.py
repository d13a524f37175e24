"""An interval for an error rate that stays valid however often one looks, and what follows from it.

After n verifications of which e were errors, the beta-binomial mixture with the prior Beta(a, b) gives every rate p the
evidence against it

    M(p) = B(a + e, b + n - e) / B(a, b) / (p^e (1 - p)^(n - e)).

If p is the true rate, M(p) is a martingale that starts at 1, whatever decides which predictions are verified as long as
it does not know their outcome. So the chance that M(p) ever reaches 1 / (1 - confidence) is at most 1 - confidence
(Ville), and the rates with less evidence than that form an interval around e / n which covers the truth at all times at
once (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021). It is a function of the two counts: neither the order of
the answers nor the moments at which somebody looked can matter.

The prior changes how long the interval is, never whether it is valid.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

Verdict = Literal["above", "below", "unknown"]

_HALVINGS = 80
_MOST_LABELS = 1 << 30
_HEALTHY = 10


class Prior(NamedTuple):
    """The Beta(a, b) law that the evidence is mixed over."""

    a: float
    b: float


def default_prior(tolerance: float) -> Prior:
    """Return the prior chosen by measurement: a = 1, and the mean is the tolerance, at most 0.05."""
    return Prior(1.0, max(19.0, (1.0 - tolerance) / tolerance))


def mixture_prior(prior: Any, tolerance: float) -> Prior:
    """Return the prior for one tolerance: the default, or the given (a, b)."""
    return default_prior(tolerance) if prior is None else Prior(float(prior[0]), float(prior[1]))


def log_evidence(errors: float, verified: float, rate: float, prior: Prior) -> float:
    """Return log M(rate); the counts need not be whole (for estimates of what is still to come)."""
    right = verified - errors
    mixed = _log_mixture(errors, right, prior)
    if (errors and rate <= 0.0) or (right and rate >= 1.0):
        return math.inf
    return mixed - (errors * math.log(rate) if errors else 0.0) - (right * math.log1p(-rate) if right else 0.0)


def interval(errors: int, verified: int, confidence: float, prior: Prior) -> tuple[float, float]:
    """Return the rates that are not refuted at this confidence: all p with M(p) < 1 / (1 - confidence).

    log M is convex in p with its least value at e / n, so each end is found by bisection, rounded outwards.
    """
    if not verified:
        return 0.0, 1.0
    right = verified - errors
    limit = _log_mixture(errors, right, prior) + math.log1p(-confidence)
    middle = errors / verified
    low = _end(errors, right, limit, 0.0, middle) if errors else 0.0
    high = _end(errors, right, limit, 1.0, middle) if right else 1.0
    return low, high


def verdict(errors: int, verified: int, tolerance: float, confidence: float, prior: Prior) -> Verdict:
    """Return on which side of the tolerance the interval lies, or that it holds the tolerance."""
    if not verified or log_evidence(errors, verified, tolerance, prior) < -math.log1p(-confidence):
        return "unknown"
    return "above" if errors > tolerance * verified else "below"


def labels_needed(errors: int, verified: int, tolerance: float, confidence: float, prior: Prior) -> int | None:
    """Estimate how many more labels a certain verdict takes, if errors go on at the rate that the counts suggest.

    That rate is (e + k τ/2) / (n + k) with k = 10: a class counts as healthy until it is seen not to be. None means
    that the rate is too close to the tolerance to tell.
    """
    limit = -math.log1p(-confidence)
    rate = (errors + _HEALTHY * tolerance / 2) / (verified + _HEALTHY)

    def short(more: int) -> bool:
        expected = log_evidence(errors + rate * more, verified + more, tolerance, prior)
        # Evidence of the counts so far for the other side is not a verdict yet.
        return expected < limit or (errors + rate * more > tolerance * (verified + more)) != (rate > tolerance)

    if not short(0):
        return 0
    high = 1
    while short(high):
        high *= 2
        if high > _MOST_LABELS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if short(middle) else (low, middle)
    return high


def _log_mixture(errors: float, right: float, prior: Prior) -> float:
    """Return log B(a + e, b + n - e) - log B(a, b)."""
    a, b = prior
    gamma = math.lgamma
    total = gamma(a + errors) + gamma(b + right) - gamma(a + b + errors + right)
    return total - (gamma(a) + gamma(b) - gamma(a + b))


def _end(errors: int, right: int, limit: float, outside: float, inside: float) -> float:
    """Return where the log-likelihood falls to `limit` between a refuted rate and the best one."""
    for _ in range(_HALVINGS):
        middle = 0.5 * (outside + inside)
        if middle in (outside, inside):
            break
        value = (errors * math.log(middle) if errors else 0.0) + (right * math.log1p(-middle) if right else 0.0)
        if value > limit:
            inside = middle
        else:
            outside = middle
    return outside
