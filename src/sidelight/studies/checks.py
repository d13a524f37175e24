"""Check values from files and programs, and say what to write instead of wrong ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from sidelight.studies.problems import Place, Problem, StudyError
from sidelight.text import did_you_mean, grouped

MOST_RUNS = 10**9
MOST_ROUNDS = 10**15
_MOST = 2**63 - 1
_LONGEST = 80  # characters of a value in a message


class Values:
    """Checks values and collects problems; what it returns always has the right type."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def problem(self, place: Place, text: str) -> None:
        """Add a problem, unless it is known already."""
        if Problem(place, text) not in self.found:
            self.found.append(Problem(place, text))

    def refuse(self, where: str) -> None:
        """Raise an error if there are problems."""
        if self.found:
            raise StudyError(self.found, where)

    def check_keys(self, place: Place, entry: Mapping[str, Any], known: Sequence[str], what: str) -> None:
        """Report unknown keys."""
        for key in entry:
            if key not in known:
                there = ", ".join(known)
                self.problem((*place, key), f"{what} has no {key!r}: {did_you_mean(key, known)}there are {there}")

    def known(self, place: Place, name: Any, known: Sequence[str], what: str, or_own: str = "") -> bool:
        """Return whether a name is known, and report it if not; `or_own` says how to write one's own names."""
        if isinstance(name, str) and (name in known or (or_own and ":" in name)):
            return True
        own = f", and {or_own}" if or_own else ""
        near = did_you_mean(name, known) if isinstance(name, str) else ""
        self.problem(place, f"there is no {what} {shown(name)}: {near}there are {', '.join(known)}{own}")
        return False

    def text(self, place: Place, value: Any, empty: bool = False) -> str:
        """Check a text; an empty one is reported unless `empty` is set."""
        if not isinstance(value, str) or not (value.strip() or empty):
            self.problem(place, f"{place[-1]} is {shown(value)}: give a text in quotation marks")
            return ""
        return value

    def texts(self, place: Place, value: Any) -> tuple[str, ...]:
        """Check a list of texts."""
        return tuple(self.text(place, each) for each in self.listed(place, value))

    def listed(self, place: Place, value: Any, empty: bool = False) -> list[Any]:
        """Check a list; an empty one is reported unless `empty` is set."""
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        several = several and getattr(value, "ndim", 1) > 0  # a number of NumPy may be an array without axes
        found = list(value) if several else []
        if not several or not (found or empty):
            example = f", as in [{shown(value)}]" if isinstance(value, str | int) else ""
            wanted = "one or more" if several else f"a list in brackets{example}"
            self.problem(place, f"{place[-1]} is {shown(value)}: give {wanted}")
        return found

    def whole(self, place: Place, value: Any, least: int, most: int = _MOST) -> int:
        """Check a whole number; one of NumPy becomes a plain one."""
        number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
        if number is None or number < least:
            self.problem(place, f"{place[-1]} is {shown(value)}: give a whole number of at least {least}")
            return least
        if number > most:
            self.problem(place, f"{place[-1]} is {shown(value)}: give a whole number of at most {grouped(most)}")
            return least
        return number

    def wholes(self, place: Place, values: Any, least: int, most: int = _MOST) -> tuple[int, ...]:
        """Check a list of different whole numbers."""
        given = self.listed(place, values)
        before = len(self.found)
        found = tuple(self.whole(place, value, least, most) for value in given)
        if len(self.found) == before and len(set(found)) < len(found):
            self.problem(place, f"{place[-1]} is {shown(given)}: give one or more different numbers")
        return found

    def positive(self, place: Place, value: Any) -> float:
        """Check a positive number."""
        number = as_number(value)
        if number is None or not 0 < number < math.inf:
            self.problem(place, f"{place[-1]} is {shown(value)}: give a positive number")
            return 1.0
        return number

    def flag(self, place: Place, value: Any) -> bool:
        """Check that a value is true or false."""
        if not isinstance(value, bool):
            self.problem(place, f"{place[-1]} is {shown(value)}: give true or false")
        return value is True

    def choice(self, place: Place, value: Any, words: Sequence[str]) -> Any:
        """Check that a value is one of the allowed words."""
        if not isinstance(value, str) or value not in words:
            near = did_you_mean(value, words) if isinstance(value, str) else ""
            self.problem(place, f"{place[-1]} is {shown(value)}: {near}choose from {', '.join(words)}")
        return value

    def choices(self, place: Place, value: Any, words: Sequence[str]) -> tuple[Any, ...]:
        """Check a list of allowed words without repetition."""
        found = tuple(self.choice(place, each, words) for each in self.listed(place, value))
        for each in words:
            if found.count(each) > 1:
                self.problem(place, f"{place[-1]} has {each!r} twice: leave one of them out")
        return found

    def checkpoints(self, place: Place, value: Any) -> Any:
        """Check checkpoints: a number, "log", or a list of rounds."""
        if isinstance(value, str) and value == "log":
            return value
        if isinstance(value, Iterable) and not isinstance(value, str):
            rounds = self.wholes(place, value, 1)
            if list(rounds) != sorted(rounds):
                self.problem(place, f"{place[-1]} is {shown(list(rounds))}: give increasing rounds")
            return rounds
        return self.whole(place, value, 1)

    def parameters(self, place: Place, value: Any) -> dict[str, Any]:
        """Check parameters: names with plain data as values."""
        given = value.items() if isinstance(value, Mapping) else value
        pairs = [each for each in given if _is_pair(each)] if isinstance(given, Iterable) else None
        if isinstance(given, str) or pairs is None or len(pairs) < len(list(given)):
            example = "as in {'bins': 10}, or in a file parameters = { bins = 10 }"
            self.problem(place, f"{place[-1]} is {shown(value)}: give names with values, {example}")
            return {}
        for name, each in pairs:
            if not is_plain(each):
                wanted = "a number, a text, true or false, or a list or table of them"
                self.problem((*place, name), f"{name} is {shown(each)}: give {wanted}")
        return dict(pairs)


def as_number(value: Any) -> float | None:
    """Return a value as a float, or None if it is not a number or too large."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def is_plain(value: Any) -> bool:
    """Return whether a file can hold a value."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str | int | tuple) and is_plain(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(is_plain, value))
    return value is None or isinstance(value, str | bool | Real) or hasattr(value, "tolist")


def shown(value: Any) -> str:
    """Return a short form of a value for a message."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    try:
        if isinstance(value, list | tuple):
            text = f"[{', '.join(map(shown, value))}]"
        else:
            text = str(value) if hasattr(value, "isoformat") else repr(value)
    except ValueError:  # a number of more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _is_pair(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)
