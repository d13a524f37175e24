"""The review queue: who reviews which verification, and for how long.

A verification has one slot for each review that it needs, and one more if they disagree. A claim puts a reviewer into a
free slot until the lease ends. Ended leases are noticed at the next claim, by the clock of the database; nothing
sweeps. Verifications are offered oldest first, because the order must not depend on the answer.

Slots from 1 on hold leases and answers. Slots below 0 hold skips: they free the slot, but the verification is not
offered to the same reviewer again. UNIQUE (monitor, verification, reviewer) keeps one person from taking several slots
in several tabs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem
from sidelight.service.settings import ReviewSettings, make_review_settings, split_settings
from sidelight.service.store.base import Reader, Transaction
from sidelight.service.writer.unit import (
    VERIFICATION_COLUMNS,
    Verification,
    WriterUnit,
    verification_of_row,
    writer_job,
)
from sidelight.text import thousands

MOST_CLAIMED = 100
MOST_NUMBER = (1 << 53) - 1
"""No verification has a larger number, because JSON readers may not read it exactly."""
MOST_COUNTED = 1_000
"""A longer queue is not counted to its end, because every visitor of a page would wait for it."""

_SLOT = "slots s WHERE s.monitor = v.monitor AND s.verification = v.number"
_LEASED = f"SELECT COUNT(*) FROM {_SLOT} AND s.slot > 0 AND s.answer IS NULL AND s.lease_until > ?"
_ANSWERED = f"SELECT COUNT(*) FROM {_SLOT} AND s.slot > 0 AND s.answer IS NOT NULL"
_OWN = f"SELECT 1 FROM {_SLOT} AND s.reviewer = ? AND (s.answer IS NOT NULL OR s.lease_until > ?)"
_ROOM = f"({_LEASED}) + ({_ANSWERED}) < ?"
IS_UNSETTLED = "v.state IN ('open', 'overdue')"
"""The condition on `verifications v` that a verification has no settled answer."""
IS_DISPUTED = f"{IS_UNSETTLED} AND ({_ANSWERED}) >= ?"
"""The condition that a verification has all its reviews (the value says how many) and is not settled: they disagree."""
_DISPUTED = f"({_ANSWERED}) >= ? AND ({_LEASED}) = 0"
_FREE = f"v.monitor = ? AND {IS_UNSETTLED} AND NOT EXISTS ({_OWN})"
_SELECT = f"SELECT {VERIFICATION_COLUMNS} FROM verifications"


class ReviewSlot(NamedTuple):
    """The claim, answer or skip of one reviewer for a verification."""

    slot: int
    reviewer: str
    lease_until: float | None
    answer: dict[str, Any] | None
    answered_at: float | None

    def live(self, now: float) -> bool:
        """Whether the slot is taken: by an answer, or by a lease that has not ended."""
        return self.answer is not None or (self.lease_until is not None and self.lease_until > now)


class Claimed(NamedTuple):
    """A verification that a reviewer holds."""

    verification: Verification
    slot: int
    lease_until: float


def review_settings_of_queue(tx: Reader, monitor: str) -> ReviewSettings:
    """Return how the verifications of a monitor are reviewed; an archived one is refused."""
    row = tx.one("SELECT settings, archived_at FROM monitors WHERE id = ?", monitor)
    if row is None:
        raise Problem("not-found", "there is no such monitor")
    if row[1] is not None:
        raise Problem("gone", "this monitor is archived and cannot be changed: create a new one")
    return make_review_settings(split_settings(journal.read_journal_json(row[0]))[1])


def find_verification(tx: Reader, monitor: str, number: int, lock: bool = False) -> Verification:
    """Return a verification; `lock` keeps others from claiming or answering it until the transaction ends."""
    row = None
    if 0 < number <= MOST_NUMBER:
        row = tx.one(f"{_SELECT} WHERE monitor = ? AND number = ?{tx.locking if lock else ''}", monitor, number)
    if row is None:
        raise Problem("not-found", f"there is no verification {number}: check the number")
    return verification_of_row(row)


def verifications_where(tx: Reader, where: str, *values: Any) -> list[Verification]:
    """Return the verifications that satisfy a condition on `verifications v`."""
    return [verification_of_row(row) for row in tx.all(f"{_SELECT} v WHERE {where}", *values)]


def review_slots_of_verification(tx: Reader, monitor: str, number: int) -> list[ReviewSlot]:
    """Return the slots of a verification in order, skips first."""
    return review_slots_of_verifications(tx, monitor, [number]).get(number, [])


def review_slots_of_verifications(tx: Reader, monitor: str, numbers: Iterable[int]) -> dict[int, list[ReviewSlot]]:
    """Return the slots of many verifications."""
    columns = "verification, slot, reviewer, lease_until, answer, answered_at"
    rows = tx.among(f"SELECT {columns} FROM slots WHERE verification IN (??) AND monitor = ?", list(numbers), monitor)
    found: dict[int, list[ReviewSlot]] = {}
    for number, slot, reviewer, until, answer, at in sorted(rows, key=lambda row: row[:2]):
        said = None if answer is None else journal.read_journal_json(answer)
        found.setdefault(number, []).append(ReviewSlot(slot, reviewer, until, said, at))
    return found


@writer_job
def claim_verifications(
    work: WriterUnit, monitor: str, reviewer: str, count: int = 1, settle: bool = False
) -> list[Claimed]:
    """Give a reviewer the oldest verifications with a free slot, for the length of the lease.

    With `settle`, this includes those whose reviews disagree.
    """
    if not 1 <= count <= MOST_CLAIMED:
        raise Problem("invalid", f"claim 1 to {MOST_CLAIMED} verifications at once")
    review = review_settings_of_queue(work.reading, monitor)
    claimed: list[Claimed] = []
    for _ in range(count + 10):
        # Lock the oldest with room for this reviewer; skip those that others are claiming.
        where, values = _claimable_verification_condition(monitor, reviewer, work.now, review.reviews, settle)
        tx = work.reading
        row = tx.one(
            f"SELECT v.number FROM verifications v WHERE {where} ORDER BY v.number LIMIT 1{tx.skip_locked}", *values
        )
        if row is None:
            break
        found = _take_review_slot(work, monitor, reviewer, row[0], review)
        if found is not None:
            claimed.append(found)
        if len(claimed) == count:
            break
    return claimed


def _take_review_slot(
    work: WriterUnit, monitor: str, reviewer: str, number: int, review: ReviewSettings
) -> Claimed | None:
    """Claim a free slot of a locked verification, reading slots after the lock; return None if there is none."""
    now, until = work.now, work.now + review.lease
    slots = review_slots_of_verification(work.reading, monitor, number)
    own = next((one for one in slots if one.reviewer == reviewer), None)
    taken = {one.slot: one for one in slots if one.slot > 0 and one.live(now) and one is not own}
    place = free_review_slot(taken, review.reviews) if own is None else own.slot
    if place is None or (own is not None and own.live(now)):
        return None
    put_reviewer_in_slot(work.writing(), monitor, number, ReviewSlot(place, reviewer, until, None, None))
    return Claimed(find_verification(work.reading, monitor, number), place, until)


@writer_job
def release_claimed_verification(work: WriterUnit, monitor: str, reviewer: str, number: int) -> bool:
    """Release a verification before the lease ends; answers stay."""
    find_verification(work.reading, monitor, number, lock=True)
    sql = "DELETE FROM slots WHERE monitor = ? AND verification = ? AND reviewer = ? AND answer IS NULL"
    return bool(work.writing().run(sql, monitor, number, reviewer))


def free_review_slot(taken: dict[int, ReviewSlot], reviews: int) -> int | None:
    """Return the first free slot: one for a review, or the one after them once all reviews are in."""
    for place in range(1, reviews + 1):
        if place not in taken:
            return place
    if any(one.answer is None for one in taken.values()):
        return None
    return max(taken) + 1


def put_reviewer_in_slot(tx: Transaction, monitor: str, number: int, slot: ReviewSlot) -> None:
    """Move a reviewer to a slot of a locked verification; anyone else in that slot loses it."""
    answer = None if slot.answer is None else journal.journal_json(slot.answer)
    where = "DELETE FROM slots WHERE monitor = ? AND verification = ? AND (slot = ? OR reviewer = ?)"
    tx.run(where, monitor, number, slot.slot, slot.reviewer)
    columns = ("monitor", "verification", "slot", "reviewer", "lease_until", "answer", "answered_at")
    tx.insert("slots", columns, [(monitor, number, *slot[:3], answer, slot.answered_at)])


def _claimable_verification_condition(
    monitor: str, reviewer: str, now: float, reviews: int, settle: bool
) -> tuple[str, list[Any]]:
    """Return the condition on `verifications v` that a reviewer can claim a verification, and its values."""
    values: list[Any] = [monitor, reviewer, now, now, reviews]
    if not settle:
        return f"{_FREE} AND {_ROOM}", values
    return f"{_FREE} AND ({_ROOM} OR ({_DISPUTED}))", [*values, reviews, now]


class WaitingReviews(NamedTuple):
    """How long the queue is."""

    verifications: int
    """The number of verifications, counted up to `MOST_COUNTED` + 1."""
    oldest: float | None
    """When the oldest of them was requested."""

    @property
    def words(self) -> str:
        """The number as text; a long queue is not counted to its end."""
        return f"over {thousands(MOST_COUNTED)}" if self.verifications > MOST_COUNTED else thousands(self.verifications)


def count_claimable_verifications(
    tx: Reader, monitor: str, reviewer: str, reviews: int, settle: bool
) -> WaitingReviews:
    """Return how many verifications a reviewer can claim now."""
    where, values = _claimable_verification_condition(monitor, reviewer, tx.now(), reviews, settle)
    some = f"SELECT v.asked_at FROM verifications v WHERE {where} ORDER BY v.number LIMIT {MOST_COUNTED + 1}"
    row = tx.one(f"SELECT COUNT(*), MIN(asked_at) FROM ({some}) AS found", *values)
    assert row is not None
    return WaitingReviews(*row)


def verifications_claimed_by(tx: Reader, monitor: str, reviewer: str) -> list[int]:
    """Return the numbers of the verifications that a reviewer holds, oldest first."""
    sql = (
        "SELECT s.verification FROM slots s JOIN verifications v ON v.monitor = s.monitor AND v.number = s.verification"
        " WHERE s.reviewer = ? AND s.answered_at IS NULL AND s.monitor = ? AND s.lease_until > ?"
        f" AND {IS_UNSETTLED} ORDER BY s.verification"
    )
    return [number for (number,) in tx.all(sql, reviewer, monitor, tx.now())]


def last_verification_answered_by(tx: Reader, monitor: str, reviewer: str) -> int | None:
    """Return the verification that a reviewer answered last, for undo."""
    sql = (
        "SELECT verification FROM slots WHERE reviewer = ? AND answered_at IS NOT NULL AND monitor = ?"
        " ORDER BY answered_at DESC, verification DESC LIMIT 1"
    )
    row = tx.one(sql, reviewer, monitor)
    return None if row is None else row[0]
