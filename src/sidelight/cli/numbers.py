"""Whole numbers as people write them: 20000, 20_000, 2e4."""

from __future__ import annotations

import contextlib
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import click

_LARGEST = 2**63 - 1

if TYPE_CHECKING:
    _Integers = click.ParamType[int]
else:
    _Integers = click.ParamType  # generic in new versions of Click only


def whole_number_option(text: str) -> int | None:
    """Return the whole number that a text stands for, or None: 20000, 20_000 and 2e4 are the same."""
    with contextlib.suppress(InvalidOperation):
        value = Decimal(text)
        # A number far too large for any use is not written out: that could take all memory.
        if value.is_finite() and value.adjusted() < 30 and value == value.to_integral_value():
            return int(value)
    return None


class WholeNumberOption(_Integers):
    """A whole number of at least `least`, for an option."""

    name = "integer"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number, or fail and say what is expected."""
        number = whole_number_option(str(value))
        if number is None or not self.least <= number <= _LARGEST:
            wanted = f"give a whole number of at least {self.least}, such as 20000, 20_000 or 2e4"
            self.fail(f"{str(value)!r} is too large" if number and number > _LARGEST else f"{str(value)!r}: {wanted}")
        return number


COUNT = WholeNumberOption(1)
WHOLE = WholeNumberOption(0)
