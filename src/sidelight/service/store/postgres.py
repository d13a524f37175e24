"""PostgreSQL: several processes, with one locked row per monitor.

Settings are made in every transaction (`SET LOCAL`), and no statement is prepared by name, because poolers may use
another connection for every transaction. psycopg_pool is not used: to notice that an idle connection has died it asks
the server before every use, a round trip more per read, where BEGIN tells the same.
"""

from __future__ import annotations

import contextlib
import functools
import queue
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
from psycopg import errors

from sidelight.service.store.base import (
    ConflictError,
    Row,
    Storage,
    StorageError,
    Transaction,
    UnavailableError,
    UnknownOutcomeError,
    Value,
)
from sidelight.service.store.schema import check_database_schema, create_database_schema

_TIMEOUTS = (
    "SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '60s';"
    "SET LOCAL idle_in_transaction_session_timeout = '60s'"
)
_BEGIN = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL synchronous_commit = on; {_TIMEOUTS}"
_BEGIN_READING = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {_TIMEOUTS}"
_CLOCK = "extract(epoch FROM clock_timestamp())::double precision"
_MIGRATION_LOCK = 7_410_228_153_301_001
_MOST_READING = 16
"""Maximum number of reading connections of a process; by default, a PostgreSQL server allows a hundred in total."""
_PATIENCE = 10.0
_MOST_IDLE = 8


class PostgresTransaction(Transaction):
    """One open transaction."""

    locking = " FOR NO KEY UPDATE"
    skip_locked = " FOR NO KEY UPDATE SKIP LOCKED"

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._now: float | None = None

    def _execute(self, sql: str, values: Sequence[Any]) -> psycopg.Cursor[Row]:
        with _postgres_errors():
            return self._connection.execute(_postgres_placeholders(sql), values)

    def among(self, sql: str, values: Sequence[Value], *rest: Value) -> list[Row]:
        """Return the rows for many values."""
        if not values:
            return []
        return self._execute(sql, (list(values), *rest)).fetchall()

    def lock(self, sql: str, values: Sequence[Value]) -> list[Row]:
        """Return the rows for many values, locked, and read the clock with the same statement.

        The clock is outside the locking subquery, so it is read for each row after that row was locked.
        """
        rows = self.among(f"WITH locked AS MATERIALIZED ({sql}{self.locking}) SELECT *, {_CLOCK} FROM locked", values)
        if rows:
            self._now = max(row[-1] for row in rows)
        return [row[:-1] for row in rows]

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> None:
        """Insert many rows; COPY needs two round trips, and is fastest from the second row on."""
        if len(rows) < 2:
            return super().insert(table, columns, rows)
        sql = f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
        with _postgres_errors(), self._connection.cursor() as cursor, cursor.copy(sql) as copy:
            for row in rows:
                copy.write_row(row)

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        """Run a statement for many rows of values, in order and without waiting in between."""
        if len(rows) < 2:
            for row in rows:
                self._execute(sql, row)
            return
        with _postgres_errors(), self._connection.cursor() as cursor:
            cursor.executemany(_postgres_placeholders(sql), rows)

    def mark(self) -> None:
        """Remember this state of the transaction, with one round trip."""
        self.run("RELEASE job; SAVEPOINT job" if self._marked else "SAVEPOINT job")
        self._marked = True

    def columns(self, table: str) -> list[str]:
        """Return the names of the columns of a table, sorted."""
        sql = "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema()"
        return sorted(row[0] for row in self.all(f"{sql} AND table_name = ?", table))

    def now(self) -> float:
        """Return the time by the clock of the database; after `lock`, the time when the last row was locked."""
        if self._now is not None:
            return self._now
        row = self.one(f"SELECT {_CLOCK}")
        assert row is not None
        return float(row[0])


class PostgresStorage(Storage):
    """A database on a server."""

    kind = "postgres"

    def __init__(self, url: str, *, readonly: bool = False) -> None:
        self._url, self._readonly = url, readonly
        self._idle: queue.SimpleQueue[psycopg.Connection[Row]] = queue.SimpleQueue()
        self._reading = threading.BoundedSemaphore(_MOST_READING)
        self._writing = threading.Lock()
        self._writer: psycopg.Connection[Row] | None = None
        try:
            if not readonly:
                self._migrate()
            with self.read() as tx:
                check_database_schema(tx)
        except BaseException:
            self.close()
            raise

    def _migrate(self) -> None:
        with self.write() as tx:
            tx.one("SELECT pg_advisory_xact_lock(?)", _MIGRATION_LOCK)
            create_database_schema(tx, self.kind)

    def _connect(self) -> psycopg.Connection[Row]:
        with _postgres_errors():
            return psycopg.connect(
                self._url, autocommit=True, prepare_threshold=None, connect_timeout=10, application_name="sidelight"
            )

    @contextlib.contextmanager
    def read(self) -> Iterator[PostgresTransaction]:
        """Open a short transaction that only reads; if there are too many, wait for a while."""
        if not self._reading.acquire(timeout=_PATIENCE):
            raise UnavailableError(f"all {_MOST_READING} connections for reading are busy: try again")
        try:
            connection = self._begin_reading()
            try:
                yield PostgresTransaction(connection)
                with _postgres_errors():
                    connection.execute("COMMIT")
            except BaseException:
                connection.close()
                raise
            if self._idle.qsize() < _MOST_IDLE:
                self._idle.put(connection)
            else:
                connection.close()
        finally:
            self._reading.release()

    def _begin_reading(self) -> psycopg.Connection[Row]:
        """Return a connection with an open reading transaction; idle connections may have died meanwhile."""
        while True:
            try:
                connection = self._idle.get_nowait()
            except queue.Empty:
                connection = self._connect()
                with _postgres_errors():
                    connection.execute(_BEGIN_READING)
                return connection
            try:
                connection.execute(_BEGIN_READING)
                return connection
            except psycopg.Error:
                connection.close()

    @contextlib.contextmanager
    def write(self) -> Iterator[PostgresTransaction]:
        """Open a transaction that writes."""
        if self._readonly:
            raise StorageError("this database was opened for reading only")
        with self._writing:
            connection = self._begin_writing()
            try:
                yield PostgresTransaction(connection)
            except BaseException:
                self._roll_back(connection)
                raise
            try:
                connection.execute("COMMIT")
            except BaseException as error:
                self._discard(connection)
                if isinstance(error, psycopg.Error):
                    raise UnknownOutcomeError(f"the commit failed ({_first_line_of_postgres_error(error)})") from error
                raise

    def _begin_writing(self) -> psycopg.Connection[Row]:
        if self._writer is not None:
            with contextlib.suppress(psycopg.Error):  # it may have died since it was last used
                self._writer.execute(_BEGIN)
                return self._writer
            self._discard(self._writer)
        self._writer = self._connect()
        with _postgres_errors():
            self._writer.execute(_BEGIN)
        return self._writer

    def _roll_back(self, connection: psycopg.Connection[Row]) -> None:
        try:
            connection.execute("ROLLBACK")
        except psycopg.Error:
            self._discard(connection)

    def _discard(self, connection: psycopg.Connection[Row]) -> None:
        self._writer = None
        with contextlib.suppress(psycopg.Error):
            connection.close()

    def close(self) -> None:
        """Close all connections."""
        with self._writing:
            if self._writer is not None:
                self._discard(self._writer)
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return


@functools.lru_cache(maxsize=1024)
def _postgres_placeholders(sql: str) -> bytes:
    """Return SQL with the placeholders of the driver; lists are sent in binary form, which is much faster."""
    return sql.replace("%", "%%").replace("IN (??)", "= ANY(%b)").replace("?", "%s").encode()


@contextlib.contextmanager
def _postgres_errors() -> Iterator[None]:
    """Turn the driver's errors into those of the interface, except for mistakes in SQL."""
    try:
        yield
    except errors.IntegrityError as error:
        raise ConflictError(_first_line_of_postgres_error(error)) from error
    except (
        errors.LockNotAvailable,
        errors.DeadlockDetected,
        errors.SerializationFailure,
        errors.ReadOnlySqlTransaction,
        psycopg.OperationalError,
        psycopg.InterfaceError,
    ) as error:
        raise UnavailableError(f"the database cannot be used now ({_first_line_of_postgres_error(error)})") from error


def _first_line_of_postgres_error(error: BaseException) -> str:
    """Return the first line of an error."""
    return str(error).strip().partition("\n")[0]
