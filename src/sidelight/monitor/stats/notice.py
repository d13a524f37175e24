"""How many predictions of a closed class must be verified to notice soon enough that its error rate has changed.

Someone who wants to know about a change within N predictions needs a share of labels / N of them as spot checks. With n
answers of which e were errors before the change, and then m answers of which f are errors, the evidence of
`sidelight.monitor.stats.drift` is about

    log R = log B(a + e, b + n - e) B(a + f, b + m - f) / [B(a, b) B(a + e + f, b + n + m - e - f)] + 3/4 log m,

where the last term stands for the starts beside the true one. (With a window, the class has to be reopened.) Errors
come at random: f = m p - z sqrt(m p) for a rise to p, and with plus for a fall, is what is seen in nine of ten cases.
After a fall every answer counts, and there may be fewer than expected, so 0.7 sqrt(m) more are asked for. The constants
(z = 1, 3/4, 0.7) were fitted to simulations. Up to a tenth of the evidence for an alarm, spot checks have their own
share, and from there on a half. Where only some answers come in time, the share is divided by theirs.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

from sidelight.monitor.stats.confidence import RateTest
from sidelight.monitor.stats.drift import log_marginal_likelihood
from sidelight.monitor.stats.randomness import SUSPICION, SUSPICIOUS_SHARE

_Z, _STARTS, _FEWER = 1.0, 0.75, 0.7
_STEPS = 10


class NoticeStatistics(NamedTuple):
    """What is known about a class: n answers, of which e were errors, and how a change would show.

    `alarm` is the evidence for an alarm of drift; it is None with a `window`, whose verdict has to end instead.
    """

    n: int
    e: int
    test: RateTest
    tolerance: float
    alarm: int | None
    window: int | None

    def target(self, times: float) -> float:
        """Return the rate that matters: `times` the tolerance for a class below it, and the mirror image else."""
        if self.e <= self.tolerance * self.n:
            return min(times * self.tolerance, 1.0 - (1.0 - self.tolerance) / times)
        return max(self.tolerance / times, 1.0 - times * (1.0 - self.tolerance))

    def labels(self, rate: float, share: float, most: int) -> float:
        """Return after how many answers at a new rate a share of the evidence for an alarm is there in most cases.

        It is infinite if it takes more than `most`.
        """
        side = math.copysign(_Z, rate * self.n - self.e)
        before, least = log_marginal_likelihood(self.n, self.e), math.log(share * (self.alarm or 1))

        def reached_alarm_evidence(m: float) -> bool:
            errors = min(m, max(0.0, rate * m - side * math.sqrt(rate * m)))
            if (errors * self.n - self.e * m) * side <= 0.0:  # looks like no change, or one to the other side
                return False
            if self.alarm is None:
                return self._turned(math.floor(m), math.floor(errors) if side > 0.0 else math.ceil(errors))
            evidence = (
                before + log_marginal_likelihood(m, errors) - log_marginal_likelihood(self.n + m, self.e + errors)
            )
            return evidence + _STARTS * math.log(m) >= least

        found = _least_count_with_evidence(reached_alarm_evidence, most)
        return found if side > 0.0 else found + _FEWER * math.sqrt(found)

    def _turned(self, m: int, errors: int) -> bool:
        """Return whether so many more answers end the verdict of the window."""
        assert self.window is not None
        m = min(m, self.window)
        kept = min(self.n, self.window - m)
        after = self.test.verdict(round(self.e * kept / self.n) + min(errors, m), kept + m)
        return after != self.test.verdict(self.e, self.n)

    def both(self, rate: float, most: int) -> tuple[float, float]:
        """Return after how many answers spot checks become more frequent, and after how many there is an alarm."""
        alarm = self.labels(rate, 1.0, most)
        return (alarm if self.alarm is None else min(alarm, self.labels(rate, SUSPICION, most))), alarm

    def predictions(self, rate: float, share: float, most: int) -> int | None:
        """Return within how many predictions a change to a rate is noticed in most cases; None if not within `most`."""
        first, alarm = self.both(rate, most)
        if not share or alarm == math.inf:
            return None
        found = math.ceil(first / share + (alarm - first) / max(share, SUSPICIOUS_SHARE))
        return found if found <= most else None


@functools.lru_cache(maxsize=1 << 14)
def share_of_spot_checks_to_notice(history: NoticeStatistics, times: float, within: int) -> float:
    """Return which share of the predictions to verify so that a change to `times` the tolerance is noticed."""
    first, alarm = history.both(history.target(times), within)
    rest = within - (alarm - first) / SUSPICIOUS_SHARE
    share = first / rest if rest > 0.0 and alarm < math.inf else 1.0
    return min(1.0, share if share <= SUSPICIOUS_SHARE else alarm / within)


def _least_count_with_evidence(reached: Callable[[float], bool], most: int) -> float:
    """Return from where on something is reached, to within 1 %; it stays so."""
    if not reached(most):
        return math.inf
    low, high = 1.0, float(most)
    for _ in range(_STEPS):
        middle = math.sqrt(low * high)
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high
