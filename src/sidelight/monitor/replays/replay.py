"""What monitoring would have cost: every policy watches past labeled predictions as if they came one by one."""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.monitor.inputs import (
    is_same_label,
    monitor_input_column,
    monitor_input_seconds,
    plain_input_number,
    plain_label,
)
from sidelight.monitor.monitor import ClassifierMonitor
from sidelight.monitor.policies import POLICIES, Policy, wald_cap
from sidelight.monitor.replays.records import SCORED, PolicyReplay, ReplayPoint, ReplayReport, ReplayTruth
from sidelight.monitor.report.records import Report
from sidelight.monitor.types import Label

_CHECKPOINTS = 200
_MOST_POINTS = 50_000  # intervals of all classes at all checkpoints
_CHUNK = 4096


def replay(
    predictions: Iterable[Any],
    truths: Iterable[Any],
    tolerance: Any,
    policies: Sequence[str | Policy] = tuple(POLICIES),
    *,
    times: Sequence[Any] | None = None,
    delay: int = 0,
    answered: Sequence[Any] | None = None,
    scores: Sequence[Any] | None = None,
    advance: Callable[[int], None] | None = None,
    **options: Any,
) -> ReplayReport:
    """Let every policy watch a stream whose truth is known.

    Parameters
    ----------
    predictions, truths
        The predicted and the true class of each item, in order.
    tolerance, options
        As for `ClassifierMonitor`.
    policies
        Names or objects.
    times
        When each prediction was made, for a daily cap.
    delay
        How many predictions pass before an answer comes.
    answered
        When each answer came, None if it never did; needs `times`. Answers after the last prediction count, too.
    scores
        A score of each prediction, None where there is none: one more monitor, with the policy "sequential", uses them.
    advance
        Called with the number of predictions done since the last call, for a progress bar.
    """
    names = [plain_label(one) for one in predictions]
    wrong = [not is_same_label(name, plain_label(one)) for name, one in zip(names, truths, strict=True)]
    delay = plain_input_number(delay)
    _check_replay_arguments(names, delay)
    moments = list(times) if times is not None else [None] * len(names)
    arrivals = _find_replay_arrivals(moments, answered, delay)
    counts, errors = Counter(names), Counter(name for name, bad in zip(names, wrong, strict=True) if bad)
    monitors = [ClassifierMonitor(tolerance, classes=counts, policy=policy, **options) for policy in policies]
    values: list[Any] = [None] * len(names)
    if scores is not None:
        values = monitor_input_column("scores", scores, len(names), "predictions", "decide")
        monitors.append(ClassifierMonitor(tolerance, classes=counts, policy="sequential", **options))
    settings = monitors[0].engine.settings
    facts = tuple(ReplayTruth(name, settings.tolerance_of(name), count, errors[name]) for name, count in counts.items())
    done = []
    for place, monitor in enumerate(monitors):
        scored = scores is not None and place + 1 == len(monitors)
        rows = list(zip(names, moments, values if scored else [None] * len(names), strict=True))
        played = _play_policy_replay(monitor, rows, wrong, arrivals, facts, advance)
        done.append(replace(played, policy=SCORED, title=SCORED) if scored else played)
    return ReplayReport(
        truths=facts,
        policies=tuple(done),
        predictions=len(names),
        wald=sum(min(one.predictions, wald_cap(one.tolerance)) for one in facts),
        confidence=settings.confidence,
        mode=settings.mode,
        delay=delay,
        lost=0 if answered is None else sum(one is None for one in arrivals.due),
    )


class _Arrivals(NamedTuple):
    """When answers come: the answer to prediction k once `now[k']` of the latest prediction k' has reached `due[k]`."""

    due: Sequence[float | None]
    now: Sequence[float]


def _find_replay_arrivals(moments: list[Any], answered: Sequence[Any] | None, delay: int) -> _Arrivals:
    size = len(moments)
    if answered is None:
        return _Arrivals(range(delay, size + delay), range(size))
    if delay or len(answered) != size or None in moments:
        raise SidelightError("answered needs one time per prediction in times, as many in answered, and no delay")
    # An answer is there for the next prediction if it came before that.
    seconds = [*map(monitor_input_seconds, moments[1:]), math.inf]
    return _Arrivals([None if one is None else monitor_input_seconds(one) for one in answered], seconds)


def _check_replay_arguments(names: list[Label], delay: Any) -> None:
    if not names:
        raise SidelightError("there are no predictions to replay")
    if isinstance(delay, bool) or not isinstance(delay, int) or delay < 0:
        raise SidelightError(f"delay is {delay!r}: give a whole number of predictions, 0 or more")


def _play_policy_replay(
    monitor: ClassifierMonitor,
    rows: list[tuple[Label, Any, Any]],
    wrong: list[bool],
    arrivals: _Arrivals,
    facts: tuple[ReplayTruth, ...],
    advance: Callable[[int], None] | None,
) -> PolicyReplay:
    """Play one policy from the first prediction to the last answer."""
    waiting: list[tuple[float, int]] = []
    checkpoints = max(20, min(_CHECKPOINTS, _MOST_POINTS // len(facts)))
    size = len(rows)
    marks = {size * (k + 1) // checkpoints for k in range(checkpoints)} | {size}
    paths: dict[Label, list[ReplayPoint]] = {one.name: [] for one in facts}
    for place, (name, moment, score) in enumerate(rows):
        if monitor.decide(name, place, moment, score=score).verify:
            due = arrivals.due[place]
            if due is not None:
                heapq.heappush(waiting, (due, place))
        while waiting and (waiting[0][0] <= arrivals.now[place] or place + 1 == size):
            _, id = heapq.heappop(waiting)
            monitor.answer(id, correct=not wrong[id])
        if place + 1 in marks:
            _mark_replay_point(monitor, paths, place + 1)
        if advance is not None and (place + 1) % _CHUNK == 0:
            advance(_CHUNK)
    if advance is not None:
        advance(size % _CHUNK)
    last = {name: state.events[-1] for name, state in monitor.engine.classes.items() if state.events}
    first = {name: event.decision for name, event in last.items() if event.verdict != "unknown"}
    return _judge_replayed_policy(monitor, monitor.report(), paths, first, facts)


def _mark_replay_point(monitor: ClassifierMonitor, paths: dict[Label, list[ReplayPoint]], position: int) -> None:
    """Record the present estimate and interval of each class."""
    for name, state in monitor.engine.classes.items():
        paths[name].append(ReplayPoint(position, state.verified, state.estimate, *state.interval()))


def _judge_replayed_policy(
    monitor: ClassifierMonitor,
    report: Report,
    paths: dict[Label, list[ReplayPoint]],
    first: dict[Label, int],
    facts: tuple[ReplayTruth, ...],
) -> PolicyReplay:
    """Compare the verdicts with the truth."""
    certain = [truth for truth in facts if report[truth.name].verdict != "unknown"]
    wrong = sum(truth.contradicts(report[truth.name]) for truth in certain)
    verdicts = len(certain) - wrong, wrong, len(facts) - len(certain)
    policy = monitor.engine.settings.policy
    return PolicyReplay(policy.name, policy.title or policy.name, report, paths, *verdicts, first)
