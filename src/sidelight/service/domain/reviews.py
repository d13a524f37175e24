"""Reviews of verifications, and when they settle a verification.

Only the settled answer reaches the monitor, through `answers.settle_verification_with_answer`. Reviews agree if they
agree on correctness. If they disagree, someone with the scope `settle` decides: a third reviewer from the queue, or
anyone else with the scope, so that a team of two can manage. A skipped verification is offered to others; it ends after
two skips, or if no one is left.

Late answers to an open verification are accepted. A settled answer changes only if the request asks for that and names
the revision that it has seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor.inputs import is_same_label
from sidelight.monitor.types import Label
from sidelight.service.auth import keys
from sidelight.service.auth.reviewers import has_other_reviewers
from sidelight.service.domain import answers, queue
from sidelight.service.domain.verifications import DELETED, FORGOTTEN
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica
from sidelight.service.problems import Problem, problem_place, request_label_fault
from sidelight.service.settings import ReviewSettings
from sidelight.service.writer.unit import Verification, WriterUnit, monitor_writer_job

ReviewStatus = Literal["settled", "recorded", "disputed", "skipped", "passed on", "withdrawn", "unchanged"]
_SKIPPED = {"skipped": True}
_MOST_SKIPS = 2


class Said(NamedTuple):
    """One review: exactly one of the three fields."""

    correct: bool | None = None
    label: Label | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The result of a review."""

    number: int
    status: ReviewStatus
    """"settled", "recorded" (another review is needed), "disputed" (reviews disagree), "skipped" (the verification is
    skipped), "passed on" (to another reviewer), "withdrawn" or "unchanged" (the same answer as before)."""
    revision: int


def outcome_of_reviews(slots: Iterable[queue.ReviewSlot], reviews: int) -> tuple[bool, Label | None] | None:
    """Return the correctness that the reviews settle, and the label if they agree on it; None if they do not settle it.

    A review beyond the required number settles the others.
    """
    said = [one.answer for one in sorted(slots) if one.slot > 0 and one.answer is not None]
    if len(said) > reviews:
        return said[-1]["correct"], said[-1].get("label")
    if len(said) < reviews or len({one["correct"] for one in said}) != 1:
        return None
    labels = {journal.journal_json(one.get("label")) for one in said}
    return said[0]["correct"], said[0].get("label") if len(labels) == 1 else None


def reviews_disagree(slots: Iterable[queue.ReviewSlot], reviews: int) -> bool:
    """Say whether there are enough reviews and they disagree."""
    said = [one.answer for one in slots if one.slot > 0 and one.answer is not None]
    return len(said) == reviews and len({one["correct"] for one in said}) > 1


class _VerificationReviews:
    """One verification in the transaction of a request about it."""

    def __init__(self, work: WriterUnit, monitor: str, number: int) -> None:
        self.work, self.monitor = work, monitor
        self.replica: Replica = work.replica(monitor)
        self.replica.check_open()
        self.verification: Verification = queue.find_verification(work.reading, monitor, number, lock=True)
        if self.verification.state in (FORGOTTEN, DELETED):
            raise Problem("gone", f"this verification was {self.verification.state} and no longer needs an answer")
        self.slots = queue.review_slots_of_verification(work.reading, monitor, number)

    @property
    def review(self) -> ReviewSettings:
        return self.replica.review

    def own(self, reviewer: str) -> queue.ReviewSlot | None:
        return next((one for one in self.slots if one.reviewer == reviewer), None)

    def put(self, slot: queue.ReviewSlot) -> None:
        queue.put_reviewer_in_slot(self.work.writing(), self.monitor, self.verification.number, slot)
        self.slots = queue.review_slots_of_verification(self.work.reading, self.monitor, self.verification.number)

    def remove(self, slot: queue.ReviewSlot) -> None:
        sql = "DELETE FROM slots WHERE monitor = ? AND verification = ? AND slot = ?"
        self.work.writing().run(sql, self.monitor, self.verification.number, slot.slot)
        self.slots = [one for one in self.slots if one != slot]

    def skip_place(self) -> int:
        """Return the place of a new skip, below all others."""
        return min([0, *(one.slot for one in self.slots)]) - 1

    def conflict(self) -> Problem:
        """Return the refusal to change a settled answer, with that answer."""
        verification = self.verification
        stands: dict[str, Any] = {"state": verification.state, "revision": verification.revision}
        stands |= {} if verification.label is None else {"label": verification.label}
        stands |= {} if self.review.blind else {"correct": verification.correct}
        detail = "this verification is settled: to change it, set replace and give the revision; nothing changed"
        return Problem("conflict", detail, places=[problem_place(["number"], "this is the settled answer", **stands)])

    def journal(self, actor: str, said: dict[str, Any]) -> None:
        body = {"number": self.verification.number, "id": self.verification.id, "said": said}
        self.work.append(self.monitor, journal.REVIEWED, body, actor=actor)

    def settle(self, correct: bool | None, label: Label | None, actor: str) -> None:
        """Give the verification its answer, replacing an earlier one."""
        said = {"reviews": [[one.reviewer, one.answer] for one in self.slots if one.answer is not None]}
        result = answers.settle_verification_with_answer(
            self.work, self.replica, self.verification, correct, label=label, replace=True, actor=actor, detail=said
        )
        if result.status == answers.GONE:
            raise Problem("gone", result.detail)
        self._read_verification_again()

    def reopen(self, actor: str) -> None:
        """Withdraw the settled answer: the monitor forgets it, and the verification is offered again."""
        self.settle(None, None, actor)
        self.work.writing().run(
            "UPDATE verifications SET state = 'open', correct = NULL, label = NULL, settled_at = NULL,"
            " settled_by = NULL, revision = revision + 1 WHERE monitor = ? AND number = ?",
            *(self.monitor, self.verification.number),
        )
        self._read_verification_again()

    def follow(self, actor: str) -> ReviewStatus:
        """Bring the verification in line with its reviews; return its status."""
        found = outcome_of_reviews(self.slots, self.review.reviews)
        if found is not None:
            if self.verification.open or found != (self.verification.correct, self.verification.label):
                self.settle(*found, actor)
            return "settled"
        if self.skipped_enough():
            if self.verification.state != "skipped":
                self.settle(None, None, actor)
            return "skipped"
        if not self.verification.open:
            self.reopen(actor)
        return "disputed" if reviews_disagree(self.slots, self.review.reviews) else "recorded"

    def skipped_enough(self) -> bool:
        """Say whether the skips end the verification: two do, or one if nobody else could review it."""
        skips = {one.reviewer for one in self.slots if one.slot < 0}
        if len(skips) == 1 == self.review.reviews:
            return not has_other_reviewers(self.work.reading, self.monitor, skips)
        return len(skips) >= _MOST_SKIPS

    def rests_on_reviews(self) -> bool:
        """Say whether the settled answer comes from the reviews, not from someone who settled it differently."""
        if self.verification.state == "skipped":
            return self.skipped_enough()
        found = outcome_of_reviews(self.slots, self.review.reviews)
        return found is not None and found[0] == self.verification.correct

    def _read_verification_again(self) -> None:
        self.verification = queue.find_verification(self.work.reading, self.monitor, self.verification.number)


def settle_verifications_with_enough_reviews(work: WriterUnit, monitor: str) -> None:
    """Settle the verifications that have all the reviews they need, now that they need fewer."""
    reviews = work.replica(monitor).review.reviews
    for verification in queue.verifications_where(
        work.reading, f"v.monitor = ? AND {queue.IS_DISPUTED} ORDER BY v.number", monitor, reviews
    ):
        on = _VerificationReviews(work, monitor, verification.number)
        said = [one for one in on.slots if one.slot > 0 and one.answer is not None]
        if len(said) == reviews:  # more of them disagree, and wait for someone who may settle
            on.follow(said[-1].reviewer)


@monitor_writer_job
def give_review(
    work: WriterUnit,
    monitor: str,
    reviewer: str,
    number: int,
    said: Said,
    revision: int | None = None,
    replace: bool = False,
    settles: bool = False,
) -> Reviewed:
    """Record one review.

    To `replace` a settled answer, the `revision` of the verification is needed that the reviewer saw; `settles` says
    whether they may settle disagreements.
    """
    on = _VerificationReviews(work, monitor, number)
    answer = check_review(said, on.verification, on.review)
    own = on.own(reviewer)
    if own is not None and own.answer == answer:
        return Reviewed(number, "unchanged", on.verification.revision)
    if not on.verification.open:
        if not replace or revision != on.verification.revision:
            raise on.conflict()
        return _replace_review_of_settled(on, reviewer, own, answer, settles)
    if said.skipped:
        # The slot is free again, but the verification is not offered to the same reviewer.
        on.put(queue.ReviewSlot(on.skip_place(), reviewer, None, answer, work.now))
        on.journal(reviewer, answer)
        status = on.follow(reviewer)
        return Reviewed(number, "skipped" if status == "skipped" else "passed on", on.verification.revision)
    on.put(queue.ReviewSlot(_find_slot_for_review(on, own, settles), reviewer, None, answer, work.now))
    if on.review.reviews > 1:
        on.journal(reviewer, answer)
    return Reviewed(number, on.follow(reviewer), on.verification.revision)


def _find_slot_for_review(on: _VerificationReviews, own: queue.ReviewSlot | None, settles: bool) -> int:
    """Return the slot for an answer; if need be, one that someone else has claimed but not answered."""
    if own is not None and own.slot > 0:
        return own.slot
    taken = {one.slot: one for one in on.slots if one.slot > 0}
    free = {number: one for number, one in taken.items() if one.live(on.work.now)}
    found = queue.free_review_slot(free, on.review.reviews)
    if found is None:
        found = min(number for number, one in taken.items() if one.answer is None)
    if found > on.review.reviews:
        keys.check_may_settle(settles, "the reviews of this verification disagree: settling it")
    return found


def _replace_review_of_settled(
    on: _VerificationReviews, reviewer: str, own: queue.ReviewSlot | None, answer: dict[str, Any], settles: bool
) -> Reviewed:
    """Replace the answer of a settled verification."""
    if own is None:
        keys.check_may_settle(settles, "this verification was settled by others: replacing that")
        on.settle(answer.get("correct"), answer.get("label"), reviewer)
        return Reviewed(on.verification.number, "settled", on.verification.revision)
    rests = on.rests_on_reviews()
    if answer == _SKIPPED:
        on.remove(own)
        place = on.skip_place()
    else:
        taken = {one.slot: one for one in on.slots if one.slot > 0 and one is not own}
        place = own.slot if own.slot > 0 else queue.free_review_slot(taken, on.review.reviews) or 1
    on.put(queue.ReviewSlot(place, reviewer, None, answer, on.work.now))
    on.journal(reviewer, answer)
    status: ReviewStatus = on.follow(reviewer) if rests else "recorded"
    return Reviewed(on.verification.number, status, on.verification.revision)


@monitor_writer_job
def withdraw_review(work: WriterUnit, monitor: str, reviewer: str, number: int) -> Reviewed:
    """Withdraw a review; if it settled the verification, the verification is open again."""
    on = _VerificationReviews(work, monitor, number)
    own = on.own(reviewer)
    if own is None or own.answer is None:
        raise Problem("conflict", "you have no answer to this verification that could be withdrawn")
    rests = not on.verification.open and on.rests_on_reviews()
    on.remove(own)
    on.journal(reviewer, {"withdrawn": True})
    if rests:
        on.follow(reviewer)
    return Reviewed(number, "withdrawn", on.verification.revision)


@monitor_writer_job
def settle_over_reviews(
    work: WriterUnit,
    monitor: str,
    reviewer: str,
    number: int,
    said: Said,
    revision: int | None = None,
    replace: bool = False,
) -> Reviewed:
    """Settle a verification regardless of its reviews."""
    on = _VerificationReviews(work, monitor, number)
    answer = check_review(said, on.verification, on.review)
    if not on.verification.open:
        if (answer.get("correct"), answer.get("label")) == (on.verification.correct, on.verification.label):
            return Reviewed(number, "unchanged", on.verification.revision)
        if not replace or revision != on.verification.revision:
            raise on.conflict()
    on.settle(answer.get("correct"), answer.get("label"), reviewer)
    return Reviewed(number, "skipped" if said.skipped else "settled", on.verification.revision)


def check_review(said: Said, verification: Verification, review: ReviewSettings) -> dict[str, Any]:
    """Check a review, and return its correctness and its label, if one was given."""
    if (said.correct is not None) + (said.label is not None) + bool(said.skipped) != 1:
        raise Problem("invalid", "give exactly one of correct, label and skipped; nothing changed")
    if said.skipped:
        return dict(_SKIPPED)
    if said.label is None:
        if review.blind:
            wrong = problem_place(["label"], "choose one of the monitor's labels")
            raise Problem("invalid", "the prediction is hidden in this monitor: give a label", places=[wrong])
        return {"correct": bool(said.correct)}
    if review.labels and str(said.label) not in review.labels:
        raise Problem(
            "invalid",
            "the monitor has no such label",
            places=[problem_place(["label"], "choose one of the monitor's labels")],
        )
    label = _convert_reviewed_label(said.label, verification.prediction)
    try:
        return {"correct": is_same_label(verification.prediction, label), "label": label}
    except SidelightError as error:
        detail = answers.UNLIKE if review.blind else str(error)
        raise Problem(
            "invalid", detail, places=[problem_place(["label"], "give a label of the classes' type")]
        ) from None


def _convert_reviewed_label(label: Label, prediction: Label) -> Label:
    """Convert a label given as text, for example in a form, to the type of the prediction."""
    if not isinstance(label, str) or isinstance(prediction, str):
        return label
    if label == str(prediction):
        return prediction
    try:
        found = float(label) if isinstance(prediction, float) else int(label)
    except ValueError:
        return label
    return found if request_label_fault(found) is None else label  # float() reads "nan" and "1e999", too
