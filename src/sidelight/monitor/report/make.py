"""Make the report of a monitor from the state of its engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from sidelight.monitor.engine.class_state import ClassState
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.engine.ledger import VerificationLedger, engine_cap_refusing_verification
from sidelight.monitor.report.records import FRESH, ClassReport, DriftReport, Report
from sidelight.monitor.report.segments import (
    Parts,
    count_segments_for_report,
    make_segment_reports,
    report_all_comparisons_of_versions,
)
from sidelight.monitor.report.wording import word_guarantee_of_report
from sidelight.monitor.settings import Settings
from sidelight.monitor.stats.overall import Counts, overall_rate
from sidelight.monitor.types import ANSWERS, Reason, VerdictChanged, Verification

_SAME = (
    *("name", "tolerance", "predictions", "verified", "errors", "pending", "overdue", "skipped"),
    *("estimate", "verdict", "reopened", "alarms"),
)
"""What a report says about a class as its state does."""
_MONTH, _LEAST_SPAN = 30 * 86400.0, 3600.0


class Counted(NamedTuple):
    """What a report is made of: it no longer depends on the engine, and lacks only what takes long to compute."""

    report: Report
    classes: list[Counts]
    """What the error rate over all predictions follows from."""
    parts: Parts


def make_monitor_report(engine: Engine) -> Report:
    """Make the report of a monitor from its engine."""
    return finish_monitor_report(count_monitor_report(engine))


def count_monitor_report(engine: Engine) -> Counted:
    """Make a report without the error rates of all predictions, of segments and of versions."""
    settings, ledger, rationing = engine.settings, engine.ledger, engine.rationing
    states, oldest = tuple(engine.classes.values()), ledger.oldest_pending()
    classes = tuple(
        _report_class(
            state,
            oldest.get(state),
            _report_refusal(settings, ledger, state),
            rationing is None or not rationing.hopeless(state),
            ledger.spot_share(state),
        )
        for state in states
    )
    report = Report(
        classes=classes,
        policy=settings.policy.name,
        mode=settings.mode,
        confidence=settings.confidence,
        verifications=ledger.clock.asked,
        pending=ledger.pending,
        late=ledger.late,
        predictions=sum(one.predictions for one in classes),
        overall=None,
        guarantee=word_guarantee_of_report(settings, bool(ledger.late)),
        drift=_report_drift(settings, classes, ledger) if settings.drift else None,
        late_rates=_late_rates_for_report(*ledger.compared),
    )
    counts = [Counts(state.tolerance, state.predictions, *state.fair) for state in states]
    return Counted(report, counts, count_segments_for_report(engine))


def finish_monitor_report(counted: Counted) -> Report:
    """Return the whole report."""
    settings = counted.parts.settings
    whole = (
        None
        if settings.window is not None
        else overall_rate(counted.classes, settings.confidence, settings.reviewer_error)
    )
    return replace(
        counted.report,
        overall=whole,
        segments=make_segment_reports(counted.parts),
        comparisons=report_all_comparisons_of_versions(counted.parts),
    )


def _late_rates_for_report(compared: int, errors: int, usual: float) -> tuple[float, float] | None:
    return (errors / compared, usual / compared) if compared else None


def _report_drift(settings: Settings, classes: Iterable[ClassReport], ledger: VerificationLedger) -> DriftReport:
    first, last = ledger.clock.times() or (0.0, 0.0)
    expected = ledger.answered / settings.drift_alarm_every
    return DriftReport(
        alarm_every=settings.drift_alarm_every,
        alarms=sum(one.alarms for one in classes),
        spot_checks=ledger.spot_checks,
        false_alarms=expected,
        false_alarms_a_month=expected * _MONTH / (last - first) if last - first >= _LEAST_SPAN else None,
        notice=None if settings.notice_within is None else settings.notice,
        notice_within=settings.notice_within,
    )


def _report_refusal(settings: Settings, ledger: VerificationLedger, state: ClassState) -> Reason | None:
    """Return why no verification of the class was requested lately; None if that reason has passed."""
    if state.stalled in (Reason.ENOUGH_PENDING, Reason.MOST_PENDING):
        return engine_cap_refusing_verification(settings, ledger, state, None)
    return state.stalled


def _report_class(
    state: ClassState, oldest: Verification | None, refusal: Reason | None, decidable: bool, spot_share: float
) -> ClassReport:
    stalled = _report_stall(state, refusal if decidable else Reason.HOPELESS)
    return ClassReport(
        **{name: getattr(state, name) for name in _SAME},
        counted=state.n,
        interval=state.interval(),
        margin=state.test.margin,
        undecidable=state.test.undecidable,
        needed=0 if state.verdict != "unknown" else state.needed(),
        saved=state.predictions - state.asked,
        stalled=stalled,
        oldest=f"{oldest.id!r}, asked for {oldest.age} decisions ago" if stalled is not None and oldest else None,
        decidable=decidable,
        spot_share=spot_share,
        fresh=state.line.counted_since(state.predictions - FRESH) / state.n if state.n else None,
        doubling=state.doubling(),
        stands=state.stands(),
        score=None if state.rounds is None else state.rounds.quality(),
        events=tuple(
            event.text for event in state.events if event.cause != ANSWERS or _is_turned_verdict_to_report(event)
        ),
    )


def _is_turned_verdict_to_report(event: VerdictChanged) -> bool:
    """Return whether the verdict changed from one certain verdict to another, not from or to "unknown"."""
    return "unknown" not in (event.before, event.verdict)


def _report_stall(state: ClassState, refusal: Reason | None) -> str | None:
    """Explain why a class makes no progress."""
    if state.verdict != "unknown" or (refusal is None and not state.ahead):
        return None
    waiting = f"{state.ahead} answers count as soon as an earlier one has come or is overdue"
    return "; ".join([*([] if refusal is None else [refusal]), *([waiting] if state.ahead else [])])
