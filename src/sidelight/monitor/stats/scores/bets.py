"""Evidence from predictions that are verified with a known chance, which may depend on their scores.

One *round* is one prediction of a class that is a candidate for verification. Its score falls into the bin b, and the
*propensity* π_b and the *centre* f_b are fixed beforehand. A coin ξ with the chance π_b decides whether it is verified;
y is 1 if the answer is "wrong":

    z = f_b + ξ (y - f_b) / π_b,      whose expectation is the error rate, whatever the scores are worth,
    E(p) = sum_k w_k prod over rounds of (1 + θ_k z) / (1 + θ_k p).

So E(p) is the evidence of `sidelight.monitor.stats.evidence`, with the same guarantee, and the same number where all
propensities are 1. A prediction that was let pass by the coin counts, too, with z = f_b. Compare doubly robust
estimation (Robins, Rotnitzky and Zhao 1994) and testing by betting (Waudby-Smith and Ramdas 2024).

**Bets.** A mixture has θ = λ / (1 - λ p) where everything is verified. A design whose z varies more bets less:
λ is multiplied by min(1, τ (1 - τ) / V) with V = sum_b q_b [(τ - f_b)² + f_b (1 - f_b) / π_b], and 0.999 of the largest
bet that no outcome can turn negative is the most.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

import numpy as np

from sidelight.monitor.stats.confidence import RateTest, Verdict
from sidelight.monitor.stats.scores.bins import BINS, Array
from sidelight.monitor.stats.scores.design import scored_bet_outcomes

PASSED, RIGHT, WRONG = range(3)
"""What can become of a round."""
_LOG_ZERO = -1e6
"""Stands for log 0, so that what was added can be taken away again."""
_LEAST_FACTOR = 1e-300
_SAFE = 0.999
_HALVINGS = 50


class BettingSides:
    """All terms of the tests of one class in one row: too many errors, few errors, and both limits of "near"."""

    def __init__(self, test: RateTest) -> None:
        self.test = test
        near = [one for one in (test.not_less, test.not_more) if one is not None] if test.margin else []
        boundaries = [test.many, test.few, *near]
        sizes = [len(one.mixture.excesses) for one in boundaries]
        ends = np.cumsum(sizes)
        self.parts = [slice(int(end) - size, int(end)) for size, end in zip(sizes, ends, strict=True)]
        self.excesses = np.concatenate([one.mixture.excesses for one in boundaries])
        self.rates = np.repeat([one.rate for one in boundaries], sizes)
        self.weights = np.concatenate([one.mixture.weights for one in boundaries])
        self.likely = test.limit - math.log(max(sizes))
        """No sum reaches the limit before one of its terms reaches this."""

    def start(self) -> Array:
        """Return the sums of rows, see `BettingEpoch`, before the first round."""
        return np.append(self.weights, 0.0)

    def verdict(self, sums: Array) -> Verdict:
        """Return the verdict, given the sums of rows."""
        test = self.test
        if sums[:-1].max() < self.likely:
            return "unknown"
        many, few, *near = (log_sum_of_bets(sums[part]) >= test.limit for part in self.parts)
        if many or few:
            return test.verdicts[0 if many else 1]
        return "near" if near and all(near) else "unknown"


@functools.lru_cache(maxsize=1024)
def betting_sides_of_test(test: RateTest) -> BettingSides:
    """Return the terms of evidence for both sides of a test, cached by test."""
    return BettingSides(test)


class BettingEpoch:
    """A design in force: everything that the evidence of a round depends on, fixed before the round.

    `rows[b, o]` holds the logarithms of the factors of all terms, and z, if a round in the bin b has the outcome o;
    `least` is the smallest propensity, `rounds` how many of its rounds count. `worth` is what a round tells, verified
    or not, compared with an answer without scores.
    """

    def __init__(self, sides: BettingSides, propensities: Array, centres: Array, shares: Array) -> None:
        tolerance, rates = sides.test.rate, sides.rates
        self.sides, self.propensities, self.centres, self.shares = sides, propensities, centres, shares
        self.least = float(propensities.min())
        self.chances: list[float] = propensities.tolist()
        self.rounds = 0
        z = scored_bet_outcomes(propensities, centres)
        variance = float(shares @ ((tolerance - centres) ** 2 + centres * (1.0 - centres) / propensities))
        self.worth = tolerance * (1.0 - tolerance) / variance
        bets = sides.excesses / (1.0 + sides.excesses * rates)
        if self.least < 1.0:
            above = _SAFE / np.maximum(rates - z.min(), 1e-9)
            below = _SAFE / np.maximum(z.max() - rates, 1e-9)
            bets = np.clip(bets * min(1.0, self.worth), -below, above)
        self.bets, self.excesses = bets, bets / (1.0 - bets * rates)
        self._rows: Array | None = None

    @property
    def rows(self) -> Array:
        """The table of rows; it is made when it is needed, because most of it is not for long."""
        if self._rows is None:
            z = scored_bet_outcomes(self.propensities, self.centres)[:, :, None]
            factors = 1.0 + self.bets * (z - self.sides.rates)
            logs = np.where(factors > _LEAST_FACTOR, np.log(np.maximum(factors, _LEAST_FACTOR)), _LOG_ZERO)
            self._rows = np.concatenate([logs, z], axis=2)
        return self._rows

    def forget_rows(self) -> None:
        """Give the memory of the table back."""
        self._rows = None


def betting_epoch_without_scores(sides: BettingSides) -> BettingEpoch:
    """Return the epoch in which every round is verified: the test without scores."""
    rate = sides.test.rate
    return BettingEpoch(sides, np.ones(BINS), np.full(BINS, rate), np.full(BINS, 1.0 / BINS))


def log_sum_of_bets(logs: Array) -> float:
    """Return the logarithm of a sum, given those of its terms."""
    largest = float(logs.max())
    return largest + math.log(float(np.exp(logs - largest).sum()))


def betting_confidence_interval(
    sides: BettingSides, sums: Array, epochs: Iterable[BettingEpoch], verdict: Verdict
) -> tuple[float, float]:
    """Return the interval of the rate: the ends by bisection, because every term is monotone in p."""
    counted = [one for one in epochs if one.rounds]
    if not counted:
        return 0.0, 1.0
    rounds = np.array([one.rounds for one in counted], dtype=np.float64)
    ends = []
    for part, limit, end in zip(sides.parts, sides.test.levels(verdict), (0.0, 1.0), strict=False):
        excesses = np.array([one.excesses[part] for one in counted])
        whole = sums[part] + rounds @ np.log1p(excesses * sides.rates[part])
        refuted, open_end = end, 1.0 - end
        for _ in range(_HALVINGS):
            middle = (refuted + open_end) / 2.0
            if log_sum_of_bets(whole - rounds @ np.log1p(np.maximum(excesses * middle, -1.0 + 1e-15))) >= limit:
                refuted = middle
            else:
                open_end = middle
        ends.append(refuted)
    return sides.test.interval_between(ends[0], ends[1], verdict)
