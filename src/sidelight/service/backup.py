"""A copy of the whole database in one SQLite file, also while it is served; and how to go back to it.

SQLite copies its own pages, which is fast. A backup of PostgreSQL is a copy row by row (`copying`), good for moderate
sizes and for moving; for large ones there are the tools of PostgreSQL itself (pg_dump, base backups).

To restore, stop the service and put the backup in the place of the file, without the `-wal` and `-shm` of the old one;
into PostgreSQL, copy it to a new database. `verify` says beforehand whether a backup is whole.
"""

from __future__ import annotations

import os
from pathlib import Path

from sidelight.errors import FileError
from sidelight.service.copying import copy
from sidelight.service.storage import open_storage
from sidelight.service.storage.base import Storage


def back_up(storage: Storage, path: str | os.PathLike[str]) -> int:
    """Write a backup to a new file, whole or not at all, readable by its owner; return its size in bytes."""
    target = Path(os.path.abspath(path))
    if target.exists():
        raise FileError(f"there is a file {str(target)!r} already: give a new name, backups are not overwritten")
    draft = target.with_name(f".{target.name}-draft-{os.getpid()}")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as error:
        raise FileError(f"cannot write {str(target)!r}: {error.strerror}") from None
    try:
        if not storage.save_to(draft):
            _copy_rows(storage, draft)
        _sync(draft)
        os.link(draft, target)  # fails if somebody else was faster
        _sync(target.parent)
        return target.stat().st_size
    finally:
        for name in (draft.name, f"{draft.name}-wal", f"{draft.name}-shm", f"{draft.name}-lock"):
            draft.with_name(name).unlink(missing_ok=True)


def _copy_rows(storage: Storage, path: Path) -> None:
    path.unlink()
    target = open_storage(str(path))
    try:
        copy(storage, target)
    finally:
        target.close()


def _sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
