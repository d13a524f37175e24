"""What becomes of an answer: it is new, repeated, a correction, or a release."""

from __future__ import annotations

from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.classes import ClassState
from sidelight.monitor.decisions import Answer, Id, Label, Status
from sidelight.monitor.inputs import label, same_label, yes_or_no
from sidelight.monitor.ledger import PENDING, RIGHT, SKIPPED, WRONG, Ledger, Verification

_SAID = {RIGHT: True, WRONG: False}
_WORDS = {RIGHT: "right", WRONG: "wrong", SKIPPED: "skipped", PENDING: "pending"}


def status_of(prediction: Label, correct: Any, true: Any, skipped: bool) -> int:
    """Return the status that an answer gives to a verification."""
    skip = yes_or_no("skipped", skipped)
    if (correct is not None) + (true is not None) + skip != 1:
        raise SidelightError("an answer is one of correct=True or False, label=..., or skipped=True; nothing changed")
    if skip:
        return SKIPPED
    right = yes_or_no("correct", correct) if true is None else same_label(prediction, label(true))
    return RIGHT if right else WRONG


def take(ledger: Ledger, id: Id, record: Verification, status: int) -> Answer:
    """Replace the status of a verification."""
    state, before = record.state, record.status
    if status == before:
        said = _SAID.get(status)
        text = f"{id!r} was {_WORDS[status]} already: nothing changed"
        return Answer("unchanged", id, state.name, said, said, state.verdict, False, text)
    if before == PENDING:
        state.pending -= 1
        ledger.pending -= 1
    elif before == SKIPPED:
        state.skipped -= 1
    else:
        state.count(record.number, before == WRONG, -1)
    if status == SKIPPED:
        state.skipped += 1
    else:
        state.count(record.number, status == WRONG, 1)
    record.status = status
    return _settled(ledger, id, state, status, before)


def _settled(ledger: Ledger, id: Id, state: ClassState, status: int, before: int) -> Answer:
    """Bring the verdict up to date and say what has happened."""
    said, previous = _SAID.get(status), _SAID.get(before)
    was = state.verdict
    changed = state.settle("a correction" if previous is not None else "", ledger.asked)
    if status == SKIPPED:
        kind: Status = "released" if previous is None else "withdrawn"
    else:
        kind = "recorded" if previous is None else "corrected"
    text = f"{id!r} ({state.name!r}) is {_WORDS[status]}"
    text += "" if previous is None else f"; it was {_WORDS[before]} before"
    text += f"; the verdict is {state.verdict!r} and was {was!r}" if changed else ""
    return Answer(kind, id, state.name, said, previous, state.verdict, changed, text)
