"""The history of a monitor's classes, for charts.

There is a row when a verdict changes, and after 1, 2, ..., 99, 100, 110, ..., 990, 1000, 1100, ... counted answers: at
most 90 rows per power of ten, so that charts of a million answers stay small.
"""

from __future__ import annotations

import math

from sidelight.monitor.types import Events, Label, VerdictChanged
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica
from sidelight.service.writer.unit import WriterUnit

_COLUMNS = (
    "monitor",
    "class",
    "number",
    "at",
    "predictions",
    "asked",
    "counted",
    "errors",
    "low",
    "high",
    "verdict",
)


def class_position_in_history(replica: Replica, name: Label) -> tuple[int, str]:
    """Return the number of counted answers of a class, and its verdict."""
    state = replica.monitor.classes[name]
    return state.n, state.verdict


def note_class_history(work: WriterUnit, replica: Replica, name: Label, before: tuple[int, str], number: int) -> None:
    """Store a row about a class after an answer if one is due; `before` is its position before the answer."""
    now = replica.monitor.classes[name]
    if (now.n, now.verdict) == before or (now.verdict == before[1] and not _passes_history_milestone(before[0], now.n)):
        return
    _insert_class_history_row(work, replica, name, number)


def note_turned_verdicts_in_history(work: WriterUnit, replica: Replica, events: Events, number: int) -> None:
    """Store a row about each class whose verdict changed without an answer, as when requests become overdue."""
    for name in dict.fromkeys(one.prediction for one in events if isinstance(one, VerdictChanged)):
        _insert_class_history_row(work, replica, name, number)


def _insert_class_history_row(work: WriterUnit, replica: Replica, name: Label, number: int) -> None:
    now = replica.monitor.classes[name]
    low, high = now.interval()
    counts = (now.predictions, now.asked, now.n, now.e)
    work.insert(
        "history",
        _COLUMNS,
        (replica.id, journal.journal_json(now.name), number, work.now, *counts, low, high, now.verdict),
    )


def _passes_history_milestone(before: int, now: int) -> bool:
    """Say whether a number of two digits followed only by zeros lies after one count and up to another."""
    if now <= before:  # a correction, or a class that started from zero again
        return True
    step = 10 ** max(0, math.floor(math.log10(now)) - 1)
    return now // step * step > before
