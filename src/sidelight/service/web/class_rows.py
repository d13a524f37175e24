"""What the pages show about one class besides its report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sidelight.monitor.report.records import ClassReport
from sidelight.monitor.report.wording import (
    word_skipped_share_of_report,
    word_stalled_class_of_report,
    word_standing_verdict_of_report,
)
from sidelight.monitor.types import ANSWERS
from sidelight.service.domain.queue import IS_DISPUTED, IS_UNSETTLED
from sidelight.service.journal import entry as journal
from sidelight.service.store.base import Reader
from sidelight.service.web.charts import Point
from sidelight.service.web.rendering import page_address
from sidelight.text import count, thousands

_MOST_TURNS = 12
_MANY_SKIPPED = 0.05
"""Share of skipped verifications from which on a warning stands beside the verdict."""


class Standing(NamedTuple):
    """What the database knows about the unanswered verifications of a class."""

    unsettled: int
    oldest: float | None
    """When the oldest verification that is still waiting was requested."""
    disputed: int = 0


def answer_rate_on_page(counts: Any) -> float | None:
    """Return the share of answered verifications among those that are no longer pending."""
    settled = counts.verified + counts.overdue + counts.skipped
    return counts.verified / settled if settled else None


def address_of_class_page(monitor: str, name: Any) -> str:
    """Return the address of a class's page; the name is JSON, because 7 and "7" are different classes."""
    return page_address(f"/m/{monitor}/class", name=journal.journal_json(name))


def describe_needed_answers_on_page(one: ClassReport) -> str:
    """Return how many more answers the verdict on a class takes."""
    if one.verdict != "unknown":
        return "decided"
    if one.needed is None:
        return "too close to tell"
    return f"~{thousands(one.needed)} more"


def class_warnings_on_page(one: ClassReport, standing: Standing | None) -> list[str]:
    """Return the warnings about a verdict."""
    found = []
    if standing is not None and standing.disputed:
        found.append(f"reviewers disagree on {standing.disputed} of {count(standing.unsettled, 'open verification')}")
    if one.stands is not None and one.stands[1] and one.stands[0] < one.stands[1]:
        found.append(word_standing_verdict_of_report(*one.stands))
    if (one.skipped_share or 0.0) >= _MANY_SKIPPED:
        found.append(word_skipped_share_of_report(one))
    if one.stalled is not None:
        found.append(word_stalled_class_of_report(one))
    if not one.decidable:
        found.append("cannot be decided with the labels available")
    return found


class Turn(NamedTuple):
    """A change of the verdict on a class."""

    number: int
    """Of the journal entry."""
    at: float
    name: str
    """The JSON of the class."""
    before: str
    verdict: str
    counted: int
    errors: int


class History(NamedTuple):
    """Hold the points of a class's interval over its answers, and the changes of its verdict."""

    points: list[Point]
    turns: list[Turn]


def read_class_histories_for_page(tx: Reader, monitor: str, names: Sequence[Any]) -> dict[str, History]:
    """Return the history of classes over their answers, by the JSON of their names."""
    columns = "number, at, class, verdict, counted, errors, low, high"
    sql = f"SELECT {columns} FROM history WHERE class IN (??) AND monitor = ? ORDER BY class, number"
    found = {journal.journal_json(one): History([], []) for one in names}
    last = dict.fromkeys(found, "unknown")
    for number, at, name, verdict, counted, errors, low, high in tx.among(sql, list(found), monitor):
        points, turns = found[name]
        if verdict != last[name]:
            turns.append(Turn(number, at, name, last[name], verdict, counted, errors))
            last[name] = verdict
        # After a change of the error rate, a class counts from zero again: only the part since then is shown.
        if points and counted < points[-1].at:
            points.clear()
        points.append(Point(counted, low, high, errors / counted if counted else None))
    return found


def turned_verdict_rows_on_page(tx: Reader, monitor: str, name: str, turns: Iterable[Turn]) -> list[dict[str, Any]]:
    """Return changes of verdicts as tables show them, the latest first; `name` is that of the monitor."""
    latest = sorted(turns, reverse=True)[:_MOST_TURNS]
    sql = "SELECT number, body FROM journal WHERE number IN (??) AND monitor = ?"
    bodies = {
        number: journal.read_journal_json(body)
        for number, body in tx.among(sql, [one.number for one in latest], monitor)
    }
    rows = []
    for one in latest:
        words = f"after {count(one.counted, 'answer')}, {one.errors} wrong"
        said = bodies.get(one.number, {}).get("turned", ())  # nothing if the entry is pruned
        causes = [cause for who, _, _, cause in said if journal.journal_json(who) == one.name and cause != ANSWERS]
        label = journal.read_journal_json(one.name)
        told = {"name": str(label), "link": address_of_class_page(name, label), "words": ", by ".join([words, *causes])}
        rows.append(one._asdict() | told)
    return rows


def read_class_standings_for_page(tx: Reader, monitor: str, reviews: int) -> Mapping[str, Standing]:
    """Return the unsettled verifications of each class, by the JSON of its name."""
    oldest = "MIN(CASE WHEN v.state = 'open' THEN v.asked_at END)"
    where = f"verifications v WHERE v.monitor = ? AND {IS_UNSETTLED}"
    sql = f"SELECT v.class, COUNT(*), {oldest} FROM {where} GROUP BY v.class"
    found = {name: Standing(unsettled, since) for name, unsettled, since in tx.all(sql, monitor)}
    if reviews > 1:
        sql = f"SELECT v.class, COUNT(*) FROM verifications v WHERE v.monitor = ? AND {IS_DISPUTED} GROUP BY v.class"
        for name, disputed in tx.all(sql, monitor, reviews):
            found[name] = found[name]._replace(disputed=disputed)
    return found
