"""Rows of JSON: one object per line, or one array of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.io.text_files import Text

_LARGEST = 1 << 24  # characters of an element of an array; more is rather a bracket that is missing
_SPACE = " \t\r\n"


def json_rows(text: Text) -> Iterator[tuple[int, Any]]:
    """Yield objects with the numbers of their lines, or what is wrong with them."""
    first = text.skip_space()
    number = text.number
    if first == "[":
        yield from _Array(text.pieces(), number + 1).elements()
        return
    for line in text.lines(first):
        number += 1
        if line.strip():
            yield number, _object(line)


def _object(text: str) -> Any:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON ({error})"
    return row if isinstance(row, dict) else "not a JSON object"


class _Array:
    """An array that is read element by element, so it may be of any length."""

    def __init__(self, pieces: Iterator[str], number: int) -> None:
        self.pieces, self.number = pieces, number
        self.text, self.place = "", 0
        self.decode = json.JSONDecoder().raw_decode

    def elements(self) -> Iterator[tuple[int, Any]]:
        """Yield the elements up to the closing bracket."""
        first = True
        while (mark := self._next()) != "]":
            if not first and mark != ",":
                raise SidelightError(f"line {self.number}: a comma or ] is missing after an element of the array")
            if not first:
                self.place += 1
                self._next()
            start, first = self.number, False
            row = self._element()
            yield start, row if isinstance(row, dict) else "not a JSON object"
        self.place += 1
        if self._next(required=False):
            raise SidelightError(f"line {self.number}: there is more after the end of the array: write one array")

    def _next(self, required: bool = True) -> str:
        """Return the next character that is not white space, without passing it."""
        while True:
            while self.place < len(self.text):
                mark = self.text[self.place]
                if mark not in _SPACE:
                    return mark
                self.number += mark == "\n"
                self.place += 1
            if not self._more():
                if required:
                    raise SidelightError(f"line {self.number}: the array is not closed: the file is cut off")
                return ""

    def _element(self) -> Any:
        while True:
            try:
                row, end = self.decode(self.text, self.place)
                break
            except (ValueError, RecursionError) as error:
                # Perhaps it is cut off. Read twice as much each time, so that each character is looked at only a few
                # times.
                size = len(self.text) - self.place
                while len(self.text) - self.place < 2 * size and self._more():
                    pass
                if len(self.text) - self.place == size or size > _LARGEST:
                    raise SidelightError(f"the element in line {self.number} is not valid JSON ({error})") from None
        self.number += self.text.count("\n", self.place, end)
        self.place = end
        return row

    def _more(self) -> bool:
        """Read the next piece, and drop what has been used."""
        piece = next(self.pieces, None)
        if piece is not None:
            self.text, self.place = self.text[self.place :] + piece, 0
        return piece is not None
