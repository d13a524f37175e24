"""The dashboard of a monitor: each class with its interval and verdict, and how many labels that took."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from fastapi import Request, Response

from sidelight.errors import NoEntryError
from sidelight.monitor.report.records import ClassReport, Report, by_importance
from sidelight.monitor.report.wording import fresh_text, stands_text
from sidelight.service.domain.monitors import MonitorRow
from sidelight.service.domain.queue import waiting_for
from sidelight.service.journal import entry as journal
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader
from sidelight.service.web import charts
from sidelight.service.web.charts import percent
from sidelight.service.web.class_rows import answer_rate, class_row, histories, score_row, standings, turn_rows
from sidelight.service.web.columns import asked_over_time
from sidelight.service.web.etags import etag_of, unchanged
from sidelight.service.web.pages.overview import VERDICTS, tolerance_words
from sidelight.service.web.rendering import page_address, render_page
from sidelight.service.web.visitors import enter, make_router, monitor_for, own_address, page_context, service_of
from sidelight.text import count, grouped

router = make_router()
_PAGE = 100
_WORDS = {"above": "Above", "near": "Near", "unknown": "Open", "below": "Below"}


@router.get("/m/{monitor}")
def dashboard_page(request: Request, monitor: str, verdict: str = "", q: str = "", page: int = 1) -> Response:
    """Show all classes, the most important first."""
    visitor, service = enter(request), service_of(request)
    with service.read() as tx:
        row, review = monitor_for(tx, visitor, monitor, "report")
        waiting = waiting_for(tx, row.id, visitor.actor, review.reviews, visitor.may("settle", row.id))
        etag = etag_of(request, visitor, row.last, row.settings, waiting)
    short = unchanged(request, etag)
    if short is not None:
        return short
    report = service.report(row.id)
    chosen = [one for one in report.classes if verdict in ("", one.verdict) and q.lower() in str(one.name).lower()]
    chosen.sort(key=by_importance)
    first = (max(1, min(page, 1 + (len(chosen) - 1) // _PAGE)) - 1) * _PAGE
    shown = chosen[first : first + _PAGE]
    with service.read() as tx:
        past, unsettled = histories(tx, row.id, [one.name for one in shown]), standings(tx, row.id, review.reviews)
        turns = turn_rows(tx, row.id, row.name, [turn for one in past.values() for turn in one.turns])
        columns, budgets, now = asked_over_time(tx, row.id), _budgets(tx, row, report), tx.now()
    limit = charts.common_limit((one.tolerance for one in shown), (one.estimate for one in shown))
    rows = []
    for one in shown:
        key = journal.text_of(one.name)
        rows.append(class_row(one, row.name, limit, past[key].points, unsettled.get(key)))
    context = (
        page_context(visitor, row, "Dashboard")
        | _numbers(report)
        | {
            "lead": tolerance_words(row),
            "waiting": waiting,
            "oldest": min((one.oldest for one in unsettled.values() if one.oldest is not None), default=None),
            "budgets": budgets,
            "rows": rows,
            "limit": limit,
            "total": len(chosen),
            "first": first + 1,
            "page": first // _PAGE + 1,
            "filters": _filters(report),
            "verdict": verdict,
            "q": q,
            "link": lambda **changes: page_address(
                f"/m/{row.name}", **{"verdict": verdict, "q": q, "page": None} | changes
            ),
            "columns": charts.stacked_chart(columns, ("answered", "not answered")),
            "turns": turns,
            "base": own_address(request),
            "now": now,
            "poll": 3,
            "etag": etag,
        }
    )
    return render_page("dashboard.html", context, headers={"ETag": etag})


@router.get("/m/{monitor}/class")
def class_page(request: Request, monitor: str, name: str) -> Response:
    """Show one class and its history."""
    visitor, service = enter(request), service_of(request)
    with service.read() as tx:
        row, review = monitor_for(tx, visitor, monitor, "report")
    etag = etag_of(request, visitor, row.last)
    short = unchanged(request, etag)
    if short is not None:
        return short
    report = service.report(row.id)
    one = _find_class(report, name)
    with service.read() as tx:
        (points, turns) = histories(tx, row.id, [one.name])[journal.text_of(one.name)]
        rows = turn_rows(tx, row.id, row.name, turns)
        standing, now = standings(tx, row.id, review.reviews).get(journal.text_of(one.name)), tx.now()
    context = page_context(visitor, row, "Dashboard") | {
        "one": class_row(one, row.name, charts.common_limit([one.tolerance], [one.estimate]), points, standing),
        "confidence": percent(report.confidence),
        "turns": rows,
        "chart": charts.history_chart(points, one.tolerance, one.verdict),
        "facts": _class_facts(one),
        "score": None if one.score is None else score_row(one.score, one.tolerance),
        "verifications": None
        if review.blind
        else page_address(f"/m/{row.name}/verifications", class_=journal.text_of(one.name)),
        "now": now,
        "poll": 3,
        "etag": etag,
    }
    return render_page("class.html", context, headers={"ETag": etag})


def _find_class(report: Report, name: str) -> ClassReport:
    try:
        return report[journal.read_text(name)]
    except (NoEntryError, ValueError, TypeError, RecursionError):
        raise Problem("not-found", "this monitor has no predictions of this class: check the address") from None


def _numbers(report: Report) -> dict[str, Any]:
    counts: Counter[str] = Counter(one.verdict for one in report.classes)
    totals = {name: sum(getattr(one, name) for one in report.classes) for name in ("verified", "overdue", "skipped")}
    overall = report.overall
    facts = [("Classes", grouped(len(report.classes))), ("Policy", f"{report.policy}, mode {report.mode}")]
    if overall is not None and report.predictions:
        low, high = overall.interval
        facts.insert(0, ("Error rate", f"{percent(low)} to {percent(high)} of all predictions are wrong"))
    if report.drift is not None:
        facts.append(("Drift", report.drift.text.removeprefix("drift: ")))
        if report.drift.goal is not None:
            facts.append(("Changes", report.drift.goal))
    return {
        "verdicts": {one: counts[one] for one in VERDICTS},
        "predictions": report.predictions,
        "spent": report.verifications,
        "saved": report.saved,
        "saved_share": report.saved / report.predictions if report.predictions else None,
        "answer_rate": answer_rate(totals["verified"], totals["overdue"], totals["skipped"]),
        "expired": totals["overdue"],
        "skipped": totals["skipped"],
        "unanswered": report.pending + totals["overdue"],
        "confidence": percent(report.confidence),
        "facts": facts,
        "warnings": [] if report.impatience is None else [report.impatience + "."],
        "guarantee": report.guarantee,
    }


def _filters(report: Report) -> list[tuple[str, str, int]]:
    counts: Counter[str] = Counter(one.verdict for one in report.classes)
    found = [("", "All", len(report.classes))]
    return found + [(one, _WORDS[one], counts[one]) for one in VERDICTS if counts[one] or one != "near"]


def _budgets(tx: Reader, row: MonitorRow, report: Report) -> list[dict[str, Any]]:
    """Return how much of each cap is used up."""
    found = []
    cap, daily = row.settings.get("cap"), row.settings.get("daily_cap")
    if cap is not None:
        found.append(_budget("total budget", report.verifications, cap))
    if daily is not None:
        today = datetime.fromtimestamp(tx.now(), UTC).replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
        asked = tx.one("SELECT COUNT(*) FROM verifications WHERE monitor = ? AND asked_at >= ?", row.id, today)
        found.append(_budget("budget for today", 0 if asked is None else asked[0], daily))
    return found


def _budget(name: str, used: int, most: int) -> dict[str, Any]:
    meter = charts.budget_meter(used / most if most else 1.0, f"{used} of {most} labels used")
    return {"name": name, "used": grouped(used), "most": grouped(most), "meter": meter}


def _class_facts(one: ClassReport) -> list[tuple[str, str]]:
    facts = [
        (
            "Answers that count",
            f"{grouped(one.counted)} of {grouped(one.verified)}, {grouped(one.errors)} wrong in total",
        ),
        ("Reopened", f"{count(one.reopened, 'time')}, {one.alarms} by drift"),
    ]
    fresh = fresh_text(one)
    if fresh is not None:
        facts.append(("Freshness", fresh))
    if one.stands is not None and one.stands[1]:
        facts.append(("Missing answers", f"the verdict {stands_text(*one.stands)}"))
    return facts
