"""Kinds of game parameters: each reads a value, from Python or from text, or says what is allowed."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any, Protocol

from sidelight.errors import GameError
from sidelight.game import read_exact_loss


class GameParameter(Protocol):
    """The values that one parameter may take."""

    @property
    def allowed(self) -> str:
        """The allowed values in words, which follow 'give' in an error."""

    def read(self, name: str, value: Any) -> Any:
        """Return `value` in its exact form, or raise a `GameError` that says what is allowed."""


@dataclass(frozen=True)
class WholeParameter:
    """A whole number from `least` to `most`, such as 5, 5.0 or "5"; `reason` may explain the limit."""

    least: int
    most: int
    reason: str | None = None

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        reason = f" ({self.reason})" if self.reason else ""
        return f"a whole number from {self.least} to {self.most}{reason}"

    def read(self, name: str, value: Any) -> int:
        """Return the number as an `int`."""
        number = _read_game_parameter_number(name, value, self.allowed)
        if number.denominator != 1 or not self.least <= number <= self.most:
            raise _refused_game_parameter(name, value, self.allowed)
        return int(number)


@dataclass(frozen=True)
class NumberParameter:
    """An exact number, if wanted strictly between two bounds: 0.2, "1/5", `Fraction(1, 5)`.

    `formula` is one more value that the parameter may take: text that says how it follows from the other parameters.
    """

    above: Fraction | None = None
    below: Fraction | None = None
    formula: str | None = None

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        bounds = [f"above {self.above}"] if self.above is not None else []
        bounds += [f"below {self.below}"] if self.below is not None else []
        text = " ".join(["a number", " and ".join(bounds)]).rstrip() + ", such as 1/5 or 0.2"
        return text if self.formula is None else f"{text}, or the text {self.formula!r}"

    def read(self, name: str, value: Any) -> Fraction | str:
        """Return the number as a `Fraction`, or the formula as it is."""
        if (
            self.formula is not None
            and isinstance(value, str)
            and _squeeze_game_parameter(value) == _squeeze_game_parameter(self.formula)
        ):
            return self.formula
        number = _read_game_parameter_number(name, value, self.allowed)
        if (self.above is not None and number <= self.above) or (self.below is not None and number >= self.below):
            raise _refused_game_parameter(name, value, self.allowed)
        return number


@dataclass(frozen=True)
class NumbersParameter:
    """One to `most` different exact numbers, in the order in which they are given: (0, 0.5, 1) or "0,1/2,1"."""

    most: int

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"1 to {self.most} different numbers, such as 0,1/2,1"

    def read(self, name: str, value: Any) -> tuple[Fraction, ...]:
        """Return the numbers as a tuple of `Fraction`."""
        parts = value.split(",") if isinstance(value, str) else value
        if isinstance(parts, bytes | Mapping | Set):  # which have no order, or no numbers
            raise _refused_game_parameter(name, value, self.allowed)
        try:
            first = list(islice(parts, self.most + 1))
        except TypeError:  # not a collection at all
            raise _refused_game_parameter(name, value, self.allowed) from None
        numbers = tuple(_read_game_parameter_number(name, part, self.allowed) for part in first)
        if not 1 <= len(numbers) <= self.most or len(set(numbers)) < len(numbers):
            raise _refused_game_parameter(name, value, self.allowed)
        return numbers


@dataclass(frozen=True, init=False)
class OneOfParameter:
    """One of a few words."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return " or ".join(repr(word) for word in self.words)

    def read(self, name: str, value: Any) -> str:
        """Return the word."""
        word = value.strip() if isinstance(value, str) else value
        if not isinstance(word, str) or word not in self.words:
            raise _refused_game_parameter(name, value, self.allowed)
        return word


def write_game_parameter(value: Any) -> str:
    """Return the value of a parameter as it is written on a command line: 5, 1/5, or 0,1/2,1."""
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _read_game_parameter_number(name: str, value: Any, allowed: str) -> Fraction:
    """Read a number as `Game` reads a loss, but report errors in terms of this parameter."""
    try:
        return read_exact_loss(value, name)
    except GameError:
        raise _refused_game_parameter(name, value, allowed) from None


def _refused_game_parameter(name: str, value: Any, allowed: str) -> GameError:
    return GameError(f"{name} cannot be {_short_game_parameter(value)}: give {allowed}")


def _short_game_parameter(value: Any) -> str:
    """Return a value as Python writes it, cut where it would fill the screen."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python is willing to write
        return "so large a number"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _squeeze_game_parameter(text: str) -> str:
    return "".join(text.split())
