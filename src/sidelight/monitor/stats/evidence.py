"""Evidence that an error rate lies above, or below, a given rate: mixtures of likelihood ratios.

After n verifications of which e were errors, the evidence against "the rate is at most p" is

    E(p) = sum_k w_k (1 + θ_k)^e (1 + θ_k p)^-n,      sum_k w_k = 1,      all θ_k > 0:

each term is the likelihood ratio of the rate whose odds are 1 + θ_k times those of p. At the rate p it is a martingale
that starts at 1, at smaller rates a supermartingale, whatever decides which predictions are verified as long as it does
not know their outcome. So the chance that E(p) ever reaches 1 / α is at most α if the rate is at most p (Ville). With
all θ_k in [-1, 0) the same holds for the evidence against "the rate is at least p".

The θ_k and w_k are fixed by a tolerance τ, at which the alternatives q = τ (1 ± d) were chosen by measurement, and are
then used for every p. Each term falls (θ > 0) or rises (θ < 0) with p and is convex, so the rates that are refuted from
one side form an interval, and its end is found by Newton's method from outside, which never passes the end.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple

_FARTHEST, _HIGHEST_RATE, _RATIO_ABOVE = 11.0, 0.97, 1.5
_DEEPEST, _RATIO_BELOW = 0.9, 1.35
_NEAREST = 0.02
_FLAT_WEIGHT = 0.02
_WEIGHT_OF_ZERO = 0.25
_MOST_STEPS = 60


class Mixture(NamedTuple):
    """Alternatives to a rate, all on one side of it."""

    weights: tuple[float, ...]
    """log w_k"""
    gains: tuple[float, ...]
    """log(1 + θ_k): what an error adds to the logarithm of term k."""
    excesses: tuple[float, ...]
    """θ_k"""


def evidence_alternatives_above(tolerance: float) -> Mixture:
    """Return q = τ (1 + d), d = D 1.5^-k > 0.02, D = min(11, (0.97 - τ) / τ), with w proportional to d e^-d + 0.02.

    The tolerance is at most 1/2.
    """
    farthest = min(_FARTHEST, (_HIGHEST_RATE - tolerance) / tolerance)
    shifts = _shrinking_shifts_of_mixture(farthest, _RATIO_ABOVE)
    weights = [d * math.exp(-d) + _FLAT_WEIGHT for d in shifts]
    return _mixture_of_likelihood_ratios(tolerance, shifts, _normalize_mixture_weights(weights, 1.0))


def evidence_alternatives_below(tolerance: float) -> Mixture:
    """Return q = 0 with weight 1/4, and q = τ (1 - d), d = 0.9 1.35^-k > 0.02, with w proportional to d + 0.02."""
    shifts = _shrinking_shifts_of_mixture(_DEEPEST, _RATIO_BELOW)
    weights = _normalize_mixture_weights([d + _FLAT_WEIGHT for d in shifts], 1.0 - _WEIGHT_OF_ZERO)
    return _mixture_of_likelihood_ratios(tolerance, [-1.0, *(-d for d in shifts)], [_WEIGHT_OF_ZERO, *weights])


def log_evidence(mixture: Mixture, errors: float, verified: float, rate: float) -> float:
    """Return log E(rate); the counts need not be whole (for estimates of future answers)."""
    return _log_sum_of_exponentials(
        [c - verified * math.log1p(t * rate) for c, t, _ in _terms_of_log_evidence(mixture, errors)]
    )


def refuted_end_of_rates(mixture: Mixture, errors: int, verified: int, limit: float) -> float:
    """Return the rate at which log E falls to the limit: all rates beyond it are refuted. It is 0 or 1 if none are."""
    above = mixture.excesses[0] > 0.0
    end = 0.0 if above else 1.0
    if not (errors if above else verified - errors):
        return end
    terms = _terms_of_log_evidence(mixture, errors)
    starts = [math.expm1(min((c - limit) / verified, 1.0)) / t for c, t, _ in terms]
    start = max(starts) if above else min(starts)
    if not 0.0 < start < 1.0:
        if log_evidence(mixture, errors, verified, end) < limit:
            return end
        start = end

    def log_evidence_and_slope(rate: float) -> tuple[float, float]:
        logarithms = [c - verified * math.log1p(t * rate) for c, t, _ in terms]
        return _log_sum_with_slope(logarithms, [-verified * t / (1.0 + t * rate) for _, t, _ in terms])

    return min(1.0, max(0.0, _newton_to_evidence_limit(log_evidence_and_slope, start, limit)))


def answers_until_evidence(
    mixture: Mixture, errors: float, verified: float, share: float, rate: float, limit: float
) -> float:
    """Return how many more answers, a share of them errors, bring log E(rate) to the limit; inf if none do.

    log E is convex in that number. Where it falls (no error more), this is how many answers are allowed.
    """
    lines = []
    for c, t, gain in _terms_of_log_evidence(mixture, errors, bool(share)):
        loss = math.log1p(t * rate)
        lines.append((c - verified * loss, (gain * share if share else 0.0) - loss))
    falls = not share and mixture.excesses[0] > 0.0
    alone = [(limit - c) / slope for c, slope in lines if (slope < 0.0 if falls else slope > 0.0)]
    if not alone:
        return math.inf
    slopes = [slope for _, slope in lines]
    return _newton_to_evidence_limit(
        lambda more: _log_sum_with_slope([c + more * slope for c, slope in lines], slopes),
        max(alone) if falls else min(alone),
        limit,
    )


def _shrinking_shifts_of_mixture(first: float, ratio: float) -> list[float]:
    shifts = []
    while first > _NEAREST:
        shifts.append(first)
        first /= ratio
    return shifts


def _normalize_mixture_weights(weights: Sequence[float], total: float) -> list[float]:
    scale = total / sum(weights)
    return [scale * weight for weight in weights]


def _mixture_of_likelihood_ratios(tolerance: float, shifts: Sequence[float], weights: Sequence[float]) -> Mixture:
    """Return the mixture of the rates q = τ (1 + shift), whose odds are 1 + θ times those of τ: θ = shift / (1 - q)."""
    excesses = tuple(shift / (1.0 - tolerance * (1.0 + shift)) for shift in shifts)
    gains = tuple(math.log1p(excess) if excess > -1.0 else -math.inf for excess in excesses)
    return Mixture(tuple(map(math.log, weights)), gains, excesses)


def _terms_of_log_evidence(mixture: Mixture, errors: float, more: bool = False) -> list[tuple[float, float, float]]:
    """Return log w_k + e log(1 + θ_k), θ_k and log(1 + θ_k); errors, if any or more to come, refute the rate 0."""
    rows = zip(mixture.weights, mixture.excesses, mixture.gains, strict=True)
    if errors or more:
        return [(weight + errors * gain, excess, gain) for weight, excess, gain in rows if excess > -1.0]
    return list(rows)


def _log_sum_of_exponentials(logarithms: Sequence[float]) -> float:
    """Return the logarithm of a sum, given those of its terms."""
    largest = max(logarithms)
    return largest + math.log(sum([math.exp(one - largest) for one in logarithms]))


def _log_sum_with_slope(logarithms: Sequence[float], slopes: Sequence[float]) -> tuple[float, float]:
    """Return the logarithm of a sum and its derivative, given those of the logarithms of its terms."""
    largest = max(logarithms)
    shares = [math.exp(one - largest) for one in logarithms]
    total = sum(shares)
    return largest + math.log(total), sum(map(operator.mul, shares, slopes)) / total


def _newton_to_evidence_limit(value: Callable[[float], tuple[float, float]], x: float, limit: float) -> float:
    """Return where a convex function falls to the limit, starting where it is not below: steps cannot pass the root."""
    for _ in range(_MOST_STEPS):
        height, slope = value(x)
        step = (height - limit) / slope
        if not slope or abs(step) <= 1e-13 * abs(x):
            break
        x -= step
    return x
