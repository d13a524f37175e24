"""Values as files hold them: whether they are what is wanted, and if not, what to write on which line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sidelight.studies.lines import Place
from sidelight.text import nearest


class Values:
    """Checks values and collects what is wrong with them; what it returns in their place is of the right type."""

    def __init__(self, lines: Mapping[Place, int]) -> None:
        self.lines = lines
        self.problems: list[str] = []

    def check_keys(self, place: Place, entry: Mapping[str, Any], known: Sequence[str], what: str) -> None:
        """Complain about keys that nobody knows."""
        for key in entry:
            if key not in known:
                there = ", ".join(known)
                self.problem((*place, key), f"{what} has no {key!r}: {hint(key, known)}there are {there}")

    def known(self, place: Place, name: Any, known: Sequence[str], what: str, or_own: str = "") -> bool:
        """Say whether a name is known, and complain if not; `or_own` says how names of the user's own are written."""
        if isinstance(name, str) and (name in known or (or_own and ":" in name)):
            return True
        own = f", and {or_own}" if or_own else ""
        near = hint(name, known) if isinstance(name, str) else ""
        self.problem(place, f"there is no {what} {name!r}: {near}there are {', '.join(known)}{own}")
        return False

    def text(self, place: Place, value: Any) -> str:
        """Return a text that is not empty."""
        if not isinstance(value, str) or not value.strip():
            self.problem(place, f"{place[-1]} is {value!r}: give a text in quotation marks")
            return ""
        return value

    def texts(self, place: Place, value: Any) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(self.text(place, each) for each in self.listed(place, value))

    def listed(self, place: Place, value: Any) -> list[Any]:
        """Return a list that is not empty."""
        if not isinstance(value, list) or not value:
            self.problem(place, f"{place[-1]} is {value!r}: give a list in brackets")
            return []
        return value

    def whole(self, place: Place, value: Any, least: int) -> int:
        """Return a whole number."""
        if type(value) is not int or value < least or value.bit_length() > 63:
            self.problem(place, f"{place[-1]} is {value!r}: give a whole number of at least {least}")
            return least
        return value

    def wholes(self, place: Place, values: Sequence[Any], least: int) -> tuple[int, ...]:
        """Return different whole numbers."""
        found = tuple(self.whole(place, value, least) for value in values)
        if not found or len(set(found)) < len(found):
            self.problem(place, f"{place[-1]} is {list(values)!r}: give one or more different numbers")
        return found

    def positive(self, place: Place, value: Any) -> float:
        """Return a positive number."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            self.problem(place, f"{place[-1]} is {value!r}: give a positive number")
            return 1.0
        return float(value)

    def choice(self, place: Place, value: Any, words: Sequence[str]) -> Any:
        """Return one of some words."""
        if value not in words:
            near = hint(value, words) if isinstance(value, str) else ""
            self.problem(place, f"{place[-1]} is {value!r}: {near}choose from {', '.join(words)}")
        return value

    def problem(self, place: Place, text: str) -> None:
        """Note what is wrong at a place, with its line."""
        # A key may stand in an inline table, whose line is that of the entry.
        line = next((self.lines[place[:end]] for end in range(len(place), 0, -1) if place[:end] in self.lines), None)
        where = f"line {line}: " if line else ""
        if f"{where}{text}" not in self.problems:
            self.problems.append(f"{where}{text}")


def hint(name: str, known: Sequence[str]) -> str:
    """Return "did you mean ...? " if a known name is like this one."""
    near = nearest(name, known)
    return f"did you mean {near!r}? " if near else ""
