"""Where the errors of a monitor are: in which parts of the traffic, in which version, and which classes are missed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import Request, Response

from sidelight.monitor.engine.segments import VERSION
from sidelight.monitor.report.breakdown import Comparison, SegmentReport, TrueClass, TrueClasses
from sidelight.service.domain.service import MOST_TRUE_CLASSES, Service
from sidelight.service.problems import Problem
from sidelight.service.web import charts
from sidelight.service.web.charts import percent
from sidelight.service.web.class_rows import class_address
from sidelight.service.web.etags import etag_of, unchanged
from sidelight.service.web.rendering import page_address, render_page
from sidelight.service.web.visitors import enter, make_router, monitor_for, page_context, service_of
from sidelight.text import count, grouped

router = make_router()
_PAGE = 50
_MOST_VERSIONS = _MOST_COMPARISONS = 20
_MOST_CONFUSIONS = 50
_MOST_IN_MATRIX = 10
_WORST_CLASSES = 3
_TONES = {"worse": "above", "better": "below", "not worse": "below", "unknown": "unknown"}


@router.get("/m/{monitor}/insight")
def insight_page(request: Request, monitor: str, key: str = "", page: int = 1) -> Response:
    """Show segments, the worst first, versions and true classes."""
    visitor, service = enter(request), service_of(request)
    with service.read() as tx:
        row, _ = monitor_for(tx, visitor, monitor, "report")
    etag = etag_of(request, visitor, row.last)
    short = unchanged(request, etag)
    if short is not None:
        return short
    report = service.report(row.id)
    segments = [one for one in report.segments if one.key != VERSION]
    chosen = [one for one in segments if key in ("", one.key)]
    first = (max(1, min(page, 1 + (len(chosen) - 1) // _PAGE)) - 1) * _PAGE
    shown = chosen[first : first + _PAGE]
    versions = [one for one in report.segments if one.key == VERSION]
    context = page_context(visitor, row, "Errors") | {
        "segments": _segment_rows(shown, row.name),
        "keys": sorted({one.key for one in segments}),
        "key": key,
        "first": first + 1,
        "last": first + len(shown),
        "total": len(chosen),
        "page": first // _PAGE + 1,
        "link": lambda **changes: page_address(f"/m/{row.name}/insight", **{"key": key, "page": None} | changes),
        "versions": _segment_rows(versions[:_MOST_VERSIONS], row.name),
        "more_versions": len(versions[_MOST_VERSIONS:]),
        "comparisons": [_comparison_row(one) for one in report.comparisons[-_MOST_COMPARISONS:]],
        "windowed": row.settings.get("window") is not None,
        "confidence": percent(report.confidence),
        "etag": etag,
    }
    return render_page("insight.html", context | _true_classes(service, row.id), headers={"ETag": etag})


def _segment_rows(segments: Sequence[SegmentReport], monitor: str) -> list[dict[str, Any]]:
    """Return what is shown about parts of the traffic; counts are text."""
    limit = charts.common_limit((one.tolerance for one in segments), (one.estimate for one in segments))
    return [
        {
            "key": one.key,
            "value": one.value,
            "verdict": one.verdict,
            "strip": charts.interval_strip(one.interval, one.estimate, one.tolerance, one.verdict, limit),
            "rate": _rate(one.estimate, one.interval),
            "verified": grouped(one.verified),
            "errors": grouped(one.errors),
            "predictions": grouped(one.predictions),
            "classes": [
                (str(name), class_address(monitor, name), f"{grouped(wrong)} of {grouped(verified)}")
                for name, _, verified, wrong in sorted(one.classes, key=lambda row: -row[3])[:_WORST_CLASSES]
                if wrong
            ],
        }
        for one in segments
    ]


def _rate(estimate: float | None, interval: tuple[float, float]) -> str:
    return f"{percent(estimate)} ({percent(interval[0])} to {percent(interval[1])})"


def _comparison_row(one: Comparison) -> dict[str, Any]:
    low, high = (f"{100 * end:+.1f}" for end in one.interval)
    counts = one.differences
    return {
        "old": one.versions[0],
        "new": one.versions[1],
        "word": "open" if one.verdict == "unknown" else one.verdict,
        "tone": _TONES[one.verdict],
        "difference": f"{low} to {high} points",
        "margin": percent(one.margin),
        "counts": None if counts is None else [grouped(n) for n in (counts.better, counts.worse, counts.same)],
    }


def _true_classes(service: Service, monitor: str) -> dict[str, Any]:
    """Return the matrix, the most frequent confusions and what is missed of each class, or why there is nothing."""
    try:
        found = service.true_classes(monitor)
    except Problem as problem:
        if problem.kind != "conflict":
            raise
        return {"truths": [], "confusions": [], "matrix": None, "untold": "", "refusal": problem.detail}
    wrong = [one for one in found.cells if one.predicted != one.true]
    wrong.sort(key=lambda one: -one.answers)
    told = any(one.found or one.missed for one in found.classes)
    return {
        "truths": [_true_row(one) for one in sorted(found.classes, key=lambda one: -one.missed)] if told else [],
        "most_truths": MOST_TRUE_CLASSES if len(found.classes) == MOST_TRUE_CLASSES else None,
        "confusions": [
            {
                "predicted": str(one.predicted),
                "true": str(one.true),
                "answers": grouped(one.answers),
                "share": _rate(one.share, one.interval),
            }
            for one in wrong[:_MOST_CONFUSIONS]
        ],
        "matrix": _matrix(found) if told else None,
        "untold": count(found.untold, "answer") if found.untold else "",
        "refusal": None,
    }


def _true_row(one: TrueClass) -> dict[str, Any]:
    low, high = one.interval
    missed = None if one.recall is None else 1.0 - one.recall
    return {
        "name": str(one.name),
        "missed": percent(missed),
        "between": f"{percent(1.0 - high)} to {percent(1.0 - low)}",
        "answers": f"{grouped(one.missed)} of {grouped(one.found + one.missed)}",
        "note": one.note,
    }


def _matrix(found: TrueClasses) -> dict[str, Any] | None:
    """Return predicted classes as rows and true ones as columns; None if there are too many for a page."""
    names = [one.name for one in found.classes]
    if len(names) > _MOST_IN_MATRIX:
        return None
    shares = {(one.predicted, one.true): percent(one.share) for one in found.cells}
    predicted = {one.predicted for one in found.cells}
    rows = [
        (str(row), [(shares.get((row, name), ""), row == name) for name in names]) for row in names if row in predicted
    ]
    return {"names": [str(name) for name in names], "rows": rows}
