"""Taking in answers: one result for each, whoever gave them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor.decisions import Label
from sidelight.monitor.inputs import same_label
from sidelight.service import history, journal
from sidelight.service.deciding import label_fault, text_fault
from sidelight.service.held import Held, plain_news
from sidelight.service.items import ANSWERED, DELETED, FORGOTTEN, SKIPPED, UNSETTLED, close_items
from sidelight.service.monitors import refuse_archived
from sidelight.service.problems import Problem, place
from sidelight.service.work import Job, Work

NOT_CHOSEN, UNKNOWN, CONFLICT, GONE = "not chosen", "unknown", "conflict", "gone"
"""What may become of an answer beside what the library says; nothing has changed then."""


class AnswerTo(NamedTuple):
    """One answer: exactly one of `correct`, `label` and `skipped`."""

    id: str
    correct: bool | None = None
    label: Label | None = None
    skipped: bool = False
    replace: bool = False
    """Whether another answer that stands may be replaced."""


class Answered(NamedTuple):
    """What became of it."""

    id: str
    status: str
    """As `sidelight.monitor.Answer.status`, or "not chosen" (let pass), "unknown" (never decided), "conflict" (another
    answer stands, see `detail`) or "gone" (forgotten or deleted)."""
    verdict: str | None
    """On the class, now."""
    detail: str
    correct: bool | None = None
    """What stands now."""


class Item(NamedTuple):
    """What the database holds about an item."""

    number: int
    id: str
    name: Label
    state: str
    correct: bool | None
    revision: int


class _Answer:
    """Takes in the answers of one request."""

    def __init__(self, monitor: str, answers: Sequence[AnswerTo], actor: str) -> None:
        self.monitors: Sequence[str] = (monitor,)
        self.answers, self.actor = answers, actor
        self._refuse_faults()
        self.keys = [journal.key_of(monitor, one.id) for one in answers]

    def _refuse_faults(self) -> None:
        found = []
        for i, one in enumerate(self.answers):
            fault = text_fault(one.id)
            if fault is not None:
                found.append(place([i, "id"], fault))
            if (one.correct is not None) + (one.label is not None) + bool(one.skipped) != 1:
                found.append(place([i], "give exactly one of correct, label and skipped"))
            elif one.label is not None and (fault := label_fault(one.label)) is not None:
                found.append(place([i, "label"], fault))
        if found:
            raise Problem("invalid", "some answers cannot be read; nothing changed", places=found)

    def run(self, work: Work) -> list[Answered]:
        """Check everything, then take in the answers one by one."""
        held = work.held(self.monitors[0])
        refuse_archived(held)
        work.look_up(self.keys)
        items = find_items(work, self.keys)
        statuses = self._correctness(items)
        results = []
        for one, key, correct in zip(self.answers, self.keys, statuses, strict=True):
            item = items.get(key)
            if item is None or item.id != one.id:
                results.append(_without_item(work, one.id, key))
                continue
            result = settle(work, held, item, correct, label=one.label, replace=one.replace, actor=self.actor)
            if result.status not in (CONFLICT, GONE):
                items[key] = item._replace(state=SKIPPED if correct is None else ANSWERED, correct=correct)
            results.append(result)
        return results

    def _correctness(self, items: dict[bytes, Item]) -> list[bool | None]:
        """Return what each answer says; labels that cannot be compared are refused."""
        said, found = [], []
        for i, (one, key) in enumerate(zip(self.answers, self.keys, strict=True)):
            correct, item = one.correct, items.get(key)
            if one.label is not None and item is not None:
                try:
                    correct = same_label(item.name, one.label)
                except SidelightError as error:
                    found.append(place([i, "label"], str(error)))
            said.append(correct)
        if found:
            raise Problem("invalid", "some labels cannot be compared; nothing changed", places=found)
        return said


def answers(monitor: str, given: Sequence[AnswerTo], *, actor: str) -> Job[list[Answered]]:
    """Take in answers; the results come in their order."""
    return _Answer(monitor, given, actor)


def settle(
    work: Work,
    held: Held,
    item: Item,
    correct: bool | None,
    *,
    label: Label | None = None,
    replace: bool = False,
    actor: str,
    detail: dict[str, Any] | None = None,
) -> Answered:
    """Give an item its settled answer (None to skip it), and let the monitor know.

    `detail` goes into the journal, too: who reviewed it and how, say.
    """
    if item.state in (FORGOTTEN, DELETED):
        return Answered(item.id, GONE, None, f"this item was {item.state}; nothing changed")
    if item.state not in UNSETTLED and item.correct != correct and not replace:
        stands = {None: "skipped", True: "right", False: "wrong"}[item.correct]
        detail_text = f"this item is settled as {stands}: say replace to change that; nothing changed"
        return Answered(item.id, CONFLICT, None, detail_text, item.correct)
    counted = history.position(held, item.name)
    answer = held.monitor.answer(item.id, **({"skipped": True} if correct is None else {"correct": correct}))
    news, closed = held.news()
    if answer.status != "unchanged":
        body: dict[str, Any] = {
            "id": item.id,
            "number": item.number,
            "class": item.name,
            "correct": correct,
            "previous": answer.previous,
            "status": answer.status,
            "verdict": answer.verdict,
        }
        body |= ({} if label is None else {"label": label}) | (detail or {}) | plain_news(news, closed)
        number = work.append(held.id, journal.ANSWERED, body, actor=actor)
        work.tx.run(
            "UPDATE items SET state = ?, correct = ?, label = ?, settled_at = ?, settled_by = ?, "
            "revision = revision + 1 WHERE monitor = ? AND number = ?",
            SKIPPED if correct is None else ANSWERED,
            None if correct is None else int(correct),
            None if label is None else journal.text_of(label),
            work.now,
            actor,
            held.id,
            item.number,
        )
        close_items(work, held, news, closed)
        history.note(work, held, item.name, counted, number)
    return Answered(item.id, answer.status, answer.verdict, answer.text, correct)


def find_items(work: Work, keys: Sequence[bytes]) -> dict[bytes, Item]:
    """Return the items with these keys."""
    sql = "SELECT key, number, id, class, state, correct, revision FROM items WHERE key IN (??)"
    return {
        bytes(key): Item(
            number, id, journal.read_text(name), state, None if correct is None else bool(correct), revision
        )
        for key, number, id, name, state, correct, revision in work.tx.among(sql, keys)
    }


def _without_item(work: Work, id: str, key: bytes) -> Answered:
    known = work.known(key)
    if known is None or known.id != id:
        return Answered(id, UNKNOWN, None, "there is no decision about this id; nothing changed")
    return Answered(id, NOT_CHOSEN, None, "this prediction was let pass, not chosen for verification; nothing changed")
