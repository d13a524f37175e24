"""What was checked, and the comparisons that checks share."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sidelight.text import count

Check = Callable[[Any], str | None]
"""A check raises AssertionError, returns nothing if all is well, or the reason why there was nothing to check."""


@dataclass
class Report:
    """What was checked.

    Attributes
    ----------
    subject
        What was checked.
    passed
        By game, the names of the checks that ran and passed.
    omitted
        By game and check, why a check did not apply.
    skipped
        By game, why the subject refused it.
    """

    subject: str
    passed: dict[str, list[str]] = field(default_factory=dict)
    omitted: dict[tuple[str, str], str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many checks ran."""
        return sum(map(len, self.passed.values()))

    def run(self, checks: Iterable[Check], subject: Any, place: str) -> None:
        """Run checks on one subject in one game; an error names check, subject and game."""
        for check in checks:
            where = f"{self.subject} on {place}, {title_of_check(check)}"
            try:
                reason = check(subject)
            except AssertionError as error:
                raise AssertionError(f"{where}: {error}") from error
            except Exception as error:
                raise AssertionError(f"{where}: raised {type(error).__name__}: {error}") from error
            if reason is None:
                self.passed.setdefault(place, []).append(check.__name__)
            else:
                self.omitted[place, check.__name__] = reason

    def __str__(self) -> str:
        lines = [f"{self.subject}: {count(self.count, 'check')} passed on {count(len(self.passed), 'game')}"]
        lines += [f"  {place}: refused, {reason}" for place, reason in self.skipped.items()]
        omitted = dict.fromkeys((name, reason) for (_, name), reason in self.omitted.items())
        lines += [f"  {name}: left out, {reason}" for name, reason in omitted]
        return "\n".join(lines)


def checks_in(module: dict[str, Any]) -> tuple[Check, ...]:
    """Return the checks that a module defines, in order: all public functions but `check_...`, which run them."""
    own = [each for each in module.values() if inspect.isfunction(each) and each.__module__ == module["__name__"]]
    return tuple(each for each in own if not each.__name__.startswith(("_", "check_")))


def title_of_check(check: Check) -> str:
    """Return a check's name as words."""
    return check.__name__.replace("_", " ")


def ensure(condition: Any, sentence: str) -> None:
    """Raise the sentence unless the condition holds."""
    if not condition:
        raise AssertionError(sentence)


def is_importable_class(kind: type) -> bool:
    """Say whether a class can be imported by its name; otherwise its objects cannot be pickled."""
    return getattr(sys.modules.get(kind.__module__), kind.__qualname__, None) is kind


def is_same_checked_data(one: Any, other: Any) -> bool:
    """Compare plain data and arrays to the last bit."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        a, b = np.asarray(one), np.asarray(other)
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(is_same_checked_data(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_same_checked_data, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return repr(one) == repr(other)
    return type(one) is type(other) and bool(one == other)


def size_of_data(value: Any) -> int:
    """Count the numbers and texts that some plain data holds."""
    if isinstance(value, np.ndarray):
        return value.size
    if isinstance(value, Mapping):
        return sum(map(size_of_data, value.values()))
    return sum(map(size_of_data, value)) if isinstance(value, list | tuple) else 1


def ensure_plain_data(value: Any, where: str) -> None:
    """Raise unless data holds only JSON values and arrays of numbers."""
    if isinstance(value, np.ndarray):
        ensure(value.dtype.kind in "biuf", f"{where} is an array of {value.dtype}, which needs pickle")
    elif isinstance(value, Mapping):
        for key, part in value.items():
            ensure(isinstance(key, str), f"{where} has the key {key!r}, which is not text")
            ensure_plain_data(part, f"{where}[{key!r}]")
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            ensure_plain_data(part, f"{where}[{place}]")
    else:
        try:
            json.dumps(value)
        except TypeError:
            raise AssertionError(f"{where} is a {type(value).__name__}, which JSON cannot hold") from None
