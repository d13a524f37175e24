"""Where evidence reaches a limit, in whole numbers of answers that are computed once."""

from __future__ import annotations

import math

from sidelight.monitor.stats.evidence import Mixture, answers_to, log_evidence

_MOST_CACHED = 1 << 16


class Boundary:
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
        root = answers_to(self.mixture, seen, 0, 0.0, self.rate, self.limit)
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
        return answers_to(self.mixture, seen, answers, share, self.rate, self.limit)
