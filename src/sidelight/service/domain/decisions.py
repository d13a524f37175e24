"""Deciding about predictions: a request is decided completely or not at all, and an id keeps its decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sidelight.monitor.types import Label, Reason
from sidelight.service import journal
from sidelight.service.domain import history
from sidelight.service.domain.monitors import refuse_archived
from sidelight.service.domain.service import Service
from sidelight.service.domain.verifications import Payload, enter_item, follow
from sidelight.service.faults import label_fault, text_fault
from sidelight.service.journal.replica import Held, day_of, plain_events
from sidelight.service.problems import Problem, place
from sidelight.service.writer.unit import Job, Known, Work

__all__ = ["Decided", "Payload", "Prediction", "decide"]

_BUDGETS = {Reason.TOTAL_CAP.code: "cap", Reason.DAILY_CAP.code: "daily_cap"}


class Prediction(NamedTuple):
    """One prediction to decide about."""

    id: str
    prediction: Label
    time: float | None = None
    """Seconds since 1970; None for now. It decides which day's cap applies."""
    payload: Payload | None = None


class Decided(NamedTuple):
    """The decision about a prediction, made now or before."""

    id: str
    verify: bool
    reason: str
    prediction: Label
    item: int | None = None
    """The number of the item if this request created it."""


class _Decide:
    """Decides about the predictions of one request."""

    def __init__(
        self, monitor: str, predictions: Sequence[Prediction], actor: str, window: tuple[float, float]
    ) -> None:
        self.monitors: Sequence[str] = (monitor,)
        self.predictions, self.actor, self.window = predictions, actor, window
        self._refuse_faults()
        self.keys = [journal.key_of(monitor, one.id) for one in predictions]

    def _refuse_faults(self) -> None:
        """Refuse what is wrong whatever the monitor's state."""
        found, first = [], dict[str, Label]()
        for i, one in enumerate(self.predictions):
            faults = {"id": text_fault(one.id), "prediction": label_fault(one.prediction)}
            found += [place([i, name], fault) for name, fault in faults.items() if fault is not None]
            if not any(faults.values()) and first.setdefault(one.id, one.prediction) != one.prediction:
                detail = f"this request uses the same id for {first[one.id]!r}: use another id"
                found.append(place([i, "id"], detail))
        if found:
            raise Problem("invalid", "some predictions are not valid; nothing changed", places=found)

    def run(self, work: Work) -> list[Decided]:
        """Check everything, then decide about the new predictions."""
        held = work.held(self.monitors[0])
        refuse_archived(held)
        work.look_up(self.keys)
        self._refuse_contradictions(work)
        fresh = [i for i, key in enumerate(self.keys) if work.known(key) is None]
        self._refuse_untimely(work, fresh)
        self._refuse_classes(held, fresh)
        new = dict.fromkeys(self.keys[i] for i in fresh)
        if len(new) > 1:
            held.monitor.begin_batch(len(new))
        batch = {"batch": len(new)} if len(new) > 1 else {}
        items: dict[int, int] = {}
        for i in fresh:
            if work.known(self.keys[i]) is None:
                item = self._decide(work, held, i, batch)
                if item is not None:
                    items[i] = item
                batch = {}
        return [self._decided(work, i, items.get(i)) for i in range(len(self.keys))]

    def _refuse_contradictions(self, work: Work) -> None:
        found = []
        for i, (one, key) in enumerate(zip(self.predictions, self.keys, strict=True)):
            known = work.known(key)
            if known is not None and (known.id, known.prediction) != (one.id, one.prediction):
                detail = f"this id was decided for {known.prediction!r}: use another id"
                found.append(place([i, "id"], detail, id=one.id, prediction=known.prediction))
        if found:
            raise Problem("conflict", "some ids were decided for other classes; nothing changed", places=found)

    def _refuse_untimely(self, work: Work, fresh: Iterable[int]) -> None:
        """Refuse times far from now, because any time would bypass the daily cap."""
        back, ahead = self.window
        found = []
        for i in fresh:
            time = self.predictions[i].time
            if time is not None and not work.now - back <= time <= work.now + ahead:
                detail = f"give a time from {back / 3600:g} hours ago to {ahead / 60:g} minutes ahead, or none for now"
                found.append(place([i, "time"], detail))
        if found:
            raise Problem("invalid", "some times are too far from now; nothing changed", places=found)

    def _refuse_classes(self, held: Held, fresh: Sequence[int]) -> None:
        faults = held.monitor.faults(self.predictions[i].prediction for i in fresh)
        if faults:
            found = [place([fresh[n], "prediction"], fault) for n, fault in faults.items()]
            raise Problem("invalid", "some classes are not allowed; nothing changed", places=found)

    def _decide(self, work: Work, held: Held, i: int, batch: dict[str, int]) -> int | None:
        """Decide about one prediction and journal it; return the number of its item, if any."""
        one, key = self.predictions[i], self.keys[i]
        time = work.now if one.time is None else one.time
        decision, events = held.monitor.decide(one.prediction, one.id, time)
        reason = Reason(decision.reason).code
        body: dict[str, Any] = {
            "id": one.id,
            "class": one.prediction,
            "time": time,
            "day": day_of(time),
            "verify": int(decision.verify),
            "reason": reason,
            **batch,
        }
        if decision.verify:
            body["number"] = held.monitor.asked
        number = work.append(held.id, journal.DECIDED, body | plain_events(events), actor=self.actor, key=key)
        work.remember(key, Known(one.id, one.prediction, decision.verify, reason))
        follow(work, held, events)
        history.turned(work, held, events, number)
        if reason in _BUDGETS and held.spent != (spent := (_BUDGETS[reason], body["day"], held.monitor.asked)):
            held.spent = spent
            work.publish(held.id, "budget.used_up", dict(zip(("limit", "day", "verifications"), spent, strict=True)))
        if not decision.verify:
            return None
        enter_item(work, held, key, decision, time, one.payload)
        return held.monitor.asked

    def _decided(self, work: Work, i: int, item: int | None) -> Decided:
        known = work.known(self.keys[i])
        assert known is not None
        return Decided(known.id, known.verify, Reason.of(known.reason), self.predictions[i].prediction, item)


def decide(service: Service, monitor: str, predictions: Sequence[Prediction], *, actor: str) -> Job[list[Decided]]:
    """Decide about predictions; the decisions are in the same order."""
    options = service.options
    return _Decide(monitor, predictions, actor, (options.time_back, options.time_ahead))
