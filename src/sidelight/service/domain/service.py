"""`Service`: the monitors of a database, for threads, for asyncio and for commands."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TypeVar

from sidelight.errors import SidelightError
from sidelight.monitor.report.breakdown import TrueClasses
from sidelight.monitor.report.make import Counted, count_monitor_report, finish_monitor_report
from sidelight.monitor.report.records import Report
from sidelight.monitor.report.true_classes import Told, count_true_classes_for_report, report_true_classes
from sidelight.service.journal.replica import (
    Replica,
    snapshot_fits_journal,
    store_journal_snapshot,
    take_journal_snapshot,
)
from sidelight.service.options import Options
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader, Storage, StorageError
from sidelight.service.webhooks.formats import publish_webhook_event
from sidelight.service.writer.unit import Job, WriterUnit, monitor_writer_job
from sidelight.service.writer.writer import Writer, WriterTicket

C = TypeVar("C")
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
        self.writer.publisher = publish_webhook_event
        self.ending = threading.Event()
        """Set when the process is about to end: long duties then stop."""
        self._snapshot_at: dict[str, int] = {}
        self._making = threading.Lock()

    def do(self, job: Job[T]) -> T:
        """Do a job and return its result once it is committed."""
        ticket = WriterTicket(job)
        self.writer.put(ticket)
        assert isinstance(ticket.future, Future)
        return ticket.future.result()

    async def submit(self, job: Job[T]) -> T:
        """Await the result of a job in asyncio."""
        ticket = WriterTicket(job, asyncio.get_running_loop())
        self.writer.put(ticket)
        assert isinstance(ticket.future, asyncio.Future)
        return await ticket.future

    def read(self) -> AbstractContextManager[Reader]:
        """Open a short transaction that only reads."""
        return self.storage.read()

    def report(self, monitor: str) -> Report:
        """Return the report of a monitor, up to its last journal entry."""
        return self._made_once_per_journal_entry(monitor, _count_served_report, finish_monitor_report)

    def true_classes(self, monitor: str) -> TrueClasses:
        """Return what answers have told about true classes; at most 100 of them, those with the most answers."""
        return self._made_once_per_journal_entry(monitor, _count_served_true_classes, _finish_served_true_classes)

    def _made_once_per_journal_entry(self, monitor: str, count: Callable[[Replica], C], finish: Callable[[C], T]) -> T:
        """Compute a result from a monitor's counts once per journal entry, and cache it.

        The writer only counts; intervals, which take seconds with many classes and segments, are computed here.
        """
        with self._making:
            with self.read() as tx:
                row = tx.one("SELECT chain FROM monitors WHERE id = ?", monitor)
            if row is None:
                raise Problem("not-found", "there is no such monitor")
            known = self.writer.replicas.get(monitor)
            made = None if known is None else known.made.get(count)
            if made is not None and made[0] == bytes(row[0]):
                return made[1]
            replica, chain, counted = self.do(_count_served_monitor(monitor, count))
            found = finish(counted)
            replica.made[count] = chain, found
            return found

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
                snapshot = take_journal_snapshot(replica)
                with self.storage.write() as tx:
                    if snapshot_fits_journal(tx, id, snapshot):
                        store_journal_snapshot(tx, id, snapshot)
                self._snapshot_at[id] = replica.number


@monitor_writer_job
def _count_served_monitor(work: WriterUnit, monitor: str, count: Callable[[Replica], C]) -> tuple[Replica, bytes, C]:
    """Return the counts of a monitor, and up to which entry."""
    replica = work.replica(monitor)
    return replica, replica.chain, count(replica)


def _count_served_report(replica: Replica) -> Counted:
    """Count for a report; that of a blind monitor does not say which pending verification is of which class."""
    found = count_monitor_report(replica.monitor)
    if not replica.review.blind:
        return found
    classes = tuple(replace(one, oldest=None) for one in found.report.classes)
    return found._replace(report=replace(found.report, classes=classes))


def _count_served_true_classes(replica: Replica) -> Told:
    try:
        return count_true_classes_for_report(replica.monitor)
    except SidelightError as error:
        raise Problem("conflict", str(error)) from None


def _finish_served_true_classes(told: Told) -> TrueClasses:
    return report_true_classes(told, MOST_TRUE_CLASSES)
