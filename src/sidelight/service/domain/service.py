"""`Service`: the monitors of a database, for threads, for asyncio and for commands."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import TypeVar

from sidelight.errors import SidelightError
from sidelight.monitor.report.breakdown import TrueClasses
from sidelight.monitor.report.records import Report
from sidelight.monitor.report.true_classes import Told, told_by, true_classes
from sidelight.service.journal import snapshots
from sidelight.service.journal.replica import Replica
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader, Storage, StorageError
from sidelight.service.webhooks.events import publish_event
from sidelight.service.writer.unit import Job, Work, later, monitor_job
from sidelight.service.writer.writer import Ticket, Writer

T = TypeVar("T")
MOST_TRUE_CLASSES = 100
_AT_THE_END = 1000
"""On closing, monitors with this many new entries get a snapshot, so that the next start is quick."""


class Service:
    """The monitors of a database. All writes go through `do` or `submit`, which return when the data is on disk."""

    def __init__(self, storage: Storage, *, options: Options | None = None) -> None:
        self.storage, self.options = storage, options or Options()
        self.writer = Writer(storage, self.options)
        self.writer.after_commit = lambda monitors: self._take_snapshots(monitors, self.options.snapshot_every)
        self.writer.publisher = publish_event
        self.ending = threading.Event()
        """Set when the process is about to end: long duties then stop."""
        self._snapshot_at: dict[str, int] = {}

    def do(self, job: Job[T]) -> T:
        """Do a job and return its result once it is committed."""
        ticket = Ticket(job)
        self.writer.put(ticket)
        assert isinstance(ticket.future, Future)
        return ticket.future.result()

    async def submit(self, job: Job[T]) -> T:
        """Do the same from asyncio."""
        ticket = Ticket(job, asyncio.get_running_loop())
        self.writer.put(ticket)
        assert isinstance(ticket.future, asyncio.Future)
        return await ticket.future

    def read(self) -> AbstractContextManager[Reader]:
        """Open a short transaction that only reads."""
        return self.storage.read()

    def report(self, monitor: str) -> Report:
        """Return the report of a monitor, up to its last journal entry."""
        chain, replica = self._chain(monitor), self.writer.replicas.get(monitor)
        made = None if replica is None else replica.made_report
        if made is not None and made[0] == chain:
            return made[1]
        return self.do(_make_report(monitor))

    def true_classes(self, monitor: str) -> TrueClasses:
        """Return what answers have told about true classes, up to the last journal entry.

        There are at most 100 of them, those with the most answers. The writer only counts; intervals, which take
        seconds with many classes, are computed here.
        """
        chain, replica = self._chain(monitor), self.writer.replicas.get(monitor)
        made = None if replica is None else replica.made_true_classes
        if made is not None and made[0] == chain:
            return made[1]
        replica, chain, told = self.do(_count_true_classes(monitor))
        found = true_classes(told, MOST_TRUE_CLASSES)
        replica.made_true_classes = chain, found
        return found

    def _chain(self, monitor: str) -> bytes:
        """Return the chain of the last journal entry of a monitor."""
        with self.read() as tx:
            row = tx.one("SELECT chain FROM monitors WHERE id = ?", monitor)
        if row is None:
            raise Problem("not-found", "there is no such monitor")
        return bytes(row[0])

    def close(self) -> None:
        """Commit waiting requests, stop the writer, and close the database."""
        self.writer.close()
        if not self.writer.failed:
            with contextlib.suppress(StorageError):  # a snapshot only saves time
                self._take_snapshots(self.writer.replicas.ids(), _AT_THE_END)
        self.storage.close()

    def _take_snapshots(self, monitors: Iterable[str], every: int) -> None:
        """Take snapshots of monitors whose last one is at least `every` entries old, without holding a lock."""
        for id in sorted(monitors):
            replica = self.writer.replicas.get(id)
            if replica is None:
                continue
            since = self._snapshot_at.setdefault(id, replica.snapshot_at)
            if replica.number - since >= every:
                snapshot = snapshots.take_snapshot(replica)
                with self.storage.write() as tx:
                    if snapshots.snapshot_fits(tx, id, snapshot):
                        snapshots.store_snapshot(tx, id, snapshot)
                self._snapshot_at[id] = replica.number


@monitor_job
def _make_report(work: Work, monitor: str) -> Report:
    """Return the report; it is made after the commit, when the lock has been released."""
    return later(work.replica(monitor).report)


@monitor_job
def _count_true_classes(work: Work, monitor: str) -> tuple[Replica, bytes, Told]:
    """Return what answers have told about true classes, and up to which entry."""
    replica = work.replica(monitor)

    def count() -> tuple[Replica, bytes, Told]:
        try:
            return replica, replica.chain, told_by(replica.monitor)
        except SidelightError as error:
            raise Problem("conflict", str(error)) from None

    return later(count)
