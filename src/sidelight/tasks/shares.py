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
        """Return the part of a list that is this share."""
        return whole[self.part(len(whole))]

    def part(self, length: int) -> slice:
        """Return where this share lies in a list; shares are consecutive and nearly equal in length."""
        return slice(length * (self.number - 1) // self.count, length * self.number // self.count)

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
