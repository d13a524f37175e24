"""A monitor in memory that follows its journal, and its snapshots, so that a start need not replay everything.

A state is stored as compressed JSON with its SHA-256. A sealed snapshot is the base of a journal whose beginning was
pruned; the others only save time and may be lost.
"""

from __future__ import annotations

import functools
import hashlib
import json
import zlib
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor import RULE, Decision, Reason
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.types import Events, VerdictChanged, VerificationClosed
from sidelight.service.journal import entry as journal
from sidelight.service.journal.entry import JournalEntry
from sidelight.service.problems import Problem
from sidelight.service.settings import (
    ReviewSettings,
    make_review_settings,
    plain_review_settings,
    settings_value_from_json,
)
from sidelight.service.store.base import Reader, Transaction

_DAY = 86_400


class DivergedError(SidelightError):
    """Replaying the journal does not give what the journal says."""


class Mark(NamedTuple):
    """Where a monitor was before a request."""

    version: tuple[object, ...]
    number: int
    chain: bytes
    spent: tuple[str, str, int] | None


class Replica:
    """One monitor (its engine) and its position in the journal.

    Entries record outcomes, which `apply` takes over; nothing is decided again. What else follows (verdicts that
    changed, requests that became overdue) is compared with the record.
    """

    def __init__(self, id: str) -> None:
        self.id = id
        self.number, self.chain = 0, journal.BEGINNING
        self.base = 0
        """Entries up to this one are pruned."""
        self.review = ReviewSettings()
        self.archived = False
        self._monitor: Engine | None = None
        self.snapshot_at = 0
        """The number of the snapshot that it was loaded from."""
        self.spent: tuple[str, str, int] | None = None
        """Which cap was last reported as used up, on which day, and after how many verifications."""
        self.made: dict[object, tuple[bytes, Any]] = {}
        """The latest report and the like, each with the chain of the last entry that it includes."""

    @property
    def monitor(self) -> Engine:
        """The monitor; it does not exist before its first entry."""
        if self._monitor is None:
            raise DivergedError(f"the journal of {self.id} does not begin with the creation of the monitor")
        return self._monitor

    def check_open(self) -> None:
        """Refuse to change an archived monitor."""
        if self.archived:
            raise Problem("gone", "this monitor is archived and cannot be changed: create a new one")

    def watch(self, state: dict[str, Any]) -> None:
        """Hold the monitor with this state."""
        self._monitor = Engine.from_dict(state)

    @property
    def version(self) -> tuple[object, ...]:
        """A value that differs after every change of this object."""
        library = None if self._monitor is None else self._monitor.version
        return self.number, self.archived, id(self.review), library

    def mark(self) -> Mark:
        """Return a mark for `go_back`."""
        return Mark(self.version, self.number, self.chain, self.spent)

    def go_back(self, mark: Mark) -> bool:
        """Forget the entries after a mark; False if the monitor itself has changed since, and must be rebuilt."""
        if self.version[1:] != mark.version[1:]:
            return False
        self.number, self.chain, self.spent = mark.number, mark.chain, mark.spent
        return True

    def advance(self, number: int, chain: bytes) -> None:
        """Move to the next entry; the caller has already changed the monitor accordingly."""
        self.number, self.chain = number, chain

    def apply(self, entry: JournalEntry, *, anew: bool = False) -> None:
        """Apply an entry; with `anew` the monitor decides again, and must reach the same decision."""
        if entry.number != self.number + 1:
            raise DivergedError(f"entry {self.number + 1} is missing")
        if not entry.chained_to(self.chain):
            raise DivergedError(f"entry {entry.number} does not follow from the one before: one of them was changed")
        apply = _decide_journaled_prediction_anew if anew and entry.kind == journal.DECIDED else _APPLY.get(entry.kind)
        if apply is not None:
            try:
                data = entry.data
                found, events = apply(self, data)
                found |= journal_events(events)
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise DivergedError(f"entry {entry.number} cannot be applied: {error!r}") from error
            said = {name: data[name] for name in (*found, "turned", "closed") if name in data}
            if found != said:
                raise DivergedError(f"entry {entry.number} says {said}, but replaying it gives {found}")
        self.advance(entry.number, entry.chain)

    def state(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "monitor": self.monitor.to_dict(),
            "review": plain_review_settings(self.review),
            "archived": self.archived,
        }

    @classmethod
    def from_state(cls, id: str, state: dict[str, Any], number: int, chain: bytes) -> Replica:
        """Return the monitor with this state, at this position in its journal."""
        replica = cls(id)
        replica.watch(state["monitor"])
        replica.review, replica.archived = make_review_settings(state["review"]), state["archived"]
        replica.number, replica.chain, replica.snapshot_at = number, chain, number
        return replica


def journal_events(events: Events) -> dict[str, Any]:
    """Return the events of a decision or an answer as the journal stores them; empty if there were none."""
    turned = [[one.prediction, one.before, one.verdict, one.cause] for one in events if isinstance(one, VerdictChanged)]
    closed = [[one.number, int(one.forgotten)] for one in events if isinstance(one, VerificationClosed)]
    return ({"turned": turned} if turned else {}) | ({"closed": closed} if closed else {})


# Each of these applies an entry to a monitor, and returns what the entry must contain if both agree, and the events.


def _apply_created_journal_entry(replica: Replica, data: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    replica.watch(data["state"])  # with the defaults of the version that created it
    replica.review = make_review_settings(data["review"])
    return {"rule": RULE}, ()


def _apply_decided_journal_entry(replica: Replica, data: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    _begin_journaled_batch(replica, data)
    events = replica.monitor.record(
        decision_of_journal_entry(data), data["time"], *_score_and_segment_of_journaled(replica, data)
    )
    return {"number": replica.monitor.asked} if data["verify"] else {}, events


def _decide_journaled_prediction_anew(replica: Replica, data: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    _begin_journaled_batch(replica, data)
    decision, events = replica.monitor.decide(
        data["class"], data["id"], data["time"], *_score_and_segment_of_journaled(replica, data)
    )
    code = Reason(decision.reason).code
    found = {"verify": int(decision.verify), "reason": code, "day": journal_day_of(data["time"])}
    found |= {} if decision.propensity is None else {"propensity": decision.propensity}
    return found | ({"number": replica.monitor.asked} if decision.verify else {}), events


def decision_of_journal_entry(data: dict[str, Any]) -> Decision:
    """Return the decision that an entry records."""
    verify, reason = bool(data["verify"]), Reason.of(data["reason"])
    return Decision(verify, data["id"], reason, data["class"], data.get("propensity"))


def _score_and_segment_of_journaled(replica: Replica, data: dict[str, Any]) -> tuple[float, Any, Any]:
    """Return score and segment of a prediction, and the predictions of other versions."""
    segment, others = (tuple((key, value) for key, value in data.get(name, ())) for name in ("segment", "others"))
    return replica.monitor.settings.score(data.get("score")), segment, others


def _begin_journaled_batch(replica: Replica, data: dict[str, Any]) -> None:
    if "batch" in data:
        replica.monitor.begin_batch(data["batch"])


def _apply_answered_journal_entry(replica: Replica, data: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    answer, events = replica.monitor.answer(data["id"], data["correct"], data.get("label"))
    return {"status": answer.status, "previous": answer.previous, "verdict": answer.verdict}, events


def _apply_settings_journal_entry(replica: Replica, data: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    if data.get("limits"):
        replica.monitor.change(
            **{name: settings_value_from_json(name, value) for name, value in data["limits"].items()}
        )
    if data.get("review"):
        replica.review = make_review_settings(data["review"], replica.review)
    replica.archived = data.get("archived", replica.archived)
    return {}, ()


def _apply_expired_journal_entry(replica: Replica, data: dict[str, Any]) -> tuple[dict[str, Any], Events]:
    return {}, replica.monitor.expire(data["time"])


def journal_day_of(time: float) -> str:
    """Return the day, in UTC, of a time in seconds since 1970."""
    return _journal_day_of_number(int(time // _DAY))


@functools.lru_cache(maxsize=16)
def _journal_day_of_number(number: int) -> str:
    """Return the day with this number, counted from 1970; cached, because nearly all decisions are from today."""
    return datetime.fromtimestamp(number * _DAY, UTC).date().isoformat()


_APPLY = {
    journal.CREATED: _apply_created_journal_entry,
    journal.DECIDED: _apply_decided_journal_entry,
    journal.ANSWERED: _apply_answered_journal_entry,
    journal.SETTINGS: _apply_settings_journal_entry,
    journal.EXPIRED: _apply_expired_journal_entry,
}


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


def take_journal_snapshot(replica: Replica, *, sealed: bool = False) -> Snapshot:
    """Return a snapshot of a monitor."""
    text = journal.journal_json(replica.state()).encode("ascii")
    digest = hashlib.sha256(text).digest()
    return Snapshot(replica.number, RULE, replica.chain, digest, sealed, zlib.compress(text, _LEVEL))


def _as_snapshot_value(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def store_journal_snapshot(tx: Transaction, monitor: str, snapshot: Snapshot) -> None:
    """Store a snapshot; only the last few unsealed ones are kept."""
    tx.run("DELETE FROM snapshots WHERE monitor = ? AND number = ?", monitor, snapshot.number)
    columns = ("monitor", *Snapshot._fields)
    tx.insert("snapshots", columns, [(monitor, *map(_as_snapshot_value, snapshot))])
    old = tx.all(
        "SELECT number FROM snapshots WHERE monitor = ? AND sealed = 0 ORDER BY number DESC LIMIT 100 OFFSET ?",
        monitor,
        _KEPT,
    )
    for (number,) in old:
        tx.run("DELETE FROM snapshots WHERE monitor = ? AND number = ? AND sealed = 0", monitor, number)


def snapshot_fits_journal(tx: Reader, monitor: str, snapshot: Snapshot) -> bool:
    """Say whether the snapshot belongs to this journal; it does not if an older backup was restored and continued."""
    row = tx.one("SELECT chain FROM journal WHERE monitor = ? AND number = ?", monitor, snapshot.number)
    return row is not None and bytes(row[0]) == snapshot.chain


def read_journal_snapshots(tx: Reader, monitor: str, least: int, most: int) -> list[Snapshot]:
    """Return the snapshots between two numbers, latest first."""
    sql = (
        "SELECT number, rule, chain, sha256, sealed, state FROM snapshots WHERE monitor = ? AND number BETWEEN ? AND ?"
    )
    rows = tx.all(f"{sql} ORDER BY number DESC", monitor, least, most)
    return [
        Snapshot(number, rule, bytes(chain), bytes(sha256), bool(sealed), bytes(state))
        for number, rule, chain, sha256, sealed, state in rows
    ]
