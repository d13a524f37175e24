"""Problems of a study: where, what, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sidelight.errors import SidelightError
from sidelight.text import one_line

Place = tuple[str | int, ...]
"""A key ("runs",), an entry of a list of tables ("games", 0), or a key of it ("games", 0, "prices")."""
_MOST = 50  # problems that a message lists; the others are only counted


class Problem(NamedTuple):
    """One problem of a study or of a part of it."""

    place: Place
    """Where, from the whole to the part: ("players", 2, "runs") in a study, ("runs",) in a player."""
    text: str


class StudyError(SidelightError):
    """A study that cannot be run; the message lists all of its problems, and what to do about them.

    Parameters
    ----------
    problems
        What is wrong; each is told on one line.
    where
        What it is wrong with, such as the path of the file.
    remedy
        What can be done about all of them; it is told last, and not counted.
    """

    def __init__(self, problems: Sequence[str | Problem], where: str = "", remedy: str = "") -> None:
        found = [each if isinstance(each, Problem) else Problem((), each) for each in problems]
        self.problems = tuple(one_line(each.text) for each in found)
        self.places = tuple(each.place for each in found)
        self.located = tuple(zip(self.places, self.problems, strict=True))
        self.remedy = remedy
        before = f"{where}: " if where else ""
        more = len(found) - _MOST
        shown = (*self.problems[:_MOST], *([f"and {more} more"] if more > 0 else []))
        listed = "".join(f"\n  {problem}" for problem in shown)
        told = f"{len(found)} problems:{listed}" if len(found) > 1 else self.problems[0]
        super().__init__(f"{before}{told}" + (f"\n  {remedy}" if remedy else ""))
