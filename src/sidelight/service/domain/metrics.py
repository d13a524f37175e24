"""Metrics in the Prometheus text format, computed from the database on each request.

Counters in a process would differ between processes and restart with them. Classes come from outside, so only the
`MOST_CLASSES` with the most predictions get their own lines.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sidelight.monitor.report.records import Report
from sidelight.service.domain.service import Service
from sidelight.service.problems import Problem
from sidelight.service.store.base import Reader

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MOST_CLASSES = 100
_VERDICTS = ("above", "below", "near", "unknown")


class Family(NamedTuple):
    """One metric, with one line per set of labels."""

    name: str
    kind: str
    help: str
    samples: Sequence[tuple[Mapping[str, Any], float]]


def make_monitor_metrics(service: Service, monitors: Collection[str] | None) -> str:
    """Return the metrics of the monitors with these ids, or of all if None."""
    with service.read() as tx:
        rows = tx.all("SELECT id, name, last FROM monitors WHERE archived_at IS NULL ORDER BY name")
        seen = [row for row in rows if monitors is None or row[0] in monitors]
        families = [*_metrics_of_monitors(tx, seen), *(_metrics_of_webhook_messages(tx) if monitors is None else ())]
    reports, working = [], []
    for id, name, _ in seen:
        with contextlib.suppress(Problem):  # a broken monitor must not hide the others
            reports.append((name, service.report(id)))
        working.append(({"monitor": name}, float(bool(reports) and reports[-1][0] == name)))
    up = Family("sidelight_monitor_up", "gauge", "Whether this process can serve the monitor.", working)
    return format_prometheus_metrics([*families, up, *_metrics_of_reports(reports)])


def format_prometheus_metrics(families: Iterable[Family]) -> str:
    """Return families as text."""
    lines = []
    for family in families:
        lines += [f"# HELP {family.name} {family.help}", f"# TYPE {family.name} {family.kind}"]
        for labels, value in family.samples:
            inner = ",".join(f'{name}="{_escape_metric_label(str(text))}"' for name, text in labels.items())
            lines.append(f"{family.name}{f'{{{inner}}}' if inner else ''} {_format_metric_number(value)}")
    return "\n".join(lines) + "\n"


def _escape_metric_label(text: str) -> str:
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return plain.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _format_metric_number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


def _metrics_of_monitors(tx: Reader, monitors: Collection[tuple[Any, ...]]) -> Iterator[Family]:
    """Yield the metrics of each monitor that need no report."""
    last = [({"monitor": name}, number) for _, name, number in monitors]
    yield Family("sidelight_journal_entries_total", "counter", "Journal entries.", last)
    names, now = {id: name for id, name, _ in monitors}, tx.now()
    sql = "SELECT monitor, MIN(asked_at) FROM verifications WHERE state IN ('open', 'overdue') GROUP BY monitor"
    ages = [({"monitor": names[id]}, max(0.0, now - at)) for id, at in sorted(tx.all(sql)) if id in names]
    help = "Age of the oldest verification that is waiting for an answer."
    yield Family("sidelight_oldest_open_verification_seconds", "gauge", help, ages)


def _metrics_of_webhook_messages(tx: Reader) -> Iterator[Family]:
    """Yield the metrics of webhooks and their messages."""
    waiting, oldest = tx.one("SELECT COUNT(*), MIN(created_at) FROM outbox WHERE sent_at IS NULL") or (0, None)
    (failing,) = tx.one("SELECT COUNT(*) FROM webhooks WHERE disabled_at IS NULL AND failure IS NOT NULL") or (0,)
    age = max(0.0, tx.now() - oldest) if oldest else 0
    for name, help, value in (
        ("webhook_messages_waiting", "Webhook messages not delivered yet.", waiting),
        ("webhook_oldest_message_seconds", "Age of the oldest undelivered message.", age),
        ("webhooks_failing", "Webhooks whose last message was not delivered.", failing),
    ):
        yield Family(f"sidelight_{name}", "gauge", help, [({}, value)])


_PER_MONITOR = (
    ("predictions_total", "counter", "Predictions that were decided.", lambda one: one.predictions),
    ("verifications_total", "counter", "Predictions chosen for verification.", lambda one: one.verifications),
    ("pending_answers", "gauge", "Pending verifications.", lambda one: one.pending),
    ("late_answers_total", "counter", "Answers that were overdue when they came.", lambda one: one.late),
    ("classes", "gauge", "Classes that were predicted or listed.", lambda one: len(one.classes)),
)
_PER_CLASS = (
    ("class_predictions_total", "counter", "Predictions of the class.", lambda one: one.predictions),
    ("class_answers_total", "counter", "Answers about the class.", lambda one: one.verified),
    ("class_errors_total", "counter", "Answers that say the prediction was wrong.", lambda one: one.errors),
    ("class_pending_answers", "gauge", "Pending verifications of the class.", lambda one: one.pending),
    ("class_tolerance", "gauge", "Tolerated error rate.", lambda one: one.tolerance),
    ("class_error_rate_low", "gauge", "Lower end of the interval of the error rate.", lambda one: one.interval[0]),
    ("class_error_rate_high", "gauge", "Upper end of the interval of the error rate.", lambda one: one.interval[1]),
)


def _metrics_of_reports(reports: Collection[tuple[str, Report]]) -> Iterator[Family]:
    """Yield the metrics of classes from reports, for the classes with the most predictions only."""
    classes = [
        ({"monitor": at, "class": one.name}, one)
        for at, report in reports
        for one in sorted(report.classes, key=lambda one: -one.predictions)[:MOST_CLASSES]
    ]
    monitors = [({"monitor": at}, report) for at, report in reports]
    for rows, families in ((monitors, _PER_MONITOR), (classes, _PER_CLASS)):
        for name, kind, help, value in families:
            yield Family(f"sidelight_{name}", kind, help, [(labels, value(one)) for labels, one in rows])
    counts = [
        (labels | {"verdict": verdict}, sum(one.verdict == verdict for one in report.classes))
        for labels, report in monitors
        for verdict in _VERDICTS
    ]
    yield Family("sidelight_classes_by_verdict", "gauge", "Classes with each verdict.", counts)
    verdicts = [
        (labels | {"verdict": verdict}, float(one.verdict == verdict))
        for labels, one in classes
        for verdict in _VERDICTS
    ]
    yield Family("sidelight_class_verdict", "gauge", "1 for the verdict on the class, 0 for other verdicts.", verdicts)
