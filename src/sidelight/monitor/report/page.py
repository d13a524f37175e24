"""The report of a monitor as one HTML file: no scripts, nothing loaded from elsewhere, light or dark mode."""

from __future__ import annotations

import importlib.util
import io
from collections import Counter
from typing import TYPE_CHECKING, Any

from sidelight.monitor.report.class_table import class_table
from sidelight.monitor.report.records import FRESH, Report, by_importance
from sidelight.monitor.report.wording import notes
from sidelight.report.web_page import cards, document, inlined
from sidelight.table import escaped
from sidelight.text import count, grouped, joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLUMNS = {
    "class": "name",
    "verdict": "verdict_colored",
    **{name: name for name in ("tolerance", "estimate", "interval", "errors", "verified", "predictions", "pending")},
    "still needed": "needed",
    f"% of last {grouped(FRESH)}": "fresh",
    "twice (or half) noticed within": "doubling",
}
_MOST_NOTES = 200
STYLE = """
:root { --near: #7d6200; } @media (prefers-color-scheme: dark) { :root { --near: #e0c060; } }
tr.chosen td { background: var(--soft); font-weight: 600; }
td.above { color: var(--above); } td.below { color: var(--below); } td.near { color: var(--near); }
td.wrong { color: var(--above); font-weight: 700; }
.sheet { overflow-x: auto; } .sheet svg { min-width: 34rem; }
@media (max-width: 34rem) { .cards li { flex-basis: 8rem; } }
"""


def report_page(report: Report, title: str = "What the monitor knows") -> str:
    """Return the page about a monitor."""
    rows = sorted(report.classes, key=by_importance)
    written: dict[str, Any] = dict.fromkeys(("predictions", "verified", "errors", "pending", "doubling"), grouped)
    written["fresh"] = lambda share: f"{100 * share:.0f}"
    tolerances = {one.tolerance for one in report.classes}
    columns = {name: shown for name, shown in _COLUMNS.items() if shown != "tolerance" or len(tolerances) > 1}
    parts = [
        f"<h1>{escaped(title)}</h1>",
        f'<p class="faint">{_lead(report)}</p>',
        cards(_numbers(report)),
        "" if report.overall is None or not report.predictions else f"<p>{escaped(str(report.overall))}.</p>",
        "<h2>Each predicted class</h2>",
        class_table(rows, columns, between=" to ", tolerance="{:g}".format, **written).to_html(),
        _figure(report),
        _notes(report),
        "<h2>What the intervals promise</h2>",
        f"<p>{escaped(report.guarantee)}</p>",
    ]
    return document(title, parts, STYLE)


def drawn(figure: Figure, label: str) -> str:
    """Return a figure as part of a page: SVG without the XML prologue, identical for identical figures."""
    from matplotlib import rc_context

    buffer = io.StringIO()
    with rc_context({"svg.hashsalt": "sidelight", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, facecolor="white")
    return f'<div class="sheet">{inlined(buffer.getvalue(), label)}</div>'


def _lead(report: Report) -> str:
    seen = f"{grouped(report.predictions)} prediction{'' if report.predictions == 1 else 's'}"
    classes = "1 class" if len(report.classes) == 1 else f"{grouped(len(report.classes))} classes"
    rates = sorted({one.tolerance for one in report.classes})
    tolerance = f" tolerance {joined([f'{rate:g}' for rate in rates])}," if 0 < len(rates) < 4 else ""
    return (
        f"{seen} of {classes};{tolerance} policy {report.policy}, confidence {report.confidence:g}, mode {report.mode}."
    )


def _numbers(report: Report) -> list[tuple[str, str]]:
    verdicts = Counter(one.verdict for one in report.classes)
    return [
        (grouped(verdicts["above"]), "classes above tolerance"),
        *([(grouped(verdicts["near"]), "classes near it")] if verdicts["near"] else []),
        (grouped(verdicts["below"]), "classes below tolerance"),
        (grouped(verdicts["unknown"]), "not known yet"),
        (grouped(report.verifications), f"verifications asked for, {grouped(report.pending)} pending"),
    ]


def _figure(report: Report) -> str:
    if not report.classes or importlib.util.find_spec("matplotlib") is None:
        return ""
    return drawn(report.plot(), "Estimate, interval, tolerance and verdict of the classes that matter most")


def _notes(report: Report) -> str:
    found = notes(report)
    items = "".join(f"<li>{escaped(one)}</li>" for one in found[:_MOST_NOTES])
    more = f"<li>and {count(len(found) - _MOST_NOTES, 'more note')}</li>" if len(found) > _MOST_NOTES else ""
    return f"<h2>What else happened</h2><ul>{items}{more}</ul>" if found else ""
