"""The common interface to both databases, and their errors.

SQL is written by hand, once for both: `?` is a placeholder, truth values are 0 and 1, JSON is text, times are seconds
since 1970. Where the databases differ, a transaction has a method or an attribute.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sidelight.errors import SidelightError

Value = str | int | float | bytes | None
Row = tuple[Any, ...]


class StorageError(SidelightError):
    """The database did not carry out a request."""


class UnavailableError(StorageError):
    """The database cannot be reached or is busy; nothing has changed."""


class UnknownOutcomeError(StorageError):
    """The commit failed: only reading again shows whether its changes are stored."""


class ConflictError(StorageError):
    """A row that must be unique exists already; nothing has changed."""


class DiskError(StorageError):
    """The disk failed: the process must stop, because what it would read back may not be what is stored."""


class Reader(ABC):
    """One open transaction, as those see it who may only read."""

    locking = ""
    """Put at the end of a SELECT, it locks the rows until the transaction ends."""
    skip_locked = ""
    """The same, but rows that others have locked are left out."""

    @abstractmethod
    def _execute(self, sql: str, values: Sequence[Value]) -> Any:
        """Run a statement, and return a cursor."""

    def all(self, sql: str, *values: Value) -> list[Row]:
        """Return all rows."""
        found: list[Row] = self._execute(sql, values).fetchall()
        return found

    def one(self, sql: str, *values: Value) -> Row | None:
        """Return the first row, or None."""
        found = self.all(sql, *values)
        return found[0] if found else None

    @abstractmethod
    def among(self, sql: str, values: Sequence[Value], *rest: Value) -> list[Row]:
        """Return the rows for many values, in any order; `IN (??)` in the SQL is their placeholder.

        `rest` are the values of each `?` after it; there may be none before it.
        """

    @abstractmethod
    def columns(self, table: str) -> list[str]:
        """Return the names of the columns of a table, sorted."""

    @abstractmethod
    def now(self) -> float:
        """Return the time by the clock of the database (with SQLite, of this machine)."""


class Transaction(Reader):
    """One open transaction that may write."""

    _marked = False

    def run(self, sql: str, *values: Value) -> int:
        """Return how many rows were changed."""
        changed: int = self._execute(sql, values).rowcount
        return changed

    @abstractmethod
    def lock(self, sql: str, values: Sequence[Value]) -> list[Row]:
        """Return the rows of `among`, locked until the transaction ends; `now` then returns the time after locking."""

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> None:
        """Insert many rows."""
        self.many(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})", rows)

    @abstractmethod
    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        """Run a statement for many rows of values, in order."""

    def mark(self) -> None:
        """Remember this state of the transaction, instead of the one remembered before."""
        if self._marked:
            self.run("RELEASE job")
        self.run("SAVEPOINT job")
        self._marked = True

    def go_back(self) -> None:
        """Undo everything after the last `mark`."""
        self.run("ROLLBACK TO job")


class Storage(ABC):
    """A database."""

    kind = ""
    """"sqlite" or "postgres"."""

    @abstractmethod
    def read(self) -> AbstractContextManager[Reader]:
        """Open a short transaction that only reads, from any thread."""

    @abstractmethod
    def write(self) -> AbstractContextManager[Transaction]:
        """Open a transaction that writes, from one thread at a time.

        It commits when the block ends without an error. An error in the block rolls it back; an error during the commit
        is an `UnknownOutcomeError`.
        """

    def save_to(self, path: Path) -> bool:
        """Copy the whole database, as of one moment, to an empty file with its own tools; False if it has none."""
        return False

    def has_room(self) -> bool:
        """Say whether the disk has room for more, as far as this process can see."""
        return True

    def tidy(self) -> None:  # noqa: B027, a server does its own maintenance
        """Do maintenance that is due between two transactions of the writing thread."""

    @abstractmethod
    def close(self) -> None:
        """Close all connections."""
