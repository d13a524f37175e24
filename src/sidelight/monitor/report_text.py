"""The report of a monitor as text: a table, what has reopened classes, and what the intervals promise."""

from __future__ import annotations

from sidelight.monitor.class_table import class_table
from sidelight.monitor.reports import ClassReport, Report
from sidelight.text import shown

_COLUMNS = {
    "class": "name",
    **{name: name for name in ("predictions", "verified", "errors", "pending", "estimate", "interval")},
    "verdict": "verdict_tolerance",
    "still needed": "needed",
}


def text(report: Report) -> str:
    """Return the whole report."""
    share = 100 * report.saved / report.predictions if report.predictions else 0.0
    lines = [
        class_table([(one, None) for one in report.classes], _COLUMNS).to_text(None),
        f"{report.verifications} verifications asked for ({report.pending} pending), {report.saved} of "
        f"{report.predictions} predictions let pass ({share:.1f} %)",
    ]
    lines += [f"{shown(str(one.name))}: {event}" for one in report.classes for event in _events(one)]
    return "\n".join([*lines, report.guarantee])


def _events(one: ClassReport) -> list[str]:
    """Return what has reopened a class: each correction and drift, and how often later answers did."""
    others = one.reopened - len(one.events)
    times = "once" if others == 1 else f"{others} times"
    return [*one.events, *([f"reopened {times} by answers that came later"] if others else [])]
