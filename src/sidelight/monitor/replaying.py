"""What would it have cost? Labeled predictions of the past, watched by every policy as if they came one by one."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sidelight.errors import SidelightError
from sidelight.monitor.decisions import Label
from sidelight.monitor.inputs import label, plain_number, same_label
from sidelight.monitor.monitor import ClassifierMonitor
from sidelight.monitor.policies import POLICIES, Policy, wald_cap
from sidelight.monitor.replay_report import Point, PolicyReplay, ReplayReport, Truth
from sidelight.monitor.reports import ClassReport, Report

_CHECKPOINTS = 200
_CHUNK = 4096


def replay(
    predictions: Iterable[Any],
    truths: Iterable[Any],
    tolerance: Any,
    policies: Sequence[str | Policy] = tuple(POLICIES),
    *,
    times: Sequence[Any] | None = None,
    delay: int = 0,
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
    advance
        Called with the number of predictions done since the last call, for a progress bar.
    """
    names = [label(one) for one in predictions]
    wrong = [not same_label(name, label(one)) for name, one in zip(names, truths, strict=True)]
    delay = plain_number(delay)
    _check(names, delay)
    moments = list(times) if times is not None else [None] * len(names)
    counts, errors = Counter(names), Counter(name for name, bad in zip(names, wrong, strict=True) if bad)
    monitors = [ClassifierMonitor(tolerance, counts, policy, **options) for policy in policies]
    facts = tuple(
        Truth(name, monitors[0]._settings.tolerance_of(name), count, errors[name]) for name, count in counts.items()
    )
    done = [_play(monitor, names, wrong, moments, delay, facts, advance) for monitor in monitors]
    return ReplayReport(
        truths=facts,
        policies=tuple(done),
        predictions=len(names),
        wald=sum(min(one.predictions, wald_cap(one.tolerance)) for one in facts),
        confidence=monitors[0]._settings.confidence,
        mode=monitors[0]._settings.mode,
        delay=delay,
    )


def _check(names: list[Label], delay: Any) -> None:
    if not names:
        raise SidelightError("there are no predictions to replay")
    if isinstance(delay, bool) or not isinstance(delay, int) or delay < 0:
        raise SidelightError(f"delay is {delay!r}: give a whole number of predictions, 0 or more")


def _play(
    monitor: ClassifierMonitor,
    names: list[Label],
    wrong: list[bool],
    moments: list[Any],
    delay: int,
    facts: tuple[Truth, ...],
    advance: Callable[[int], None] | None,
) -> PolicyReplay:
    """Play one policy from the first prediction to the last answer."""
    waiting: deque[tuple[int, int]] = deque()
    marks = {len(names) * (k + 1) // _CHECKPOINTS for k in range(_CHECKPOINTS)} | {len(names)}
    paths: dict[Label, list[Point]] = {one.name: [] for one in facts}
    reached: dict[Label, tuple[str, int]] = {}
    for place, name in enumerate(names):
        if monitor.decide(name, place, moments[place]).verify:
            waiting.append((place + delay, place))
        while waiting and (waiting[0][0] <= place or place + 1 == len(names)):
            _, id = waiting.popleft()
            answer = monitor.answer(id, correct=not wrong[id])
            if answer.changed:
                reached[answer.prediction] = (answer.verdict, place + 1)
        if place + 1 in marks:
            _mark(monitor, paths, place + 1)
        if advance is not None and (place + 1) % _CHUNK == 0:
            advance(_CHUNK)
    if advance is not None:
        advance(len(names) % _CHUNK)
    report = monitor.report()
    first = {name: position for name, (verdict, position) in reached.items() if verdict != "unknown"}
    return _judged(monitor, report, paths, first, facts)


def _mark(monitor: ClassifierMonitor, paths: dict[Label, list[Point]], position: int) -> None:
    """Note what is known now."""
    for name, state in monitor._states.items():
        estimate = state.e / state.n if state.n else None
        paths[name].append(Point(position, state.verified, estimate, *state.interval()))


def _judged(
    monitor: ClassifierMonitor,
    report: Report,
    paths: dict[Label, list[Point]],
    first: dict[Label, int],
    facts: tuple[Truth, ...],
) -> PolicyReplay:
    """Compare the verdicts with the truth."""
    right = wrong = unknown = leaning = 0
    for truth in facts:
        one = report[truth.name]
        if one.verdict == "unknown":
            unknown += 1
            leaning += _leans(one) == truth.verdict
        elif one.verdict == truth.verdict:
            right += 1
        else:
            wrong += 1
    policy = monitor._settings.policy
    return PolicyReplay(policy.name, policy.title, report, paths, right, wrong, unknown, leaning, first)


def _leans(one: ClassReport) -> str | None:
    """Return the side on which the estimate lies."""
    if one.estimate is None:
        return None
    return "above" if one.estimate > one.tolerance else "below"
