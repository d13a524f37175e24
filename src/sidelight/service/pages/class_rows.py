"""What pages show about one class, in words and small charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from sidelight.monitor.reports import ClassReport
from sidelight.service import charts, journal
from sidelight.service.charts import Point, percent
from sidelight.service.pages.rendering import address
from sidelight.service.queue import DISPUTED_ITEM, UNSETTLED_ITEM
from sidelight.service.storage.base import Transaction
from sidelight.text import count, grouped

_SPARK_POINTS = 24


class Standing(NamedTuple):
    """What the database knows about the items of a class that have no answer."""

    items: int
    oldest: float | None
    """When the first was asked for that is still waited for."""
    disputed: int = 0


class ClassRow(NamedTuple):
    """One class as a table shows it; counts are written as text."""

    name: str
    link: str
    verdict: str
    tolerance: str
    estimate: str
    low: str
    high: str
    rate: str
    strip: Markup
    spark: Markup
    verified: str
    needed: str
    predictions: str
    saved: str
    answered: str
    pending: int
    oldest: float | None
    expired: int
    skipped: int
    warnings: list[str]
    events: tuple[str, ...]


def answer_rate(verified: int, overdue: int, skipped: int) -> float | None:
    """Return the share of requests that were answered, of those that are not waited for any more."""
    settled = verified + overdue + skipped
    return verified / settled if settled else None


def class_row(
    one: ClassReport, monitor: str, limit: float, points: Sequence[Point] = (), standing: Standing | None = None
) -> ClassRow:
    """Return what is shown about a class."""
    low, high = one.interval
    return ClassRow(
        name=str(one.name),
        link=class_address(monitor, one.name),
        verdict=one.verdict,
        tolerance=percent(one.tolerance),
        estimate=percent(one.estimate),
        low=percent(low),
        high=percent(high),
        rate=f"{percent(one.estimate)} ({percent(low)} to {percent(high)})",
        strip=charts.strip(one.interval, one.estimate, one.tolerance, one.verdict, limit),
        spark=charts.spark(charts.thinned(points, _SPARK_POINTS), one.tolerance, one.verdict),
        verified=grouped(one.verified),
        needed=_needed(one),
        predictions=grouped(one.predictions),
        saved=grouped(one.saved),
        answered=percent(answer_rate(one.verified, one.overdue, one.skipped)),
        pending=one.pending,
        oldest=None if standing is None else standing.oldest,
        expired=one.overdue,
        skipped=one.skipped,
        warnings=_warnings(one, standing),
        events=one.events,
    )


def class_address(monitor: str, name: Any) -> str:
    """Return the page of a class; it is named as JSON, for 7 and "7" are two classes."""
    return address(f"/m/{monitor}/class", name=journal.text_of(name))


def _needed(one: ClassReport) -> str:
    if one.verdict != "unknown":
        return "decided"
    if one.needed is None:
        return "too close to tell"
    return f"some {grouped(one.needed)} more"


def _warnings(one: ClassReport, standing: Standing | None) -> list[str]:
    """Return what a reader should know before relying on the verdict."""
    found = []
    if standing is not None and standing.disputed:
        found.append(f"reviewers disagree on {standing.disputed} of {count(standing.items, 'open item')}")
    if one.stands is not None and one.stands[1] and one.stands[0] < one.stands[1]:
        k, m = one.stands
        found.append(f"stands if at most {k} of {count(m, 'missing answer')} {'is' if m == 1 else 'are'} against it")
    if not one.decidable:
        found.append("cannot be decided with the labels there are")
    return found


def histories(tx: Transaction, monitor: str, names: Sequence[Any]) -> dict[str, list[Point]]:
    """Return how classes developed over their answers, by the JSON of their names."""
    columns = "class, counted, low, high, errors"
    sql = f"SELECT {columns} FROM history WHERE class IN (??) AND monitor = ? ORDER BY class, number"
    found: dict[str, list[Point]] = {}
    for name, counted, low, high, errors in tx.among(sql, [journal.text_of(one) for one in names], monitor):
        points = found.setdefault(name, [])
        # After a change of the error rate a class counts from nothing: only the stretch since then is shown.
        if points and counted < points[-1].at:
            points.clear()
        points.append(Point(counted, low, high, errors / counted if counted else None))
    return found


def standings(tx: Transaction, monitor: str, reviews: int) -> Mapping[str, Standing]:
    """Return what is open of each class, by the JSON of its name."""
    oldest = "MIN(CASE WHEN i.state = 'open' THEN i.asked_at END)"
    sql = f"SELECT i.class, COUNT(*), {oldest} FROM items i WHERE i.monitor = ? AND {UNSETTLED_ITEM} GROUP BY i.class"
    found = {name: Standing(items, since) for name, items, since in tx.all(sql, monitor)}
    if reviews > 1:
        sql = f"SELECT i.class, COUNT(*) FROM items i WHERE i.monitor = ? AND {DISPUTED_ITEM} GROUP BY i.class"
        for name, disputed in tx.all(sql, monitor, reviews):
            found[name] = found[name]._replace(disputed=disputed)
    return found
