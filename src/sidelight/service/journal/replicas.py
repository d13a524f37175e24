"""Bringing monitors in memory up to date with their journals, while their rows are locked."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Sequence

from sidelight.errors import SidelightError
from sidelight.monitor import RULE
from sidelight.service.journal import entry as journal
from sidelight.service.journal.entry import JournalEntry
from sidelight.service.journal.replica import DivergedError, Replica, read_journal_snapshots, snapshot_fits_journal
from sidelight.service.problems import Problem, unavailable_problem
from sidelight.service.store.base import Reader, Row, StorageError, Transaction

_LOG = logging.getLogger("sidelight.service")
_RETRY = 30.0
_MUCH = 1000
_LOCK = "SELECT id, rule, last, chain, base FROM monitors WHERE id IN (??) ORDER BY id"


class Replicas:
    """The monitors in this process."""

    def __init__(self) -> None:
        self._replicas: dict[str, Replica] = {}
        self._failed: dict[str, tuple[bytes, float]] = {}
        """Chains of journals that cannot be followed, and when to try again."""
        self._stored: dict[str, object] = {}
        """Stored versions of the monitors when they were last locked."""

    def lock(self, tx: Transaction, monitors: Iterable[str]) -> dict[str, Replica | Problem]:
        """Lock monitors in sorted order and bring them up to date; a monitor that cannot be used gives a `Problem`."""
        wanted = sorted(set(monitors))
        if not wanted:
            return {}
        # Only a second statement sees everything committed before the lock was granted.
        rows = tx.lock(_LOCK, wanted)
        found: dict[str, Replica | Problem] = {}
        news = self._read_new_entries(tx, rows)
        for id, rule, last, chain, base in rows:
            found[id] = self._bring_up_to_date(tx, id, rule, last, bytes(chain), base, news.get(id))
        missing = Problem("not-found", "there is no such monitor")
        return {id: found.get(id, missing) for id in wanted}

    def _read_new_entries(self, tx: Reader, rows: Sequence[Row]) -> dict[str, list[JournalEntry]]:
        """Read the entries that other processes appended to several monitors, with one query if there are few."""
        after = {}
        for id, rule, last, _, base in rows:
            replica = self._replicas.get(id)
            if replica is not None and rule == RULE and base <= replica.number < last <= replica.number + _MUCH:
                after[id] = _last_entry_seen_by_replica(replica, base)
        return journal.read_journals_of_monitors(tx, after) if len(after) > 1 else {}

    def _bring_up_to_date(
        self, tx: Reader, id: str, rule: int, last: int, chain: bytes, base: int, news: list[JournalEntry] | None
    ) -> Replica | Problem:
        if rule != RULE:
            return unavailable_problem(
                f"this monitor uses rule {rule}, but this version of sidelight has rule {RULE}: run the version that "
                "created it",
                60,
            )
        failed = self._failed.get(id)
        if failed is not None and failed[0] == chain and time.monotonic() < failed[1]:
            return _unusable_replica_problem()
        try:
            replica = self._replicas.get(id)
            if replica is None or not _catch_up_with_journal(tx, replica, last, chain, base, news):
                replica = rebuild_replica(tx, id, last, chain, base)
        except StorageError:
            raise
        except SidelightError as error:
            _LOG.error("the journal of %s cannot be followed: %s", id, error)
            self._replicas.pop(id, None)
            self._failed[id] = chain, time.monotonic() + _RETRY
            return _unusable_replica_problem()
        replica.base = base
        self._replicas[id], self._stored[id] = replica, replica.version
        return replica

    def keep(self, replica: Replica) -> None:
        """Keep a monitor that this process created."""
        self._replicas[replica.id] = replica

    def drop(self, monitors: Iterable[str]) -> None:
        """Drop monitors that have changed since they were locked; they are rebuilt when needed."""
        for id in set(monitors):
            replica = self._replicas.get(id)
            if replica is not None and replica.version != self._stored.get(id):
                del self._replicas[id]

    def forget(self) -> None:
        """Drop all monitors, as if the process had just started."""
        self._replicas.clear()
        self._failed.clear()

    def ids(self) -> list[str]:
        """Return the ids of the monitors that this process has in memory."""
        return list(self._replicas)

    def get(self, monitor: str) -> Replica | None:
        """Return a monitor as this process last saw it."""
        return self._replicas.get(monitor)


def _unusable_replica_problem() -> Problem:
    detail = "the journal of this monitor cannot be replayed: `sidelight admin check` shows what is wrong with it"
    return unavailable_problem(detail, _RETRY)


def _last_entry_seen_by_replica(replica: Replica, base: int) -> int:
    """Return the entry before the last one followed; that one is read again, since a restore may have replaced it."""
    return replica.number - 1 if replica.number > base else replica.number


def _catch_up_with_journal(
    tx: Reader, replica: Replica, last: int, chain: bytes, base: int, news: Iterable[JournalEntry] | None = None
) -> bool:
    """Follow the journal; False if it is not the one followed before, or if its beginning is missing."""
    if replica.number == last:
        return replica.chain == chain
    if replica.number > last or replica.number < base:
        return False
    first = replica.number > base
    for entry in (
        journal.read_all_journal_entries(tx, replica.id, _last_entry_seen_by_replica(replica, base))
        if news is None
        else news
    ):
        if first:
            if entry.number != replica.number or entry.chain != replica.chain:
                return False
            first = False
        else:
            replica.apply(entry)
    return replica.number == last and replica.chain == chain


def rebuild_replica(tx: Reader, id: str, last: int, chain: bytes, base: int) -> Replica:
    """Return a monitor from its latest snapshot and the entries after it."""
    replica = start_replica(tx, id, last, base)
    for entry in journal.read_all_journal_entries(tx, id, replica.number):
        replica.apply(entry)
    if (replica.number, replica.chain) != (last, chain):
        raise DivergedError(f"the journal ends with entry {replica.number} but should end with {last}")
    return replica


def start_replica(tx: Reader, id: str, last: int, base: int) -> Replica:
    """Return a monitor from its latest usable snapshot, at most at entry `last` and not before the base."""
    for snapshot in read_journal_snapshots(tx, id, base, last):
        if snapshot.rule == RULE and (snapshot.sealed or snapshot_fits_journal(tx, id, snapshot)):
            try:
                return snapshot.opened(id)
            except DivergedError:  # damaged; try an earlier one
                if snapshot.number == base:
                    raise
    if base:
        raise DivergedError(f"the base, snapshot {base}, is missing or was made with another rule")
    return Replica(id)
