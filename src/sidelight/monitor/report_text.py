"""The report of a monitor as text: a table, what has reopened classes, and what the intervals promise."""

from __future__ import annotations

from sidelight.monitor.reports import ClassReport, Report
from sidelight.table import Column, Table
from sidelight.text import shown


def text(report: Report) -> str:
    """Return the whole report."""
    share = 100 * report.saved / report.predictions if report.predictions else 0.0
    lines = [
        table(report).to_text(None),
        f"{report.verifications} verifications asked for ({report.pending} pending), {report.saved} of "
        f"{report.predictions} predictions let pass ({share:.1f} %)",
    ]
    lines += [f"{shown(str(one.name))}: {event}" for one in report.classes for event in _events(one)]
    return "\n".join([*lines, report.guarantee])


def table(report: Report) -> Table:
    """Return one row per class."""
    columns = [
        Column("class"),
        *map(Column, ("predictions", "verified", "errors", "pending")),
        Column("estimate", "{:.4f}".format),
        Column("interval", lambda ends: f"{ends[0]:.4f}-{ends[1]:.4f}"),
        *map(Column, ("verdict", "still needed")),
    ]
    return Table(columns, [_cells(one) for one in report.classes])


def _cells(one: ClassReport) -> tuple[object, ...]:
    open = one.verdict == "unknown"
    verdict = one.verdict if open else f"{one.verdict} {one.tolerance:g}"
    needed = None if not open else "many" if one.needed is None else f"~{one.needed}"
    counts = (one.predictions, one.verified, one.errors, one.pending)
    return str(one.name), *counts, one.estimate, one.interval, verdict, needed


def _events(one: ClassReport) -> list[str]:
    """Return what has reopened a class: each correction and drift, and how often later answers did."""
    others = one.reopened - len(one.events)
    times = "once" if others == 1 else f"{others} times"
    return [*one.events, *([f"reopened {times} by answers that came later"] if others else [])]
