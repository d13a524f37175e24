"""Changing the rule by which a monitor decides, after an upgrade of sidelight.

`sidelight.monitor.RULE` increases whenever the same predictions and answers would lead to other decisions. A process
does not touch monitors of another rule. Upgrading applies everything that was recorded, journals the change, and seals
the state as the new base: earlier decisions are not made again.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidelight.errors import SidelightError
from sidelight.monitor import RULE, ClassifierMonitor
from sidelight.service import journal
from sidelight.service.domain.service import Service
from sidelight.service.journal import snapshots
from sidelight.service.journal.replica import DivergedError, Held
from sidelight.service.problems import Problem
from sidelight.service.writer.unit import Work


class _Upgrade:
    """Brings one monitor to the rule of this version of sidelight."""

    monitors: Sequence[str] = ()  # the monitor cannot be loaded before

    def __init__(self, monitor: str, actor: str) -> None:
        self.id, self.actor = monitor, actor

    def run(self, work: Work) -> bool:
        """Return whether there was anything to do."""
        sql = "SELECT rule, last, chain, base FROM monitors WHERE id = ?"
        row = work.reading.one(sql + work.reading.locking, self.id)
        if row is None:
            raise Problem("not-found", "there is no such monitor")
        rule, last, chain, base = row
        if rule == RULE:
            return False
        if rule > RULE:
            raise Problem(
                "unavailable", f"the monitor uses rule {rule}, this older sidelight has rule {RULE}: upgrade sidelight"
            )
        held = self._taken_over(work, last, bytes(chain), base)
        work.hold(held)
        number = work.append(self.id, journal.RULE_CHANGED, {"from": rule, "to": RULE}, actor=self.actor)
        snapshots.store(work.tx, self.id, snapshots.take(held, sealed=True))
        work.tx.run("UPDATE monitors SET rule = ?, base = ? WHERE id = ?", RULE, number, self.id)
        return True

    def _taken_over(self, work: Work, last: int, chain: bytes, base: int) -> Held:
        found = snapshots.stored(work.reading, self.id, base, last)
        held = found[0].opened(self.id) if found else Held(self.id)
        for entry in journal.all_entries(work.reading, self.id, held.number):
            held.apply(entry, compare=False)
        if (held.number, held.chain) != (last, chain):
            raise DivergedError(f"the journal of {self.id} ends with entry {held.number} but should end with {last}")
        # Caches and sums that the old rule kept only in memory are made anew.
        held.watch(ClassifierMonitor.from_dict(held.monitor.to_dict()))
        return held


def upgrade(service: Service, *, actor: str) -> list[str]:
    """Bring all monitors to the rule of this version of sidelight; return the ids of those that changed.

    If some cannot be upgraded, the others are, and the error is raised at the end.
    """
    with service.read() as tx:
        rows = tx.all("SELECT id, name FROM monitors WHERE rule <> ? ORDER BY id", RULE)
    changed, failed = [], []
    for id, name in rows:
        try:
            if service.do(_Upgrade(id, actor)):
                changed.append(id)
        except SidelightError as error:
            failed.append(f"{name} ({id}): {error}")
    if failed:
        raise SidelightError(f"some monitors could not be upgraded ({len(changed)} others were): {'; '.join(failed)}")
    return changed
