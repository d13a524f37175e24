"""Job arrays: each job does one share of a list of tasks or runs, and no two jobs the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from sidelight.errors import SidelightError

T = TypeVar("T")


@dataclass(frozen=True, order=True)
class Share:
    """Share `number` of `count`, counted from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "i/n": share i of n, from 1 to n."""
        try:
            number, count = (int(part) for part in text.split("/"))
        except ValueError:
            number, count = 0, 0
        if not 1 <= number <= count:
            raise SidelightError(f"the share is {text!r}: write i/n with i from 1 to n, such as 2/8")
        return cls(number, count)

    def of(self, whole: Sequence[T]) -> Sequence[T]:
        """Return every `count`-th task, so that neighbors, which often cost alike, go to different shares."""
        return whole[self.number - 1 :: self.count]

    def part(self, length: int) -> slice:
        """Return a range of runs: consecutive, since all runs cost alike, and nearly equal in length."""
        return slice(length * (self.number - 1) // self.count, length * self.number // self.count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
