"""Rows of CSV: values between commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import functools
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from sidelight.monitor.io.text_files import Text

DELIMITERS = ",;\t|"


def csv_rows(text: Text, wanted: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the header first, then rows with the numbers of their lines, or with what is wrong with them.

    The delimiter is the one that makes most of the wanted columns appear in the header, then most columns at all.
    """
    reader = _Records(text, wanted)
    header: list[str] | None = None
    while (found := reader.record()) is not None:
        start, row = found
        if not row:
            continue
        if header is None:
            header = [] if isinstance(row, str) else [name.strip() for name in row]
            yield start, header
        elif isinstance(row, str):
            yield start, row
        elif len(row) != len(header):
            columns = f"{len(row)} column{'' if len(row) == 1 else 's'}"
            yield start, f"{columns} where the header has {len(header)}{reader.joined(start)}"
        else:
            yield start, row
    if header is None:
        yield 1, []


class _Records:
    """Reads record by record, so that an unclosed quotation mark costs one line and not all that follow."""

    def __init__(self, text: Text, wanted: Sequence[str]) -> None:
        self.lines, self.wanted = text.lines(), wanted
        self.again: deque[str] = deque()
        """Lines that a quotation mark has swallowed, to be read once more."""
        self.number = 0
        """The line that was read last."""
        self.delimiter = ""

    def record(self) -> tuple[int, list[str] | str] | None:
        """Return the next record (empty for an empty line), or what is wrong with it; None at the end."""
        start = self.number + 1
        first = self._line()
        if first is None:
            return None
        if not first.strip():
            return start, []
        if not self.delimiter:
            first = first.removeprefix("\ufeff")
            self.delimiter = max(DELIMITERS, key=functools.partial(self._columns, first))
        if '"' not in first:
            return start, first.rstrip("\r\n").split(self.delimiter)
        return start, self._quoted(first)

    def joined(self, start: int) -> str:
        """Say so if a record has several lines."""
        return f" (a quotation mark joins it with the lines up to {self.number})" if self.number > start else ""

    def _line(self) -> str | None:
        line = self.again.popleft() if self.again else next(self.lines, None)
        self.number += line is not None
        return line

    def _quoted(self, first: str) -> list[str] | str:
        taken = [first]

        def feed() -> Iterator[str]:
            yield first
            while (line := self._line()) is not None:
                taken.append(line)
                yield line

        try:
            return self._cells(feed(), strict=True)
        except csv.Error as error:
            if len(taken) == 1 and "end of data" not in str(error):
                return self._leniently(first)  # as in "a" b: one line, so nothing is swallowed
            self.again.extendleft(reversed(taken[1:]))
            self.number -= len(taken) - 1
            return "this line opens a quotation mark and does not close it: close it, or double it within a value"

    def _leniently(self, line: str) -> list[str] | str:
        try:
            return self._cells(iter([line]), strict=False)
        except csv.Error as error:
            return f"{error}: leave long texts out"

    def _cells(self, lines: Iterator[str], strict: bool) -> list[str]:
        return next(csv.reader(lines, delimiter=self.delimiter, strict=strict))

    def _columns(self, header: str, delimiter: str) -> tuple[int, int]:
        try:
            found = [cell.strip() for cell in next(csv.reader([header], delimiter=delimiter))]
        except csv.Error:
            return 0, 0
        return len(set(self.wanted) & set(found)), len(found)
