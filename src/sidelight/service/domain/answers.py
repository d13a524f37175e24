"""Recording answers: each gets its own result, whether it came from a program or from reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor import UnknownIdError
from sidelight.monitor.inputs import is_same_label
from sidelight.monitor.types import Label
from sidelight.service.auth.keys import check_may_answer_directly
from sidelight.service.domain import history
from sidelight.service.domain.inputs import AnswerTo
from sidelight.service.domain.verifications import (
    DELETED,
    FORGOTTEN,
    UNSETTLED,
    note_closed_verifications,
    settle_verification_row,
)
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica, journal_events
from sidelight.service.problems import Problem, problem_place
from sidelight.service.writer.unit import Job, Verification, WriterUnit

NOT_CHOSEN, UNKNOWN, CONFLICT, GONE = "not chosen", "unknown", "conflict", "gone"
"""Statuses of an answer in addition to those of the library; with these, nothing has changed."""

UNLIKE = "the label and the prediction are of different types; nothing changed"
"""What is said instead of the class, which a blind monitor does not tell."""
_HIDDEN = {
    CONFLICT: "this verification is settled with another answer: set replace to change that",
    GONE: "this verification was forgotten or deleted, or is too old to be changed",
}
_WORDS = {None: "skipped", True: "right", False: "wrong"}


class Answered(NamedTuple):
    """The result of an answer."""

    id: str
    status: str
    """As `sidelight.monitor.Answer.status`, or "not chosen" (let pass), "unknown" (never decided), "conflict" (the
    verification has a different answer) or "gone" (forgotten or deleted)."""
    verdict: str | None
    """The verdict on the class now."""
    detail: str
    correct: bool | None = None
    """The verification's answer now; None if it is skipped or has none."""


def record_answers(monitor: str, given: Sequence[AnswerTo], *, actor: str, settles: bool = True) -> Job[list[Answered]]:
    """Record answers; the results are in the same order. `settles` says whether the actor has that scope."""
    keys = [journal.journal_key_of_prediction(monitor, one.id) for one in given]
    return Job(
        lambda work: _check_and_record_answers(work, monitor, given, keys, actor, settles),
        (monitor,),
        verification_keys=keys,
    )


def _check_and_record_answers(
    work: WriterUnit, monitor: str, given: Sequence[AnswerTo], keys: Sequence[bytes], actor: str, settles: bool
) -> list[Answered]:
    """Check everything, then record the answers one by one."""
    replica = work.replica(monitor)
    replica.check_open()
    check_may_answer_directly(actor, settles, replica.review)
    work.look_up_verifications(keys)
    work.look_up(key for key in keys if work.verifications[key] is None)
    saying = _correctness_of_answers(work, given, keys, replica.review.blind)
    results = []
    for one, key, correct in zip(given, keys, saying, strict=True):
        work.look_up_verifications([key])
        verification = work.verifications[key]
        if verification is None or verification.id != one.id:
            results.append(_refuse_answer_of_passed_prediction(work, one.id, key))
        else:
            result = settle_verification_with_answer(
                work, replica, verification, correct, label=one.label, replace=one.replace, actor=actor
            )
            results.append(_hide_answer_from_blind_reader(result) if replica.review.blind else result)
    return results


def _correctness_of_answers(
    work: WriterUnit, given: Sequence[AnswerTo], keys: Sequence[bytes], blind: bool
) -> list[bool | None]:
    """Return whether each answer says correct, None to skip; labels that cannot be compared are refused."""
    saying, found = [], []
    for i, (one, key) in enumerate(zip(given, keys, strict=True)):
        correct, verification = one.correct, work.verifications[key]
        if one.label is not None and verification is not None:
            try:
                correct = is_same_label(verification.prediction, one.label)
            except SidelightError as error:
                found.append(problem_place([i, "label"], UNLIKE if blind else str(error)))
        saying.append(correct)
    if found:
        raise Problem("invalid", "some labels cannot be compared with predictions; nothing changed", places=found)
    return saying


def settle_verification_with_answer(
    work: WriterUnit,
    replica: Replica,
    verification: Verification,
    correct: bool | None,
    *,
    label: Label | None = None,
    replace: bool = False,
    actor: str,
    detail: dict[str, Any] | None = None,
) -> Answered:
    """Give a verification its settled answer (None to skip it), and pass it to the monitor.

    `detail` is journaled, too: who reviewed the verification and how, for example.
    """
    if verification.state in (FORGOTTEN, DELETED):
        return Answered(verification.id, GONE, None, f"this verification was {verification.state}; nothing changed")
    settled, relabelled = verification.state not in UNSETTLED, label != verification.label
    said = _WORDS[verification.correct]
    if settled and not replace and (verification.correct != correct or (replica.review.blind and relabelled)):
        text = f"this verification is settled as {said}: set replace to change that; nothing changed"
        return Answered(verification.id, CONFLICT, None, text, verification.correct)
    before = history.class_position_in_history(replica, verification.prediction)
    try:
        kept = label if replace or not settled or correct != verification.correct else verification.label
        answer, events = replica.monitor.answer(verification.id, correct, kept)
    except UnknownIdError:
        text = f"this verification is settled as {said} and is too old to be changed; nothing changed"
        return Answered(verification.id, GONE, None, text, verification.correct)
    # A reopened verification may be skipped again, and another label may be as wrong as the one before.
    if answer.status != "unchanged" or not settled or (replace and relabelled):
        body: dict[str, Any] = {
            "id": verification.id,
            "number": verification.number,
            "class": verification.prediction,
            "correct": correct,
            "previous": answer.previous,
            "status": answer.status,
            "verdict": answer.verdict,
        }
        body |= ({} if label is None else {"label": label}) | (detail or {}) | journal_events(events)
        number = work.append(replica.id, journal.ANSWERED, body, actor=actor)
        settle_verification_row(work, verification, correct, label, actor)
        note_closed_verifications(work, replica, events)
        history.note_class_history(work, replica, verification.prediction, before, number)
    return Answered(verification.id, answer.status, answer.verdict, answer.text, correct)


def _hide_answer_from_blind_reader(result: Answered) -> Answered:
    """Return a result that does not give the prediction away, as a blind monitor keeps it secret."""
    if result.status in (CONFLICT, GONE):
        return Answered(result.id, result.status, None, f"{_HIDDEN[result.status]}; nothing changed")
    return Answered(
        result.id, "recorded", None, "the answer is recorded; this monitor does not say whether it is right"
    )


def _refuse_answer_of_passed_prediction(work: WriterUnit, id: str, key: bytes) -> Answered:
    work.look_up([key])
    known = work.known[key]
    if known is None or known.id != id:
        return Answered(id, UNKNOWN, None, "this id was never decided: check it; nothing changed")
    return Answered(id, NOT_CHOSEN, None, "this prediction was let pass, not chosen for verification; nothing changed")
