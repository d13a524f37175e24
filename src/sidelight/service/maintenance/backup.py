"""Backups of the whole database in one SQLite file, also while it is served.

SQLite copies its own pages, which is fast. PostgreSQL is copied row by row (`copying`), which is fine for moderate
sizes and for moving; for large databases use PostgreSQL's own tools (pg_dump, base backups).

To restore, stop the service, replace the file with the backup, and delete the old `-wal` and `-shm` files. For
PostgreSQL, copy the backup to a new database. `verify` checks beforehand whether a backup is intact.
"""

from __future__ import annotations

import os
from pathlib import Path

from sidelight.errors import FileError
from sidelight.service.maintenance.copy import copy_database
from sidelight.service.store import open_storage
from sidelight.service.store.base import Storage


def back_up(storage: Storage, path: str | os.PathLike[str]) -> int:
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
            _copy_rows(storage, draft)
        _sync(draft)
        os.link(draft, target)  # fails if the target exists by now
        _sync(target.parent)
        return target.stat().st_size
    finally:
        for name in (draft.name, f"{draft.name}-wal", f"{draft.name}-shm", f"{draft.name}-lock"):
            draft.with_name(name).unlink(missing_ok=True)


def _copy_rows(storage: Storage, path: Path) -> None:
    path.unlink()
    target = open_storage(str(path))
    try:
        copy_database(storage, target)
    finally:
        target.close()


def _sync(path: Path) -> None:
    """Sync a file, or the entries of a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
