"""Storage: one small interface, with one file per database."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sidelight.errors import SidelightError
from sidelight.service.store.base import Storage

_POSTGRES = ("postgresql", "postgres")


def open_storage(database: str, *, readonly: bool = False) -> Storage:
    """Open a database: the path of a SQLite file (created if missing), `sqlite:///path`, or `postgresql://...`.

    `readonly` also opens a SQLite file that another process serves, and creates or changes nothing.
    """
    path = sqlite_file_of_storage(database)
    if path is None:
        try:
            from sidelight.service.store.postgres import PostgresStorage
        except ImportError:
            raise SidelightError(
                "PostgreSQL needs psycopg, which is not installed: run pip install 'psycopg[binary]'"
            ) from None
        return PostgresStorage(database, readonly=readonly)
    from sidelight.service.store.sqlite import SQLiteStorage

    return SQLiteStorage(str(path), readonly=readonly)


def sqlite_file_of_storage(database: str) -> Path | None:
    """Return the file of a SQLite database; None for PostgreSQL."""
    scheme = database.partition("://")[0] if "://" in database else ""
    if scheme in _POSTGRES:
        return None
    if scheme not in ("", "sqlite"):
        raise SidelightError(
            f"{scheme}:// is not supported: give the path of a file, sqlite:///path or postgresql://..."
        )
    path = database if not scheme else unquote(urlsplit(database).path.removeprefix("/"))
    if not path or path == ":memory:":
        raise SidelightError("give the path of a file: a database in memory is lost when the process ends")
    return Path(os.path.realpath(path))  # two names of one file must share one lock
