"""A monitor in memory that follows its journal."""

from __future__ import annotations

import functools
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor import RULE, ClassifierMonitor, Decision
from sidelight.monitor.report.make import OLDEST
from sidelight.monitor.report.records import Report
from sidelight.monitor.types import PLACES, REASONS, Closed, Event
from sidelight.service import journal
from sidelight.service.journal.entry import Entry
from sidelight.service.settings import ReviewSettings, from_json, make_review, review_plain

_DAY = 86_400


class DivergedError(SidelightError):
    """Replaying the journal does not give what the journal says."""


class Mark(NamedTuple):
    """Where a monitor was before a request."""

    version: tuple[object, ...]
    number: int
    chain: bytes
    spent: tuple[str, str, int] | None


class Held:
    """One `ClassifierMonitor` and its position in the journal.

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
        self._news: list[Event] = []
        self._closed: list[Closed] = []
        self._monitor: ClassifierMonitor | None = None
        self.snapshot_at = 0
        """The number of the snapshot that it was loaded from."""
        self.spent: tuple[str, str, int] | None = None
        """Which cap was last reported as used up, on which day, and after how many verifications."""
        self.made_report: tuple[bytes, Report] | None = None
        """The latest report, and the chain of the last entry it includes."""

    @property
    def monitor(self) -> ClassifierMonitor:
        """The monitor; it does not exist before its first entry."""
        if self._monitor is None:
            raise DivergedError(f"the journal of {self.id} does not begin with the creation of the monitor")
        return self._monitor

    def watch(self, monitor: ClassifierMonitor) -> None:
        """Hold this monitor."""
        self._monitor = monitor
        monitor.on_verdict(self._news.append)
        monitor.on_closed(self._closed.append)

    @property
    def version(self) -> tuple[object, ...]:
        """A value that differs after every change of this object."""
        library = None if self._monitor is None else self._monitor.version
        return self.number, self.archived, id(self.review), library

    def mark(self) -> Mark:
        """Return what `go_back` needs."""
        return Mark(self.version, self.number, self.chain, self.spent)

    def go_back(self, mark: Mark) -> bool:
        """Forget the entries after a mark; False if the monitor itself has changed since, and must be rebuilt."""
        if self.version[1:] != mark.version[1:]:
            return False
        self.number, self.chain, self.spent = mark.number, mark.chain, mark.spent
        return True

    def news(self) -> tuple[list[Event], list[Closed]]:
        """Return what happened to verdicts and open requests since the last call."""
        if not self._news and not self._closed:
            return [], []
        news, closed = self._news[:], self._closed[:]
        self._news.clear()
        self._closed.clear()
        return news, closed

    def advance(self, entry: Entry) -> None:
        """Move to the next entry; the caller has already changed the monitor accordingly."""
        self.number, self.chain = entry.number, entry.chain

    def apply(self, entry: Entry, *, anew: bool = False) -> None:
        """Apply an entry; with `anew` the monitor decides again, and must reach the same decision."""
        if entry.number != self.number + 1 or not entry.chained_to(self.chain):
            raise DivergedError(f"the chain of entry {entry.number} does not follow from the entry before")
        apply = _decided_anew if anew and entry.kind == journal.DECIDED else _APPLY.get(entry.kind)
        if apply is not None:
            try:
                data = entry.data
                found = apply(self, data) | plain_news(*self.news())
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise DivergedError(f"entry {entry.number} cannot be applied: {error!r}") from error
            said = {name: data[name] for name in (*found, "turned", "closed") if name in data}
            if found != said:
                raise DivergedError(f"entry {entry.number} says {said}, but replaying it gives {found}")
        self.advance(entry)

    def state(self) -> dict[str, Any]:
        """Return everything as plain data."""
        return {
            "monitor": self.monitor.to_dict(),
            "review": review_plain(self.review),
            "archived": self.archived,
        }

    @classmethod
    def from_state(cls, id: str, state: dict[str, Any], number: int, chain: bytes) -> Held:
        """Return the monitor with this state, at this position in its journal."""
        held = cls(id)
        held.watch(ClassifierMonitor.from_dict(state["monitor"]))
        held.review, held.archived = make_review(state["review"]), state["archived"]
        held.number, held.chain, held.snapshot_at = number, chain, number
        return held

    def report(self) -> Report:
        """Return the report, which is made only once per journal entry."""
        if self.made_report is None or self.made_report[0] != self.chain:
            found = self.monitor.report()
            self.made_report = self.chain, without_ids(found) if self.review.blind else found
        return self.made_report[1]


def without_ids(report: Report) -> Report:
    """Return a report that does not say which pending request is of which class, which a blind monitor hides."""
    named = [
        one if one.stalled is None else replace(one, stalled=one.stalled.partition(OLDEST)[0] or None)
        for one in report.classes
    ]
    return replace(report, classes=tuple(named))


def plain_news(news: list[Event], closed: list[Closed]) -> dict[str, Any]:
    """Return changes of verdicts and requests as the journal stores them; empty if there were none."""
    told: dict[str, Any] = {}
    if news:
        told["turned"] = [[one.prediction, one.before, one.verdict, one.cause] for one in news]
    if closed:
        told["closed"] = [[one.number, int(one.forgotten)] for one in closed]
    return told


def said(correct: bool | None) -> dict[str, Any]:
    """Return an answer (None to skip) as arguments of `ClassifierMonitor.answer`."""
    return {"skipped": True} if correct is None else {"correct": correct}


# Each of these applies an entry to a monitor, and returns what the entry must contain if both agree.


def _created(held: Held, data: dict[str, Any]) -> dict[str, Any]:
    held.watch(ClassifierMonitor.from_dict(data["state"]))  # with the defaults of the version that created it
    held.review = make_review(data["review"])
    return {"rule": RULE}


def _decided(held: Held, data: dict[str, Any]) -> dict[str, Any]:
    _begin_batch(held, data)
    decision = Decision(bool(data["verify"]), data["id"], REASONS[data["reason"]], data["class"])
    held.monitor.record(decision, time=data["time"], named=True)
    return {"number": held.monitor.asked} if data["verify"] else {}


def _decided_anew(held: Held, data: dict[str, Any]) -> dict[str, Any]:
    _begin_batch(held, data)
    decision = held.monitor.decide(data["class"], id=data["id"], time=data["time"])
    found = {"verify": int(decision.verify), "reason": PLACES[decision.reason], "day": day_of(data["time"])}
    return found | ({"number": held.monitor.asked} if decision.verify else {})


def _begin_batch(held: Held, data: dict[str, Any]) -> None:
    if "batch" in data:
        held.monitor.begin_batch(data["batch"])


def _answered(held: Held, data: dict[str, Any]) -> dict[str, Any]:
    answer = held.monitor.answer(data["id"], **said(data["correct"]))
    return {"status": answer.status, "previous": answer.previous, "verdict": answer.verdict}


def _settings(held: Held, data: dict[str, Any]) -> dict[str, Any]:
    if data.get("limits"):
        held.monitor.change(**{name: from_json(name, value) for name, value in data["limits"].items()})
    if data.get("review"):
        held.review = make_review(data["review"], held.review)
    held.archived = data.get("archived", held.archived)
    return {}


def _expired(held: Held, data: dict[str, Any]) -> dict[str, Any]:
    held.monitor.expire(data["time"])
    return {}


def day_of(time: float) -> str:
    """Return the day, in UTC, of a time in seconds since 1970."""
    return _day(int(time // _DAY))


@functools.lru_cache(maxsize=16)
def _day(number: int) -> str:
    """Return the day with this number, counted from 1970; cached, because nearly all decisions are from today."""
    return datetime.fromtimestamp(number * _DAY, UTC).date().isoformat()


_APPLY = {
    journal.CREATED: _created,
    journal.DECIDED: _decided,
    journal.ANSWERED: _answered,
    journal.SETTINGS: _settings,
    journal.EXPIRED: _expired,
}
