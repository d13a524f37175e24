"""A monitor that is told what another one decided is the same monitor, whatever happens in between."""

import json
import math
import random
from datetime import timedelta

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, Decision, types

SETTINGS = {
    "sequential": {"policy": "sequential"},
    "sequential, guard": {"policy": "sequential", "mode": "guard"},
    "randcbp": {"policy": "randcbp"},
    "cbp": {"policy": "cbp"},
    "explore": {"policy": "explore", "labels": 30},
    "cap, rationed": {"cap": 150},
    "daily cap, rationed": {"daily_cap": 12, "weights": {"a": 3.0}},
    "daily cap, first come": {"daily_cap": 12, "aim": "first-come", "class_cap": 60},
    "pending": {"max_pending": 7, "class_predictions": 200},
    "drift": {"drift_alarm_every": 100, "spot_checks": 0.2},
    "window": {"window": 25},
    "patience in decisions": {"patience": 9},
    "patience in time": {"patience": timedelta(hours=5), "daily_cap": 40},
    "patience for ever": {"patience": float("inf")},
    "forgetful": {"forget_after": 15, "patience": 6},
    "together, near": {"together": True, "margin": 0.05, "classes": ["a", "b"]},
    "reviewers who err": {"reviewer_error": 0.02},
}


class Twins:
    """One monitor that decides, and one that is told; now and then the second is saved and loaded."""

    def __init__(self, seed, **settings):
        self.random = random.Random(seed)
        options = {"tolerance": 0.2, "confidence": 0.9, "remember_passes": 0} | settings
        self.there, self.here = ClassifierMonitor(**options), ClassifierMonitor(**options)
        self.closed = [], []
        self.listen()
        self.asked, self.waiting, self.time, self.named = [], [], 1.8e9, 0

    def listen(self):
        for monitor, closed in zip((self.there, self.here), self.closed, strict=True):
            if not monitor._closing_hooks:
                monitor.on_closed(closed.append)

    def decide(self):
        size = self.random.choice((1, 1, 1, 5, 20))
        if size > 1:
            self.there.begin_batch(size)
            self.here.begin_batch(size)
        for _ in range(size):
            self.time += self.random.expovariate(1 / 900.0)
            self.named += 1
            name = self.random.choice("aaabbc")
            decision = self.there.decide(name, id=f"p{self.named}", time=self.time)
            self.here.record(decision, time=self.time, named=True)
            if decision.verify:
                self.asked.append(decision.id)
                if self.random.random() < 0.95:  # others are never answered, or late
                    self.waiting.append(decision.id)

    def answer(self):
        if not self.asked:
            return
        # In turn, out of turn, or again to correct it.
        kind = self.random.random() if self.waiting else 1.0
        place = 0 if kind < 0.7 else self.random.randrange(len(self.waiting) or 1)
        id = self.waiting.pop(place) if kind < 0.85 else self.random.choice(self.asked)
        wrong = self.random.random() < (0.5 if self.named % 600 > 300 else 0.02)
        said = {"skipped": True} if self.random.random() < 0.1 else {"correct": not wrong}
        answers = []
        for monitor in (self.there, self.here):
            try:
                answers.append(monitor.answer(id, **said))
            except SidelightError as error:  # forgotten
                answers.append(str(error))
        assert answers[0] == answers[1]

    def other(self):
        kind = self.random.random()
        if kind < 0.5:
            self.here = ClassifierMonitor.from_dict(json.loads(json.dumps(self.here.to_dict())))
            self.listen()
        elif kind < 0.8:
            self.there.expire(self.time)
            self.here.expire(self.time)
        elif self.there._settings.weights is None:
            change = {
                "cap": self.random.choice((None, None, self.there.asked + 20)),
                "max_pending": self.random.choice((None, 5)),
                "patience": self.random.choice((None, 4, 9, math.inf, timedelta(hours=5), timedelta(hours=1))),
            }
            self.there.change(**change)
            self.here.change(**change)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_what_was_decided_and_what_was_recorded_are_the_same_monitor(settings, seed):
    twins = Twins(seed, **settings)
    for _ in range(1500):
        twins.random.choices((twins.decide, twins.answer, twins.other), (10, 35, 0.3))[0]()
    assert json.dumps(twins.here.to_dict()) == json.dumps(twins.there.to_dict())
    assert twins.closed[0] == twins.closed[1]
    assert twins.here.report() == twins.there.report()
    assert [twins.here.decide("b", id=f"z{k}") for k in range(50)] == [
        twins.there.decide("b", id=f"z{k}") for k in range(50)
    ]


def test_evidence_of_drift_near_its_limit_does_not_depend_on_who_saved_what_when():
    monitor = ClassifierMonitor(0.2, confidence=0.9, drift_alarm_every=10**9)
    for k in range(300):
        monitor.decide("a", id=k)
        if k in {one.id for one in monitor.pending()}:
            monitor.answer(k, correct=k % 50 < 40)
    state = monitor._states["a"]
    exact = state.renew_drift()
    for error in (-1e-13, 1e-13):
        state.drift.value = exact * (1 + error)
        assert state.suspects_drift(exact)
    state.drift.value = exact * (1 + 1e-13)
    assert not state.suspects_drift(exact * (1 + 5e-14))
    assert not state.suspects_drift(exact * 1.001)
    assert state.suspects_drift(exact * 0.999)


def test_requests_that_are_not_waited_for_are_told():
    monitor = ClassifierMonitor(0.2, patience=timedelta(hours=1), forget_after=2)
    closed = []
    monitor.on_closed(closed.append)
    for k in range(3):
        monitor.decide("a", id=k, time=1.8e9 + k)
    assert closed == [types.Closed(1, forgotten=True)]
    monitor.expire(1.8e9 + 3601.5)
    assert closed[1:] == [types.Closed(2, forgotten=False)]
    monitor.expire(1.8e9 + 3601.5)
    assert len(closed) == 2


def pending_of(monitor):
    return {one.id: one.overdue for one in monitor.pending()}


@pytest.mark.parametrize("saved", [False, True])
def test_patience_can_be_changed_meanwhile(saved):
    def changed(monitor, patience):
        monitor.change(patience=patience)
        return ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict()))) if saved else monitor

    monitor = ClassifierMonitor(0.05, patience=5)
    monitor.decide_many(["cat"] * 2, ids=[0, 1])
    monitor.decide_many(["dog"] * 6, ids=range(2, 8))
    monitor.decide("dog", id=8)
    assert pending_of(monitor)[0]
    monitor = changed(monitor, float("inf"))
    monitor.decide_many(["dog"] * 20, ids=range(9, 29))
    assert [id for id, overdue in pending_of(monitor).items() if overdue] == [0, 1]  # what is overdue stays so
    monitor = changed(monitor, 10)
    monitor.decide("dog", id=29)
    assert [id for id, overdue in pending_of(monitor).items() if overdue] == [*range(9)]
    monitor = changed(monitor, timedelta(hours=2))  # ages from the next time on
    monitor.decide("dog", id=30, time=3600.0)
    monitor.expire(2 * 3600.0)
    assert not pending_of(monitor)[29]
    monitor = changed(monitor, timedelta(hours=1))
    monitor.expire(2.1 * 3600.0)
    assert (pending_of(monitor)[29], pending_of(monitor)[30]) == (True, True)
    monitor = changed(monitor, None)
    assert monitor._ledger.patience.limit == 500
    for wrong in (0, "never", {"seconds": 5}, timedelta(0)):
        with pytest.raises(SidelightError, match="patience is"):
            monitor.change(cap=3, patience=wrong)
    assert monitor._settings.cap is None


def test_limits_can_be_changed_and_nothing_else():
    monitor = ClassifierMonitor(0.05, cap=0)
    assert not monitor.decide("a", id=1).verify
    monitor.change(cap=1)
    assert monitor.decide("a", id=2).verify
    assert monitor.decide("a", id=3).reason == types.TOTAL_CAP
    monitor.change(cap=None, class_cap=2)
    assert [monitor.decide("a", id=k).verify for k in (4, 5)] == [True, False]
    before = monitor.to_dict()
    for wrong, error in (({"tolerance": 0.1}, "cannot be changed"), ({"cap": -1}, "cap is -1"), ({"cap": "x"}, "cap")):
        with pytest.raises(SidelightError, match=error):
            monitor.change(**wrong)
    assert monitor.to_dict() == before


def test_faults_say_what_is_wrong_with_each_prediction():
    monitor = ClassifierMonitor({"a": 0.05, "7": 0.1})
    monitor.decide("a")
    before = monitor.to_dict()
    faults = monitor.faults(["a", "b", 7, "7", None])
    assert sorted(faults) == [1, 2, 4]
    assert "no tolerance" in faults[1]
    assert "not a class" in faults[4]
    assert monitor.to_dict() == before
    assert sorted(ClassifierMonitor(0.1).faults(["8", 8])) == [1]  # of two new spellings the second is refused


def test_a_decision_of_an_unknown_reason_is_refused():
    with pytest.raises(SidelightError, match="gives the reason"):
        ClassifierMonitor(0.05).record(Decision(True, 1, "because", "a"))
