"""Which predictions of a closed class are still verified, so that changes of its error rate are noticed.

A share of them is verified, and half of them while there is some evidence of a change. Both follow from one uniform
number per prediction, see `sidelight.monitor.randomness`; numbers are made many at a time, because letting a prediction
pass should cost almost nothing.
"""

from __future__ import annotations

import numpy as np

from sidelight.monitor.randomness import uniforms

NEVER, IF_SUSPICIOUS, ALWAYS = range(3)
_SUSPICIOUS_SHARE = 0.5
_BLOCK = 256


class SpotChecks:
    """When one class is checked: `share` of its predictions, or half of them."""

    __slots__ = ("_first", "_levels", "key", "share")

    def __init__(self, key: int, share: float) -> None:
        self.key, self.share = key, share
        self._first, self._levels = 0, b""

    def level(self, count: int) -> int:
        """Say when the prediction with this number, from 0, is checked: NEVER, IF_SUSPICIOUS or ALWAYS."""
        place = count - self._first
        if not 0 <= place < len(self._levels):
            numbers, place = uniforms(self.key, count, _BLOCK), 0
            often = max(_SUSPICIOUS_SHARE, self.share)
            levels = np.add(numbers < often, numbers < self.share, dtype=np.uint8)
            self._first, self._levels = count, levels.tobytes()
        return self._levels[place]
