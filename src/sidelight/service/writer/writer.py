"""The only writing thread of a process: it takes all waiting requests, runs them, commits once, and answers them all.

Failures are handled as follows:

- A request that is refused (`Problem`) does not affect the others: only what it did is undone.
- Any other error rolls the group back. Its monitors in memory, which have changed, are dropped, and its requests are
  run one by one, so that only the failing one gets the error.
- If the database cannot be reached, nothing has happened, and all requests are refused with 503.
- If the commit fails, it is unknown whether it happened, and clients are asked to repeat the request with the same ids.
- If the disk fails, the process stops: a later sync may succeed although data of the failed one is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from sidelight.errors import SidelightError
from sidelight.service.journal.replicas import Replicas
from sidelight.service.options import Options
from sidelight.service.problems import unavailable_problem
from sidelight.service.store.base import DiskError, Storage, StorageError, UnavailableError, UnknownOutcomeError
from sidelight.service.writer.unit import Job, Publisher, WriterUnit

T = TypeVar("T")
_IDLE = 1.0
_LOG = logging.getLogger("sidelight.service")


class WriterTicket(Generic[T]):
    """A waiting job, and where its result goes."""

    def __init__(self, job: Job[T], loop: asyncio.AbstractEventLoop | None = None) -> None:
        self.job, self.loop = job, loop
        self.future: Future[T] | asyncio.Future[T] = Future() if loop is None else loop.create_future()
        self.outcome: T | None = None
        self.error: BaseException | None = None

    def tell(self) -> None:
        """Set the result of the future, in the thread of its event loop if there is one."""
        if self.future.cancelled() or self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.outcome)  # type: ignore[arg-type]


class Writer:
    """The writing thread."""

    def __init__(self, storage: Storage, options: Options) -> None:
        self._storage, self._options = storage, options
        self.replicas = Replicas()
        self.publisher: Publisher | None = None
        self.after_commit: Callable[[set[str]], None] = lambda monitors: None
        self.heartbeat = time.monotonic()
        self.groups = self.jobs = 0
        self.refused = False
        """Whether the database did not take the last group, for example because the disk is full."""
        self.failed = False
        """Whether the writer stopped because of a failure."""
        self._waiting: deque[WriterTicket[Any]] = deque()
        self._wake = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._loop, name="sidelight-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many requests are waiting."""
        return len(self._waiting)

    def put(self, ticket: WriterTicket[Any]) -> None:
        """Queue a job, or refuse it."""
        with self._wake:
            if self._closing:
                raise unavailable_problem("the service is stopping: try again in a moment", 5)
            if len(self._waiting) >= self._options.most_waiting:
                raise unavailable_problem("too many requests are waiting: try again in a moment", 1)
            self._waiting.append(ticket)
            self._wake.notify()

    def close(self) -> None:
        """Commit the waiting requests, and stop."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._wake:
                while not self._waiting and not self._closing:
                    self.heartbeat = time.monotonic()
                    self._wake.wait(_IDLE)
                if not self._waiting:
                    return
                group = self._next_group()
            self.heartbeat = time.monotonic()
            try:
                changed = self._run_group(group)
                _tell_results_of_writer_group(group)
                self._do_idle_work(changed)
            except Exception as error:  # without its writer the service cannot work
                self._options.on_fatal(error)
                return self._refuse_all(group, error)

    def _next_group(self) -> list[WriterTicket[Any]]:
        """Take the waiting requests, but not so many that others would wait too long."""
        group: list[WriterTicket[Any]] = []
        rows = 0
        while self._waiting and len(group) < self._options.most_in_group and rows < self._options.most_rows_in_group:
            group.append(self._waiting.popleft())
            job = group[-1].job
            rows += len(job.keys) + len(job.verification_keys)
        return group

    def _run_group(self, group: Sequence[WriterTicket[Any]]) -> set[str]:
        """Run a group, so that each ticket gets its result; return the monitors that have changed."""
        self.groups += 1
        self.jobs += len(group)
        try:
            return self._commit(group)
        except (DiskError, UnavailableError, UnknownOutcomeError) as error:
            self._fail(group, error)
            return set()
        except Exception as error:
            self._forget(group)
            if len(group) == 1:
                _LOG.error("a request failed", exc_info=error)
                stored = isinstance(error, StorageError)  # for example, two processes did the same at the same time
                group[0].error = (
                    unavailable_problem("not stored: send the request again with the same ids", 1) if stored else error
                )
                return set()
        return set().union(*(self._run_group([ticket]) for ticket in group))

    def _commit(self, group: Sequence[WriterTicket[Any]]) -> set[str]:
        """Run a group in one transaction."""
        with self._storage.write() as tx:
            locked = self.replicas.lock(tx, (id for ticket in group for id in ticket.job.monitors))
            work = WriterUnit(tx, locked, self.publisher)
            work.look_up(key for ticket in group for key in ticket.job.keys)
            work.look_up_verifications(key for ticket in group for key in ticket.job.verification_keys)
            self._run_jobs(group, work)
        self.refused = False
        for id in work.changed:
            self.replicas.keep(work.replica(id))
        return work.changed

    def _run_jobs(self, group: Sequence[WriterTicket[Any]], work: WriterUnit) -> None:
        """Run the jobs of a group; no request is answered before the commit."""
        for ticket in group:
            ticket.error = None
            work.begin(ticket.job.monitors)
            try:
                ticket.outcome = ticket.job.run(work)
            except StorageError:
                raise
            except SidelightError as refusal:
                work.undo()
                ticket.error = refusal
        work.finish()

    def _fail(self, group: Sequence[WriterTicket[Any]], error: Exception) -> None:
        self._forget(group)
        self.refused = True
        if isinstance(error, DiskError):
            raise error
        _LOG.warning("%s", error)  # it may contain names of hosts and folders, which clients must not see
        unknown = isinstance(error, UnknownOutcomeError)
        what = "it is unknown whether this was stored" if unknown else "the database cannot be used now"
        detail = f"{what}: send the request again with the same ids"
        for ticket in group:
            ticket.error = unavailable_problem(detail, 1)

    def _forget(self, group: Sequence[WriterTicket[Any]]) -> None:
        self.replicas.drop(id for ticket in group for id in ticket.job.monitors)

    def _do_idle_work(self, changed: set[str]) -> None:
        """Do the work that no request waits for."""
        try:
            self.after_commit(changed)
            self._storage.tidy()
        except DiskError:
            raise
        except Exception as error:  # everything is stored, and a lasting failure will show in the next group
            _LOG.error("cleaning up after a group failed", exc_info=error)

    def _refuse_all(self, group: Sequence[WriterTicket[Any]], error: BaseException) -> None:
        """Refuse all waiting requests after a failure that cannot be fixed here."""
        with self._wake:
            self._closing = self.failed = True
            left = [ticket for ticket in group if not ticket.future.done()] + list(self._waiting)
            self._waiting.clear()
        for ticket in left:
            ticket.error = unavailable_problem("the service has stopped: try again later", 60)
        _tell_results_of_writer_group(left)


def _tell_results_of_writer_group(group: Sequence[WriterTicket[Any]]) -> None:
    """Deliver the results; those of one event loop together, because waking a loop is the expensive part."""
    loops: dict[asyncio.AbstractEventLoop, list[WriterTicket[Any]]] = {}
    for ticket in group:
        if ticket.loop is None:
            ticket.tell()
        else:
            loops.setdefault(ticket.loop, []).append(ticket)
    for loop, tickets in loops.items():
        with contextlib.suppress(RuntimeError):  # the loop is closed, so no one is waiting
            loop.call_soon_threadsafe(_tell_writer_tickets_here, tickets)


def _tell_writer_tickets_here(tickets: Sequence[WriterTicket[Any]]) -> None:
    for ticket in tickets:
        ticket.tell()
