"""SQLite: one process, with one connection that writes and checkpoints, and any number that only read.

- Before 3.51.3 (3.50.7, 3.44.6) SQLite can lose commits when two connections write and checkpoint at the same time. So
  a lock on a separate file keeps other processes out, and reading connections cannot write or checkpoint.
- `synchronous=FULL`: a commit returns when it is on the disk.
- Checkpoints are explicit (`wal_autocheckpoint=0`), because automatic ones hide errors of fsync.
- Someone may replace the open file with an older copy. Only this process changes the file, so its time and size show
  whether that happened. Someone may delete the log, and then its contents would be lost when the process ends.
"""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from sidelight._storage import lock_open_file
from sidelight.errors import FileError, NoFileError
from sidelight.service.store.base import (
    ConflictError,
    DiskError,
    Row,
    Storage,
    StorageError,
    Transaction,
    UnavailableError,
    UnknownOutcomeError,
    Value,
)
from sidelight.service.store.schema import check_database_schema, create_database_schema, is_new_database

_PAUSE_MS = 5000
# Keys are hashes, so a batch touches pages all over their index: 32 MB of pages stay in memory.
_PRAGMAS = ("synchronous=FULL", "wal_autocheckpoint=0", "foreign_keys=ON", "fullfsync=ON", "cache_size=-32768")
_MOST_VALUES = 500
_LARGE_WAL = 16 << 20
_NETWORK = {"afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "lustre", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
_BROKEN = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_READONLY,
}


class InUseError(FileError):
    """Another process serves the file."""


class SQLiteTransaction(Transaction):
    """One open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def _execute(self, sql: str, values: Sequence[Value]) -> sqlite3.Cursor:
        with _sqlite_errors():
            return self._connection.execute(sql, values)

    def all(self, sql: str, *values: Value) -> list[Row]:
        """Return all rows; reading them may fail, too."""
        with _sqlite_errors():
            return self._connection.execute(sql, values).fetchall()

    def among(self, sql: str, values: Sequence[Value], *rest: Value) -> list[Row]:
        """Return the rows for many values."""
        found = []
        for start in range(0, len(values), _MOST_VALUES):
            some = values[start : start + _MOST_VALUES]
            found += self.all(sql.replace("??", ",".join("?" * len(some))), *some, *rest)
        return found

    def lock(self, sql: str, values: Sequence[Value]) -> list[Row]:
        """Return the rows for many values; the whole file is locked already."""
        return self.among(sql, values)

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        """Run a statement for many rows of values, in order."""
        with _sqlite_errors():
            self._connection.executemany(sql, rows)

    def columns(self, table: str) -> list[str]:
        """Return the names of the columns of a table, sorted."""
        return sorted(name for (name,) in self.all("SELECT name FROM pragma_table_info(?)", table))

    def now(self) -> float:
        """Return the time by the clock of this machine."""
        return time.time()


class SQLiteStorage(Storage):
    """A SQLite file."""

    kind = "sqlite"

    def __init__(self, path: str, *, readonly: bool = False) -> None:
        self.path = Path(os.path.realpath(path))
        self._readers: queue.SimpleQueue[sqlite3.Connection] = queue.SimpleQueue()
        self._lock: int | None = None
        self._writer: sqlite3.Connection | None = None
        self._seen: object = None
        self._seen_log: object = None
        self._most_log = _LARGE_WAL
        if self.path.is_dir():
            raise FileError(f"{str(self.path)!r} is a folder: give the path of a file")
        if readonly and not self.path.exists():
            raise NoFileError(f"there is no file {str(self.path)!r}")
        if not readonly:
            _refuse_sqlite_on_network(self.path)
            self._lock = _lock_sqlite_file(self.path)
        try:
            if not readonly:
                self._open()
            with self.read() as tx:
                check_database_schema(tx)
        except BaseException:
            self.close()
            raise

    def _open(self) -> None:
        with _sqlite_errors():
            new = not self.path.exists()
            if new:  # readable by its owner only: it contains hashes of keys, and payloads
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            writer = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=_PAUSE_MS / 1000)
            self._writer = writer
            is_new_database(SQLiteTransaction(writer))  # before anything is changed
            writer.execute("PRAGMA journal_mode=WAL")
            for pragma in _PRAGMAS:
                writer.execute(f"PRAGMA {pragma}")
        self._remember()
        with self.write() as tx:
            create_database_schema(tx, self.kind)
        self._checkpoint(writer)

    @contextlib.contextmanager
    def read(self) -> Iterator[SQLiteTransaction]:
        """Open a short transaction that only reads."""
        try:
            connection = self._readers.get_nowait()
        except queue.Empty:
            connection = self._reader()
        try:
            with _sqlite_errors():
                connection.execute("BEGIN")
            yield SQLiteTransaction(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            self._readers.put(connection)

    def _reader(self) -> sqlite3.Connection:
        with _sqlite_errors():
            return sqlite3.connect(
                f"file:{quote(str(self.path))}?mode=ro",
                uri=True,
                isolation_level=None,
                check_same_thread=False,
                timeout=_PAUSE_MS / 1000,
            )

    @contextlib.contextmanager
    def write(self) -> Iterator[SQLiteTransaction]:
        """Open a transaction that writes."""
        writer = self._writer
        if writer is None:
            raise StorageError("this database is closed, or was opened for reading only")
        self._check_unchanged()
        with _sqlite_errors():
            writer.execute("BEGIN IMMEDIATE")
        try:
            yield SQLiteTransaction(writer)
        except BaseException:
            self._roll_back(writer)
            raise
        self._commit(writer)

    def _commit(self, writer: sqlite3.Connection) -> None:
        try:
            with _sqlite_errors():
                writer.execute("COMMIT")
        except DiskError:
            raise
        except (StorageError, sqlite3.Error) as error:
            self._roll_back(writer)
            raise UnknownOutcomeError(f"the commit failed ({error})") from error

    def _roll_back(self, writer: sqlite3.Connection) -> None:
        if writer.in_transaction:
            with _sqlite_errors():
                writer.execute("ROLLBACK")

    def save_to(self, path: Path) -> bool:
        """Copy all pages to a file in one reading transaction."""
        reader, target = self._reader(), sqlite3.connect(path)
        try:
            with _sqlite_errors():
                reader.backup(target)
        finally:
            target.close()
            reader.close()
        return True

    def has_room(self) -> bool:
        """Say whether the log can grow to the size at which it is emptied."""
        return shutil.disk_usage(self.path.parent).free >= _LARGE_WAL

    def tidy(self) -> None:
        """Checkpoint when the log is large; it cannot be truncated while others read, and may then grow further."""
        if self._writer is not None and self._log_size() >= self._most_log:
            self._checkpoint(self._writer)
            self._most_log = self._log_size() + _LARGE_WAL

    def _log_size(self) -> int:
        try:
            return os.stat(f"{self.path}-wal").st_size
        except FileNotFoundError:
            return 0

    def _checkpoint(self, writer: sqlite3.Connection) -> None:
        self._check_unchanged()
        self._empty_log(writer, 0)
        self._remember()

    def _empty_log(self, writer: sqlite3.Connection, wait: int) -> None:
        """Move the log into the file; wait at most this many milliseconds for readers."""
        with _sqlite_errors():
            writer.execute(f"PRAGMA busy_timeout = {wait}")
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            writer.execute(f"PRAGMA busy_timeout = {_PAUSE_MS}")

    def _state_of_file(self) -> object:
        """Return a value that changes when another program writes to the file or replaces it."""
        try:
            found = os.stat(self.path)
        except OSError as error:
            return str(error)
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns

    def _log(self) -> object:
        """Return the identity of the log file, None if there is none."""
        try:
            found = os.stat(f"{self.path}-wal")
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _remember(self) -> None:
        """Remember the file, with a whole second as its time: a file system whose clock is coarse changes that, too."""
        with contextlib.suppress(OSError):  # only its owner may set the time of a file
            os.utime(self.path, (time.time(), int(os.stat(self.path).st_mtime)))
        self._seen, self._seen_log = self._state_of_file(), self._log()

    def _check_unchanged(self) -> None:
        if self._seen is not None and self._state_of_file() != self._seen:
            raise DiskError(
                f"{str(self.path)!r} was changed or replaced by another program while it was open: stop the service "
                "before you restore a database"
            )
        if self._seen_log is not None and self._log() != self._seen_log:
            if self._writer is not None:
                self._empty_log(self._writer, _PAUSE_MS)  # no other process can read a deleted log
            raise DiskError(
                f"'{self.path}-wal' was deleted by another program while it was open: what it held is in the "
                "database now, but nothing more can be stored; stop the service before you touch its files"
            )

    def close(self) -> None:
        """Close all connections, and move the write-ahead log into the database file."""
        while True:
            try:
                self._readers.get_nowait().close()
            except queue.Empty:
                break
        writer, self._writer = self._writer, None
        try:
            if writer is not None:
                if not writer.in_transaction and self._state_of_file() == self._seen:
                    self._empty_log(writer, 0)
                writer.close()
        finally:
            lock, self._lock = self._lock, None
            if lock is not None:
                os.close(lock)


@contextlib.contextmanager
def _sqlite_errors() -> Iterator[None]:
    """Turn the driver's errors into those of the interface, except for mistakes in SQL."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ConflictError(str(error)) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _BROKEN:
            name = getattr(error, "sqlite_errorname", "")
            raise DiskError(f"the database file cannot be read or written ({name}: {error})") from error
        if code in _UNABLE:
            raise UnavailableError(f"the database cannot be used now ({error})") from error
        raise


def _lock_sqlite_file(path: Path) -> int:
    """Return an open file whose lock keeps other servers out; the system releases it when the process ends."""
    handle = None
    try:
        handle = os.open(f"{path}-lock", os.O_RDWR | os.O_CREAT, 0o600)
        lock_open_file(handle)
        return handle
    except (BlockingIOError, PermissionError) as error:
        if handle is not None:
            os.close(handle)
            raise InUseError(
                f"{str(path)!r} is in use by another process: only one server at a time can use a SQLite database; use "
                "PostgreSQL for several"
            ) from None
        raise FileError(f"cannot write in the folder of {str(path)!r}: {error.strerror}") from error
    except OSError as error:
        raise FileError(f"cannot write in the folder of {str(path)!r}: {error.strerror}") from error


def _read_mounted_file_systems() -> dict[str, str]:
    """Return the type of file system at each mount point, if the system provides it."""
    try:
        lines = Path("/proc/self/mounts").read_text().splitlines()
    except OSError:
        return {}
    found = [line.split() for line in lines]
    return {one[1].replace("\\040", " "): one[2] for one in found if len(one) > 2}


def _refuse_sqlite_on_network(path: Path) -> None:
    """Refuse file systems whose locks and syncs SQLite cannot rely on."""
    mounts, folder = _read_mounted_file_systems(), Path(os.path.realpath(path.parent))
    kind = next((mounts[str(one)] for one in (folder, *folder.parents) if str(one) in mounts), "")
    if kind in _NETWORK:
        raise FileError(
            f"{str(path)!r} is on a network file system ({kind}), where SQLite can lose data: use a local "
            "disk or PostgreSQL"
        )
