"""Labeled predictions from files: CSV, JSON (one object per line, or an array) or Parquet, or standard input.

A line that cannot be used (too few columns, not valid JSON, no prediction, no truth, an invalid time) is left out,
counted, and shown with its number. CSV, JSON lines and Parquet are read as a stream: only a few numbers and references
to class names are kept per line, however wide the file is.
"""

from __future__ import annotations

import importlib
import math
import reprlib
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.inputs import monitor_input_score_from_text, monitor_input_seconds
from sidelight.monitor.io.rows import (
    Rows,
    Source,
    check_csv_columns,
    check_rows_file,
    format_of_rows_file,
    open_rows_file,
)
from sidelight.text import and_list, count

_MISSING = ("NaN", "nan", "None", "null", "NULL", "<NA>", "NaT")
"""What programs write into CSV for a value that is not there; an empty cell says so, too."""
_MOST_KEPT = 20


@dataclass(frozen=True)
class LabeledColumns:
    """The names of the columns; `answered` says when the truth became known, and is empty where it never did."""

    prediction: str
    truth: str
    time: str | None = None
    answered: str | None = None
    score: str | None = None

    def names(self) -> list[str]:
        """Return the columns that must be there."""
        given = (self.prediction, self.truth, self.time, self.answered, self.score)
        return [name for name in given if name is not None]


@dataclass
class LabeledData:
    """Predictions with their truth, in order; moments in seconds since 1970."""

    predictions: list[Any] = field(default_factory=list)
    truths: list[Any] = field(default_factory=list)
    times: list[float | None] = field(default_factory=list)
    answered: list[float | None] = field(default_factory=list)
    """When each truth was known; None where it never was, or where no column says so."""
    scores: list[float | None] = field(default_factory=list)
    malformed: int = 0
    empty: Counter[str] = field(default_factory=Counter)
    """Of those, how many had nothing in each column."""
    complaints: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What looks like a mistake although every line could be used."""

    def __len__(self) -> int:
        return len(self.predictions)

    def complain(self, place: str, why: str, strict: bool) -> None:
        """Count a line that cannot be used; keep the errors of the first few."""
        if strict:
            raise SidelightError(f"{place}: {why}")
        self.malformed += 1
        if len(self.complaints) < _MOST_KEPT:
            self.complaints.append(f"{place}: {why}")

    def left_out(self) -> str:
        """Describe how many lines could not be used, and why; empty if there are none."""
        reasons = [f"{size} without {name!r}" for name, size in self.empty.items()]
        others = self.malformed - self.empty.total()
        reasons += [f"{others} malformed"] if others and reasons else []
        return f"{count(self.malformed, 'line')} could not be used" + (f" ({and_list(reasons)})" if reasons else "")

    def further(self) -> list[str]:
        """Describe how many complaints were not kept, if any."""
        return [f"and {self.malformed - len(self.complaints)} more"] if self.malformed > len(self.complaints) else []

    def account(self) -> dict[str, Any]:
        """Return the left-out lines and the reasons, as plain data."""
        return {
            "malformed": self.malformed,
            "empty": dict(self.empty),
            "complaints": self.complaints,
            "notes": self.notes,
        }


def read_labeled_data(
    source: Source,
    columns: LabeledColumns,
    kind: str | None = None,
    strict: bool = False,
    name: str = "",
) -> LabeledData:
    """Read labeled predictions from a path, or a stream of bytes or text, which errors call `name`.

    `kind` is one of `FORMATS`, by default taken from the file name; gzip compression is detected. With `strict`, the
    first line that cannot be used is an error.
    """
    kind = kind or format_of_rows_file(source)
    name = name or repr(str(source))
    data, names = LabeledData(), columns.names()
    if kind == "parquet":
        _collect_labeled_rows(data, _read_parquet_rows_of_labeled_data(source, names), columns, strict)
    else:
        with open_rows_file(source, kind, names, name, all_there=True) as rows:
            _collect_labeled_rows(data, rows, columns, strict, _MISSING if kind == "csv" else ())
    if not len(data):
        bad = f"; {data.left_out()}, {data.complaints[0]}" if data.malformed else ""
        raise SidelightError(f"there are no labeled predictions in {name}{bad}")
    _align_labeled_columns(data)
    return data


def _collect_labeled_rows(
    data: LabeledData, rows: Rows, columns: LabeledColumns, strict: bool, missing: Collection[str] = ()
) -> None:
    """Collect the rows that can be used."""
    kept: dict[tuple[type, Any], Any] = {}  # one object per class, however many lines name it
    needed = columns.names()[: 2 + (columns.time is not None)]
    for place, row in rows:
        if isinstance(row, str):
            data.complain(place, row, strict)
            continue
        row = {name: None if isinstance(cell, str) and cell in missing else cell for name, cell in row.items()}
        empty = [name for name in needed if _is_missing_cell_of_labeled_data(row.get(name))]
        if empty:
            data.empty[empty[0]] += 1
            data.complain(place, f"{empty[0]!r} is empty", strict)
            continue
        values = [_read_whole_number_of_labeled_column(row[name]) for name in (columns.prediction, columns.truth)]
        if not all(isinstance(value, str | int | float) for value in values):
            shown = ", ".join(map(reprlib.repr, values))
            data.complain(place, f"{shown} are not classes: give one line, or one object, for each prediction", strict)
            continue
        try:
            time, answered = (
                None
                if name is None or _is_missing_cell_of_labeled_data(row.get(name))
                else monitor_input_seconds(row[name])
                for name in (columns.time, columns.answered)
            )
            score = None if columns.score is None else monitor_input_score_from_text(row.get(columns.score))
        except SidelightError as error:
            data.complain(place, str(error), strict)
            continue
        for part, value in zip((data.predictions, data.truths), values, strict=True):
            part.append(kept.setdefault((type(value), value), value))
        data.times.append(time)
        data.answered.append(answered)
        data.scores.append(score)


def _read_whole_number_of_labeled_column(value: Any) -> Any:
    """Return 3 for 3.0: columns of whole numbers with gaps are stored as floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_missing_cell_of_labeled_data(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and not math.isfinite(value))


def _read_parquet_rows_of_labeled_data(path: Any, names: list[str]) -> Rows:
    if not isinstance(path, str | Path):
        raise SidelightError("Parquet cannot be read from standard input: give a file")
    check_rows_file(path)
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise SidelightError("Parquet files need pyarrow: run `pip install pyarrow`, or give CSV") from None
    try:
        file = parquet.ParquetFile(path)
    except Exception as error:  # whatever Arrow makes of a damaged file
        raise SidelightError(f"{str(path)!r} is damaged, or not a Parquet file ({error})") from None
    check_csv_columns(file.schema_arrow.names, names)
    rows = (row for batch in file.iter_batches(columns=names) for row in batch.to_pylist())
    yield from ((f"line {number}", row) for number, row in enumerate(rows, 1))


def _align_labeled_columns(data: LabeledData) -> None:
    """Write each class in the same way in both columns, or refuse ambiguous ones."""
    predicted, true = ({(type(one), one) for one in part} for part in (data.predictions, data.truths))
    texts = {one for kind, one in predicted | true if kind is str}
    others = {str(one) for kind, one in predicted | true if kind is not str}
    apart = not {kind for kind, _ in predicted} & {kind for kind, _ in true}
    if texts & others and not apart:
        one = min(texts & others)
        raise SidelightError(
            f"the class {one} is a number in some lines and the text {one!r} in others, which would count as an error: "
            "write it one way, as text say, in both columns"
        )
    if apart or (texts and others):
        # Text in one column and numbers in the other, or a mixture: compare them as they are written.
        data.predictions, data.truths = (list(map(str, part)) for part in (data.predictions, data.truths))
    elif all(_is_decimal_cell_of_labeled_data(one) for _, one in true) and not any(
        _is_decimal_cell_of_labeled_data(one) for _, one in predicted
    ):
        data.truths = [one[:-2] for one in data.truths]
    elif all(_is_decimal_cell_of_labeled_data(one) for _, one in predicted) and not any(
        _is_decimal_cell_of_labeled_data(one) for _, one in true
    ):
        data.predictions = [one[:-2] for one in data.predictions]
    if not set(data.predictions) & set(data.truths):
        data.notes.append(
            f"no prediction is right: the predicted classes ({_some_labeled_classes(data.predictions)}) and the true "
            f"ones ({_some_labeled_classes(data.truths)}) have none in common. Are these the right columns?"
        )
    if any(a > b for a, b in zip(data.times, data.times[1:], strict=False) if a is not None and b is not None):
        data.notes.append("times are not in order: predictions are taken in the order of the file, not by time")


def _is_decimal_cell_of_labeled_data(one: Any) -> bool:
    """Return whether it is a whole number as programs write columns with gaps: 3.0."""
    return isinstance(one, str) and one.endswith(".0") and one[:-2].removeprefix("-").isdigit()


def _some_labeled_classes(classes: Iterable[Any]) -> str:
    names = list(dict.fromkeys(classes))
    return ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
