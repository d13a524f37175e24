"""What an answer does: it is new, repeated, a correction, or a release."""

from __future__ import annotations

from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.engine.ledger import Ledger, Verification
from sidelight.monitor.engine.line import OVERDUE, PENDING, RIGHT, SKIPPED, WRONG
from sidelight.monitor.inputs import label, same_label, yes_or_no
from sidelight.monitor.types import CORRECTED, LATE, Answer, Id, Label, Status

_SAID = {RIGHT: True, WRONG: False}
_WORDS = {RIGHT: "right", WRONG: "wrong", SKIPPED: "skipped", PENDING: "pending", OVERDUE: "overdue"}


def status_of(prediction: Label, correct: Any, true: Any, skipped: bool) -> int:
    """Return the status that an answer gives to a verification."""
    if skipped is False and true is None and isinstance(correct, bool):
        return RIGHT if correct else WRONG
    skip = yes_or_no("skipped", skipped)
    if (correct is not None) + (true is not None) + skip != 1:
        raise SidelightError("an answer is one of correct=True or False, label=..., or skipped=True; nothing changed")
    if skip:
        return SKIPPED
    right = yes_or_no("correct", correct) if true is None else same_label(prediction, label(true))
    return RIGHT if right else WRONG


def take(ledger: Ledger, id: Id, record: Verification, status: int) -> Answer:
    """Set the new status of a verification, and say what that changed."""
    state, before = record.state, record.status
    said, previous, was = _SAID.get(status), _SAID.get(before), state.verdict
    if status == before:
        text = f"{id!r} was {_WORDS[status]} already: nothing changed"
        return Answer("unchanged", id, state.name, said, said, was, False, text)
    ledger.settle(record, status, LATE if previous is None else CORRECTED)
    if status == SKIPPED:
        kind: Status = "released" if previous is None else "withdrawn"
    else:
        kind = "recorded" if previous is None else "corrected"
    text = f"{id!r} ({state.name!r}) is {_WORDS[status]}"
    if previous is not None or before == OVERDUE:
        text += f"; it was {_WORDS[before]} before"
    if record.outdated:
        text += (
            "; it does not count, because the class has started from scratch since, after a change of its error rate"
        )
    changed = was != state.verdict
    text += f"; the verdict is {state.verdict!r} and was {was!r}" if changed else ""
    return Answer(kind, id, state.name, said, previous, state.verdict, changed, text)
