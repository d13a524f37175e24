"""The report of a monitor as one HTML file; scores, segments and versions have their parts where there are any."""

from __future__ import annotations

import importlib.util
from collections import Counter
from typing import Any

from sidelight.monitor.report.records import FRESH, Report, rank_class_reports
from sidelight.monitor.report.wording import class_table_of_report, report_notes, short_class_name
from sidelight.report.document import Block, Bullets, Cards, Document, Figure, Heading, Paragraph, first_items_and_rest
from sidelight.report.figures.saving import figure_as_svg_text
from sidelight.table import Cell, Column, Table
from sidelight.text import and_list, thousands

_COLUMNS = {
    "class": "name",
    "verdict": "verdict_colored",
    **{name: name for name in ("tolerance", "estimate", "interval", "errors", "verified", "predictions", "pending")},
    "still needed": "needed",
    f"% of last {thousands(FRESH)}": "fresh",
    "twice (or half) noticed within": "doubling",
}
_MOST_NOTES = 200


def write_monitor_report_page(report: Report, title: str = "What the monitor knows") -> str:
    """Return the page about a monitor."""
    rows = sorted(report.classes, key=rank_class_reports)
    written: dict[str, Any] = dict.fromkeys(("predictions", "verified", "errors", "pending", "doubling"), thousands)
    written["fresh"] = lambda share: f"{100 * share:.0f}"
    tolerances = {one.tolerance for one in report.classes}
    columns = {name: shown for name, shown in _COLUMNS.items() if shown != "tolerance" or len(tolerances) > 1}
    overall = "" if report.overall is None or not report.predictions else f"{report.overall}."
    found = report_notes(report)
    events: list[Block] = (
        [Heading("What else happened"), Bullets(first_items_and_rest(found, _MOST_NOTES))] if found else []
    )
    blocks: list[Block] = [
        Paragraph(_lead_of_report_page(report), faint=True),
        Cards(_numbers_on_report_page(report)),
        Paragraph(overall),
        Heading("Each predicted class"),
        class_table_of_report(rows, columns, between=" to ", tolerance="{:g}".format, **written),
        *_figure_on_report_page(report),
        *score_blocks_of_report(report),
        *segment_blocks_of_report(report),
        *version_blocks_of_report(report),
        *events,
        Heading("What the intervals guarantee"),
        Paragraph(report.guarantee),
    ]
    return Document(title, blocks).to_html()


def _lead_of_report_page(report: Report) -> str:
    seen = f"{thousands(report.predictions)} prediction{'' if report.predictions == 1 else 's'}"
    classes = "1 class" if len(report.classes) == 1 else f"{thousands(len(report.classes))} classes"
    rates = sorted({one.tolerance for one in report.classes})
    tolerance = f" tolerance {and_list([f'{rate:g}' for rate in rates])}," if 0 < len(rates) < 4 else ""
    return (
        f"{seen} of {classes};{tolerance} policy {report.policy}, confidence {report.confidence:g}, mode {report.mode}."
    )


def _numbers_on_report_page(report: Report) -> list[tuple[str, str]]:
    verdicts = Counter(one.verdict for one in report.classes)
    return [
        (thousands(verdicts["above"]), "classes above tolerance"),
        *([(thousands(verdicts["near"]), "classes near it")] if verdicts["near"] else []),
        (thousands(verdicts["below"]), "classes below tolerance"),
        (thousands(verdicts["unknown"]), "not known yet"),
        (thousands(report.verifications), f"verifications asked for, {thousands(report.pending)} pending"),
    ]


def _figure_on_report_page(report: Report) -> list[Figure]:
    if not report.classes or importlib.util.find_spec("matplotlib") is None:
        return []
    label = "Estimate, interval, tolerance and verdict of the classes that matter most"
    return [Figure(label, figure_as_svg_text(report.plot()))]


_MOST_SCORED, _MOST_SEGMENTS = 10, 100


def score_blocks_of_report(report: Report) -> list[Block]:
    """Return how often predictions of each class are wrong, by their scores."""
    columns = [Column(name) for name in ("class", "scores between ranks", "share", "errors", "verified", "error rate")]
    rows = [
        (
            short_class_name(one.name, 40),
            f"{100 * part.low:g} and {100 * part.high:g} %",
            f"{100 * part.share:.1f} %",
            part.errors,
            part.verified,
            f"{part.interval[0]:.4f} to {part.interval[1]:.4f}",
        )
        for one in sorted(report.classes, key=rank_class_reports)[:_MOST_SCORED]
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


def segment_blocks_of_report(report: Report) -> list[Block]:
    """Return where the errors are: the error rates of parts of the traffic."""
    if not report.segments:
        return []
    names = ("segment", "verdict", "tolerance", "estimate", "interval", "errors", "verified", "predictions")
    rows = [
        (
            short_class_name(f"{one.key}: {one.value}", 60),
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


def version_blocks_of_report(report: Report) -> list[Block]:
    """Return whether versions of the model are better than those before them."""
    if not report.comparisons:
        return []
    names = ("old and new version", "verdict on the new one", "difference of error rates", "better", "worse", "as good")
    rows = [
        (
            short_class_name(" and ".join(one.versions), 60),
            one.verdict,
            f"{one.interval[0]:.4f} to {one.interval[1]:.4f}",
            *(() if one.differences is None else (one.differences.better, one.differences.worse, one.differences.same)),
        )
        for one in report.comparisons
    ]
    return [Heading("Versions on the same items"), Table([Column(name) for name in names], rows)]
