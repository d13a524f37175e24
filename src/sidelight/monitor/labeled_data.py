"""Labeled predictions from files: CSV, JSON Lines or Parquet, or standard input.

A line that cannot be used (too few columns, not valid JSON, an empty prediction or truth) is reported with its number
and left out.
"""

from __future__ import annotations

import csv
import importlib
import itertools
import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from sidelight.errors import NoFileError, SidelightError

FORMATS = ("csv", "jsonl", "parquet")
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_MOST_KEPT = 20


@dataclass(frozen=True)
class Columns:
    """What the columns are called."""

    prediction: str
    truth: str
    time: str | None = None

    def names(self) -> list[str]:
        """Return the columns that must be there."""
        return [name for name in (self.prediction, self.truth, self.time) if name is not None]


@dataclass
class LabeledData:
    """Predictions with their truth, in order."""

    predictions: list[Any] = field(default_factory=list)
    truths: list[Any] = field(default_factory=list)
    times: list[Any] = field(default_factory=list)
    malformed: int = 0
    complaints: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.predictions)

    def complain(self, line: int, why: str, strict: bool) -> None:
        """Count a line that cannot be used; keep what is wrong with the first few."""
        if strict:
            raise SidelightError(f"line {line}: {why}")
        self.malformed += 1
        if len(self.complaints) < _MOST_KEPT:
            self.complaints.append(f"line {line}: {why}")


def read_labeled(
    source: str | Path | TextIO, columns: Columns, kind: str | None = None, strict: bool = False, name: str = ""
) -> LabeledData:
    """Read labeled predictions from a file or an open text stream; `kind` is one of `FORMATS`, else the name says."""
    kind = kind or format_of(source)
    stream = LabeledData()
    if kind == "parquet":
        _check_path(source)
        rows: Iterable[tuple[int, Any]] = _parquet_rows(source, columns)
        _collect(stream, rows, columns, strict)
    elif isinstance(source, str | Path):
        _check_path(source)
        delimiter = "\t" if Path(source).suffix.lower() == ".tsv" else None
        # Bytes that are not UTF-8 should cost one line, not the file.
        with open(source, encoding="utf-8-sig", errors="backslashreplace", newline="") as file:
            _collect(stream, _text_rows(file, kind, columns, delimiter), columns, strict)
    else:
        _collect(stream, _text_rows(source, kind, columns, None), columns, strict)
    if not len(stream):
        bad = f"; {stream.malformed} lines could not be used, {stream.complaints[0]}" if stream.malformed else ""
        raise SidelightError(f"there are no labeled predictions in {name or source!s}{bad}")
    if not set(map(type, stream.predictions)) & set(map(type, stream.truths)):
        # Text in one column and numbers in the other: they are meant as written.
        stream.predictions, stream.truths = (list(map(str, one)) for one in (stream.predictions, stream.truths))
    return stream


def format_of(source: Any) -> str:
    """Return the format that a file's name says."""
    suffix = Path(source).suffix.lower() if isinstance(source, str | Path) else ""
    if suffix not in _SUFFIXES:
        raise SidelightError(
            f"cannot tell the format of {source if isinstance(source, str | Path) else 'standard input'!s}: "
            f"say which of {', '.join(FORMATS)} it is"
        )
    return _SUFFIXES[suffix]


def _collect(stream: LabeledData, rows: Iterable[tuple[int, Any]], columns: Columns, strict: bool) -> None:
    for line, row in rows:
        if isinstance(row, str):
            stream.complain(line, row, strict)
            continue
        values = [row.get(name) for name in columns.names()]
        empty = [name for name, value in zip(columns.names(), values, strict=True) if _missing(value)]
        if empty:
            stream.complain(line, f"{empty[0]!r} is empty", strict)
            continue
        if not all(isinstance(value, str | int | float) for value in values[:2]):
            stream.complain(line, f"{values[0]!r}, {values[1]!r} are not classes", strict)
            continue
        stream.predictions.append(_whole(values[0]))
        stream.truths.append(_whole(values[1]))
        stream.times.append(values[2] if len(values) > 2 else None)


def _whole(value: Any) -> Any:
    """Return 3 for 3.0: columns of whole numbers with gaps are stored as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _missing(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and not math.isfinite(value))


def _text_rows(file: TextIO, kind: str, columns: Columns, delimiter: str | None) -> Iterator[tuple[int, Any]]:
    return _csv_rows(file, columns, delimiter) if kind == "csv" else _json_rows(file)


def _csv_rows(file: TextIO, columns: Columns, delimiter: str | None) -> Iterator[tuple[int, Any]]:
    """Yield line numbers with rows, or with what is wrong with them."""
    lines: Iterable[str] = file
    if delimiter is None:
        head = file.readline()
        delimiter = max(",;\t", key=head.count)
        lines = itertools.chain([head] if head else [], file)
    reader = csv.reader(lines, delimiter=delimiter)
    header = next(reader, [])
    _check_columns(columns, header)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield start, f"{error}{_until(start, reader.line_num)}"
            continue
        if not row:
            continue
        if len(row) != len(header):
            found = f"{len(row)} column{'' if len(row) == 1 else 's'}"
            yield start, f"{found} where the header has {len(header)}{_until(start, reader.line_num)}"
        else:
            yield start, dict(zip(header, row, strict=True))


def _until(start: int, end: int) -> str:
    """Say so if a quotation mark that is never closed has swallowed lines."""
    return f" (a quotation mark joins it with the lines up to {end})" if end > start else ""


def _json_rows(file: TextIO) -> Iterator[tuple[int, Any]]:
    for line, content in enumerate(file, start=1):
        if content.strip():
            try:
                row = json.loads(content)
            except (ValueError, RecursionError) as error:
                yield line, f"not valid JSON ({error})"
                continue
            yield line, row if isinstance(row, dict) else "not a JSON object"


def _parquet_rows(path: Any, columns: Columns) -> Iterator[tuple[int, Any]]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SidelightError("Parquet files need pyarrow: run `pip install sidelight[parquet]`, or give CSV") from None
    try:
        file = parquet.ParquetFile(path)
    except Exception as error:  # whatever Arrow makes of a damaged file
        raise SidelightError(f"{str(path)!r} is damaged, or not a Parquet file ({error})") from None
    _check_columns(columns, file.schema_arrow.names)
    line = 0
    for batch in file.iter_batches(columns=columns.names()):
        for row in batch.to_pylist():
            line += 1
            yield line, row


def _check_columns(columns: Columns, header: Iterable[str]) -> None:
    found = list(header)
    for name in columns.names():
        if name not in found:
            shown = ", ".join(map(repr, found)) or "none"
            raise SidelightError(f"there is no column {name!r}; the columns are {shown}")


def _check_path(source: Any) -> None:
    if not isinstance(source, str | Path):
        raise SidelightError("Parquet cannot be read from standard input: give a file")
    if not os.path.exists(source):
        raise NoFileError(f"there is no file {str(source)!r}")
    if os.path.isdir(source):
        raise SidelightError(f"{str(source)!r} is a folder: give a file")
