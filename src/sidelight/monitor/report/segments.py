"""Error rates of parts of the traffic, from the same answers as those of classes.

The error rate of a segment is the mean over its predictions so far, each class with its error rate in the segment. Its
interval is that of `sidelight.monitor.stats.overall`, which is valid however classes are verified. The values of one
key share the chance α of an error: the i-th to appear gets 6 / (π² i²) of it, so that with the given confidence all
intervals of a key hold at all times together.
"""

from __future__ import annotations

from typing import Literal

from sidelight.errors import NoEntryError, SidelightError
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.engine.segments import VERSION, Tallies
from sidelight.monitor.report.breakdown import Comparison, SegmentReport
from sidelight.monitor.stats.overall import Counts, overall
from sidelight.monitor.stats.paired import difference_interval
from sidelight.monitor.stats.together import share_of


def segment_reports(engine: Engine) -> tuple[SegmentReport, ...]:
    """Return all segments, those with most errors beyond the tolerance first."""
    if engine.segments is None or engine.settings.window is not None:
        return ()
    tallies = engine.segments.tallies()
    found = [
        _segment(engine, tallies, key, value, 1.0 - (1.0 - engine.settings.confidence) * share_of(place, 0))
        for (key, value), place in engine.segments.values.items()
    ]
    return tuple(sorted(found, key=_importance))


def _importance(one: SegmentReport) -> tuple[int, float]:
    return {"above": 0, "unknown": 1, "below": 2}[one.verdict], -one.predictions * (
        (one.estimate or 0.0) - one.tolerance
    )


def _segment(engine: Engine, tallies: Tallies, key: str, value: str, confidence: float) -> SegmentReport:
    assert engine.segments is not None
    rows = list(engine.segments.counts(key, value, tallies))
    counts = [Counts(state.tolerance, seen, n, e) for state, seen, n, e in rows]
    whole = overall(counts, confidence, engine.settings.reviewer_error)
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
        classes=tuple((state.name, *numbers) for state, *numbers in rows),  # type: ignore[misc]
    )


def compare(engine: Engine, old: str, new: str) -> Comparison:
    """Compare two versions, on the same items if possible.

    Otherwise each of their intervals fails with half of the chance α, so the difference holds with 1 - α.
    """
    if engine.settings.window is not None or engine.settings.reviewer_error:
        raise SidelightError("versions cannot be compared with a window or a reviewer_error")
    margin = engine.settings.version_margin
    known = [value for key, value in (engine.segments.values if engine.segments is not None else ()) if key == VERSION]
    half = 1.0 - (1.0 - engine.settings.confidence) / 2.0
    tallies = {} if engine.segments is None else engine.segments.tallies()
    first, second = (_segment(engine, tallies, VERSION, one, half) if one in known else None for one in (old, new))
    pair = None if engine.pairs is None else engine.pairs.pairs.get((old, new))
    counts = None if pair is None else pair.count(engine.ledger)
    if counts is not None:
        low, high = difference_interval(counts, engine.settings.confidence)
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


def comparisons(engine: Engine) -> tuple[Comparison, ...]:
    """Return the comparisons of versions that predicted the same items."""
    if engine.pairs is None or engine.settings.window is not None or engine.settings.reviewer_error:
        return ()
    return tuple(compare(engine, *names) for names in engine.pairs.pairs)
