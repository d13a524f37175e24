"""Exports of stored data as rows for other programs: JSON Lines, or Parquet with the extra.

- `decisions`: one row for each prediction, with its outcome. Predictions that were let pass are included as long as
  their journal entries exist; the others always.
- `journal`: everything that happened to the monitors, with the chain that proves it.
- `audit`: who changed what about the service itself.

Rows are ordered by monitor name and then by time, and contain nothing that depends on the database, so two exports of
the same data are the same bytes. The database may be served meanwhile: pages are read one by one, up to the last entry
that each journal had at the start.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, TextIO

from sidelight._storage import replacing_file
from sidelight.errors import SidelightError
from sidelight.monitor import Reason
from sidelight.service.domain import monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.verifications import about_prediction, iso_moment, verification_rows
from sidelight.service.journal import entry as journal
from sidelight.service.journal.entry import Entry
from sidelight.service.maintenance.check import journal_pages
from sidelight.service.store.base import Storage

_PAGE = 1000
COLUMNS = {
    "decisions": {
        "monitor": "text",
        "id": "text",
        "prediction": "label",
        "time": "time",
        "verify": "truth",
        "reason": "text",
        "score": "number",
        "propensity": "number",
        "segment": "json",
        "version": "text",
        "state": "text",
        "correct": "truth",
        "label": "label",
        "settled_at": "time",
        "settled_by": "text",
    },
    "journal": {
        "monitor": "text",
        "number": "whole",
        "kind": "text",
        "at": "number",
        "actor": "text",
        "key": "text",
        "body": "json",
        "chain": "text",
    },
    "audit": {
        "id": "text",
        "at": "time",
        "actor": "text",
        "action": "text",
        "subject": "text",
        "detail": "json",
    },
}
"""What can be exported, with the columns of its rows and their types."""


def export_rows(storage: Storage, what: str, names: Iterable[str] = ()) -> Iterator[dict[str, Any]]:
    """Yield the rows of an export, of the named monitors or of all, including archived ones."""
    wanted = set(names)
    with storage.read() as tx:
        # The databases sort text differently.
        found = sorted(monitors.all_monitors(tx, archived=True), key=lambda one: (one.name, one.created_at, one.id))
    missing = wanted - {one.name for one in found}
    if missing:
        known = ", ".join(sorted({one.name for one in found})) or "none"
        raise SidelightError(f"there is no monitor {min(missing)!r}: the monitors are {known}")
    if what == "audit":
        yield from _audit_rows(storage)
        return
    for monitor in found:
        if not wanted or monitor.name in wanted:
            yield from (_journal_rows if what == "journal" else _decision_rows)(storage, monitor)


def _journal_rows(storage: Storage, monitor: MonitorRow) -> Iterator[dict[str, Any]]:
    for entry in _exported_entries(storage, monitor):
        yield {"monitor": monitor.name} | entry.plain()


def _decision_rows(storage: Storage, monitor: MonitorRow) -> Iterator[dict[str, Any]]:
    """Yield verifications in their order, and what was let pass between them as long as the journal has it."""
    verifications, last = _verification_rows(storage, monitor), 0
    for entry in _exported_entries(storage, monitor):
        data = entry.data
        if entry.kind != journal.DECIDED:
            continue
        if not data["verify"]:
            yield _passed_row(monitor, data)
            continue
        for last, row in verifications:  # first those whose decisions are no longer in the journal
            yield row
            if last == data["number"]:
                break
    if not last:
        yield from (row for _, row in verifications)


def _verification_rows(storage: Storage, monitor: MonitorRow) -> Iterator[tuple[int, dict[str, Any]]]:
    after = 0
    while True:
        with storage.read() as tx:
            page = verification_rows(tx, monitor.id, after, _PAGE)
        for row in page:
            after = row.pop("number")
            yield (
                after,
                {name: row.get(name) for name in COLUMNS["decisions"]} | {"monitor": monitor.name, "verify": True},
            )
        if len(page) < _PAGE:
            return


def _passed_row(monitor: MonitorRow, data: dict[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(COLUMNS["decisions"]) | {
        "monitor": monitor.name,
        "id": data["id"],
        "prediction": data["class"],
        "time": iso_moment(data["time"]),
        "verify": False,
        "reason": Reason.of(data["reason"]),
        **about_prediction(data),
    }


def _audit_rows(storage: Storage) -> Iterator[dict[str, Any]]:
    at, id = -1.0, ""
    sql = "SELECT id, at, actor, action, subject, detail FROM audit WHERE (at, id) > (?, ?) ORDER BY at, id LIMIT ?"
    while True:
        with storage.read() as tx:
            page = tx.all(sql, at, id, _PAGE)
        for id, at, actor, action, subject, detail in page:
            values = (id, iso_moment(at), actor, action, subject, journal.read_text(detail))
            yield dict(zip(COLUMNS["audit"], values, strict=True))
        if len(page) < _PAGE:
            return


def _exported_entries(storage: Storage, monitor: MonitorRow) -> Iterator[Entry]:
    """Yield the journal up to its last entry at the start, in short transactions."""
    after = monitor.base
    for entry in journal_pages(storage, monitor.id, after, monitor.last):
        after = entry.number
        yield entry
    if after < monitor.last:
        raise SidelightError(f"entries of {monitor.name!r} were pruned during the export: export again")


def write_json_lines(found: Iterable[dict[str, Any]], stream: TextIO) -> int:
    """Write one object per line, in ASCII; return how many."""
    count = 0
    for row in found:
        stream.write(journal.text_of(row) + "\n")
        count += 1
    return count


def write_export(found: Iterable[dict[str, Any]], what: str, path: str | os.PathLike[str]) -> int:
    """Write rows to a file, completely or not at all, as Parquet (.parquet) or JSON Lines; return how many."""
    write = _write_parquet if os.fspath(path).endswith(".parquet") else _write_lines
    with replacing_file(path) as draft:
        return write(found, what, os.fspath(draft))


def _write_lines(found: Iterable[dict[str, Any]], what: str, path: str) -> int:
    with open(path, "w", encoding="ascii", newline="\n") as stream:
        return write_json_lines(found, stream)


def _write_parquet(found: Iterable[dict[str, Any]], what: str, path: str) -> int:
    """Write Parquet; classes, which may be text or numbers, and data become columns of text."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise SidelightError("Parquet needs pyarrow: run pip install pyarrow") from None
    kinds = COLUMNS[what]
    types = {
        "whole": pa.int64(),
        "truth": pa.bool_(),
        "number": pa.float64(),
        "time": pa.timestamp("us", tz="UTC"),
    }
    schema = pa.schema([(name, types.get(kind, pa.string())) for name, kind in kinds.items()])
    count, left = 0, iter(found)
    with pq.ParquetWriter(path, schema) as writer:
        while page := list(islice(left, 50 * _PAGE)):
            columns = {name: [_CELLS.get(kind, _as_it_is)(row[name]) for row in page] for name, kind in kinds.items()}
            writer.write_table(pa.table(columns, schema=schema))
            count += len(page)
    return count


def _as_it_is(value: Any) -> Any:
    return value


_CELLS: dict[str, Callable[[Any], Any]] = {
    "label": lambda value: value if value is None or isinstance(value, str) else journal.text_of(value),
    "json": journal.text_of,
    "time": lambda text: None if text is None else datetime.fromisoformat(text),
}
