"""The verifications of one class in the order of asking, and which of their answers count.

A verification is settled when it is answered, skipped, or overdue (see `sidelight.monitor.engine.clock`). The
*settled beginning* of the line counts: an answer waits until all earlier verifications are settled. Otherwise, if right
answers came sooner than wrong ones or later, the counts would be biased at every moment. So whether a verification is
passed over depends only on its own age. A late answer takes its place in the line.
"""

from __future__ import annotations

import bisect
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any

PENDING, RIGHT, WRONG, SKIPPED, OVERDUE = range(5)
"""What has become of a verification."""

LETTERS = ".rwso"
"""How files write them."""

UNTOLD = 1
"""Stands for a true class that was not told."""
_NEAR = 50


class VerificationLine:
    """Verifications since the last restart of a class.

    `marks[i]` is the status of the verification with the place `origin + i` among all verifications of the class. The
    first `counted` of them are settled. `n` and `e` count answers and errors among these (with a `window`, among the
    last `window` answers, which are those from `first` on), `asked_after` says after how many predictions of the class
    each was made, `tags` to which segments it belongs (0: none), `truths` the number of the true class if it was told,
    and `ahead` the answers that wait for an earlier verification.
    """

    def __init__(self, window: int | None) -> None:
        self.window = window
        self.marks = bytearray()
        self.asked_after: array[int] = array("Q")
        self.tags: array[int] = array("H")
        self.truths: array[int] = array("H")
        self.origin = self.counted = self.first = self.ahead = self.n = self.e = 0

    def append(self, predictions: int, tag: int = 0) -> int:
        """Append a verification that is made after so many predictions of the class; return its place."""
        self.marks.append(PENDING)
        self.tags.append(tag)
        self.truths.append(0)
        self.asked_after.append(predictions)
        return self.origin + len(self.marks) - 1

    def add(self, wrong: bool) -> None:
        """Append one more answer to the counted ones."""
        self.n += 1
        self.e += wrong
        if self.window is not None and self.n > self.window:
            self._drop_oldest()

    def change(self, i: int, before: int, after: int) -> None:
        """Change the answer, or remove it, at a place that already counts."""
        if i >= self.first:
            self.n += (after in _ANSWERS) - (before in _ANSWERS)
            self.e += (after == WRONG) - (before == WRONG)
        if self.window is not None:
            if self.n > self.window:
                self._drop_oldest()
            while self.n < self.window and self.first:
                self.first -= 1
                self.n += self.marks[self.first] in _ANSWERS
                self.e += self.marks[self.first] == WRONG

    def counts_before(self, i: int) -> tuple[int, int]:
        """Return answers and errors before `marks[i]`, which counts."""
        wrong = self.marks.count(WRONG, 0, i)
        return self.marks.count(RIGHT, 0, i) + wrong, wrong

    def latest(self, most: int) -> bytes:
        """Return the last counted answers, 0 for right and 1 for wrong, in the order of asking."""
        return bytes(self.marks[self._place_of_last(most) : self.counted]).translate(_WRONG_OR_NOT, _NO_ANSWERS)

    def rate_near(self, place: int) -> float | None:
        """Return the share of errors among the answers to verifications around a place; None if there are none."""
        i = place - self.origin
        near = self.marks[max(0, i - _NEAR) : max(0, i + _NEAR)]
        wrong, right = near.count(WRONG), near.count(RIGHT)
        return wrong / (wrong + right) if wrong + right else None

    def counted_since(self, predictions: int) -> int:
        """Return how many counted answers were asked for after so many predictions of the class."""
        i = bisect.bisect_right(self.asked_after, predictions, 0, self.counted)
        return sum(self.marks.count(one, i, self.counted) for one in _ANSWERS)

    def restart(self) -> None:
        """Begin a new stretch after the counted answers."""
        for one in (self.marks, self.asked_after, self.tags, self.truths):
            del one[: self.counted]
        self.origin += self.counted
        self.counted = self.first = self.n = self.e = 0

    def tally(self, fair: Callable[[int], bool] | None) -> Counter[tuple[int, int]]:
        """Count the counted fair answers by tag and by result.

        That is 0 for right, the number of the true class for wrong, or UNTOLD if the true class was not told.
        """
        found: Counter[tuple[int, int]] = Counter()
        for i in range(self.counted):
            if self.marks[i] in _ANSWERS and (fair is None or fair(i)):
                found[self.tags[i], (self.truths[i] or UNTOLD) if self.marks[i] == WRONG else 0] += 1
        return found

    def tell(self, place: int, truth: int) -> bool:
        """Note the true class of a verification, 0 if it is not told; return whether that is new."""
        if place < self.origin or self.truths[place - self.origin] == truth:
            return False
        self.truths[place - self.origin] = truth
        return True

    def plain(self) -> dict[str, Any]:
        """Return everything as plain data for JSON."""
        return {
            "counted": self.counted,
            "line": self.marks.translate(_AS_TEXT).decode("ascii"),
            "asked_after": self.asked_after.tolist(),
            "tags": self.tags.tolist(),
            "truths": self.truths.tolist(),
        }

    def restore(self, data: dict[str, Any]) -> None:
        """Restore saved values."""
        self.marks = bytearray(map(LETTERS.index, data["line"]))
        self.asked_after = array("Q", data["asked_after"])
        self.tags, self.truths = array("H", data["tags"]), array("H", data["truths"])
        self.counted, self.origin = data["counted"], data["asked"] - len(self.marks)
        self.ahead = sum(mark in _ANSWERS for mark in self.marks[self.counted :])
        self.first = 0 if self.window is None else self._place_of_last(self.window)
        latest = self.latest(self.counted)[-self.window if self.window is not None else 0 :]
        self.n, self.e = len(latest), sum(latest)

    def _drop_oldest(self) -> None:
        while self.marks[self.first] not in _ANSWERS:
            self.first += 1
        self.n -= 1
        self.e -= self.marks[self.first] == WRONG
        self.first += 1

    def _place_of_last(self, answers: int) -> int:
        """Return where the last `answers` counted answers begin."""
        i = self.counted
        while i and answers:
            i -= 1
            answers -= self.marks[i] in _ANSWERS
        return i


_ANSWERS = (RIGHT, WRONG)
_NO_ANSWERS = bytes((PENDING, SKIPPED, OVERDUE))
_WRONG_OR_NOT = bytes(mark == WRONG for mark in range(256))
_AS_TEXT = bytes(map(ord, LETTERS)).ljust(256, b"?")
