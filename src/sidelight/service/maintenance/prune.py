"""Pruning: a sealed snapshot replaces the beginning of a journal.

All entries up to the new base are replayed twice from the old base: once by deciding again, once by applying the
record. Only if both give the same state is it sealed, journaled and made the base; only then are entries deleted. This
forgets predictions that were let pass before the base; those that were chosen are still known.
"""

from __future__ import annotations

from sidelight.service.domain.monitors import stored_monitor
from sidelight.service.domain.service import Service
from sidelight.service.journal import entry as journal
from sidelight.service.journal import snapshots
from sidelight.service.journal.replica import DivergedError
from sidelight.service.journal.snapshots import Snapshot
from sidelight.service.maintenance.check import replay_journal
from sidelight.service.writer.unit import Work, monitor_job

_CHUNK = 5000


@monitor_job
def _seal_snapshot(work: Work, monitor: str, base: int, snapshot: Snapshot) -> bool:
    """Make a snapshot the base; False if another process was faster."""
    replica = work.replica(monitor)
    row = work.reading.one("SELECT base FROM monitors WHERE id = ?", monitor)
    if row is None or row[0] != base:
        return False
    body = {"number": snapshot.number, "chain": snapshot.chain.hex(), "sha256": snapshot.sha256.hex()}
    snapshots.store_snapshot(work.writing(), monitor, snapshot)
    work.writing().run("UPDATE monitors SET base = ? WHERE id = ?", snapshot.number, monitor)
    work.append(replica.id, journal.SEALED, body | {"rule": snapshot.rule}, actor="service")
    return True


@monitor_job
def _delete_entries(work: Work, monitor: str) -> int:
    """Delete some entries before the base, and return how many."""
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
        whole = stored_monitor(tx, monitor)
        # All entries of a batch have the same time, so a base is never inside a batch.
        row = tx.one(
            "SELECT min(number) FROM journal WHERE monitor = ? AND at >= ?", monitor, tx.now() - kept * 86_400.0
        )
    last = whole.last if row is None or row[0] is None else row[0] - 1
    if last > whole.base:
        replica = replay_journal(storage, whole, last, anew=True)
        if replica.state() != replay_journal(storage, whole, last, anew=False).state():
            raise DivergedError(
                "replaying the journal gives another result: nothing was pruned, run `sidelight admin check`"
            )
        if not service.do(_seal_snapshot(monitor, whole.base, snapshots.take_snapshot(replica, sealed=True))):
            return 0
    deleted = 0
    while some := service.do(_delete_entries(monitor)):
        deleted += some
    return deleted
