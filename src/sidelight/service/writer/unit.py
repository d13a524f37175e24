"""What a writing request receives: the transaction of its group, and the monitors in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, Generic, NamedTuple, ParamSpec, TypeVar

from sidelight.monitor.types import Decision, Reason
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Mark, Replica, decision_of_journal_entry
from sidelight.service.journal.replicas import rebuild_replica
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader, Row, Transaction, Value

T = TypeVar("T")
P = ParamSpec("P")
Publisher = Callable[["WriterUnit", str, str, dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """One writing request.

    A `SidelightError` refuses only this request, and undoes what it did. Any other error rolls the group back, and its
    requests are run one by one.
    """

    run: Callable[[WriterUnit], T]
    """Does the job and returns its result; the caller gets it after the commit."""
    monitors: Sequence[str] = ()
    """Ids of the monitors that the job changes or needs up to date; they are locked."""
    keys: Sequence[bytes] = ()
    """Keys of the decisions that it needs; they are looked up for the whole group at once."""
    verification_keys: Sequence[bytes] = ()
    """The same for verifications."""


def writer_job(function: Callable[Concatenate[WriterUnit, P], T]) -> Callable[P, Job[T]]:
    """Turn a function on a unit of work into one that returns the job of calling it."""

    @functools.wraps(function)
    def make_writer_job(*given: P.args, **named: P.kwargs) -> Job[T]:
        return Job(lambda work: function(work, *given, **named))

    return make_writer_job


def monitor_writer_job(function: Callable[Concatenate[WriterUnit, str, P], T]) -> Callable[Concatenate[str, P], Job[T]]:
    """Turn a function whose first argument is the monitor it changes into one that returns the job of calling it."""

    def make_monitor_writer_job(monitor: str, /, *given: P.args, **named: P.kwargs) -> Job[T]:
        return Job(lambda work: function(work, monitor, *given, **named), (monitor,))

    return make_monitor_writer_job


class Verification(NamedTuple):
    """A prediction that was chosen, and waits for an answer or has one."""

    monitor: str
    number: int
    key: bytes
    id: str
    prediction: Any
    reason: int
    state: str
    revision: int
    correct: bool | None
    label: Any
    asked_at: float
    settled_at: float | None = None
    settled_by: str | None = None

    @property
    def open(self) -> bool:
        """Whether there is no settled answer yet; late answers still count."""
        return self.state in ("open", "overdue")


VERIFICATION_COLUMNS = (
    "monitor, number, key, id, class, reason, state, revision, correct, label, asked_at, settled_at, settled_by"
)


def verification_of_row(row: Row) -> Verification:
    """Return the verification in a row with `VERIFICATION_COLUMNS`."""
    monitor, number, key, id, name, reason, state, revision, correct, label, *settled = row
    right = None if correct is None else bool(correct)
    said = None if label is None else journal.read_journal_json(label)
    prediction = journal.read_journal_json(name)
    return Verification(monitor, number, bytes(key), id, prediction, reason, state, revision, right, said, *settled)


class _UnsentRows:
    """Rows and updates that are not in the database yet."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, tuple[str, ...]], list[Sequence[Value]]] = {}
        self.updates: list[tuple[str, list[Sequence[Value]]]] = []

    def __bool__(self) -> bool:
        return bool(self.rows or self.updates)

    def update(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        if not self.updates or self.updates[-1][0] != sql:
            self.updates.append((sql, []))
        self.updates[-1][1].extend(rows)

    def take(self, others: _UnsentRows) -> None:
        for place, rows in others.rows.items():
            self.rows.setdefault(place, []).extend(rows)
        for sql, values in others.updates:
            self.update(sql, values)
        others.clear()

    def send(self, tx: Transaction) -> None:
        for (table, columns), rows in self.rows.items():
            tx.insert(table, columns, rows)
        for sql, values in self.updates:
            tx.many(sql, values)
        self.clear()

    def clear(self) -> None:
        self.rows.clear()
        self.updates.clear()


class WriterUnit:
    """One group of requests, in one transaction.

    `begin` comes before each request. What the request does can then be undone without affecting those before it: its
    rows are kept apart until they are sent, and sent only after a mark in the transaction.
    """

    def __init__(self, tx: Transaction, replicas: dict[str, Replica | Problem], publisher: Publisher | None) -> None:
        self._tx, self._replicas, self._publisher = tx, replicas, publisher
        self._now: float | None = None
        self._unsent, self._own = _UnsentRows(), _UnsentRows()
        self._marks: dict[str, Mark] = {}
        self._marked = False
        self._new: list[str] = []
        self._learned: list[bytes] = []
        self.known: dict[bytes, Decision | None] = {}
        """Decisions that the group has looked up or made, by their keys."""
        self.verifications: dict[bytes, Verification | None] = {}
        """Verifications that the group has looked up or created, by their keys."""
        self._steady: dict[tuple[Any, ...], list[Row]] = {}
        self.changed: set[str] = set()

    def begin(self, monitors: Iterable[str]) -> None:
        """Begin a request that may change these monitors."""
        if self._own:
            self._unsent.take(self._own)
        known = ((id, self._replicas.get(id)) for id in monitors)
        self._marks = {id: one.mark() for id, one in known if isinstance(one, Replica)}
        self._marked = False
        self._new.clear()
        self._learned.clear()

    def undo(self) -> None:
        """Undo the changes of the request; a monitor that it changed is rebuilt."""
        if self._own or self._marked:
            self.verifications.clear()
            self._steady.clear()
        self._own.clear()
        if self._marked:
            self._tx.go_back()
        self.known.update(dict.fromkeys(self._learned))
        for id in self._new:
            del self._replicas[id]
            self.changed.discard(id)
        for id, mark in self._marks.items():
            replica = self.replica(id)
            if not replica.go_back(mark):
                self._unsent.send(self._tx)
                self._replicas[id] = again = rebuild_replica(self._tx, id, mark.number, mark.chain, replica.base)
                again.base, again.spent = replica.base, mark.spent
                self.changed.add(id)

    def writing(self) -> Transaction:
        """Return the transaction, to read and write; everything done earlier in the group is visible in it."""
        self.verifications.clear()
        self._steady.clear()
        self._unsent.send(self._tx)
        self._mark()
        self._own.send(self._tx)
        return self._tx

    @property
    def reading(self) -> Reader:
        """The transaction for reading only, which costs less."""
        self._unsent.send(self._tx)
        if self._own:
            self._mark()
            self._own.send(self._tx)
        return self._tx

    def _mark(self) -> None:
        if not self._marked:
            self._tx.mark()
            self._marked = True

    def steady(self, sql: str, *values: Value) -> list[Row]:
        """Return rows that only `writing` changes: queried once per group, without flushing first."""
        asked = (sql, *values)
        if asked not in self._steady:
            self._steady[asked] = self._tx.all(sql, *values)
        return self._steady[asked]

    @property
    def now(self) -> float:
        """The time by the clock of the database, after the monitors were locked."""
        if self._now is None:
            self._now = self._tx.now()
        return self._now

    def replica(self, monitor: str) -> Replica:
        """Return a monitor, locked and up to date."""
        found = self._replicas.get(monitor)
        if found is None:
            raise KeyError(f"the job does not name the monitor {monitor} in its monitors")
        if isinstance(found, Problem):  # each caller gets a new one
            raise Problem(found.kind, found.detail, places=found.places, headers=found.headers)
        return found

    def add(self, replica: Replica) -> None:
        """Make a monitor that the group created known to it."""
        self._replicas[replica.id] = replica
        self._new.append(replica.id)

    def append(self, monitor: str, kind: str, body: dict[str, Any], *, actor: str, key: bytes | None = None) -> int:
        """Append an entry to the journal of a monitor, which the caller has already changed; return its number."""
        replica = self.replica(monitor)
        number, text = replica.number + 1, journal.journal_json(body)
        chain = journal.next_journal_chain(replica.chain, number, kind, key, self.now, actor, text)
        self.insert("journal", journal.COLUMNS, (monitor, number, kind, key, self.now, actor, text, chain))
        replica.advance(number, chain)
        self.changed.add(monitor)
        return number

    def insert(self, table: str, columns: tuple[str, ...], row: Sequence[Value]) -> None:
        """Insert a row; all rows of a group are sent to the database together."""
        self._own.rows.setdefault((table, columns), []).append(row)

    def update(self, sql: str, *values: Value) -> None:
        """Run a statement that changes rows, together with others of the group, in order and after all inserts."""
        self._own.update(sql, [values])

    def publish(self, monitor: str, event: str, data: dict[str, Any]) -> None:
        """Send an event to the webhooks that subscribe to it."""
        if self._publisher is not None:
            self._publisher(self, monitor, event, data)

    def look_up(self, keys: Iterable[bytes]) -> None:
        """Find the decisions with these keys; those not known yet are read with one query."""
        wanted = [key for key in dict.fromkeys(keys) if key not in self.known]
        if not wanted:
            return
        self.known.update(dict.fromkeys(wanted))
        for key, body in self._tx.among("SELECT key, body FROM journal WHERE key IN (??)", wanted):
            self.known[bytes(key)] = decision_of_journal_entry(journal.read_journal_json(body))
        if any(isinstance(replica, Replica) and replica.base for replica in self._replicas.values()):
            self._look_up_pruned([key for key in wanted if self.known[key] is None])

    def _look_up_pruned(self, keys: Sequence[bytes]) -> None:
        """Find decisions whose entries may be pruned, by their verifications, which are kept."""
        self.look_up_verifications(keys)
        for key in keys:
            verification = self.verifications[key]
            if verification is not None:
                self.known[key] = Decision(
                    True, verification.id, Reason.of(verification.reason), verification.prediction
                )

    def look_up_verifications(self, keys: Iterable[bytes]) -> None:
        """Find the verifications with these keys; those not known yet are read with one query."""
        wanted = [key for key in dict.fromkeys(keys) if key not in self.verifications]
        if wanted:
            self.verifications.update(dict.fromkeys(wanted))
            for row in self.reading.among(
                f"SELECT {VERIFICATION_COLUMNS} FROM verifications WHERE key IN (??)", wanted
            ):
                verification = verification_of_row(row)
                self.verifications[verification.key] = verification

    def remember(self, key: bytes, decision: Decision) -> None:
        """Note a decision of this group."""
        self.known[key] = decision
        self._learned.append(key)

    def finish(self) -> None:
        """Update the rows of the monitors before the commit."""
        self.begin(())
        self._unsent.send(self._tx)
        if self.changed:
            rows = [(replica.number, replica.chain, replica.id) for replica in map(self.replica, sorted(self.changed))]
            self._tx.many("UPDATE monitors SET last = ?, chain = ? WHERE id = ?", rows)
