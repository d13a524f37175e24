"""Where the errors of a monitor are: in which parts of the traffic, in which version, and which classes are missed."""

from __future__ import annotations

from typing import Any

from fastapi import Request, Response

from sidelight.monitor.engine.segments import VERSION
from sidelight.monitor.report.breakdown import TrueClasses
from sidelight.service.domain.service import MOST_TRUE_CLASSES, Service
from sidelight.service.problems import Problem
from sidelight.service.web import charts
from sidelight.service.web.charts import page_percent
from sidelight.service.web.class_rows import address_of_class_page
from sidelight.service.web.rendering import page_address, render_page
from sidelight.service.web.visitors import (
    enter_page,
    make_page_router,
    monitor_of_visitor,
    new_page_etag,
    page_context,
    service_of_page,
)
from sidelight.text import count

router = make_page_router()
_PAGE = 50
_MOST_VERSIONS = _MOST_COMPARISONS = 20
_MOST_CONFUSIONS = 50
_MOST_IN_MATRIX = 10
_TONES = {"worse": "above", "better": "below", "not worse": "below", "unknown": "unknown"}


@router.get("/m/{monitor}/insight")
def insight_page(request: Request, monitor: str, key: str = "", page: int = 1) -> Response:
    """Show segments, the worst first, versions and true classes."""
    visitor, service = enter_page(request), service_of_page(request)
    with service.read() as tx:
        row, _ = monitor_of_visitor(tx, visitor, monitor, "report")
    etag = new_page_etag(request, visitor, row.last)
    report = service.report(row.id)
    segments = [one for one in report.segments if one.key != VERSION]
    chosen = [one for one in segments if key in ("", one.key)]
    first = (max(1, min(page, 1 + (len(chosen) - 1) // _PAGE)) - 1) * _PAGE
    shown = chosen[first : first + _PAGE]
    versions = [one for one in report.segments if one.key == VERSION]
    context = page_context(visitor, row, "Errors") | {
        "segments": shown,
        "limit_of": lambda rows: charts.common_axis_limit(
            (one.tolerance for one in rows), (one.estimate for one in rows)
        ),
        "address": address_of_class_page,
        "keys": sorted({one.key for one in segments}),
        "key": key,
        "first": first + 1,
        "last": first + len(shown),
        "total": len(chosen),
        "page": first // _PAGE + 1,
        "link": lambda **changes: page_address(f"/m/{row.name}/insight", **{"key": key, "page": None} | changes),
        "versions": versions[:_MOST_VERSIONS],
        "more_versions": len(versions[_MOST_VERSIONS:]),
        "comparisons": report.comparisons[-_MOST_COMPARISONS:],
        "tones": _TONES,
        "windowed": row.settings.get("window") is not None,
        "confidence": page_percent(report.confidence),
        "etag": etag,
    }
    return render_page("insight.html", context | _true_classes_on_page(service, row.id))


def _true_classes_on_page(service: Service, monitor: str) -> dict[str, Any]:
    """Return the confusion matrix, the most frequent confusions and missed shares, or the reason for their absence."""
    try:
        found = service.true_classes(monitor)
    except Problem as problem:
        if problem.kind != "conflict":
            raise
        return {"truths": [], "confusions": [], "matrix": None, "untold": "", "refusal": problem.detail}
    wrong = sorted((one for one in found.cells if one.predicted != one.true), key=lambda one: -one.answers)
    told = any(one.found or one.missed for one in found.classes)
    return {
        "truths": sorted(found.classes, key=lambda one: -one.missed) if told else [],
        "most_truths": MOST_TRUE_CLASSES if len(found.classes) == MOST_TRUE_CLASSES else None,
        "confusions": wrong[:_MOST_CONFUSIONS],
        "matrix": _confusion_matrix_on_page(found) if told else None,
        "untold": count(found.untold, "answer") if found.untold else "",
        "refusal": None,
    }


def _confusion_matrix_on_page(found: TrueClasses) -> dict[str, Any] | None:
    """Return predicted classes as rows and true ones as columns; None if there are too many for a page."""
    names = [one.name for one in found.classes]
    if len(names) > _MOST_IN_MATRIX:
        return None
    shares = {(one.predicted, one.true): page_percent(one.share) for one in found.cells}
    predicted = {one.predicted for one in found.cells}
    rows = [
        (str(row), [(shares.get((row, name), ""), row == name) for name in names]) for row in names if row in predicted
    ]
    return {"names": [str(name) for name in names], "rows": rows}
