"""Uniform numbers that depend only on where they are used, and the spot checks that follow from them.

The k-th number of a class is SplitMix64 (Steele, Lea, Flood 2014) after k steps from a key that is a hash of the seed
and the class, so there is no state to save. A decision can be computed again from the seed, the class and the count of
its predictions, and traffic of one class does not change the decisions about another.

Of the predictions of a closed class a share is verified, so that changes of its error rate are noticed, and half of
them while there is some evidence of a change. Both follow from one number per prediction; numbers are made many at a
time, because letting a prediction pass should cost almost nothing.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

_MASK = (1 << 64) - 1
_STEP, _FIRST_FACTOR, _SECOND_FACTOR = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def random_key_of_class(seed: int, label: object, purpose: str) -> int:
    """Return the key of a class for one purpose."""
    text = f"{seed}/{purpose}/{type(label).__name__}/{label!r}"
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest(), "little")


def uniform_number_of_key(key: int, count: int) -> float:
    """Return the number with this count (from 0) in the sequence of a key: uniform on [0, 1), 53 bits."""
    z = (key + (count + 1) * _STEP) & _MASK
    z = ((z ^ (z >> 30)) * _FIRST_FACTOR) & _MASK
    z = ((z ^ (z >> 27)) * _SECOND_FACTOR) & _MASK
    return ((z ^ (z >> 31)) >> 11) * 2.0**-53


def uniform_numbers_of_key(key: int, start: int, length: int) -> npt.NDArray[np.float64]:
    """Return the same numbers, `length` of them from the count `start` on."""
    z = np.arange(start + 1, start + length + 1, dtype=np.uint64) * np.uint64(_STEP) + np.uint64(key)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(_FIRST_FACTOR)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(_SECOND_FACTOR)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


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
            self._first, self._numbers, place = count, uniform_numbers_of_key(self.key, count, _BLOCK).tolist(), 0
        number = self._numbers[place]
        if number < share:
            return ALWAYS
        return IF_SUSPICIOUS if number < SUSPICIOUS_SHARE else NEVER
