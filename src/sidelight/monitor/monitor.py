"""`ClassifierMonitor`: which predictions to verify, and which predicted classes are wrong more often than tolerated."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Self

from sidelight.errors import SidelightError
from sidelight.monitor import monitor_file
from sidelight.monitor.answers import status_of, take
from sidelight.monitor.decisions import PLACES, RULE, Answer, Decision, Event, Id, Pending, bad_reason
from sidelight.monitor.following import Followed
from sidelight.monitor.inputs import column, identifier, label, listed, moment_of, yes_or_no
from sidelight.monitor.ledger import Verification
from sidelight.monitor.policies import Policy
from sidelight.monitor.reports import Report, make_report
from sidelight.monitor.settings import Settings, make_settings, warn_of_prior
from sidelight.monitor.version_1 import from_version_1


class ClassifierMonitor(Followed):
    """Says, prediction by prediction, *verify this one* or *let it pass*, and what it knows about each class.

    Parameters
    ----------
    tolerance
        The error rate that is tolerated among the predictions of a class: one number, or a mapping from classes to
        numbers (under the key None for all others).
    classes
        Classes that reports list from the start; others are added when they are first predicted.
    policy
        "sequential", "randcbp", "cbp" or "explore", or an object of `sidelight.monitor.policies`; further keyword
        arguments are parameters of the policy (`bins=10`, `pairs="both"`, ...).
    mode
        "identify" stops verifying a class once its verdict is certain (but "explore" always fills its number of
        labels); "guard" keeps verifying classes above tolerance, as the loss of the τ-detection game asks.
    confidence
        Of each class's interval and verdict, however often one looks. It holds for each class on its own: for all of C
        classes together divide 1 - confidence by C.
    margin
        Classes whose error rate is within so much of their tolerance get the verdict "near", so that they are decided,
        too. A tenth of the tolerance takes some 1 400 / tolerance labels at confidence 0.99. (Of the policy "explore"
        it is the parameter of that name.)
    reviewer_error
        Bound on the chance of a reviewer to miss an error, and to call a right prediction wrong. Rates that such
        reviewers cannot tell from the tolerance stay unknown; the report says which.
    together
        Whether the confidence is that no verdict on any class is wrong, in the place of each class on its own. It pays
        to list the classes beforehand in `classes`.
    prior
        Deprecated, without effect: verdicts and intervals come from two tests that need none.
    cap, daily_cap, class_cap
        Most verifications that are asked for altogether, per day of `time` (days begin at midnight in UTC, and times
        without a zone are taken to be in UTC), and most labels of one class.
    class_predictions
        A class is closed after this many predictions, as in the published protocol.
    max_pending
        Most answers that may be waited for at any moment.
    aim, weights
        Who gets the labels of a `cap` or `daily_cap`, see `sidelight.monitor.rationing`: with "verdicts" those classes
        where a verdict costs the fewest, so that there are as many verdicts as possible; with "first-come" whoever
        comes first. `weights` maps classes to the weights of their verdicts (1, or what is given under None).
    drift
        Whether a class starts from scratch when its answers say that its error rate has changed, see
        `sidelight.monitor.drift`; unless given, yes.
    drift_alarm_every
        After how many answers of a class that does not change, on average, a false alarm may come.
    window
        Another way to follow error rates that change: verdicts rest on the last `window` answers of a class, and drift
        is not looked for.
    spot_checks
        How often a prediction of a closed class is verified nevertheless: a share, 0.01 unless given, and half of them
        while there is a tenth of the evidence that an alarm takes. It is 0 without `drift` and `window`.
    patience
        How many later decisions, or how long (a timedelta, by `time`), an answer is waited for; `math.inf` for ever.
        Unless given, 500 decisions, or twice the 95 % quantile of the last 400 delays if that is more.
    forget_after
        Forget an id once so many later verifications were asked for; its answer is then not waited for any more.
    remember_passes
        How many of the latest predictions that were let pass are remembered, so that retries get the same decision.
    seed
        Where the policy's randomness starts.

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
        prior: tuple[float, float] | None = None,
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
        spot_checks: float | None = None,
        patience: int | float | timedelta | None = None,
        forget_after: int | None = None,
        remember_passes: int = 1 << 16,
        restart_on_drift: bool | None = None,
        **parameters: Any,
    ) -> None:
        warn_of_prior(prior)
        if policy == "explore" and margin is not None:  # which has a margin of its own
            margin, parameters = None, parameters | {"margin": margin}
        self._begin(
            make_settings(
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
                drift=_former_name(drift, restart_on_drift),
                drift_alarm_every=drift_alarm_every,
                patience=patience,
                spot_checks=spot_checks,
                forget_after=forget_after,
                remember_passes=remember_passes,
                seed=seed,
            )
        )

    def decide(self, prediction: Any, id: Any = None, time: Any = None) -> Decision:
        """Decide about one prediction: verify it or let it pass.

        An `id` that was decided before gets the same decision again and counts once. Without an id one is made up.
        `time` (a datetime, date, ISO text or seconds since 1970) says which day's cap applies; without it, now.
        """
        with self._lock:
            decision = self._decide(label(prediction), None if id is None else identifier(id), time)
        if self._journal.news or self._journal.closed:
            self._tell()
        return decision

    def decide_many(self, predictions: Iterable[Any], ids: Any = None, times: Any = None) -> list[Decision]:
        """Decide about a batch: any iterable or column of a data frame, with as many ids and times, or none.

        Everything is checked before the first decision; after an error nothing has changed.
        """
        labels = [label(one) for one in listed(predictions)]
        names = [None if one is None else identifier(one) for one in column("ids", ids, len(labels))]
        moments = column("times", times, len(labels))
        if self._dated:
            moments = [moment_of(one) for one in moments]
        with self._lock:
            self._begin_batch(labels, names)
            decided = [self._decide(*row) for row in zip(labels, names, moments, strict=True)]
        self._tell()
        return decided

    def answer(self, id: Any, correct: bool | None = None, *, label: Any = None, skipped: bool = False) -> Answer:
        """Take in what a verification has shown: `correct`, or the true `label`, or `skipped=True` to release it.

        Answers may come late, never, twice (the second changes nothing) and in any order; a different answer replaces
        the first. An id that was never chosen for verification is an error, and changes nothing: a label that came by
        itself, from a complaint say, would bias the estimate.
        """
        name = identifier(id)
        with self._lock:
            record = self._ledger.verification(name)
            answer = take(self._ledger, name, record, status_of(record.state.name, correct, label, skipped))
        if self._journal.news or self._journal.closed:
            self._tell()
        return answer

    def answer_many(self, ids: Any, correct: Any = None, *, labels: Any = None, skipped: Any = None) -> list[Answer]:
        """Take in a batch of answers: columns of ids and of `correct`, `labels` or `skipped`, one answer in each row.

        Everything is checked before the first answer is taken in; after an error nothing has changed.
        """
        names = [identifier(one) for one in listed(ids, "ids", "answer")]
        given = (("answers", correct), ("labels", labels), ("skips", skipped))
        *said, skip = (column(name, values, len(names), "ids", "answer") for name, values in given)
        skips = [bool(one is not None and yes_or_no("skipped", one)) for one in skip]
        with self._lock:
            records = [self._ledger.verification(name) for name in names]
            rows = zip(names, records, *said, skips, strict=True)
            statuses = [_status_in_row(place, name, record, *row) for place, (name, record, *row) in enumerate(rows)]
            answers = [take(self._ledger, *row) for row in zip(names, records, statuses, strict=True)]
        self._tell()
        return answers

    def record(self, decision: Decision, time: Any = None, *, named: bool | None = None) -> Decision:
        """Take over a decision that was made elsewhere, by a monitor of the same settings say, as if made here.

        The policy is not asked and caps are not applied, only counted. A decision that is known changes nothing; one
        that contradicts what was decided here about the same id is an error. `named` says whether the caller had given
        the id; unless given, an id that would be made up next is taken for one that was made up.
        """
        taken = _plain_decision(decision)
        with self._lock:
            self._record(taken, time, named)
        self._tell()
        return taken

    def record_many(
        self, decisions: Iterable[Decision], times: Any = None, *, named: bool | None = None
    ) -> list[Decision]:
        """Take over a batch of decisions that `decide_many` has made elsewhere, with the same times.

        Requests of a batch age together, so the batches of a journal lead to the same monitor only if they are taken
        over as batches. Everything is checked before the first decision is entered; after an error nothing has changed.
        """
        taken = [_plain_decision(one) for one in decisions]
        moments = column("times", times, len(taken), "decisions", "record")
        if self._dated:
            moments = [moment_of(one) for one in moments]
        with self._lock:
            if self._contradictory(taken):  # unless the id was forgotten in between, which a copy finds out
                copy = type(self).from_dict(self.to_dict())
                for row in zip(taken, moments, strict=True):
                    copy._record(*row, named)
            self._begin_batch([one.prediction for one in taken], [one.id for one in taken])
            for row in zip(taken, moments, strict=True):
                self._record(*row, named)
        self._tell()
        return taken

    def pending(self) -> list[Pending]:
        """Return the verifications that are waited for, in the order of asking."""
        with self._lock:
            return self._ledger.waiting()

    def history(self, prediction: Any = None) -> list[Event]:
        """Return what has happened to the verdicts, oldest first: on all classes, or on one; of each the last 100."""
        with self._lock:
            states = self._states.values() if prediction is None else [self._states.get(label(prediction))]
            found = [event for state in states if state is not None for event in state.events]
        return sorted(found, key=lambda event: event.decision)

    def report(self) -> Report:
        """Return what is known about every class."""
        with self._lock:
            return make_report(self._settings, self._states.values(), self._ledger, self._rationing)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a JSON file, whole or not at all; see `sidelight.monitor.monitor_file` for the format."""
        with self._lock:
            data = self.to_dict()
        monitor_file.write(path, data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Return the monitor in a file; it goes on exactly as the saved one would have."""
        return cls.from_dict(monitor_file.read(path))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        with self._lock:
            states = list(self._states.values())
            places = {state: place for place, state in enumerate(states)}
            return {
                "rule": RULE,
                "settings": self._settings.plain(),
                "classes": [{"name": state.name, **state.plain()} for state in states],
                **self._ledger.plain(places),
                "rationing": None if self._rationing is None else self._rationing.plain(places),
            }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the monitor that `to_dict` described."""
        monitor = cls.__new__(cls)
        try:
            data = data if "rule" in data else from_version_1(data)
            monitor._begin(Settings.from_plain(data["settings"]))
            states = [monitor._state(row["name"]) for row in data["classes"]]
            monitor._ledger.restore(dict(data), states)
            for state, row in zip(states, data["classes"], strict=True):
                state.restore(row)
            if monitor._rationing is not None and data.get("rationing") is not None:
                monitor._rationing.restore(data["rationing"], states)
            monitor._journal.news.clear()
        except SidelightError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise SidelightError(
                f"this does not describe a monitor ({type(error).__name__}: {error}): give what to_dict returned"
            ) from None
        return monitor

    def __repr__(self) -> str:
        s, ledger = self._settings, self._ledger
        asked = f"{len(self._states)} classes, {self._journal.asked} verifications asked for, {ledger.pending} pending"
        return f"<ClassifierMonitor {s.policy.name}, mode {s.mode!r}, confidence {s.confidence}: {asked}>"

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()

    def __setstate__(self, data: dict[str, Any]) -> None:
        self.__dict__.update(type(self).from_dict(data).__dict__)


def _plain_decision(decision: Decision) -> Decision:
    """Return a decision that was made elsewhere, checked."""
    verify, id, reason, name = decision
    taken = Decision(yes_or_no("verify", verify), identifier(id), reason, label(name))
    if not isinstance(reason, str) or reason not in PLACES:
        raise bad_reason("this decision", reason)
    return taken


def _status_in_row(place: int, id: Id, record: Verification, correct: Any, true: Any, skipped: bool) -> int:
    """Return the status that a row of a batch gives to a verification."""
    try:
        return status_of(record.state.name, correct, true, skipped)
    except SidelightError as error:
        raise SidelightError(f"row {place} (id {id!r}): {error}") from None


def _former_name(drift: bool | None, restart_on_drift: bool | None) -> bool | None:
    """Return the setting, which had another name."""
    if restart_on_drift is None:
        return drift
    warnings.warn(
        "restart_on_drift is now called drift; the old name will be removed in the next version",
        DeprecationWarning,
        stacklevel=3,
    )
    return bool(restart_on_drift)
