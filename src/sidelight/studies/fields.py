"""The fields of a study's parts: each is declared once, as `Annotated[type, check]`, and checked when a part is made.

A check returns the value in normal form, or raises `RefusedField`.
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields
from numbers import Integral, Real
from typing import Annotated, Any, Self, get_type_hints

from sidelight.studies.problems import Place, Problem, StudyError
from sidelight.text import did_you_mean, shortened, thousands

Check = Callable[[Any], Any]
_LONGEST = 80  # characters of a value in a message


class RefusedField(Exception):  # noqa: N818 - it becomes a problem, not an error of its own
    """Report an invalid value of a field; `wanted` says what to give instead, `text_field` is a whole message."""

    def __init__(self, value: Any, wanted: str = "", text: str = "", place: Place = ()) -> None:
        super().__init__(text or wanted)
        self.value, self.wanted, self.text, self.place = value, wanted, text, place

    def problem(self, name: str) -> Problem:
        """Return the problem of a field."""
        return Problem(
            (name, *self.place),
            self.text or f"{name} {'holds' if self.place else 'is'} {short_field_value(self.value)}: {self.wanted}",
        )


class StudyPart:
    """A frozen part of a study whose fields are checked; the error lists all that are wrong."""

    def __post_init__(self) -> None:
        values, problems = check_study_fields(type(self), vars(self))
        if problems:
            raise StudyError(problems, self._where())
        self._set(**values)

    def _where(self) -> str:
        title = getattr(self, "label", "") or getattr(self, "name", "")
        return f"{type(self).__name__} {title!r}" if title and isinstance(title, str) else type(self).__name__

    def _set(self, **values: Any) -> None:
        """Set fields of a frozen value that is being made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Make a part from plain data, and report unknown and missing names."""
        if not isinstance(data, Mapping):
            text = f"{short_field_value(data)} does not describe one: give a table of names and values"
            raise StudyError([text], cls.__name__)
        known = [each.name for each in fields(cls)]  # type: ignore[arg-type]
        problems = [
            Problem((key,), unknown_study_field_message(key, known, f"a {cls.__name__}"))
            for key in data
            if key not in known
        ]
        problems += [
            Problem((each.name,), f"it has no {each.name!r}: give one")
            for each in fields(cls)  # type: ignore[arg-type]
            if each.default is MISSING and each.name not in data
        ]
        if problems:
            raise StudyError(problems, cls.__name__)
        return cls(**data)


def check_study_fields(kind: type[Any], values: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Check the given fields of a part; return the valid ones in normal form, and the problems of the others."""
    found, problems = {}, []
    for name, check in _checks_of_study_fields(kind).items():  # type: ignore[arg-type]
        if name in values:
            try:
                found[name] = check(values[name])
            except RefusedField as refused:
                problems.append(refused.problem(name))
            except StudyError as error:  # of a part within this part
                problems += [Problem((name, *place), text) for place, text in error.located]
    return found, problems


@functools.cache
def _checks_of_study_fields(kind: type[Any]) -> dict[str, Check]:
    hints = get_type_hints(kind, include_extras=True)
    return {each.name: hints[each.name].__metadata__[0] for each in fields(kind)}


def unknown_study_field_message(key: str, known: Sequence[str], what: str) -> str:
    """Return the message about a name that a part does not have."""
    return f"{what} has no {key!r}: {did_you_mean(key, known)}there are {', '.join(known)}"


def text_field(value: Any) -> str:
    """Check a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise RefusedField(value, "give a text in quotation marks")
    return value


def optional_text_field(value: Any) -> str:
    """Check a text or a path, which may be empty."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    return "" if value == "" else text_field(value)


def list_field(check: Check, *, least: int = 0, different: bool = False) -> Check:
    """Return the check of a list whose values pass a check."""

    def check_list_field_values(value: Any) -> tuple[Any, ...]:
        several = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        if not several or getattr(value, "ndim", 1) == 0:  # a number of NumPy may be an array without axes
            example = f", as in [{short_field_value(value)}]" if isinstance(value, str | int) else ""
            raise RefusedField(value, f"give a list in brackets{example}")
        found = tuple(map(check, value))
        if len(found) < least:
            raise RefusedField(value, "give one or more")
        if different and len(set(found)) < len(found):
            raise RefusedField(value, "give one or more different ones")
        return found

    return check_list_field_values


def whole_number_field(least: int, most: int = 2**63 - 1) -> Check:
    """Return the check of a whole number; one of NumPy becomes a plain one."""

    def check_whole_number_field(value: Any) -> int:
        found = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
        if found is None or found < least:
            raise RefusedField(value, f"give a whole number of at least {least}")
        if found > most:
            raise RefusedField(value, f"give a whole number of at most {thousands(most)}")
        return found

    return check_whole_number_field


def positive_field(value: Any) -> float:
    """Check a positive number."""
    number = field_value_as_number(value)
    if number is None or not 0 < number < math.inf:
        raise RefusedField(value, "give a positive number")
    return number


def flag_field(value: Any) -> bool:
    """Check that a value is true or false."""
    if not isinstance(value, bool):
        raise RefusedField(value, "give true or false")
    return value


def choice_field(*words: str) -> Check:
    """Return the check of one of several words."""

    def check_choice_field_word(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            near = did_you_mean(value, words) if isinstance(value, str) else ""
            raise RefusedField(value, f"{near}choose from {', '.join(words)}")
        return value

    return check_choice_field_word


def optional_field(check: Check) -> Check:
    """Return a check that also accepts None."""
    return lambda value: None if value is None else check(value)


def checkpoints_field(value: Any) -> Any:
    """Check checkpoints: a number, "log", or a list of rounds."""
    if isinstance(value, str) and value == "log":
        return value
    if not isinstance(value, Iterable) or isinstance(value, str):
        return whole_number_field(1)(value)
    rounds = list_field(whole_number_field(1), least=1)(value)
    if list(rounds) != sorted(set(rounds)):
        raise RefusedField(list(rounds), "give increasing rounds")
    return rounds


def parameters_field(value: Any) -> dict[str, Any]:
    """Check parameters: names with plain data as values."""
    given = value.items() if isinstance(value, Mapping) else value
    pairs = [each for each in given if _is_pair_in_field(each)] if isinstance(given, Iterable) else None
    if isinstance(given, str) or pairs is None or len(pairs) < len(list(given)):
        raise RefusedField(value, "give names with values, as in {'bins': 10}, or in a file parameters = { bins = 10 }")
    for name, each in pairs:
        if not is_plain_field_value(each):
            wanted = "a number, a text, true or false, or a list or table of them"
            raise RefusedField(each, text=f"{name} is {short_field_value(each)}: give {wanted}", place=(name,))
    return dict(pairs)


class Parts:
    """The check of a list of parts of one kind; plain data become parts."""

    def __init__(self, kind: type[StudyPart]) -> None:
        self.kind = kind

    def __call__(self, value: Any) -> tuple[Any, ...]:
        """Check the list."""
        found: list[Any] = []
        for index, each in enumerate(list_field(lambda each: each)(value)):
            if isinstance(each, Mapping) or each is None:
                each = self.kind.from_dict(each)
            if not isinstance(each, self.kind):
                wanted = f"give values of the type sidelight.studies.{self.kind.__name__}"
                raise RefusedField(each, wanted, place=(index,))
            found.append(each)
        return tuple(found)


MOST_RUNS, MOST_ROUNDS = 10**9, 10**15
Name = Annotated[str, text_field]
Text = Annotated[str, optional_text_field]
Flag = Annotated[bool, flag_field]
Labels = Annotated[tuple[str, ...], list_field(text_field)]
Runs = Annotated[int, whole_number_field(1, MOST_RUNS)]
RunsIfOwn = Annotated[int | None, optional_field(whole_number_field(1, MOST_RUNS))]
Horizons = Annotated[tuple[int, ...], list_field(whole_number_field(1, MOST_ROUNDS), least=1, different=True)]
HorizonsIfOwn = Annotated[tuple[int, ...], list_field(whole_number_field(1, MOST_ROUNDS), different=True)]
Seeds = Annotated[tuple[int, ...], list_field(whole_number_field(0), least=1, different=True)]
Parameters = Annotated[Any, parameters_field]


def field_value_as_number(value: Any) -> float | None:
    """Return a value as a float, or None if it is not a number or too large."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def is_plain_field_value(value: Any) -> bool:
    """Return whether a file can hold a value."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str | int | tuple) and is_plain_field_value(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(map(is_plain_field_value, value))
    return value is None or isinstance(value, str | bool | Real) or hasattr(value, "tolist")


def short_field_value(value: Any) -> str:
    """Return a short form of a value for a message."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    try:
        if isinstance(value, list | tuple):
            text = f"[{', '.join(map(short_field_value, value))}]"
        else:
            text = str(value) if hasattr(value, "isoformat") else repr(value)
    except ValueError:  # a number of more digits than Python writes
        return "a number of thousands of digits"
    return shortened(text, _LONGEST)


def _is_pair_in_field(value: Any) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)
