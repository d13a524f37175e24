"""Deciding about predictions: a request is decided completely or not at all, and an id keeps its decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from sidelight.errors import SidelightError
from sidelight.monitor.inputs import monitor_input_segment, monitor_input_versions
from sidelight.monitor.types import Decision, Label, Reason
from sidelight.service.domain import history
from sidelight.service.domain.inputs import Prediction
from sidelight.service.domain.service import Service
from sidelight.service.domain.verifications import insert_requested_verification, note_closed_verifications
from sidelight.service.journal import entry as journal
from sidelight.service.journal.replica import Replica, journal_day_of, journal_events
from sidelight.service.problems import Problem, problem_place
from sidelight.service.writer.unit import Job, WriterUnit

_BUDGETS = {Reason.TOTAL_CAP.code: "cap", Reason.DAILY_CAP.code: "daily_cap"}


def decide_predictions(
    service: Service, monitor: str, predictions: Sequence[Prediction], *, actor: str
) -> Job[list[Decision]]:
    """Decide about predictions; the decisions are in the same order."""
    _refuse_id_of_two_classes(predictions)
    keys = [journal.journal_key_of_prediction(monitor, one.id) for one in predictions]
    window = (service.options.time_back, service.options.time_ahead)
    return Job(
        lambda work: _check_and_decide_predictions(work, monitor, predictions, keys, actor, window), (monitor,), keys
    )


def _refuse_id_of_two_classes(predictions: Sequence[Prediction]) -> None:
    """Refuse a request that uses one id for several classes."""
    found, first = [], dict[str, Label]()
    for i, one in enumerate(predictions):
        if first.setdefault(one.id, one.prediction) != one.prediction:
            found.append(
                problem_place([i, "id"], f"this request uses the same id for {first[one.id]!r}: use another id")
            )
    if found:
        raise Problem("invalid", "some ids are used for several classes; nothing changed", places=found)


def _check_and_decide_predictions(
    work: WriterUnit,
    monitor: str,
    predictions: Sequence[Prediction],
    keys: Sequence[bytes],
    actor: str,
    window: tuple[float, float],
) -> list[Decision]:
    """Check everything, then decide about the new predictions."""
    replica = work.replica(monitor)
    replica.check_open()
    work.look_up(keys)
    _refuse_contradicting_decisions(work, predictions, keys)
    fresh = [i for i, key in enumerate(keys) if work.known[key] is None]
    _refuse_untimely_predictions(work, predictions, fresh, window)
    _refuse_unknown_predicted_classes(replica, predictions, fresh)
    new = dict.fromkeys(keys[i] for i in fresh)
    if len(new) > 1:
        replica.monitor.begin_batch(len(new))
    batch = {"batch": len(new)} if len(new) > 1 else {}
    for i in fresh:
        if work.known[keys[i]] is None:
            _decide_and_journal_prediction(work, replica, predictions[i], keys[i], batch, actor)
            batch = {}
    return [cast(Decision, work.known[key]) for key in keys]


def _refuse_contradicting_decisions(work: WriterUnit, predictions: Sequence[Prediction], keys: Sequence[bytes]) -> None:
    found = []
    for i, (one, key) in enumerate(zip(predictions, keys, strict=True)):
        known = work.known[key]
        if known is not None and (known.id, known.prediction) != (one.id, one.prediction):
            detail = f"this id was decided for {known.prediction!r}: use another id"
            found.append(problem_place([i, "id"], detail, id=one.id, prediction=known.prediction))
    if found:
        raise Problem("conflict", "some ids were decided for other classes; nothing changed", places=found)


def _refuse_untimely_predictions(
    work: WriterUnit, predictions: Sequence[Prediction], fresh: Iterable[int], window: tuple[float, float]
) -> None:
    """Refuse times far from now, because any time would bypass the daily cap."""
    back, ahead = window
    found = []
    for i in fresh:
        time = predictions[i].time
        if time is not None and not work.now - back <= time <= work.now + ahead:
            detail = f"give a time from {back / 3600:g} hours ago to {ahead / 60:g} minutes ahead, or none for now"
            found.append(problem_place([i, "time"], detail))
    if found:
        raise Problem("invalid", "some times are too far from now; nothing changed", places=found)


def _refuse_unknown_predicted_classes(
    replica: Replica, predictions: Sequence[Prediction], fresh: Sequence[int]
) -> None:
    faults = replica.monitor.faults(predictions[i].prediction for i in fresh)
    for n, i in enumerate(fresh):
        try:
            if predictions[i].score is not None and n not in faults:
                replica.monitor.settings.check_scores(predictions[i].prediction)
            monitor_input_versions(
                predictions[i].others, monitor_input_segment(predictions[i].segment, predictions[i].version)
            )
        except SidelightError as error:
            faults[n] = str(error)
    if faults:
        found = [problem_place([fresh[n], "prediction"], fault) for n, fault in faults.items()]
        raise Problem("invalid", "some predictions are not allowed; nothing changed", places=found)


def _decide_and_journal_prediction(
    work: WriterUnit, replica: Replica, one: Prediction, key: bytes, batch: dict[str, int], actor: str
) -> None:
    """Decide about one prediction and journal it."""
    time = work.now if one.time is None else one.time
    score, segment = replica.monitor.settings.score(one.score), monitor_input_segment(one.segment, one.version)
    others = monitor_input_versions(one.others, segment)
    decision, events = replica.monitor.decide(one.prediction, one.id, time, score, segment, others)
    reason = Reason(decision.reason).code
    body: dict[str, Any] = {
        "id": one.id,
        "class": one.prediction,
        "time": time,
        "day": journal_day_of(time),
        "verify": int(decision.verify),
        "reason": reason,
        **batch,
    }
    about = {
        "score": one.score,
        "propensity": decision.propensity,
        "segment": [list(pair) for pair in segment] or None,
        "others": [list(pair) for pair in others] or None,
    }
    body |= {name: value for name, value in about.items() if value is not None}
    if decision.verify:
        body["number"] = replica.monitor.asked
    number = work.append(replica.id, journal.DECIDED, body | journal_events(events), actor=actor, key=key)
    work.remember(key, decision)
    if events:
        note_closed_verifications(work, replica, events)
        history.note_turned_verdicts_in_history(work, replica, events, number)
    if reason in _BUDGETS and replica.spent != (spent := (_BUDGETS[reason], body["day"], replica.monitor.asked)):
        replica.spent = spent
        work.publish(replica.id, "budget.used_up", dict(zip(("limit", "day", "verifications"), spent, strict=True)))
    if decision.verify:
        insert_requested_verification(work, replica, key, decision, time, one.payload)
