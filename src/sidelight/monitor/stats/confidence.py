"""Whether an error rate is above or below a tolerance, valid however often you look, and an interval for the rate.

There are two one-sided tests, each at the level (1 - δ) α with α = 1 - confidence and δ = 0.05, see `evidence`. Let L_c
and U_c be the ends of the rates that are not refuted from below and from above at the level c. The verdict is "above"
once L_(1-δ)α > τ, and the interval is then [max(τ, L_δα), U_(1-δ)α]; mirrored for "below"; and [L_(1-δ)α, U_(1-δ)α]
while the verdict is unknown. So the two cannot contradict each other.

If the rate p is above τ, the lower end can pass it only at the level δα and the upper end only at the level (1-δ)α:
together the interval holds the rate at all times with the given confidence. "Above" is wrong, p <= τ, in at most α of
all runs, and so is "below", p > τ; at p = τ exactly either may come, together in at most 2 α. Alternatives nearer than
2 % of τ are not in the mixtures: a rate within about 1 % of τ stays unknown forever.

With a margin m the verdict "near", |p - τ| <= m, comes once [L_(1-δ)α, U_(1-δ)α] lies within [τ - m, τ + m]. It is
wrong only if one of these ends has passed p. For a given p all three verdicts can be wrong only through the same end,
so α need not be split. At p = τ it takes about 2 (log(1/α) + 2.5) τ (1 - τ) / m² labels.

If a reviewer misses an error, or calls a right prediction wrong, with chances of at most f each, a class whose error
rate is p gets "wrong" answers at a rate between p (1 - f) and p + (1 - p) f; these ends are tested instead of τ.

**All classes together.** Each class has exactly one wrong verdict ("above" or "below", whichever is false), so by the
union bound the chance of any wrong verdict is at most α if the levels of the classes sum to at most α. Classes that are
listed beforehand get equal shares. It is unknown how many others will come, so the i-th of them gets 6 / (π² i²).
Decided classes give no step-down gain as in Holm's procedure: a decided class is not a false hypothesis that cost
nothing, because its other verdict might have come and has used up its level. With Holm's thresholds, 20 classes at 1.05
times a tolerance of 0.3 that are verified one after the other have a wrong verdict in 6.9 % of all runs at α = 5 %
(computed exactly), with equal shares in 1.6 %.

For tolerances above 1/2 right answers are counted instead of errors: everything is mirrored.
"""

from __future__ import annotations

import functools
import math
from typing import Final, Literal

from sidelight.monitor.stats.evidence import (
    Mixture,
    answers_until_evidence,
    evidence_alternatives_above,
    evidence_alternatives_below,
    log_evidence,
    refuted_end_of_rates,
)

_MOST_CACHED = 1 << 16


class EvidenceBoundary:
    """The counts at which the evidence of a mixture against a rate reaches a limit.

    With `seen` errors it is reached up to a largest number of answers (alternatives above the rate: too many errors),
    or from a smallest number on (alternatives below: few errors). Both numbers rise with `seen`.
    """

    def __init__(self, mixture: Mixture, rate: float, limit: float) -> None:
        self.mixture, self.rate, self.limit = mixture, rate, limit
        self.many = mixture.excesses[0] > 0.0
        self._ends: dict[int, int] = {}

    def reached(self, seen: int, answers: int) -> bool:
        """Return whether the counts have reached the limit."""
        end = self._ends.get(seen)
        if end is not None:
            return answers <= end if self.many else answers >= end
        # The ends for counts rounded to 1/32 are few, and usually settle it.
        step = 1 << max(0, seen.bit_length() - 6)
        down = seen - seen % step
        if self.many:
            return answers <= self.end(down) or (answers <= self.end(down + step) and answers <= self.end(seen))
        return answers >= self.end(down) and (answers >= self.end(down + step) or answers >= self.end(seen))

    def end(self, seen: int) -> int:
        """Return the largest or smallest number of answers; -1 if `seen` errors are never too many."""
        found = self._ends.get(seen)
        if found is None:
            found = self._end(seen)
            if len(self._ends) < _MOST_CACHED:
                self._ends[seen] = found
        return found

    def _end(self, seen: int) -> int:
        root = answers_until_evidence(self.mixture, seen, 0, 0.0, self.rate, self.limit)
        nearest = math.floor(root) if self.many else math.ceil(root)
        outward = 1 if self.many else -1
        # Newton's method ends within a rounding error of the boundary, which the evidence itself defines.
        near = (n for n in (nearest + outward, nearest) if self.log_evidence(seen, n) >= self.limit)
        found = next(near, nearest - outward)
        return -1 if self.many and (not seen or found < seen) else found

    def log_evidence(self, seen: float, answers: float) -> float:
        """Return the logarithm of the evidence; the counts need not be whole."""
        return log_evidence(self.mixture, seen, answers, self.rate)

    def answers_to(self, seen: float, answers: float, share: float) -> float:
        """Return how many more answers, a share of them errors, reach the limit: 0 if it is reached, inf if none do."""
        if self.log_evidence(seen, answers) >= self.limit:
            return 0.0
        return answers_until_evidence(self.mixture, seen, answers, share, self.rate, self.limit)


LISTED_SHARE = 0.9
"""What listed classes get of α, where there are any; the rest is for classes that are not listed."""


def share_of_alpha(place: int, listed: int) -> float:
    """Return the share of α of the class at this place, from 0, of which the first `listed` were given beforehand."""
    if place < listed:
        return LISTED_SHARE / listed
    rank = place - listed + 1
    return (1.0 - LISTED_SHARE if listed else 1.0) * 6.0 / (math.pi * rank) ** 2


def answered_error_rates(rate: float, reviewer_error: float) -> tuple[float, float]:
    """Return the least and the largest rate of "wrong" answers that an error rate can have.

    For the tolerance this is the band that cannot be decided: while "wrong" answers come at a rate within it, the error
    rate may be on either side.
    """
    return rate * (1.0 - reviewer_error), rate + (1.0 - rate) * reviewer_error


def true_rates_from_answered_rates(low: float, high: float, reviewer_error: float) -> tuple[float, float]:
    """Return the error rates that rates of answers between `low` and `high` can come from."""
    right = 1.0 - reviewer_error
    return max(0.0, (low - reviewer_error) / right), min(1.0, high / right)


Verdict = Literal["above", "below", "near", "unknown"]

DELTA = 0.05
_MOST_LABELS = 1 << 30
_HEALTHY = 10


class RateTest:
    """The tests for one tolerance at one confidence; get them from `rate_test`, which caches them.

    `seen` below is the rarer kind of answer: errors, or right answers for tolerances above 1/2.
    """

    def __init__(self, tolerance: float, confidence: float, margin: float = 0.0, reviewer_error: float = 0.0) -> None:
        self.tolerance, self.margin, self.reviewer_error = tolerance, margin, reviewer_error
        self.mirrored: Final = tolerance > 0.5
        self.verdicts: Final[tuple[Verdict, Verdict]] = ("below", "above") if self.mirrored else ("above", "below")
        spent = -math.log1p(-confidence)
        self.limit: Final = spent - math.log1p(-DELTA)
        self.strict: Final = spent - math.log(DELTA)
        self.rate: Final = 1.0 - tolerance if self.mirrored else tolerance
        low, high = answered_error_rates(self.rate, reviewer_error)
        more, fewer = evidence_alternatives_above(high), evidence_alternatives_below(low)
        self.many, self.few = EvidenceBoundary(more, high, self.limit), EvidenceBoundary(fewer, low, self.limit)
        # "Near" refutes the rates below τ - m and those above τ + m.
        least, most = max(0.0, self.rate - margin), min(1.0, self.rate + margin)
        self.not_less = (
            EvidenceBoundary(more, answered_error_rates(least, reviewer_error)[1], self.limit) if least else None
        )
        self.not_more = (
            EvidenceBoundary(fewer, answered_error_rates(most, reviewer_error)[0], self.limit) if most < 1.0 else None
        )

    @property
    def undecidable(self) -> tuple[float, float] | None:
        """The rates of answers "wrong" at which no verdict is possible, because reviewers err."""
        return answered_error_rates(self.tolerance, self.reviewer_error) if self.reviewer_error else None

    def verdict(self, errors: int, verified: int) -> Verdict:
        """Return on which side of the tolerance the rate lies for certain, or "near", or "unknown"."""
        seen = verified - errors if self.mirrored else errors
        if seen > self.many.rate * verified:
            if self.many.reached(seen, verified):
                return self.verdicts[0]
        elif seen < self.few.rate * verified and self.few.reached(seen, verified):
            return self.verdicts[1]
        return "near" if self.margin and self._near(seen, verified) else "unknown"

    def _near(self, seen: int, verified: int) -> bool:
        sides = (self.not_less, self.not_more)
        return bool(verified) and all(side is None or side.reached(seen, verified) for side in sides)

    def boundary(self, verified: int) -> tuple[list[int], list[int]]:
        """Return, after 0, 1, ..., `verified` answers, the most errors of "below" (or -1) and the fewest of "above"."""
        few, many, fewest, too_many = -1, 0, [], []
        for n in range(verified + 1):
            while self.few.end(few + 1) <= n:
                few += 1
            while self.many.end(many) < n and many <= n:
                many += 1
            fewest.append(few)
            too_many.append(many)
        if self.mirrored:
            return [n - many for n, many in enumerate(too_many)], [n - few for n, few in enumerate(fewest)]
        return fewest, too_many

    def interval(self, errors: int, verified: int, verdict: Verdict | None = None) -> tuple[float, float]:
        """Return the interval of the rate; `verdict` is an earlier one that still stands, if not that of the counts."""
        if not verified:
            return 0.0, 1.0
        if verdict is None:
            verdict = self.verdict(errors, verified)
        seen = verified - errors if self.mirrored else errors
        low, high = self.levels(verdict)
        return self.interval_between(
            refuted_end_of_rates(self.many.mixture, seen, verified, low),
            refuted_end_of_rates(self.few.mixture, seen, verified, high),
            verdict,
        )

    def levels(self, verdict: Verdict) -> tuple[float, float]:
        """Return the logarithms of the evidence that refute rates below and above the interval of a verdict."""
        return tuple(self.strict if verdict == side else self.limit for side in self.verdicts)  # type: ignore[return-value]

    def interval_between(self, low: float, high: float, verdict: Verdict) -> tuple[float, float]:
        """Return the interval of the rate, given the rates of answers that are just not refuted, and the verdict."""
        many, few = (verdict == side for side in self.verdicts)
        low, high = true_rates_from_answered_rates(low, high, self.reviewer_error)
        low = max(low, self.rate) if many else min(low, self.rate)
        high = min(high, self.rate) if few else max(high, self.rate)
        if verdict == "near":
            low, high = max(low, self.rate - self.margin), min(high, self.rate + self.margin)
        return (1.0 - high, 1.0 - low) if self.mirrored else (low, high)

    def labels_needed(self, errors: int, verified: int) -> int | None:
        """Estimate how many more labels a certain verdict takes, if errors continue at the rate the counts suggest.

        That rate is (e + k τ/2) / (n + k) with k = 10: a class counts as healthy until it is seen not to be. None means
        that the rate is too close to the tolerance to tell.
        """
        share = (errors + _HEALTHY * self.tolerance / 2) / (verified + _HEALTHY)
        return self.labels_at(errors, verified, share)

    def labels_at(self, errors: int, verified: int, share: float) -> int | None:
        """Return how many more labels a certain verdict takes if this share of them are errors; None if too many."""
        seen, share = (verified - errors, 1.0 - share) if self.mirrored else (errors, share)
        side = self.many if share > self.rate else self.few
        more = side.answers_to(seen, verified, share)
        if self.margin:
            sides = (self.not_less, self.not_more)
            more = min(more, max(one.answers_to(seen, verified, share) for one in sides if one is not None))
        return None if more > _MOST_LABELS else math.ceil(more)


@functools.lru_cache(maxsize=4096)
def rate_test(tolerance: float, confidence: float, margin: float = 0.0, reviewer_error: float = 0.0) -> RateTest:
    """Return the tests for one tolerance at one confidence; they are cached."""
    return RateTest(tolerance, confidence, margin, reviewer_error)
