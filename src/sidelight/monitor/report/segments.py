"""Error rates of parts of the traffic, from the same answers as those of classes.

The error rate of a segment is the mean over its predictions so far, each class with its error rate in the segment. Its
interval is that of `sidelight.monitor.stats.overall`, which is valid however classes are verified. The values of one
key share the chance α of an error: the i-th to appear gets 6 / (π² i²) of it, so that with the given confidence all
intervals of a key hold at all times together.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal, NamedTuple

from sidelight.errors import NoEntryError, SidelightError
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.engine.segments import VERSION
from sidelight.monitor.report.breakdown import Comparison, SegmentReport
from sidelight.monitor.settings import Settings
from sidelight.monitor.stats.confidence import share_of_alpha
from sidelight.monitor.stats.overall import Counts, overall_rate
from sidelight.monitor.stats.paired import Differences, confidence_interval_of_paired_difference
from sidelight.monitor.types import Label


class Parts(NamedTuple):
    """What answers say about segments and pairs of versions, as counts that no longer depend on the engine."""

    settings: Settings
    segments: dict[tuple[str, str], list[tuple[Label, Counts]]]
    """The classes of each key and value."""
    pairs: dict[tuple[str, str], Differences]
    """Versions that predicted the same items, the old one first."""


def count_segments_for_report(engine: Engine) -> Parts:
    """Count predictions, answers and errors by segment; this is quick, unlike the intervals."""
    segments = {
        pair: [(state.name, Counts(state.tolerance, *numbers)) for state, *numbers in rows]
        for pair, rows in engine.segments.counts().items()
    }
    pairs = {names: pair.count(engine.ledger) for names, pair in engine.pairs.pairs.items()}
    return Parts(engine.settings, segments, pairs)


def make_segment_reports(parts: Parts) -> tuple[SegmentReport, ...]:
    """Return all segments, those with most errors beyond the tolerance first."""
    if parts.settings.window is not None:
        return ()
    found, seen = [], Counter[str]()
    for key, value in parts.segments:
        share = share_of_alpha(seen[key], 0)
        found.append(_make_segment_report(parts, key, value, 1.0 - (1.0 - parts.settings.confidence) * share))
        seen[key] += 1
    return tuple(sorted(found, key=_rank_segment_reports))


def _rank_segment_reports(one: SegmentReport) -> tuple[int, float]:
    return {"above": 0, "unknown": 1, "below": 2}[one.verdict], -one.predictions * (
        (one.estimate or 0.0) - one.tolerance
    )


def _make_segment_report(parts: Parts, key: str, value: str, confidence: float) -> SegmentReport:
    rows = parts.segments[key, value]
    counts = [one for _, one in rows]
    whole = overall_rate(counts, confidence, parts.settings.reviewer_error)
    return SegmentReport(
        key=key,
        value=value,
        predictions=sum(one.predictions for one in counts),
        verified=sum(one.verified for one in counts),
        errors=sum(one.errors for one in counts),
        estimate=whole.estimate,
        interval=whole.interval,
        tolerance=whole.tolerance,
        verdict=whole.verdict,
        classes=tuple((name, *one[1:]) for name, one in rows),
    )


def report_comparison_of_versions(parts: Parts, old: str, new: str) -> Comparison:
    """Compare two versions, on the same items if possible.

    Otherwise each of their intervals fails with half of the chance α, so the difference holds with 1 - α.
    """
    settings = parts.settings
    if settings.window is not None or settings.reviewer_error:
        raise SidelightError("versions cannot be compared with a window or a reviewer_error")
    known = [value for key, value in parts.segments if key == VERSION]
    half = 1.0 - (1.0 - settings.confidence) / 2.0
    first, second = (_make_segment_report(parts, VERSION, one, half) if one in known else None for one in (old, new))
    counts, margin = parts.pairs.get((old, new)), settings.version_margin
    if counts is not None:
        low, high = confidence_interval_of_paired_difference(counts, settings.confidence)
    elif first is None or second is None:
        unseen = old if first is None else new
        raise NoEntryError(f"no prediction of version {unseen!r} has been seen; there are {', '.join(known) or 'none'}")
    else:
        low, high = second.interval[0] - first.interval[1], second.interval[1] - first.interval[0]
    verdict: Literal["better", "worse", "not worse", "unknown"] = "unknown"
    if low > margin:
        verdict = "worse"
    elif high < 0.0:
        verdict = "better"
    elif high < margin:
        verdict = "not worse"
    return Comparison((old, new), first, second, counts, (low, high), margin, verdict)


def report_all_comparisons_of_versions(parts: Parts) -> tuple[Comparison, ...]:
    """Return the comparisons of versions that predicted the same items."""
    if parts.settings.window is not None or parts.settings.reviewer_error:
        return ()
    return tuple(report_comparison_of_versions(parts, *names) for names in parts.pairs)
