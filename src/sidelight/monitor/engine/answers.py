"""What an answer does: it is new, repeated, a correction, or a release."""

from __future__ import annotations

from sidelight.monitor.engine.ledger import Ledger
from sidelight.monitor.engine.line import OVERDUE, PENDING, RIGHT, SKIPPED, WRONG
from sidelight.monitor.types import CORRECTED, LATE, Answer, Events, Id, Status

_STATUSES = {True: RIGHT, False: WRONG, None: SKIPPED}
_SAID = {RIGHT: True, WRONG: False}
_WORDS = {RIGHT: "right", WRONG: "wrong", SKIPPED: "skipped", PENDING: "pending", OVERDUE: "overdue"}


def take(ledger: Ledger, id: Id, correct: bool | None) -> tuple[Answer, Events]:
    """Enter an answer, None if the verification is skipped; say what it changed."""
    entry, status = ledger.entry(id), _STATUSES[correct]
    state, before = entry.state, entry.status
    previous, was = _SAID.get(before), state.verdict
    if status == before:
        text = f"{id!r} was {_WORDS[status]} already: nothing changed"
        return Answer("unchanged", id, state.name, correct, correct, was, False, text), ()
    events = ledger.settle(entry, status, LATE if previous is None else CORRECTED)
    if correct is None:
        kind: Status = "released" if previous is None else "withdrawn"
    else:
        kind = "recorded" if previous is None else "corrected"
    text = f"{id!r} ({state.name!r}) is {_WORDS[status]}"
    if previous is not None or before == OVERDUE:
        text += f"; it was {_WORDS[before]} before"
    if entry.outdated:
        text += (
            "; it does not count, because the class has started from scratch since, after a change of its error rate"
        )
    changed = was != state.verdict
    text += f"; the verdict is {state.verdict!r} and was {was!r}" if changed else ""
    return Answer(kind, id, state.name, correct, previous, state.verdict, changed, text), events
