"""The report of a monitor as text: a table, what has reopened classes, and what the intervals promise."""

from __future__ import annotations

from sidelight.monitor.class_table import class_table, short_name
from sidelight.monitor.reports import ClassReport, Report
from sidelight.text import wrapped

_COLUMNS = {
    "class": "name",
    **{name: name for name in ("predictions", "verified", "errors", "pending", "estimate", "interval")},
    "verdict": "verdict_tolerance",
    "still needed": "needed",
}


def text(report: Report, width: int | None = None) -> str:
    """Return the whole report, wrapped to a width if one is given."""
    share = 100 * report.saved / report.predictions if report.predictions else 0.0
    lines = [
        class_table([(one, None) for one in report.classes], _COLUMNS).to_text(width),
        f"{report.verifications} verifications asked for ({report.pending} pending), {report.saved} of "
        f"{report.predictions} predictions let pass ({share:.1f} %)",
    ]
    lines += [*notes(report), report.guarantee]
    return "\n".join([lines[0], *(line if width is None else wrapped(line, width) for line in lines[1:])])


def notes(report: Report) -> list[str]:
    """Return what the table has no column for, class by class."""
    return [f"{short_name(one.name, 60)}: {event}" for one in report.classes for event in _events(one)]


def _events(one: ClassReport) -> list[str]:
    """Return what has reopened a class: each correction and drift, and how often later answers did."""
    others = one.reopened - len(one.events)
    times = "once" if others == 1 else f"{others} times"
    return [*one.events, *([f"reopened {times} by answers that came later"] if others else [])]
