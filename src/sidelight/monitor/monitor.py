"""`ClassifierMonitor`: which predictions to verify, and which predicted classes are wrong more often than tolerated."""

from __future__ import annotations

import inspect
import itertools
import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from sidelight.errors import SidelightError
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.inputs import (
    monitor_input_answer,
    monitor_input_column,
    monitor_input_flag,
    monitor_input_id,
    monitor_input_list,
    monitor_input_moment,
    monitor_input_segment,
    monitor_input_versions,
    plain_label,
)
from sidelight.monitor.io import saved_monitor
from sidelight.monitor.report.breakdown import Comparison, TrueClasses
from sidelight.monitor.report.make import count_monitor_report, finish_monitor_report
from sidelight.monitor.report.records import Report
from sidelight.monitor.report.segments import count_segments_for_report, report_comparison_of_versions
from sidelight.monitor.report.true_classes import count_true_classes_for_report, report_true_classes
from sidelight.monitor.settings import SETTINGS, make_monitor_settings
from sidelight.monitor.types import Answer, Decision, Event, VerdictChanged, Verification
from sidelight.text import wrapped_with_indents


def _document_monitor_constructor(kind: type[ClassifierMonitor]) -> type[ClassifierMonitor]:
    """Give the constructor the signature and the description that follow from the settings."""
    some = [inspect.Parameter("tolerance", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    some += [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default)
        for one in SETTINGS.values()
        if one.name != "tolerance"
    ]
    some.append(inspect.Parameter("parameters", inspect.Parameter.VAR_KEYWORD))
    kind.__signature__ = inspect.Signature(some)  # type: ignore[attr-defined]
    words = [
        "\n".join([one.name, *wrapped_with_indents(f"{one.meaning} {one.more}", 116, 4, 4)])
        for one in SETTINGS.values()
    ]
    # Without the indentation, which Python itself removes from 3.13 on.
    kind.__doc__ = inspect.cleandoc(kind.__doc__ or "").replace("{settings}", "\n".join(words))
    return kind


@_document_monitor_constructor
class ClassifierMonitor:
    """Decides for each prediction whether to *verify* it or *let it pass*, and reports what it knows about each class.

    Parameters
    ----------
    {settings}

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

    def __init__(self, tolerance: float | Mapping[Any, float], **settings: Any) -> None:
        self._hold(Engine(make_monitor_settings({"tolerance": tolerance} | settings)))

    def _hold(self, engine: Engine) -> None:
        self.engine = engine
        self._lock = threading.RLock()
        self._hooks: list[Callable[[VerdictChanged], object]] = []

    def decide(
        self,
        prediction: Any,
        id: Any = None,
        time: Any = None,
        *,
        score: Any = None,
        segment: Mapping[str, Any] | None = None,
        version: Any = None,
        others: Mapping[str, Any] | None = None,
    ) -> Decision:
        """Decide about one prediction: verify it or let it pass.

        An `id` that was decided before gets the same decision again and counts once. Without an id one is made up.
        `time` (a datetime, date, ISO text or seconds since 1970) says which day's cap applies; by default, now.

        A `score` is any number that is larger for predictions that are more likely wrong (or less likely, with
        `score_is="confidence"`). With it a verdict near the tolerance takes fewer answers, and is as valid as without,
        whatever the score is worth.

        `segment` says to which parts of the traffic the prediction belongs, as in {"customer": "acme"}, and `version`
        which version of the model made it: reports have an error rate for each value. `others` is what other versions
        predict about the same item, as in {"2026-11": "dog"}: `compare` then needs answers only where they disagree.
        """
        name = None if id is None else monitor_input_id(id)
        found = None if score is None else self.engine.settings.score(score)
        parts = monitor_input_segment(segment, version)
        about = time, found, parts, monitor_input_versions(others, parts)
        with self._lock:
            decision, events = self.engine.decide(plain_label(prediction), name, *about)
        if events:
            self._tell(events)
        return decision

    def decide_many(
        self,
        predictions: Iterable[Any],
        ids: Any = None,
        times: Any = None,
        *,
        scores: Any = None,
        segments: Any = None,
        versions: Any = None,
        others: Any = None,
    ) -> list[Decision]:
        """Decide about a batch: any iterable or data frame column, with columns of ids, times, scores and so on.

        Everything is checked before the first decision; after an error nothing has changed.
        """
        labels = [plain_label(one) for one in monitor_input_list(predictions)]
        names = [
            None if one is None else monitor_input_id(one) for one in monitor_input_column("ids", ids, len(labels))
        ]
        moments = monitor_input_column("times", times, len(labels))
        values = [self.engine.settings.score(one) for one in monitor_input_column("scores", scores, len(labels))]
        given = (
            monitor_input_column("segments", segments, len(labels)),
            monitor_input_column("versions", versions, len(labels)),
        )
        parts = [monitor_input_segment(*row) for row in zip(*given, strict=True)]
        said = [
            monitor_input_versions(*row)
            for row in zip(monitor_input_column("others", others, len(labels)), parts, strict=True)
        ]
        if self.engine.dated:
            moments = [monitor_input_moment(one) for one in moments]
        with self._lock:
            size = self.engine.check_batch(labels, names)
            for name, value in zip(labels, values, strict=True) if scores is not None else ():
                if value == value:
                    self.engine.settings.check_scores(name)
            self.engine.begin_batch(size)
            done = [self.engine.decide(*row) for row in zip(labels, names, moments, values, parts, said, strict=True)]
        self._tell(event for _, events in done for event in events)
        return [decision for decision, _ in done]

    def answer(self, id: Any, correct: bool | None = None, *, label: Any = None, skipped: bool = False) -> Answer:
        """Record what a verification showed: `correct`, or the true `label`, or `skipped=True` to release it.

        Answers may come late, never, twice (the second changes nothing) and in any order; a different answer replaces
        the first. An id that was never chosen for verification is an error and changes nothing: a label that came
        unasked, say from a complaint, would bias the estimate.
        """
        name = monitor_input_id(id)
        with self._lock:
            said = monitor_input_answer(self.engine.prediction_of(name), correct, label, skipped)
            answer, events = self.engine.answer(name, said, None if label is None else plain_label(label))
        if events:
            self._tell(events)
        return answer

    def answer_many(self, ids: Any, correct: Any = None, *, labels: Any = None, skipped: Any = None) -> list[Answer]:
        """Record a batch of answers: columns of ids and of `correct`, `labels` or `skipped`, one answer per row.

        Everything is checked before the first answer is recorded; after an error nothing has changed.
        """
        names = [monitor_input_id(one) for one in monitor_input_list(ids, "ids", "answer")]
        given = (("answers", correct), ("labels", labels), ("skips", skipped))
        *said, skip = (monitor_input_column(name, values, len(names), "ids", "answer") for name, values in given)
        skips = [bool(one is not None and monitor_input_flag("skipped", one)) for one in skip]
        with self._lock:
            known = [self.engine.prediction_of(name) for name in names]
            answers = []
            for place, row in enumerate(zip(known, *said, skips, strict=True)):
                try:
                    answers.append(monitor_input_answer(*row))
                except SidelightError as error:
                    raise SidelightError(f"row {place} (id {names[place]!r}): {error}") from None
            truths = [None if one is None else plain_label(one) for one in said[1]]
            done = [self.engine.answer(*row) for row in zip(names, answers, truths, strict=True)]
        self._tell(event for _, events in done for event in events)
        return [answer for answer, _ in done]

    def expire(self, time: Any = None) -> None:
        """Let time pass without a decision: if patience is a time, close overdue verifications."""
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
        """Call the hooks with events."""
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
            states = classes.values() if prediction is None else [classes.get(plain_label(prediction))]
            found = [event for state in states if state is not None for event in state.events]
        return sorted(found, key=lambda event: event.decision)

    def report(self) -> Report:
        """Return what is known about every class."""
        with self._lock:
            counted = count_monitor_report(self.engine)
        return finish_monitor_report(counted)

    def true_classes(self) -> TrueClasses:
        """Return what the true classes are where answers have told them: a confusion matrix, and what is missed."""
        with self._lock:
            told = count_true_classes_for_report(self.engine)
        return report_true_classes(told)

    def compare(self, old: Any, new: Any) -> Comparison:
        """Return whether the predictions of one version of the model are wrong more often than those of another.

        The verdict is "worse" by more than `version_margin`, "better" at all, "not worse" by more than the margin, or
        "unknown". If predictions of `old` came with those of `new` as `others`, both are compared on the same items.
        """
        with self._lock:
            parts = count_segments_for_report(self.engine)
        return report_comparison_of_versions(parts, str(plain_label(old)), str(plain_label(new)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a JSON file, completely or not at all; `sidelight.monitor.io.saved_monitor` says how."""
        saved_monitor.write_saved_monitor(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the monitor in a file; it continues exactly as the saved one would have."""
        return cls.from_dict(saved_monitor.read_saved_monitor(path))

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
