"""Parts of the page of a report: scores, segments and versions, where there are any."""

from __future__ import annotations

from sidelight.monitor.report.class_table import short_name
from sidelight.monitor.report.records import Report, by_importance
from sidelight.report.document import Block, Heading, Paragraph
from sidelight.table import Cell, Column, Table

_MOST_SCORED, _MOST_SEGMENTS = 10, 100


def score_blocks(report: Report) -> list[Block]:
    """Return how often predictions of each class are wrong, by their scores."""
    columns = [Column(name) for name in ("class", "scores between ranks", "share", "errors", "verified", "error rate")]
    rows = [
        (
            short_name(one.name, 40),
            f"{100 * part.low:g} and {100 * part.high:g} %",
            f"{100 * part.share:.1f} %",
            part.errors,
            part.verified,
            f"{part.interval[0]:.4f} to {part.interval[1]:.4f}",
        )
        for one in sorted(report.classes, key=by_importance)[:_MOST_SCORED]
        if one.score is not None
        for part in one.score.bins
    ]
    if not rows:
        return []
    return [
        Heading("What scores say"),
        Paragraph("Ranks are those among the first scores of the monitor; the last column holds the error rate."),
        Table(columns, rows),
    ]


def segment_blocks(report: Report) -> list[Block]:
    """Return where the errors are: the error rates of parts of the traffic."""
    if not report.segments:
        return []
    names = ("segment", "verdict", "tolerance", "estimate", "interval", "errors", "verified", "predictions")
    rows = [
        (
            short_name(f"{one.key}: {one.value}", 60),
            Cell(one.verdict, look=one.verdict),
            f"{one.tolerance:g}",
            "-" if one.estimate is None else f"{one.estimate:.4f}",
            f"{one.interval[0]:.4f} to {one.interval[1]:.4f}",
            one.errors,
            one.verified,
            one.predictions,
        )
        for one in report.segments[:_MOST_SEGMENTS]
    ]
    return [
        Heading("Where the errors are"),
        Paragraph(f"All intervals of one key hold together with {100 * report.confidence:g} % confidence."),
        Table([Column(name) for name in names], rows),
    ]


def version_blocks(report: Report) -> list[Block]:
    """Return whether versions of the model are better than those before them."""
    if not report.comparisons:
        return []
    names = ("old and new version", "verdict on the new one", "difference of error rates", "better", "worse", "as good")
    rows = [
        (
            short_name(" and ".join(one.versions), 60),
            one.verdict,
            f"{one.interval[0]:.4f} to {one.interval[1]:.4f}",
            *(() if one.differences is None else (one.differences.better, one.differences.worse, one.differences.same)),
        )
        for one in report.comparisons
    ]
    return [Heading("Versions on the same items"), Table([Column(name) for name in names], rows)]
