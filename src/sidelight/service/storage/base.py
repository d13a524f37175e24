"""The one interface to both databases, and what can go wrong with them.

SQL is written by hand, once for both: `?` stands for a value, truth values are 0 and 1, JSON is text, times are seconds
since 1970. Where the databases differ, a transaction has a method or an attribute.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from sidelight.errors import SidelightError

Value = str | int | float | bytes | None
Row = tuple[Any, ...]


class StorageError(SidelightError):
    """The database did not do what it was asked to."""


class UnavailableError(StorageError):
    """The database cannot be reached or is busy; what was asked for has not happened."""


class UnknownOutcomeError(StorageError):
    """The commit failed: whether its changes are stored can only be seen by reading them again."""


class ConflictError(StorageError):
    """A row that must be the only one of its kind is there already; what was asked for has not happened."""


class DiskError(StorageError):
    """The disk failed: the process must stop, because what it would read back may not be what is stored."""


class Transaction(Protocol):
    """One open transaction."""

    locking: str
    """Put at the end of a SELECT, it locks the rows until the transaction ends."""
    skip_locked: str
    """The same, and rows that others have locked are left out."""

    def all(self, sql: str, *values: Value) -> list[Row]:
        """Return all rows."""

    def one(self, sql: str, *values: Value) -> Row | None:
        """Return the first row, or None."""

    def run(self, sql: str, *values: Value) -> int:
        """Return how many rows were changed."""

    def among(self, sql: str, values: Sequence[Value], *rest: Value) -> list[Row]:
        """Return the rows for many values, in whatever order: `IN (??)` in the SQL stands for them.

        `rest` are the values of `?` after it; there may be none before.
        """

    def lock(self, sql: str, values: Sequence[Value]) -> list[Row]:
        """Return the rows that `among` returns, locked until the transaction ends; `now` is the time after that."""

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Value]]) -> None:
        """Insert many rows."""

    def many(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        """Run one statement for many rows of values, in order."""

    def columns(self, table: str) -> list[str]:
        """Return the names of the columns of a table, sorted."""

    def now(self) -> float:
        """Return the time, by the clock of the database (with SQLite, of this machine)."""


class Storage(Protocol):
    """A database."""

    kind: str
    """"sqlite" or "postgres"."""
    shared: bool
    """Whether other processes may write to it, too."""

    def read(self) -> AbstractContextManager[Transaction]:
        """Open a short transaction that only reads, from any thread."""

    def write(self) -> AbstractContextManager[Transaction]:
        """Open a transaction that writes, from one thread at a time.

        It commits when the block ends well. An error in the block rolls it back; one at the commit is an
        `UnknownOutcomeError`.
        """

    def save_to(self, path: Path) -> bool:
        """Copy the whole database to an empty file by its own means, as it is at one moment; False if it has none."""

    def tidy(self) -> None:
        """Do what is due between two transactions of the thread that writes."""

    def close(self) -> None:
        """Close all connections."""
