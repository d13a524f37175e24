"""The first page with all monitors, and the dashboard of one: classes, verdicts, and how many labels they took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from fastapi import Request, Response

from sidelight.errors import NoEntryError
from sidelight.monitor.report.records import ClassReport, Report, rank_class_reports
from sidelight.monitor.report.wording import word_freshness_of_report, word_standing_verdict_of_report
from sidelight.service.auth.reviewers import Reviewer
from sidelight.service.domain import monitors
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.queue import WaitingReviews, count_claimable_verifications
from sidelight.service.domain.service import Service
from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem
from sidelight.service.settings import make_review_settings, split_settings
from sidelight.service.store.base import Reader
from sidelight.service.web import charts, class_rows, visitors
from sidelight.service.web.charts import page_percent
from sidelight.service.web.rendering import page_address, render_page
from sidelight.text import count, thousands

router = visitors.make_page_router()
_MOST_REPORTS = 50
"""How many monitors show counts of classes; each needs a report, which takes time."""
VERDICTS = ("above", "near", "unknown", "below")


@router.get("/")
def overview_page(request: Request) -> Response:
    """Show the monitors."""
    visitor, service = visitors.enter_page(request), visitors.service_of_page(request)
    only = visitor.monitors
    with service.read() as tx:
        rows = [one for one in monitors.list_served_monitors(tx) if only is None or one.id in only]
        waiting = {one.id: _waiting_reviews_on_page(tx, visitor, one) for one in rows}
        now = tx.now()
    etag = visitors.new_page_etag(request, visitor, [(one.id, one.last, waiting[one.id]) for one in rows])
    shown = []
    for place, one in enumerate(rows):
        seen = visitor.may("report", one.id) and place < _MOST_REPORTS
        report, warning = _report_or_warning_on_page(service, one) if seen else (None, None)
        counts: Counter[str] = Counter(() if report is None else (each.verdict for each in report.classes))
        shown.append((one, describe_tolerance_on_page(one), waiting[one.id], report, counts, warning))
    # A warning can end without a new journal entry.
    context = {"monitors": shown, "verdicts": VERDICTS, "now": now, "poll": 5}
    warned = any(warning for *_, warning in shown)
    return render_page("overview.html", visitors.page_context(visitor) | context | {"etag": "" if warned else etag})


def _report_or_warning_on_page(service: Service, row: MonitorRow) -> tuple[Report | None, str | None]:
    """Return a monitor's report, or why it cannot be used now, which must not hide the other monitors."""
    try:
        return service.report(row.id), None
    except Problem as problem:
        return None, problem.detail


def _waiting_reviews_on_page(tx: Reader, visitor: Reviewer, row: MonitorRow) -> WaitingReviews:
    review = make_review_settings(split_settings(row.settings)[1])
    return count_claimable_verifications(tx, row.id, visitor.actor, review.reviews, visitor.may("settle", row.id))


def describe_tolerance_on_page(row: MonitorRow) -> str:
    """Return the most important settings of a monitor, in words."""
    tolerance = row.settings.get("tolerance")
    rate = (
        f"tolerates {page_percent(tolerance)} errors"
        if isinstance(tolerance, float | int)
        else "one tolerance per class"
    )
    review = make_review_settings(split_settings(row.settings)[1])
    words = [rate, f"confidence {page_percent(row.settings.get('confidence', 0.99))}"]
    words += ["two reviews per verification"] if review.reviews > 1 else []
    words += ["blind"] if review.blind else []
    return ", ".join(words)


_PAGE = 100
_HOUR, _DAY = 3600, 86400
_SIZES: Sequence[tuple[int, str]] = (
    (300, "%H:%M"),
    (1800, "%b %d, %H:%M"),
    (_HOUR, "%b %d, %H:00"),
    (6 * _HOUR, "%b %d, %H:00"),
    (_DAY, "%b %d"),
    (7 * _DAY, "%b %d"),
    (28 * _DAY, "%b %Y"),
)
_MOST_SPANS = 50
_WORDS = {"above": "Above", "near": "Near", "unknown": "Open", "below": "Below"}


_CLASS_WORDS = {
    "address": class_rows.address_of_class_page,
    "answer_rate": class_rows.answer_rate_on_page,
    "needed": class_rows.describe_needed_answers_on_page,
    "warnings_of": class_rows.class_warnings_on_page,
    "spark": charts.draw_interval_sparkline,
}


@router.get("/m/{monitor}")
def dashboard_page(request: Request, monitor: str, verdict: str = "", q: str = "", page: int = 1) -> Response:
    """Show all classes, the most important first."""
    visitor, service = visitors.enter_page(request), visitors.service_of_page(request)
    with service.read() as tx:
        row, review = visitors.monitor_of_visitor(tx, visitor, monitor, "report")
        waiting = count_claimable_verifications(
            tx, row.id, visitor.actor, review.reviews, visitor.may("settle", row.id)
        )
    etag = visitors.new_page_etag(request, visitor, row.last, row.settings, waiting)
    report = service.report(row.id)
    shown, table = _class_table_on_page(row, report, verdict, q, page)
    with service.read() as tx:
        past = class_rows.read_class_histories_for_page(tx, row.id, [one.name for one in shown])
        unsettled = class_rows.read_class_standings_for_page(tx, row.id, review.reviews)
        turns = [turn for one in past.values() for turn in one.turns]
        keys = [journal.journal_json(one.name) for one in shown]
        context = (
            visitors.page_context(visitor, row, "Dashboard")
            | table
            | _totals_on_dashboard_page(report)
            | {
                **_CLASS_WORDS,
                "lead": describe_tolerance_on_page(row),
                "waiting": waiting,
                "oldest": min((one.oldest for one in unsettled.values() if one.oldest is not None), default=None),
                "budgets": _budgets_on_dashboard_page(tx, row, report),
                "rows": [(one, past[key].points, unsettled.get(key)) for one, key in zip(shown, keys, strict=True)],
                "columns": charts.draw_stacked_chart(
                    _asked_over_time_on_page(tx, row.id), ("answered", "not answered")
                ),
                "turns": class_rows.turned_verdict_rows_on_page(tx, row.id, row.name, turns),
                "base": visitors.own_address_of_pages(request),
                "now": tx.now(),
                "poll": 3,
                "etag": etag,
            }
        )
    return render_page("dashboard.html", context)


def _class_table_on_page(
    row: MonitorRow, report: Report, verdict: str, q: str, page: int
) -> tuple[list[ClassReport], dict[str, Any]]:
    """Return one page of the requested classes, with the other columns of their table."""
    chosen = [one for one in report.classes if verdict in ("", one.verdict) and q.lower() in str(one.name).lower()]
    first = (max(1, min(page, 1 + (len(chosen) - 1) // _PAGE)) - 1) * _PAGE
    shown = sorted(chosen, key=rank_class_reports)[first : first + _PAGE]
    asked = {"verdict": verdict, "q": q, "page": None}
    return shown, {
        "total": len(chosen),
        "first": first + 1,
        "page": first // _PAGE + 1,
        "verdict": verdict,
        "q": q,
        "link": lambda **changes: page_address(f"/m/{row.name}", **asked | changes),
        "limit": charts.common_axis_limit((one.tolerance for one in shown), (one.estimate for one in shown)),
    }


def _totals_on_dashboard_page(report: Report) -> dict[str, Any]:
    counts: Counter[str] = Counter(one.verdict for one in report.classes)
    totals = {name: sum(getattr(one, name) for one in report.classes) for name in ("verified", "overdue", "skipped")}
    return {
        "report": report,
        "counts": counts,
        "totals": SimpleNamespace(**totals),
        "filters": [(one, _WORDS[one], counts[one]) for one in VERDICTS if counts[one] or one != "near"],
        "facts": _facts_on_dashboard_page(report),
    }


@router.get("/m/{monitor}/class")
def class_page(request: Request, monitor: str, name: str) -> Response:
    """Show one class and its history."""
    visitor, service = visitors.enter_page(request), visitors.service_of_page(request)
    with service.read() as tx:
        row, review = visitors.monitor_of_visitor(tx, visitor, monitor, "report")
    etag = visitors.new_page_etag(request, visitor, row.last)
    report = service.report(row.id)
    one = _find_class_of_page(report, name)
    key = journal.journal_json(one.name)
    with service.read() as tx:
        (points, turns) = class_rows.read_class_histories_for_page(tx, row.id, [one.name])[key]
        rows = class_rows.turned_verdict_rows_on_page(tx, row.id, row.name, turns)
        standing, now = class_rows.read_class_standings_for_page(tx, row.id, review.reviews).get(key), tx.now()
    bins = () if one.score is None else one.score.bins
    rates = [part.errors / part.verified if part.verified else None for part in bins]
    context = visitors.page_context(visitor, row, "Dashboard") | {
        **_CLASS_WORDS,
        "one": one,
        "standing": standing,
        "confidence": report.confidence,
        "turns": rows,
        "chart": charts.draw_history_chart(points, one.tolerance, one.verdict),
        "facts": _facts_on_class_page(one),
        "bins": list(zip(bins, rates, strict=True)),
        "limit": charts.common_axis_limit([one.tolerance], rates),
        "verifications": None if review.blind else page_address(f"/m/{row.name}/verifications", class_=key),
        "now": now,
        "poll": 3,
        "etag": etag,
    }
    return render_page("class.html", context)


def _find_class_of_page(report: Report, name: str) -> ClassReport:
    try:
        return report[journal.read_journal_json(name)]
    except (NoEntryError, ValueError, TypeError, RecursionError):
        raise Problem("not-found", "this monitor has no predictions of this class: check the address") from None


def _facts_on_dashboard_page(report: Report) -> list[tuple[str, str]]:
    facts = [("Classes", thousands(len(report.classes))), ("Policy", f"{report.policy}, mode {report.mode}")]
    if report.overall is not None and report.predictions:
        low, high = report.overall.interval
        facts.insert(0, ("Error rate", f"{page_percent(low)} to {page_percent(high)} of all predictions are wrong"))
    if report.drift is not None:
        facts.append(("Drift", report.drift.text.removeprefix("drift: ")))
        if report.drift.goal is not None:
            facts.append(("Changes", report.drift.goal))
    return facts


def _budgets_on_dashboard_page(tx: Reader, row: MonitorRow, report: Report) -> list[tuple[str, int, int]]:
    """Return how much of each cap is used up, and how much there is."""
    found = []
    cap, daily = row.settings.get("cap"), row.settings.get("daily_cap")
    if cap is not None:
        found.append(("total budget", report.verifications, cap))
    if daily is not None:
        today = datetime.fromtimestamp(tx.now(), UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        asked = tx.one("SELECT COUNT(*) FROM verifications WHERE monitor = ? AND asked_at >= ?", row.id, today)
        found.append(("budget for today", 0 if asked is None else asked[0], daily))
    return found


def _facts_on_class_page(one: ClassReport) -> list[tuple[str, str]]:
    facts = [
        (
            "Answers that count",
            f"{thousands(one.counted)} of {thousands(one.verified)}, {thousands(one.errors)} wrong in total",
        ),
        ("Reopened", f"{count(one.reopened, 'time')}, {one.alarms} by drift"),
    ]
    fresh = word_freshness_of_report(one)
    if fresh is not None:
        facts.append(("Freshness", fresh))
    if one.stands is not None and one.stands[1]:
        facts.append(("Missing answers", f"the verdict {word_standing_verdict_of_report(*one.stands)}"))
    return facts


def _asked_over_time_on_page(tx: Reader, monitor: str) -> list[tuple[str, float, float]]:
    """Return, for each time span, how many of the verifications requested in it were answered, and how many were not.

    Spans are long enough that a few cover all verifications; after some years only the latest are shown.
    """
    ends = tx.one("SELECT MIN(asked_at), MAX(asked_at) FROM verifications WHERE monitor = ?", monitor)
    if ends is None or ends[0] is None:
        return []
    first, last = ends
    size, form = next((one for one in _SIZES if last - first <= one[0] * (_MOST_SPANS - 2)), _SIZES[-1])
    # Whole seconds, because dividing integers truncates in both databases; a cast may round to the next second.
    sql = (
        "SELECT CAST(asked_at AS BIGINT) / ?, SUM(CASE WHEN state = 'answered' THEN 1 ELSE 0 END), COUNT(*)"
        " FROM verifications WHERE monitor = ? GROUP BY 1"
    )
    found = {at: (float(answered), float(asked - answered)) for at, answered, asked in tx.all(sql, size, monitor)}
    spans = range(max(min(found), max(found) + 1 - _MOST_SPANS), max(found) + 1)
    return [(datetime.fromtimestamp(at * size, UTC).strftime(form), *found.get(at, (0.0, 0.0))) for at in spans]
