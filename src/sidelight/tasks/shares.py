"""Job arrays: each job does one share of the tasks, and no two jobs the same task."""

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

    @classmethod
    def holding(cls, place: int, count: int) -> Self:
        """Return the share of `count` that holds the task at this place of the whole list."""
        return cls(place % count + 1, count)

    def of(self, tasks: Sequence[T]) -> list[T]:
        """Return the tasks of this share, which depend on nothing but the whole list."""
        return list(tasks[self.number - 1 :: self.count])

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"
