"""Rows with named columns from CSV (values between commas, semicolons, tabs or bars) and JSON, plain or gzipped.

Text is in UTF-8, or in UTF-16 if a byte order mark says so. Bytes that are invalid are an error with their line:
replacing or dropping them could change class names.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import gzip
import io
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from sidelight.errors import FileError, NoFileError, SidelightError

Source = str | Path | BinaryIO | TextIO
Rows = Iterator[tuple[str, dict[str, Any] | str]]
"""The place of each row, such as "line 3", and its values, or what is wrong with it."""

TEXT_FORMATS = ("csv", "json", "jsonl")
FORMATS = (*TEXT_FORMATS, "parquet")
_SUFFIXES = {".tsv": "csv", ".ndjson": "jsonl"} | {f".{kind}": kind for kind in FORMATS}
_GZIP = b"\x1f\x8b"
_ANSWERS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_MOST_NAMED = 20


def format_of_rows_file(
    source: Any, formats: Sequence[str] = FORMATS, remedy: str = "say with --format whether it is"
) -> str:
    """Return the format that a file's name implies; otherwise the error lists the possible formats."""
    named = isinstance(source, str | Path)
    path = Path(source) if named else Path()
    suffix = (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()
    if suffix not in _SUFFIXES:
        if named:
            check_rows_file(source)
        raise SidelightError(
            f"cannot tell the format of {repr(str(source)) if named else 'standard input'}: {remedy} "
            f"{', '.join(formats[:-1])} or {formats[-1]}"
        )
    return _SUFFIXES[suffix]


def check_rows_file(path: str | Path) -> None:
    """Refuse a path that is not a readable file."""
    if not os.path.exists(path):
        raise NoFileError(f"there is no file {str(path)!r}")
    if os.path.isdir(path):
        raise FileError(f"{str(path)!r} is a folder: give a file")


@contextlib.contextmanager
def open_rows_file(
    source: Source, kind: str, wanted: Sequence[str], name: str, *, all_there: bool = False
) -> Iterator[Rows]:
    """Open a file, or a stream of bytes or text, and yield its rows; errors call it `name`.

    `wanted` are the columns that matter; with `all_there`, CSV that lacks one of them is refused.
    """
    with _open_lines_of_rows_file(source, name) as lines:
        yield _read_csv_rows(lines, wanted, all_there) if kind == "csv" else _read_json_rows(lines)


@contextlib.contextmanager
def _open_lines_of_rows_file(source: Source, name: str) -> Iterator[Iterator[str]]:
    try:
        with contextlib.ExitStack() as stack:
            if isinstance(source, str | Path):
                check_rows_file(source)
                source = stack.enter_context(open(source, "rb"))
            if isinstance(source, io.TextIOBase) and not hasattr(source, "buffer"):
                yield _check_utf8_lines_of_file(source, name)
            else:
                text = _decode_rows_file(getattr(source, "buffer", source))
                stack.callback(text.detach)  # so that a stream of the caller's stays open
                yield _check_utf8_lines_of_file(text, name)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"{name} is damaged: it cannot be unpacked to its end ({error})") from None
    except UnicodeError as error:
        raise SidelightError(f"{name} cannot be decoded ({error}): write it in UTF-8") from None
    except OSError as error:
        if isinstance(error, SidelightError):
            raise
        raise FileError(f"cannot read {name}: {error.strerror or error}") from error


def _decode_rows_file(raw: Any) -> io.TextIOWrapper:
    whole = raw if hasattr(raw, "peek") else io.BufferedReader(raw)
    if whole.peek(2).startswith(_GZIP):
        whole = io.BufferedReader(gzip.GzipFile(fileobj=whole))
    head = whole.peek(3)
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return io.TextIOWrapper(whole, "utf-16", newline="")
    # Bytes that UTF-8 does not have become lone surrogates first, so that the line they are in is known.
    return io.TextIOWrapper(whole, "utf-8-sig", "surrogateescape", newline="")


def _check_utf8_lines_of_file(text: TextIO, name: str) -> Iterator[str]:
    """Yield lines, and refuse the first one that is not in UTF-8."""
    for number, line in enumerate(text, 1):
        try:
            if not line.isascii():
                line.encode("utf-8")
        except UnicodeEncodeError as error:
            byte = ord(line[error.start]) & 0xFF
            raise SidelightError(
                f"line {number} of {name} is not in UTF-8 (it has the byte 0x{byte:02x}): if a spreadsheet wrote it, "
                "save it as UTF-8"
            ) from None
        yield line.removeprefix("\ufeff") if number == 1 else line


def _read_csv_rows(lines: Iterator[str], wanted: Sequence[str], all_there: bool) -> Rows:
    """Yield the rows of CSV; empty cells are None."""
    skipped, first = 0, ""
    for first in lines:
        if first.strip():
            break
        skipped += 1
    delimiter = max(",;\t|", key=lambda one: _count_csv_columns_found(first, one, wanted))
    header = _split_csv_cells(first, delimiter)
    check_csv_columns(header, wanted, all_there)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    before = skipped + 1
    while True:
        start = before + reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            if before + reader.line_num > start:
                raise SidelightError(
                    f"line {start}: a quotation mark is opened here and not closed: close it, or double it within a "
                    "value"
                ) from None
            yield f"line {start}", f"{error}: leave long texts and single quotation marks out"
            continue
        if row is None:
            return
        if len(row) == len(header):
            yield f"line {start}", {name: cell.strip() or None for name, cell in zip(header, row, strict=True)}
        elif row and row != [""] and (len(row) > 1 or row[0].strip()):
            yield f"line {start}", f"{len(row)} column{'s'[: len(row) > 1]} where the header has {len(header)}"


def _split_csv_cells(line: str, delimiter: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _count_csv_columns_found(header: str, delimiter: str, wanted: Sequence[str]) -> tuple[int, int]:
    """Return how many of the wanted columns, and how many at all, a delimiter finds in a header."""
    found = _split_csv_cells(header, delimiter)
    return len(set(wanted) & set(found)), len(found)


def check_csv_columns(header: Sequence[str], wanted: Sequence[str], all_there: bool = True) -> None:
    """Refuse a header that has a wanted column twice, or lacks it."""
    if not any(header):
        raise SidelightError("the file is empty: its first line names the columns")
    for name in wanted:
        if all_there and name not in header:
            shown = ", ".join(map(repr, header[:_MOST_NAMED])) + (", ..." if len(header) > _MOST_NAMED else "")
            raise SidelightError(f"there is no column {name!r}; the columns that the first line names are {shown}")
        if header.count(name) > 1:
            raise SidelightError(f"there are {header.count(name)} columns {name!r}: rename all but the one you mean")


def _read_json_rows(lines: Iterator[str]) -> Rows:
    """Yield objects: one per line, or the elements of one array."""
    array = True
    for number, line in enumerate(lines, 1):
        if array and line.lstrip().startswith("["):
            try:
                found = json.loads("\n" * (number - 1) + line + "".join(lines))
            except (ValueError, RecursionError) as error:
                raise SidelightError(f"this is not valid JSON ({error})") from None
            yield from ((f"element {place}", _read_json_row_object(one)) for place, one in enumerate(found, 1))
        elif line.strip():
            array = False
            try:
                yield f"line {number}", _read_json_row_object(json.loads(line))
            except (ValueError, RecursionError) as error:
                yield f"line {number}", f"not valid JSON ({error})"


def _read_json_row_object(value: Any) -> dict[str, Any] | str:
    return value if isinstance(value, dict) else "not a JSON object"


def read_rows_file(
    source: Source, wanted: Sequence[str], kind: str | None = None, name: str = ""
) -> list[dict[str, Any]]:
    """Return the wanted values of all rows, None where there is none; a row that cannot be read is an error."""
    kind, name = kind or format_of_rows_file(source, TEXT_FORMATS), name or repr(str(source))
    if kind == "parquet":
        raise SidelightError("Parquet is read by `sidelight monitor replay` only: give CSV or JSON")
    found = []
    with open_rows_file(source, kind, wanted, name) as rows:
        for place, row in rows:
            if isinstance(row, str):
                raise SidelightError(f"{place}: {row}; nothing changed")
            found.append({one: row.get(one) for one in wanted})
    if not found:
        raise SidelightError(f"there are no rows in {name}")
    return found


def required_csv_column(rows: Sequence[Mapping[str, Any]], name: str) -> list[Any]:
    """Return the values of a column that may not be empty."""
    values = [row[name] for row in rows]
    if None in values:
        place = "" if any(value is not None for value in values) else f": is there a column {name!r}?"
        raise SidelightError(f"row {values.index(None) + 1} has no {name!r}{place}; nothing changed")
    return values


def read_yes_or_no_csv_cell(value: Any) -> Any:
    """Return True or False for the words that mean them in CSV; anything else unchanged."""
    return _ANSWERS.get(value.lower(), value) if isinstance(value, str) else value


def read_csv_by_class(path: str | Path, what: str) -> dict[str, float]:
    """Return a number for each class, from CSV with the columns class and `what`."""
    rows = read_rows_file(path, ("class", what), "csv")
    pairs = list(zip(*(required_csv_column(rows, name) for name in ("class", what)), strict=True))
    numbers: dict[str, float] = {}
    for name, value in pairs:
        if name in numbers:
            raise SidelightError(f"the class {name!r} is there twice in {str(path)!r}")
        try:
            numbers[name] = float(value)
        except (TypeError, ValueError):
            raise SidelightError(f"the {what} of {name!r} in {str(path)!r} is {value!r}: give a number") from None
    return numbers
