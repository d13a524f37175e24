"""`ClassifierMonitor`: which predictions to verify, and which predicted classes are wrong more often than tolerated."""

from __future__ import annotations

import itertools
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, Self

from sidelight.errors import SidelightError
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.inputs import answer_of, column, identifier, label, listed, moment_of, yes_or_no
from sidelight.monitor.io import saved_monitor
from sidelight.monitor.policies import Policy
from sidelight.monitor.report.make import make_report
from sidelight.monitor.report.records import Report
from sidelight.monitor.settings import NOTICE, make_settings
from sidelight.monitor.types import Answer, Decision, Event, VerdictChanged, Verification


class ClassifierMonitor:
    """Decides for each prediction whether to *verify* it or *let it pass*, and reports what it knows about each class.

    Parameters
    ----------
    tolerance
        The tolerated error rate among the predictions of a class: one number, or a mapping from classes to numbers
        (under the key None for all others).
    classes
        Classes that reports list from the start; others are added when they are first predicted.
    policy
        "sequential", "randcbp", "cbp" or "explore", or an object of `sidelight.monitor.policies`; further keyword
        arguments are parameters of the policy (`bins=10`, `pairs="both"`, ...).
    mode
        "identify" stops verifying a class once its verdict is certain (but "explore" always uses its full number of
        labels); "guard" keeps verifying classes above tolerance, as the loss of the τ-detection game demands.
    confidence
        The confidence of each class's interval and verdict, however often you look. It holds for each class separately;
        for all classes together, see `together`.
    margin
        Classes whose error rate is within this margin of their tolerance get the verdict "near", so that they are
        decided, too. A margin of a tenth of the tolerance takes about 1 400 / tolerance labels at confidence 0.99.
        (With the policy "explore", this sets that policy's own parameter `margin`.)
    reviewer_error
        Upper bound on the chance that a reviewer misses an error, and on the chance that one calls a right prediction
        wrong. Rates that such reviewers cannot tell from the tolerance stay unknown; the report says which.
    together
        Whether the confidence holds for all classes together: that no verdict on any class is wrong. List the classes
        in `classes` if you can, which needs fewer labels.
    cap, daily_cap, class_cap
        The maximum number of verifications in total, per day of `time` (days begin at midnight UTC, and times without a
        zone are taken as UTC), and per class.
    class_predictions
        A class is closed after this many predictions, as in the published protocol.
    max_pending
        The maximum number of verifications that may be pending at any one time.
    aim, weights
        How to spend a `cap` or `daily_cap`, see `monitor.engine.rationing`: with "verdicts" on the classes where a
        verdict costs the fewest labels, for as many verdicts as possible; with "first-come" first come, first served.
        `weights` maps classes to the weights of their verdicts (1, or the weight given under None).
    drift
        Whether a class starts from scratch when its answers show that its error rate has changed, see
        `sidelight.monitor.stats.drift`; by default yes, unless there is a `window`.
    drift_alarm_every
        On average, a false alarm comes after at least this many answers of a class whose rate does not change.
    window
        Another way to follow changing error rates: verdicts rest on the last `window` answers of a class, without
        looking for drift.
    notice, notice_within
        How soon to notice changes: if the error rate of a closed class rises to `notice` times its tolerance (or, of a
        class above tolerance, falls to that part of it), within `notice_within` predictions of the class in nine of ten
        cases, if answers come at once. Spot checks follow from this, see `sidelight.monitor.stats.notice`. By default 3
        times within 2 000 predictions. With a `window`, a change is noticed when the class is reopened; without `drift`
        and `window` there are no spot checks.
    spot_checks
        Instead of `notice_within`: the share of predictions of a closed class that are still verified. While there is
        at least a tenth of the evidence for an alarm, it is at least a half either way, unless it is 0.
    patience
        How long to wait for an answer: a number of later decisions, a timedelta (measured by `time`), or `math.inf` to
        wait forever. By default ten times the median of the last 400 delays, but 500 to 5 000 decisions. `change` can
        set it later.
    forget_after
        Forget an id once this many later verifications were requested; its answer can then no longer be given.
    remember_passes
        How many of the latest passed predictions are remembered, so that retries get the same decision.
    seed
        The seed of the policy's randomness.

    Examples
    --------
    >>> from sidelight.monitor import ClassifierMonitor
    >>> monitor = ClassifierMonitor(tolerance=0.05, policy="sequential")
    >>> decision = monitor.decide("cat", id="req-812")
    >>> decision.verify
    True
    >>> monitor.answer("req-812", correct=False).status
    'recorded'
    >>> monitor.report()["cat"].verdict
    'unknown'
    """

    def __init__(
        self,
        tolerance: float | Mapping[Any, float],
        classes: Iterable[Any] | None = None,
        policy: str | Policy = "sequential",
        confidence: float = 0.99,
        seed: int = 0,
        *,
        mode: str = "identify",
        margin: float | None = None,
        reviewer_error: float = 0.0,
        together: bool = False,
        cap: int | None = None,
        daily_cap: int | None = None,
        class_cap: int | None = None,
        class_predictions: int | None = None,
        max_pending: int | None = None,
        aim: str = "verdicts",
        weights: Mapping[Any, float] | None = None,
        window: int | None = None,
        drift: bool | None = None,
        drift_alarm_every: int = 10_000,
        notice: float = NOTICE,
        notice_within: int | None = None,
        spot_checks: float | None = None,
        patience: int | float | timedelta | None = None,
        forget_after: int | None = None,
        remember_passes: int = 1 << 16,
        **parameters: Any,
    ) -> None:
        if policy == "explore" and margin is not None:  # which has a margin of its own
            margin, parameters = None, parameters | {"margin": margin}
        settings = make_settings(
            tolerance=tolerance,
            classes=classes,
            policy=policy,
            parameters=parameters,
            mode=mode,
            confidence=confidence,
            margin=margin,
            reviewer_error=reviewer_error,
            together=together,
            cap=cap,
            daily_cap=daily_cap,
            class_cap=class_cap,
            class_predictions=class_predictions,
            max_pending=max_pending,
            aim=aim,
            weights=weights,
            window=window,
            drift=drift,
            drift_alarm_every=drift_alarm_every,
            patience=patience,
            spot_checks=spot_checks,
            notice=notice,
            notice_within=notice_within,
            forget_after=forget_after,
            remember_passes=remember_passes,
            seed=seed,
        )
        self._hold(Engine(settings))

    def _hold(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = threading.RLock()
        self._hooks: list[Callable[[VerdictChanged], object]] = []

    def decide(self, prediction: Any, id: Any = None, time: Any = None) -> Decision:
        """Decide about one prediction: verify it or let it pass.

        An `id` that was decided before gets the same decision again and counts once. Without an id one is made up.
        `time` (a datetime, date, ISO text or seconds since 1970) says which day's cap applies; by default, now.
        """
        name = None if id is None else identifier(id)
        with self._lock:
            decision, events = self.engine.decide(label(prediction), name, time)
        if events:
            self._tell(events)
        return decision

    def decide_many(self, predictions: Iterable[Any], ids: Any = None, times: Any = None) -> list[Decision]:
        """Decide about a batch: any iterable or data frame column, with one id and time for each, or none.

        Everything is checked before the first decision; after an error nothing has changed.
        """
        labels = [label(one) for one in listed(predictions)]
        names = [None if one is None else identifier(one) for one in column("ids", ids, len(labels))]
        moments = column("times", times, len(labels))
        if self.engine.dated:
            moments = [moment_of(one) for one in moments]
        with self._lock:
            self.engine.begin_batch(self.engine.check_batch(labels, names))
            done = [self.engine.decide(*row) for row in zip(labels, names, moments, strict=True)]
        self._tell(event for _, events in done for event in events)
        return [decision for decision, _ in done]

    def answer(self, id: Any, correct: bool | None = None, *, label: Any = None, skipped: bool = False) -> Answer:
        """Record what a verification showed: `correct`, or the true `label`, or `skipped=True` to release it.

        Answers may come late, never, twice (the second changes nothing) and in any order; a different answer replaces
        the first. An id that was never chosen for verification is an error and changes nothing: a label that came
        unasked, say from a complaint, would bias the estimate.
        """
        name = identifier(id)
        with self._lock:
            said = answer_of(self.engine.prediction_of(name), correct, label, skipped)
            answer, events = self.engine.answer(name, said)
        if events:
            self._tell(events)
        return answer

    def answer_many(self, ids: Any, correct: Any = None, *, labels: Any = None, skipped: Any = None) -> list[Answer]:
        """Record a batch of answers: columns of ids and of `correct`, `labels` or `skipped`, one answer per row.

        Everything is checked before the first answer is recorded; after an error nothing has changed.
        """
        names = [identifier(one) for one in listed(ids, "ids", "answer")]
        given = (("answers", correct), ("labels", labels), ("skips", skipped))
        *said, skip = (column(name, values, len(names), "ids", "answer") for name, values in given)
        skips = [bool(one is not None and yes_or_no("skipped", one)) for one in skip]
        with self._lock:
            known = [self.engine.prediction_of(name) for name in names]
            answers = []
            for place, row in enumerate(zip(known, *said, skips, strict=True)):
                try:
                    answers.append(answer_of(*row))
                except SidelightError as error:
                    raise SidelightError(f"row {place} (id {names[place]!r}): {error}") from None
            done = [self.engine.answer(*row) for row in zip(names, answers, strict=True)]
        self._tell(event for _, events in done for event in events)
        return [answer for answer, _ in done]

    def expire(self, time: Any = None) -> None:
        """Let time pass without a decision: if patience is a time, give up what is overdue by now."""
        with self._lock:
            events = self.engine.expire(time)
        self._tell(events)

    def change(self, **limits: Any) -> None:
        """Give `cap`, `daily_cap`, `class_cap`, `max_pending` or `patience` other values from now on.

        None means no limit, and for `patience` the default. A new patience also holds for verifications under way;
        those that are overdue stay so. From decisions to a time, those under way age from the next known time on.
        """
        with self._lock:
            self.engine.change(**limits)

    def on_verdict(self, hook: Callable[[VerdictChanged], object]) -> Callable[[VerdictChanged], object]:
        """Call `hook(event)` whenever a verdict changes or a drift alarm starts a class from scratch.

        It is called after the decision or the answer has been entered, in the same thread and without a lock, so it may
        call the monitor. An error in it becomes a warning. Hooks are neither saved nor copied.
        """
        self._hooks.append(hook)
        return hook

    def _tell(self, events: Iterable[Event]) -> None:
        """Tell the hooks what has happened."""
        turned = [event for event in events if isinstance(event, VerdictChanged)]
        for event, hook in itertools.product(turned, tuple(self._hooks)):
            try:
                hook(event)
            except Exception as error:
                failed = f"the hook {hook!r} failed ({type(error).__name__}: {error})"
                warnings.warn(f"{failed}; the monitor itself recorded everything", RuntimeWarning, stacklevel=3)

    def pending(self) -> list[Verification]:
        """Return the verifications that wait for an answer, in the order they were asked for."""
        with self._lock:
            return self.engine.ledger.waiting()

    def history(self, prediction: Any = None) -> list[VerdictChanged]:
        """Return the changes of verdicts, oldest first, for all classes or for one; at most the last 100 of each."""
        with self._lock:
            classes = self.engine.classes
            states = classes.values() if prediction is None else [classes.get(label(prediction))]
            found = [event for state in states if state is not None for event in state.events]
        return sorted(found, key=lambda event: event.decision)

    def report(self) -> Report:
        """Return what is known about every class."""
        with self._lock:
            return make_report(self.engine)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a JSON file, completely or not at all; `sidelight.monitor.io.saved_monitor` says how."""
        saved_monitor.write(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the monitor in a file; it continues exactly as the saved one would have."""
        return cls.from_dict(saved_monitor.read(path))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        with self._lock:
            return self.engine.to_dict()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return a monitor from what `to_dict` returned."""
        monitor = cls.__new__(cls)
        monitor._hold(Engine.from_dict(data))
        return monitor

    def __repr__(self) -> str:
        engine, s = self.engine, self.engine.settings
        pending = engine.ledger.pending
        asked = f"{len(engine.classes)} classes, {engine.asked} verifications asked for, {pending} pending"
        return f"<ClassifierMonitor {s.policy.name}, mode {s.mode!r}, confidence {s.confidence}: {asked}>"

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()

    def __setstate__(self, data: dict[str, Any]) -> None:
        self._hold(Engine.from_dict(data))
