"""Pruning: a sealed snapshot replaces the beginning of a journal.

All entries up to the new base are replayed twice from the old base: once by deciding again, once by applying the
record. Only if both give the same state is it sealed, journaled and made the base; only then are entries deleted. This
forgets predictions that were let pass before the base; those chosen for verification are still known by their items.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.service import journal
from sidelight.service.domain.service import Service
from sidelight.service.journal import snapshots
from sidelight.service.journal.replica import DivergedError
from sidelight.service.journal.snapshots import Snapshot
from sidelight.service.maintenance.check import check_chain, replay, stretch
from sidelight.service.writer.unit import Work

_CHUNK = 5000


class _Seal:
    """Makes a snapshot the base."""

    def __init__(self, monitor: str, base: int, snapshot: Snapshot) -> None:
        self.monitors: Sequence[str] = (monitor,)
        self.base, self.snapshot = base, snapshot

    def run(self, work: Work) -> bool:
        """Return whether it was done; another process may have been faster."""
        (id,) = self.monitors
        held, snapshot = work.held(id), self.snapshot
        row = work.reading.one("SELECT base FROM monitors WHERE id = ?", id)
        if row is None or row[0] != self.base:
            return False
        body = {"number": snapshot.number, "chain": snapshot.chain.hex(), "sha256": snapshot.sha256.hex()}
        snapshots.store(work.tx, id, snapshot)
        work.tx.run("UPDATE monitors SET base = ? WHERE id = ?", snapshot.number, id)
        work.append(held.id, journal.SEALED, body | {"rule": snapshot.rule}, actor="service")
        return True


class _Delete:
    """Deletes some entries before the base."""

    def __init__(self, monitor: str) -> None:
        self.monitors: Sequence[str] = (monitor,)

    def run(self, work: Work) -> int:
        """Return how many entries were deleted."""
        (id,) = self.monitors
        work.held(id)
        sql = "SELECT j.number FROM journal j JOIN monitors m ON m.id = j.monitor WHERE j.monitor = ? "
        found = work.reading.all(f"{sql} AND j.number <= m.base ORDER BY j.number LIMIT ?", id, _CHUNK)
        if not found:
            return 0
        return work.tx.run("DELETE FROM journal WHERE monitor = ? AND number <= ?", id, found[-1][0])


def prune(service: Service, monitor: str, *, days: float | None = None) -> int:
    """Prune the journal of a monitor except for the last days; return how many entries were deleted.

    By default, `days` is how long the service answers retries.
    """
    storage = service.storage
    whole = stretch(storage, monitor)
    kept = service.options.retry_days if days is None else days
    with storage.read() as tx:
        # All entries of a batch have the same time, so a base is never inside a batch.
        row = tx.one(
            "SELECT min(number) FROM journal WHERE monitor = ? AND at >= ?", monitor, tx.now() - kept * 86_400.0
        )
    last = whole.last if row is None or row[0] is None else row[0] - 1
    if last > whole.base:
        check_chain(storage, whole)
        held = replay(storage, whole, last, anew=True)
        if held.state() != replay(storage, whole, last, anew=False).state():
            raise DivergedError(
                "replaying the journal gives another result: nothing was pruned, run `sidelight admin check`"
            )
        if not service.do(_Seal(monitor, whole.base, snapshots.take(held, sealed=True))):
            return 0
    deleted = 0
    while some := service.do(_Delete(monitor)):
        deleted += some
    return deleted
