"""The first page: all monitors that the visitor may see."""

from __future__ import annotations

from collections import Counter

from fastapi import Request, Response

from sidelight.monitor.report.records import Report
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.queue import Waiting, waiting_for
from sidelight.service.domain.service import Service
from sidelight.service.problems import Problem
from sidelight.service.settings import make_review, split
from sidelight.service.store.base import Reader
from sidelight.service.web.charts import percent
from sidelight.service.web.rendering import render_page
from sidelight.service.web.visitors import enter_page, make_router, new_etag, page_context, service_of

router = make_router()
_MOST_REPORTS = 50
"""How many monitors show counts of classes; each needs a report, which takes time."""
VERDICTS = ("above", "near", "unknown", "below")


@router.get("/")
def overview_page(request: Request) -> Response:
    """Show the monitors."""
    visitor, service = enter_page(request), service_of(request)
    only = visitor.monitors
    with service.read() as tx:
        rows = [one for one in monitors.all_monitors(tx) if only is None or one.id in only]
        waiting = {one.id: _waiting_reviews(tx, visitor, one) for one in rows}
        now = tx.now()
    etag = new_etag(request, visitor, [(one.id, one.last, waiting[one.id]) for one in rows])
    shown = []
    for place, one in enumerate(rows):
        seen = visitor.may("report", one.id) and place < _MOST_REPORTS
        report, warning = _report_or_warning(service, one) if seen else (None, None)
        counts: Counter[str] = Counter(() if report is None else (each.verdict for each in report.classes))
        shown.append((one, tolerance_words(one), waiting[one.id], report, counts, warning))
    # A warning can end without a new journal entry.
    context = {"monitors": shown, "verdicts": VERDICTS, "now": now, "poll": 5}
    warned = any(warning for *_, warning in shown)
    return render_page("overview.html", page_context(visitor) | context | {"etag": "" if warned else etag})


def _report_or_warning(service: Service, row: MonitorRow) -> tuple[Report | None, str | None]:
    """Return a monitor's report, or why it cannot be used now, which must not hide the other monitors."""
    try:
        return service.report(row.id), None
    except Problem as problem:
        return None, problem.detail


def _waiting_reviews(tx: Reader, visitor: Reviewer, row: MonitorRow) -> Waiting:
    review = make_review(split(row.settings)[1])
    return waiting_for(tx, row.id, visitor.actor, review.reviews, visitor.may("settle", row.id))


def tolerance_words(row: MonitorRow) -> str:
    """Return the most important settings of a monitor, in words."""
    tolerance = row.settings.get("tolerance")
    rate = f"tolerates {percent(tolerance)} errors" if isinstance(tolerance, float | int) else "one tolerance per class"
    review = make_review(split(row.settings)[1])
    words = [rate, f"confidence {percent(row.settings.get('confidence', 0.99))}"]
    words += ["two reviews per verification"] if review.reviews > 1 else []
    words += ["blind"] if review.blind else []
    return ", ".join(words)
