"""Stored states of monitors, so that a start does not replay the whole journal.

A state is stored as compressed JSON with its SHA-256. A sealed snapshot is the base of a journal whose beginning was
pruned; the others only save time and may be lost.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any, NamedTuple

from sidelight.monitor import RULE
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import DivergedError, Replica
from sidelight.service.store.base import Reader, Transaction

_LEVEL = 1
_KEPT = 2


class Snapshot(NamedTuple):
    """The state of a monitor after the entry with this number."""

    number: int
    rule: int
    chain: bytes
    sha256: bytes
    sealed: bool
    state: bytes

    def opened(self, monitor: str) -> Replica:
        """Return the monitor, or raise an error if the snapshot is damaged."""
        return Replica.from_state(monitor, self.data(monitor), self.number, self.chain)

    def data(self, monitor: str) -> dict[str, Any]:
        """Return the state as data, or raise an error if the snapshot is damaged."""
        try:
            text = zlib.decompress(self.state)
        except zlib.error:
            text = b""
        if hashlib.sha256(text).digest() != self.sha256:
            raise DivergedError(f"snapshot {self.number} of {monitor} is damaged: its digest does not match")
        found: dict[str, Any] = json.loads(text)
        return found


def take_snapshot(replica: Replica, *, sealed: bool = False) -> Snapshot:
    """Return a snapshot of a monitor."""
    text = journal.text_of(replica.state()).encode("ascii")
    digest = hashlib.sha256(text).digest()
    return Snapshot(replica.number, RULE, replica.chain, digest, sealed, zlib.compress(text, _LEVEL))


def _as_value(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def store_snapshot(tx: Transaction, monitor: str, snapshot: Snapshot) -> None:
    """Store a snapshot; only the last few unsealed ones are kept."""
    tx.run("DELETE FROM snapshots WHERE monitor = ? AND number = ?", monitor, snapshot.number)
    columns = ("monitor", *Snapshot._fields)
    tx.insert("snapshots", columns, [(monitor, *map(_as_value, snapshot))])
    old = tx.all(
        "SELECT number FROM snapshots WHERE monitor = ? AND sealed = 0 ORDER BY number DESC LIMIT 100 OFFSET ?",
        monitor,
        _KEPT,
    )
    for (number,) in old:
        tx.run("DELETE FROM snapshots WHERE monitor = ? AND number = ? AND sealed = 0", monitor, number)


def snapshot_fits(tx: Reader, monitor: str, snapshot: Snapshot) -> bool:
    """Say whether the snapshot belongs to this journal; it does not if an older backup was restored and continued."""
    row = tx.one("SELECT chain FROM journal WHERE monitor = ? AND number = ?", monitor, snapshot.number)
    return row is not None and bytes(row[0]) == snapshot.chain


def stored_snapshots(tx: Reader, monitor: str, least: int, most: int) -> list[Snapshot]:
    """Return the snapshots between two numbers, latest first."""
    sql = (
        "SELECT number, rule, chain, sha256, sealed, state FROM snapshots WHERE monitor = ? AND number BETWEEN ? AND ?"
    )
    rows = tx.all(f"{sql} ORDER BY number DESC", monitor, least, most)
    return [
        Snapshot(number, rule, bytes(chain), bytes(sha256), bool(sealed), bytes(state))
        for number, rule, chain, sha256, sealed, state in rows
    ]
