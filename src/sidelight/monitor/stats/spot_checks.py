"""Which predictions of a closed class are still verified, so that changes of its error rate are noticed.

A share of them is verified, and half of them while there is some evidence of a change. Both follow from one uniform
number per prediction, see `randomness`; numbers are made many at a time, because letting a prediction
pass should cost almost nothing.
"""

from __future__ import annotations

from sidelight.monitor.stats.randomness import uniforms

NEVER, IF_SUSPICIOUS, ALWAYS = range(3)
SUSPICION, SUSPICIOUS_SHARE = 0.1, 0.5
"""From this share of the evidence for an alarm on, this share of predictions is checked."""
_BLOCK = 256


class SpotChecks:
    """When one class is checked."""

    __slots__ = ("_first", "_numbers", "key")

    def __init__(self, key: int) -> None:
        self.key = key
        self._first = 0
        self._numbers: list[float] = []

    def level(self, count: int, share: float) -> int:
        """Return when the prediction with this number, from 0, is checked: NEVER, IF_SUSPICIOUS or ALWAYS."""
        place = count - self._first
        if not 0 <= place < len(self._numbers):
            self._first, self._numbers, place = count, uniforms(self.key, count, _BLOCK).tolist(), 0
        number = self._numbers[place]
        if number < share:
            return ALWAYS
        return IF_SUSPICIOUS if number < SUSPICIOUS_SHARE else NEVER
