"""Rows with named columns as input for a monitor: predictions, answers, tolerances; all of them, or an error."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.io.csv_rows import csv_rows
from sidelight.monitor.io.json_rows import json_rows
from sidelight.monitor.io.labeled_data import TEXT_FORMATS, format_of
from sidelight.monitor.io.text_files import Source, Text, open_text

_ANSWERS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read_rows(
    source: Source, wanted: Sequence[str], columns: Mapping[str, str], kind: str | None = None, name: str = ""
) -> list[dict[str, Any]]:
    """Return the wanted values of each row, None where there is none.

    `columns` gives the name of a column if it differs from that of the value. Empty cells of CSV are None, everything
    else is text. A line that cannot be read is an error.
    """
    kind = kind or format_of(source, TEXT_FORMATS)
    if kind == "parquet":
        raise SidelightError("Parquet is read by `sidelight monitor replay` only: give CSV or JSON")
    called = {one: columns.get(one, one) for one in wanted}
    found = []
    with open_text(source, None, name or repr(str(source))) as text:
        for line, row in _dictionaries(text, list(called.values())) if kind == "csv" else json_rows(text):
            if isinstance(row, str):
                raise SidelightError(f"line {line}: {row}; nothing changed")
            found.append({one: row.get(column) for one, column in called.items()})
    if not found:
        raise SidelightError(f"there are no rows in {name or source!s}")
    return found


def _dictionaries(text: Text, wanted: Sequence[str]) -> Iterator[tuple[int, Any]]:
    rows = csv_rows(text, wanted)
    _, header = next(rows)
    for name in wanted:
        if header.count(name) > 1:
            raise SidelightError(f"there are {header.count(name)} columns {name!r}: rename all but one")
    for line, row in rows:
        yield (
            line,
            row
            if isinstance(row, str)
            else {name: cell.strip() or None for name, cell in zip(header, row, strict=True)},
        )


def required(rows: Sequence[Mapping[str, Any]], name: str, column: str) -> list[Any]:
    """Return the values of a column that may not be empty."""
    values = [row[name] for row in rows]
    if None in values:
        place = "" if any(value is not None for value in values) else f": is there a column {column!r}?"
        raise SidelightError(f"row {values.index(None) + 1} has no {column!r}{place}; nothing changed")
    return values


def yes_or_no(value: Any) -> Any:
    """Return True or False for the words that mean them in CSV; anything else unchanged."""
    return _ANSWERS.get(value.lower(), value) if isinstance(value, str) else value


def read_by_class(path: str | Path, what: str) -> dict[str, float]:
    """Return a number for each class: from a JSON object, or from CSV with the columns class and `what`."""
    kind = format_of(path, (".csv", ".json"), "let its name end with")
    if kind == "json":
        with open_text(path, None, repr(str(path))) as text:
            try:
                found = json.loads("".join(text.pieces()))
            except (ValueError, RecursionError) as error:
                raise SidelightError(f"{str(path)!r} is not valid JSON ({error})") from None
        if not isinstance(found, dict):
            raise SidelightError(f"{str(path)!r} is not a JSON object from classes to numbers")
        pairs = list(found.items())
    else:
        rows = read_rows(path, ("class", what), {}, kind)
        pairs = list(zip(*(required(rows, name, name) for name in ("class", what)), strict=True))
    numbers: dict[str, float] = {}
    for name, value in pairs:
        if name in numbers:
            raise SidelightError(f"the class {name!r} is there twice in {str(path)!r}")
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise SidelightError(f"the {what} of {name!r} in {str(path)!r} is {value!r}: give a number") from None
    return numbers
