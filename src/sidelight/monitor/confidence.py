"""Whether an error rate is above or below a tolerance, certain however often one looks, and an interval for the rate.

There are two one-sided tests, each at the level (1 - δ) α with α = 1 - confidence and δ = 0.05, see
`sidelight.monitor.evidence`. Let L_c and U_c be the ends of the rates that are not refuted from below and from above at
the level c. The verdict is "above" once L_(1-δ)α > τ, and the interval is then [max(τ, L_δα), U_(1-δ)α]; mirrored for
"below"; and [L_(1-δ)α, U_(1-δ)α] while the verdict is unknown. So the two cannot contradict each other.

If the rate p is above τ, the lower end can pass it only at the level δα and the upper end only at the level (1-δ)α:
together the interval holds the rate at all times with the given confidence. "Above" is wrong, p <= τ, in at most α of
all runs, and so is "below", p > τ; at p = τ exactly either may come, together in at most 2 α. Alternatives nearer than
2 % of τ are not in the mixtures: a rate within about 1 % of τ stays unknown for ever.

For tolerances above 1/2 right answers are counted in place of errors: all is mirrored.
"""

from __future__ import annotations

import functools
import math
from typing import Final, Literal

from sidelight.monitor.evidence import (
    alternatives_above,
    alternatives_below,
    answers_to,
    log_evidence,
    refuted_end,
)

Verdict = Literal["above", "below", "unknown"]

_DELTA = 0.05
_MOST_LABELS = 1 << 30
_MOST_CACHED = 1 << 16
_HEALTHY = 10


class RateTest:
    """The tests of one tolerance at one confidence; get it from `rate_test`, which keeps what it has computed.

    `seen` below is the rarer kind of answer: errors, or right answers for tolerances above 1/2.
    """

    def __init__(self, tolerance: float, confidence: float) -> None:
        self.tolerance: Final = tolerance
        self.mirrored: Final = tolerance > 0.5
        self.rate: Final = 1.0 - tolerance if self.mirrored else tolerance
        self.more, self.fewer = alternatives_above(self.rate), alternatives_below(self.rate)
        spent = -math.log1p(-confidence)
        self.limit: Final = spent - math.log1p(-_DELTA)
        self.strict: Final = spent - math.log(_DELTA)
        self.verdicts: Final[tuple[Verdict, Verdict]] = ("below", "above") if self.mirrored else ("above", "below")
        self._most: dict[int, int] = {}
        self._least: dict[int, int] = {}

    def verdict(self, errors: int, verified: int) -> Verdict:
        """Return on which side of the tolerance the rate lies for certain, or that this is unknown."""
        seen = verified - errors if self.mirrored else errors
        if seen > self.rate * verified:
            most = self._most.get(seen)
            many = verified <= most if most is not None else self._many(seen, verified)
            return self.verdicts[0] if many else "unknown"
        least = self._least.get(seen)
        few = verified >= least if least is not None else self._few(seen, verified)
        return self.verdicts[1] if few else "unknown"

    # Both boundaries rise with `seen`: those of numbers rounded to 1/32 mostly settle it, and are few.
    def _many(self, seen: int, verified: int) -> bool:
        step = 1 << max(0, seen.bit_length() - 6)
        down = seen - seen % step
        return verified <= self.most(down) or (verified <= self.most(down + step) and verified <= self.most(seen))

    def _few(self, seen: int, verified: int) -> bool:
        step = 1 << max(0, seen.bit_length() - 6)
        down = seen - seen % step
        return verified >= self.least(down) and (verified >= self.least(down + step) or verified >= self.least(seen))

    def most(self, seen: int) -> int:
        """Return the most answers with which `seen` of them are too many, or -1."""
        found = self._most.get(seen)
        if found is None:
            root = math.floor(answers_to(self.more, seen, 0, 0.0, self.rate, self.limit))
            # Newton's method ends within a rounding error of the boundary, which the evidence itself defines.
            near = (n for n in (root + 1, root) if log_evidence(self.more, seen, n, self.rate) >= self.limit)
            found = next(near, root - 1)
            found = found if seen and found >= seen else -1
            if len(self._most) < _MOST_CACHED:
                self._most[seen] = found
        return found

    def least(self, seen: int) -> int:
        """Return the fewest answers with which `seen` of them are few."""
        found = self._least.get(seen)
        if found is None:
            root = math.ceil(answers_to(self.fewer, seen, 0, 0.0, self.rate, self.limit))
            near = (n for n in (root - 1, root) if log_evidence(self.fewer, seen, n, self.rate) >= self.limit)
            found = next(near, root + 1)
            if len(self._least) < _MOST_CACHED:
                self._least[seen] = found
        return found

    def boundary(self, verified: int) -> tuple[list[int], list[int]]:
        """Return, after 0, 1, ..., `verified` answers, the most errors of "below" (or -1) and the fewest of "above"."""
        few, many, fewest, too_many = -1, 0, [], []
        for n in range(verified + 1):
            while self.least(few + 1) <= n:
                few += 1
            while self.most(many) < n and many <= n:
                many += 1
            fewest.append(few)
            too_many.append(many)
        if self.mirrored:
            return [n - many for n, many in enumerate(too_many)], [n - few for n, few in enumerate(fewest)]
        return fewest, too_many

    def interval(self, errors: int, verified: int, verdict: Verdict | None = None) -> tuple[float, float]:
        """Return the interval of the rate; `verdict` is one that stands from before, if not that of the counts."""
        if not verified:
            return 0.0, 1.0
        if verdict is None:
            verdict = self.verdict(errors, verified)
        seen = verified - errors if self.mirrored else errors
        many, few = (verdict == side for side in self.verdicts)
        low = refuted_end(self.more, seen, verified, self.strict if many else self.limit)
        high = refuted_end(self.fewer, seen, verified, self.strict if few else self.limit)
        low = max(low, self.rate) if many else min(low, self.rate)
        high = min(high, self.rate) if few else max(high, self.rate)
        return (1.0 - high, 1.0 - low) if self.mirrored else (low, high)

    def labels_needed(self, errors: int, verified: int) -> int | None:
        """Estimate how many more labels a certain verdict takes, if errors go on at the rate that the counts suggest.

        That rate is (e + k τ/2) / (n + k) with k = 10: a class counts as healthy until it is seen not to be. None means
        that the rate is too close to the tolerance to tell.
        """
        share = (errors + _HEALTHY * self.tolerance / 2) / (verified + _HEALTHY)
        seen, share = (verified - errors, 1.0 - share) if self.mirrored else (errors, share)
        side = self.more if share > self.rate else self.fewer
        if log_evidence(side, seen, verified, self.rate) >= self.limit:
            return 0
        more = answers_to(side, seen, verified, share, self.rate, self.limit)
        return None if more > _MOST_LABELS else math.ceil(more)


@functools.lru_cache(maxsize=4096)
def rate_test(tolerance: float, confidence: float) -> RateTest:
    """Return the tests of one tolerance at one confidence; what they have computed is kept."""
    return RateTest(tolerance, confidence)
