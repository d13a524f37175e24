"""Copying a whole database to a new one of the same or the other kind, completely or not at all.

The source is read in one transaction, so the copy shows one moment; the source may be served meanwhile. (To continue
with the copy, stop the service first: later changes are not in it.) The target must be new, and is written in one
transaction, too. Leases of duties are not copied, because they belong to processes.

A backup is such a copy in one SQLite file. SQLite copies its own pages, which is fast; PostgreSQL is copied row by row,
which is fine for moderate sizes and for moving: for large databases use its own tools (pg_dump, base backups).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sidelight.errors import FileError, SidelightError
from sidelight.service.store import open_storage
from sidelight.service.store.base import Reader, Row, Storage

TABLES: dict[str, tuple[str, ...]] = {
    "monitors": ("id",),
    "journal": ("monitor", "number"),
    "snapshots": ("monitor", "number"),
    "verifications": ("monitor", "number"),
    "slots": ("monitor", "verification", "slot"),
    "payloads": ("monitor", "verification"),
    "history": ("monitor", "class", "number"),
    "keys": ("id",),
    "reviewers": ("id",),
    "sessions": ("sha256",),
    "webhooks": ("id",),
    "outbox": ("endpoint", "event"),
    "audit": ("id",),
}
"""The tables to copy, with the columns that identify a row."""
LEFT_BEHIND = ("duties", "schema_version")
_FIRST_ROWS, _MOST_ROWS, _MOST_BYTES = 50, 5000, 4 << 20


def copy_database(
    source: Storage, target: Storage, tell: Callable[[str, int], object] = lambda table, rows: None
) -> dict[str, int]:
    """Copy everything and return the number of rows of each table; `tell(table, rows)` is called after each table."""
    counted: dict[str, int] = {}
    with source.read() as reading, target.write() as writing:
        _refuse_used_copy_target(writing)
        for table, key in TABLES.items():
            columns, counted[table] = reading.columns(table), 0
            for page in _table_pages_to_copy(reading, table, columns, key):
                writing.insert(table, columns, page)
                counted[table] += len(page)
            tell(table, counted[table])
    return counted


def _refuse_used_copy_target(tx: Reader) -> None:
    used = [table for table in TABLES if tx.one(f"SELECT 1 FROM {table} LIMIT 1") is not None]
    if used:
        raise SidelightError(f"the target already contains data (in {', '.join(used)}): give a new database")


def _table_pages_to_copy(tx: Reader, table: str, columns: Sequence[str], key: tuple[str, ...]) -> Iterator[list[Row]]:
    """Yield all rows in the order of their keys, in pages that fit into memory."""
    places = [columns.index(name) for name in key]
    order, marks = ", ".join(key), ", ".join("?" * len(key))
    select = f"SELECT {', '.join(columns)} FROM {table}"
    most, after = _FIRST_ROWS, None
    while True:
        where, values = ("", ()) if after is None else (f" WHERE ({order}) > ({marks})", after)
        page = [_plain_row_to_copy(row) for row in tx.all(f"{select}{where} ORDER BY {order} LIMIT ?", *values, most)]
        if not page:
            return
        yield page
        after = tuple(page[-1][place] for place in places)
        size = sum(len(value) for row in page for value in row if isinstance(value, bytes | str))
        most = max(1, min(_MOST_ROWS, len(page) * _MOST_BYTES // max(1, size)))


def _plain_row_to_copy(row: Row) -> Row:
    return tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)


def back_up_database(storage: Storage, path: str | os.PathLike[str]) -> int:
    """Write a backup to a new file, completely or not at all, readable by its owner only; return its size in bytes."""
    target = Path(os.path.abspath(path))
    if target.exists():
        raise FileError(f"the file {str(target)!r} exists already: give a new name, backups are not overwritten")
    draft = target.with_name(f".{target.name}-draft-{os.getpid()}")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise FileError(f"cannot write {str(target)!r}: {error.strerror}") from None
    try:
        if not storage.save_to(draft):
            _copy_rows_to_backup(storage, draft)
        _sync_backup_to_disk(draft)
        os.link(draft, target)  # fails if the target exists by now
        _sync_backup_to_disk(target.parent)
        return target.stat().st_size
    finally:
        for name in (draft.name, f"{draft.name}-wal", f"{draft.name}-shm", f"{draft.name}-lock"):
            draft.with_name(name).unlink(missing_ok=True)


def _copy_rows_to_backup(storage: Storage, path: Path) -> None:
    path.unlink()
    target = open_storage(str(path))
    try:
        copy_database(storage, target)
    finally:
        target.close()


def _sync_backup_to_disk(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
