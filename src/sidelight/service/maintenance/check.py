"""Checking that the journals are intact and that the served state follows from them, and pruning them.

For every monitor:

- from the base on, the chain of every entry follows from the one before, up to the last entry that its row names;
- deciding everything again gives the recorded decisions, and the state of every snapshot on the way;
- applying the recorded outcomes, as a process does when it starts, gives the same state;
- the verifications agree with the monitor.

Pruning lets a sealed snapshot replace the beginning of a journal. All entries up to the new base are replayed twice
from the old base: once by deciding again, once by applying the record. Only if both give the same state is it sealed,
journaled and made the base; only then are entries deleted. This forgets predictions that were let pass before the base;
those that were chosen are still known.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor import RULE
from sidelight.monitor.engine.line import OVERDUE, PENDING, RIGHT, SKIPPED, WRONG
from sidelight.service.domain import monitors, verifications
from sidelight.service.domain.monitors import MonitorRow, served_monitor_of_id
from sidelight.service.domain.service import Service
from sidelight.service.journal import entry as journal
from sidelight.service.journal import replicas
from sidelight.service.journal.entry import JournalEntry
from sidelight.service.journal.replica import (
    DivergedError,
    Replica,
    Snapshot,
    read_journal_snapshots,
    store_journal_snapshot,
    take_journal_snapshot,
)
from sidelight.service.store.base import Reader, Storage, StorageError
from sidelight.service.writer.unit import WriterUnit, monitor_writer_job

_PAGE = 5000
_STATES = {
    PENDING: (verifications.OPEN, None),
    OVERDUE: (verifications.OVERDUE, None),
    SKIPPED: (verifications.SKIPPED, None),
    RIGHT: (verifications.ANSWERED, 1),
    WRONG: (verifications.ANSWERED, 0),
}


class Finding(NamedTuple):
    """Something that is wrong."""

    monitor: str
    """The monitor's name, and its id in brackets."""
    text: str

    def __str__(self) -> str:
        return f"{self.monitor}: {self.text}"


def check_database(storage: Storage) -> list[Finding]:
    """Return everything that is wrong; empty if all is well."""
    with storage.read() as tx:
        found = monitors.list_served_monitors(tx, archived=True)
    return [finding for one in found if (finding := _check_monitor_and_tell_damage(storage, one)) is not None]


def _check_monitor_and_tell_damage(storage: Storage, monitor: MonitorRow) -> Finding | None:
    """Return the damage found in one monitor, if any."""
    try:
        check_monitor_integrity(storage, monitor)
    except StorageError:
        raise
    except SidelightError as error:
        with storage.read() as tx:
            now = monitors.served_monitor_of_id(tx, monitor.id)
        if now.base != monitor.base:  # pruned meanwhile
            return _check_monitor_and_tell_damage(storage, now)
        return Finding(f"{monitor.name} ({monitor.id})", str(error))
    return None


def check_monitor_integrity(storage: Storage, whole: MonitorRow) -> None:
    """Check journal, snapshots and verifications of one monitor; raise an error that describes any damage."""
    if whole.rule != RULE:
        raise DivergedError(
            f"it uses rule {whole.rule}, this sidelight has rule {RULE}: check it with the version that created it"
        )
    replayed = replay_and_check_journal(storage, whole, whole.last, anew=True)
    if (replayed.number, replayed.chain) != (whole.last, whole.chain):
        raise DivergedError(f"the journal ends with entry {replayed.number} but should end with {whole.last}")
    with storage.read() as tx:
        served = replicas.start_replica(tx, whole.id, whole.last, whole.base)
    for entry in journal_pages_to_check(storage, whole.id, served.number, whole.last):
        served.apply(entry)
    if served.state() != replayed.state():
        raise DivergedError("the served state does not follow from the journal")
    with storage.read() as tx:  # verifications change, so compare them with the journal of the same moment
        for entry in journal.read_all_journal_entries(tx, whole.id, replayed.number):
            replayed.apply(entry, anew=True)
        check_verifications_integrity(tx, whole.id, replayed.monitor.to_dict())


def journal_pages_to_check(storage: Storage, id: str, after: int, last: int) -> Iterator[JournalEntry]:
    """Yield the entries after one number and up to another; each page is read in its own short transaction."""
    while after < last:
        with storage.read() as tx:
            page = journal.read_journal_entries(tx, id, after, min(_PAGE, last - after))
        if not page:
            return
        yield from page
        after = page[-1].number


def replay_and_check_journal(storage: Storage, whole: MonitorRow, last: int, *, anew: bool) -> Replica:
    """Replay the entries from the base up to `last`, compare with each snapshot, and return the monitor."""
    with storage.read() as tx:
        on_the_way = {one.number: one for one in read_journal_snapshots(tx, whole.id, whole.base, last)}
    replica = Replica(whole.id)
    if whole.base:
        base = on_the_way.pop(whole.base, None)
        if base is None or not base.sealed or base.rule != RULE:
            raise DivergedError(f"the base, snapshot {whole.base}, is missing, not sealed, or made with another rule")
        replica = base.opened(whole.id)
    for entry in journal_pages_to_check(storage, whole.id, replica.number, last):
        replica.apply(entry, anew=anew)
        snapshot = on_the_way.get(entry.number)
        if snapshot is not None and (
            snapshot.chain != entry.chain or take_journal_snapshot(replica).sha256 != snapshot.sha256
        ):
            raise DivergedError(f"snapshot {entry.number} does not follow from the journal")
    return replica


def check_verifications_integrity(tx: Reader, monitor: str, state: dict[str, Any]) -> None:
    """Compare the verifications with the monitor."""
    known = {number: (id, status) for id, _, number, _, status, *_ in state["verifications"]}
    number = 0
    columns = "number, id, state, correct, revision"
    sql = f"SELECT {columns} FROM verifications WHERE monitor = ? AND number > ? ORDER BY number LIMIT ?"
    while rows := tx.all(sql, monitor, number, _PAGE):
        for number, id, found, correct, revision in rows:
            there = known.pop(number, None)
            if there is not None and (
                there[0] != id or not _status_agrees_with_check(there[1], found, correct, revision)
            ):
                raise DivergedError(f"verification {number} is {found}, which does not agree with the monitor")
            if there is None and found in verifications.UNSETTLED:
                raise DivergedError(f"verification {number} is {found}, but the monitor does not know it")
    if known:
        raise DivergedError(f"verification {min(known)} is missing")


def _status_agrees_with_check(status: int, found: str, correct: int | None, revision: int) -> bool:
    if status == SKIPPED and found == verifications.DELETED:
        return True
    if status == SKIPPED and found == verifications.OPEN and revision:  # withdrawn, and in the queue again
        return correct is None
    return (found, correct) == _STATES[status]


_CHUNK = 5000


@monitor_writer_job
def _seal_snapshot_before_pruning(work: WriterUnit, monitor: str, base: int, snapshot: Snapshot) -> bool:
    """Make a snapshot the base; False if another process was faster."""
    replica = work.replica(monitor)
    row = work.reading.one("SELECT base FROM monitors WHERE id = ?", monitor)
    if row is None or row[0] != base:
        return False
    body = {"number": snapshot.number, "chain": snapshot.chain.hex(), "sha256": snapshot.sha256.hex()}
    store_journal_snapshot(work.writing(), monitor, snapshot)
    work.writing().run("UPDATE monitors SET base = ? WHERE id = ?", snapshot.number, monitor)
    work.append(replica.id, journal.SEALED, body | {"rule": snapshot.rule}, actor="service")
    return True


@monitor_writer_job
def _delete_pruned_entries(work: WriterUnit, monitor: str) -> int:
    """Delete the oldest journal entries up to the base, at most `_CHUNK`, and return how many."""
    sql = "SELECT j.number FROM journal j JOIN monitors m ON m.id = j.monitor WHERE j.monitor = ? "
    found = work.reading.all(f"{sql} AND j.number <= m.base ORDER BY j.number LIMIT ?", monitor, _CHUNK)
    if not found:
        return 0
    return work.writing().run("DELETE FROM journal WHERE monitor = ? AND number <= ?", monitor, found[-1][0])


def prune_journal(service: Service, monitor: str, *, days: float | None = None) -> int:
    """Prune the journal of a monitor except for the last days; return how many entries were deleted.

    By default, `days` is how long the service answers retries.
    """
    storage = service.storage
    kept = service.options.retry_days if days is None else days
    with storage.read() as tx:
        whole = served_monitor_of_id(tx, monitor)
        # All entries of a batch have the same time, so a base is never inside a batch.
        row = tx.one(
            "SELECT min(number) FROM journal WHERE monitor = ? AND at >= ?", monitor, tx.now() - kept * 86_400.0
        )
    last = whole.last if row is None or row[0] is None else row[0] - 1
    if last > whole.base:
        replica = replay_and_check_journal(storage, whole, last, anew=True)
        if replica.state() != replay_and_check_journal(storage, whole, last, anew=False).state():
            raise DivergedError(
                "replaying the journal gives another result: nothing was pruned, run `sidelight admin check`"
            )
        if not service.do(
            _seal_snapshot_before_pruning(monitor, whole.base, take_journal_snapshot(replica, sealed=True))
        ):
            return 0
    deleted = 0
    while some := service.do(_delete_pruned_entries(monitor)):
        deleted += some
    return deleted
