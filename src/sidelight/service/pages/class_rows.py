"""What the pages show about one class, as text and small charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from sidelight.monitor.report_text import skipped_text, stands_text
from sidelight.monitor.reports import ClassReport
from sidelight.service import charts, journal
from sidelight.service.charts import Point, percent
from sidelight.service.pages.rendering import address
from sidelight.service.queue import DISPUTED_ITEM, UNSETTLED_ITEM
from sidelight.service.storage.base import Transaction
from sidelight.text import count, grouped

_SPARK_POINTS = 24
_MANY_SKIPPED = 0.05
"""Share of skipped items from which on a warning stands beside the verdict."""


class Standing(NamedTuple):
    """What the database knows about the unanswered items of a class."""

    items: int
    oldest: float | None
    """When the oldest item that is still waiting was requested."""
    disputed: int = 0


class ClassRow(NamedTuple):
    """One class as a table shows it; counts are text."""

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
    skipped_share: str
    warnings: list[str]
    events: tuple[str, ...]


def answer_rate(verified: int, overdue: int, skipped: int) -> float | None:
    """Return the share of answered requests among those that are no longer pending."""
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
        skipped_share=percent(one.skipped_share),
        warnings=_warnings(one, standing),
        events=one.events,
    )


def class_address(monitor: str, name: Any) -> str:
    """Return the address of a class's page; the name is JSON, because 7 and "7" are different classes."""
    return address(f"/m/{monitor}/class", name=journal.text_of(name))


def _needed(one: ClassReport) -> str:
    if one.verdict != "unknown":
        return "decided"
    if one.needed is None:
        return "too close to tell"
    return f"~{grouped(one.needed)} more"


def _warnings(one: ClassReport, standing: Standing | None) -> list[str]:
    """Return what readers should know before they rely on the verdict."""
    found = []
    if standing is not None and standing.disputed:
        found.append(f"reviewers disagree on {standing.disputed} of {count(standing.items, 'open item')}")
    if one.stands is not None and one.stands[1] and one.stands[0] < one.stands[1]:
        found.append(stands_text(*one.stands))
    if (one.skipped_share or 0.0) >= _MANY_SKIPPED:
        found.append(skipped_text(one))
    if not one.decidable:
        found.append("cannot be decided with the labels available")
    return found


def histories(tx: Transaction, monitor: str, names: Sequence[Any]) -> dict[str, list[Point]]:
    """Return the history of classes over their answers, by the JSON of their names."""
    columns = "class, counted, low, high, errors"
    sql = f"SELECT {columns} FROM history WHERE class IN (??) AND monitor = ? ORDER BY class, number"
    found: dict[str, list[Point]] = {}
    for name, counted, low, high, errors in tx.among(sql, [journal.text_of(one) for one in names], monitor):
        points = found.setdefault(name, [])
        # After a change of the error rate, a class counts from zero again: only the part since then is shown.
        if points and counted < points[-1].at:
            points.clear()
        points.append(Point(counted, low, high, errors / counted if counted else None))
    return found


def standings(tx: Transaction, monitor: str, reviews: int) -> Mapping[str, Standing]:
    """Return the unsettled items of each class, by the JSON of its name."""
    oldest = "MIN(CASE WHEN i.state = 'open' THEN i.asked_at END)"
    sql = f"SELECT i.class, COUNT(*), {oldest} FROM items i WHERE i.monitor = ? AND {UNSETTLED_ITEM} GROUP BY i.class"
    found = {name: Standing(items, since) for name, items, since in tx.all(sql, monitor)}
    if reviews > 1:
        sql = f"SELECT i.class, COUNT(*) FROM items i WHERE i.monitor = ? AND {DISPUTED_ITEM} GROUP BY i.class"
        for name, disputed in tx.all(sql, monitor, reviews):
            found[name] = found[name]._replace(disputed=disputed)
    return found
