"""Exports of stored data as rows for other programs: JSON Lines, or Parquet with the extra.

- `decisions`: one row for each prediction, with its outcome. Predictions that were let pass are included as long as
  their journal entries exist; the others always.
- `journal`: everything that happened to the monitors, with the chain that proves it.

Rows are ordered by monitor name and then by time, and contain nothing that depends on the database, so two exports of
the same data are the same bytes. The database may be served meanwhile: pages are read one by one, up to the last entry
that each journal had at the start.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, TextIO

from sidelight._storage import replacing_file
from sidelight.errors import SidelightError
from sidelight.monitor import Reason
from sidelight.service.domain import monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.verifications import (
    describe_verified_prediction,
    format_verification_time,
    read_verification_rows,
)
from sidelight.service.journal import entry as journal
from sidelight.service.journal.entry import JournalEntry
from sidelight.service.maintenance.check import journal_pages_to_check
from sidelight.service.store.base import Storage

_PAGE = 1000
COLUMNS = {
    "decisions": (
        *("monitor", "id", "prediction", "time", "verify", "reason", "score", "propensity", "segment", "version"),
        *("state", "correct", "label", "settled_at", "settled_by"),
    ),
    "journal": ("monitor", *JournalEntry._fields),
}
"""What can be exported, with the columns of its rows."""
_TIMES = ("time", "settled_at")
_NUMBERS = {"number": "int64", "at": "float64", "score": "float64", "propensity": "float64"}
_TYPES = {"verify": "bool", "correct": "bool", **_NUMBERS}
"""The types of columns in Parquet that are neither times nor text."""


def export_rows(storage: Storage, what: str, names: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of an export, of the named monitors or of all, including archived ones."""
    wanted = set(names)
    with storage.read() as tx:
        # The databases sort text differently.
        found = sorted(
            monitors.list_served_monitors(tx, archived=True), key=lambda one: (one.name, one.created_at, one.id)
        )
    missing = wanted - {one.name for one in found}
    if missing:
        known = ", ".join(sorted({one.name for one in found})) or "none"
        raise SidelightError(f"there is no monitor {min(missing)!r}: the monitors are {known}")
    for monitor in found:
        if not wanted or monitor.name in wanted:
            yield from (_journal_rows_to_export if what == "journal" else _decision_rows_to_export)(storage, monitor)


def _journal_rows_to_export(storage: Storage, monitor: MonitorRow) -> Iterator[dict[str, Any]]:
    for entry in _journal_entries_to_export(storage, monitor):
        yield {"monitor": monitor.name} | entry.plain()


def _decision_rows_to_export(storage: Storage, monitor: MonitorRow) -> Iterator[dict[str, Any]]:
    """Yield verifications in order, with the passed predictions between them as far as the journal reaches."""
    verifications, last = _verification_rows_to_export(storage, monitor), 0
    for entry in _journal_entries_to_export(storage, monitor):
        data = entry.data
        if entry.kind != journal.DECIDED:
            continue
        if not data["verify"]:
            yield _passed_row_to_export(monitor, data)
            continue
        for last, row in verifications:  # first those whose decisions are no longer in the journal
            yield row
            if last == data["number"]:
                break
    if not last:
        yield from (row for _, row in verifications)


def _verification_rows_to_export(storage: Storage, monitor: MonitorRow) -> Iterator[tuple[int, dict[str, Any]]]:
    after = 0
    while True:
        with storage.read() as tx:
            page = read_verification_rows(tx, monitor.id, after, _PAGE)
        for row in page:
            after = row.pop("number")
            yield (
                after,
                {name: row.get(name) for name in COLUMNS["decisions"]} | {"monitor": monitor.name, "verify": True},
            )
        if len(page) < _PAGE:
            return


def _passed_row_to_export(monitor: MonitorRow, data: dict[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(COLUMNS["decisions"]) | {
        "monitor": monitor.name,
        "id": data["id"],
        "prediction": data["class"],
        "time": format_verification_time(data["time"]),
        "verify": False,
        "reason": Reason.of(data["reason"]),
        **describe_verified_prediction(data),
    }


def _journal_entries_to_export(storage: Storage, monitor: MonitorRow) -> Iterator[JournalEntry]:
    """Yield the journal up to its last entry at the start, in short transactions."""
    after = monitor.base
    for entry in journal_pages_to_check(storage, monitor.id, after, monitor.last):
        after = entry.number
        yield entry
    if after < monitor.last:
        raise SidelightError(f"entries of {monitor.name!r} were pruned during the export: export again")


def write_export_as_json_lines(found: Iterable[dict[str, Any]], stream: TextIO) -> int:
    """Write one object per line, in ASCII; return how many."""
    count = 0
    for row in found:
        stream.write(journal.journal_json(row) + "\n")
        count += 1
    return count


def write_export(found: Iterable[dict[str, Any]], what: str, path: str | os.PathLike[str]) -> int:
    """Write rows to a file, completely or not at all, as Parquet (.parquet) or JSON Lines; return how many."""
    write = _write_export_as_parquet if os.fspath(path).endswith(".parquet") else _write_export_lines
    with replacing_file(path) as draft:
        return write(found, what, os.fspath(draft))


def _write_export_lines(found: Iterable[dict[str, Any]], what: str, path: str) -> int:
    with open(path, "w", encoding="ascii", newline="\n") as stream:
        return write_export_as_json_lines(found, stream)


def _write_export_as_parquet(found: Iterable[dict[str, Any]], what: str, path: str) -> int:
    """Write Parquet; classes, which may be text or numbers, and data become columns of text."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise SidelightError("Parquet needs pyarrow: run pip install pyarrow") from None
    types = {name: pa.type_for_alias(alias) for name, alias in _TYPES.items()}
    types |= dict.fromkeys(_TIMES, pa.timestamp("us", tz="UTC"))
    schema = pa.schema([(name, types.get(name, pa.string())) for name in COLUMNS[what]])
    count, left = 0, iter(found)
    with pq.ParquetWriter(path, schema) as writer:
        while page := list(islice(left, 50 * _PAGE)):
            columns = {name: [_parquet_cell_of_export(name, row[name]) for row in page] for name in COLUMNS[what]}
            writer.write_table(pa.table(columns, schema=schema))
            count += len(page)
    return count


def _parquet_cell_of_export(name: str, value: Any) -> Any:
    if value is None or name in _TYPES:
        return value
    if name in _TIMES:
        return datetime.fromisoformat(value)
    return value if isinstance(value, str) else journal.journal_json(value)
