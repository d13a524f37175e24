"""An engine that is told what another one decided is the same engine, whatever happens in between."""

import json
import math
import random
from datetime import timedelta

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, Decision, Reason
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.report.make import make_monitor_report
from sidelight.monitor.types import VerificationClosed

SETTINGS = {
    "sequential": {"policy": "sequential"},
    "sequential, guard": {"policy": "sequential", "mode": "guard"},
    "randcbp": {"policy": "randcbp"},
    "cbp": {"policy": "cbp"},
    "explore": {"policy": "explore", "verifications": 30},
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
    """One engine that decides, and one that is told; now and then the second is saved and loaded."""

    def __init__(self, seed, scored=False, **settings):
        self.random, self.scored, self.scores = random.Random(seed), scored, {}
        options = {"tolerance": 0.2, "confidence": 0.9, "remember_passes": 0} | settings
        self.there, self.here = (ClassifierMonitor(**options).engine for _ in range(2))
        self.events = [], []
        self.asked, self.waiting, self.time, self.named = [], [], 1.8e9, 0

    def happened(self, there, here):
        self.events[0].extend(there)
        self.events[1].extend(here)

    def decide(self):
        size = self.random.choice((1, 1, 1, 5, 20))
        if size > 1:
            self.there.begin_batch(size)
            self.here.begin_batch(size)
        for _ in range(size):
            self.time += self.random.expovariate(1 / 900.0)
            self.named += 1
            name = self.random.choice("aaabbc")
            score = self.random.choice((None, *(self.random.gauss(0, 1) for _ in range(9)))) if self.scored else None
            self.scores[f"p{self.named}"] = score or 0.0
            decision, events = self.there.decide(name, f"p{self.named}", self.time, score)
            self.happened(events, self.here.record(decision, self.time, score))
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
        risk = 0.5 if self.named % 600 > 300 else 0.02
        wrong = self.random.random() < (2 * risk * (self.scores[id] > 0) if self.scored else risk)
        said = None if self.random.random() < 0.1 else not wrong
        answers = []
        for engine in (self.there, self.here):
            try:
                answers.append(engine.answer(id, said))
            except SidelightError as error:  # forgotten
                answers.append(str(error))
        assert answers[0] == answers[1]

    def other(self):
        kind = self.random.random()
        if kind < 0.5:
            self.here = Engine.from_dict(json.loads(json.dumps(self.here.to_dict())))
        elif kind < 0.8:
            self.happened(self.there.expire(self.time), self.here.expire(self.time))
        elif self.there.settings.weights is None:
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
    assert twins.events[0] == twins.events[1]
    assert make_monitor_report(twins.here) == make_monitor_report(twins.there)
    assert [twins.here.decide("b", f"z{k}") for k in range(50)] == [twins.there.decide("b", f"z{k}") for k in range(50)]


SCORED = [one for one in SETTINGS.values() if one.get("policy", "sequential") == "sequential" and "window" not in one]


@pytest.mark.parametrize("settings", SCORED, ids=lambda one: ", ".join(one))
def test_so_they_are_with_scores(settings):
    twins = Twins(3, scored=True, **settings)
    for _ in range(2000):
        twins.random.choices((twins.decide, twins.answer, twins.other), (10, 35, 0.3))[0]()
    assert json.dumps(twins.here.to_dict()) == json.dumps(twins.there.to_dict())
    assert twins.events[0] == twins.events[1]
    assert make_monitor_report(twins.here) == make_monitor_report(twins.there)
    again = [[one.decide("b", f"z{k}", None, k % 7) for k in range(50)] for one in (twins.here, twins.there)]
    assert again[0] == again[1]


def test_evidence_of_drift_near_its_limit_does_not_depend_on_who_saved_what_when():
    monitor = ClassifierMonitor(0.2, confidence=0.9, drift_alarm_every=10**9)
    for k in range(300):
        monitor.decide("a", id=k)
        if k in {one.id for one in monitor.pending()}:
            monitor.answer(k, correct=k % 50 < 40)
    state = monitor.engine.classes["a"]
    exact = state.renew_drift()
    for error in (-1e-13, 1e-13):
        state.drift.value = exact * (1 + error)
        assert state.suspects_drift(exact)
    state.drift.value = exact * (1 + 1e-13)
    assert not state.suspects_drift(exact * (1 + 5e-14))
    assert not state.suspects_drift(exact * 1.001)
    assert state.suspects_drift(exact * 0.999)


def test_events_say_which_verifications_are_not_waited_for():
    engine = ClassifierMonitor(0.2, patience=timedelta(hours=1), forget_after=2).engine
    told = [engine.decide("a", k, 1.8e9 + k)[1] for k in range(3)]
    assert told == [(), (), (VerificationClosed(1, forgotten=True),)]
    assert engine.expire(1.8e9 + 3601.5) == (VerificationClosed(2, forgotten=False),)
    assert engine.expire(1.8e9 + 3601.5) == ()


def test_events_say_which_answer_changed_a_verdict():
    engine = ClassifierMonitor(0.2, confidence=0.9).engine
    events = ()
    for k in range(100):
        if engine.decide("a", k)[0].verify and not events:
            answer, events = engine.answer(k, False)
            assert answer.changed == bool(events)
    (event,) = events
    assert (event.prediction, event.before, event.verdict, event.cause) == ("a", "unknown", "above", "answers")


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
    assert monitor.engine.ledger.patience.limit == 500
    for wrong in (0, "never", {"seconds": 5}, timedelta(0)):
        with pytest.raises(SidelightError, match="patience is"):
            monitor.change(cap=3, patience=wrong)
    assert monitor.engine.settings.cap is None


def test_limits_can_be_changed_and_nothing_else():
    monitor = ClassifierMonitor(0.05, cap=0)
    assert not monitor.decide("a", id=1).verify
    monitor.change(cap=1)
    assert monitor.decide("a", id=2).verify
    assert monitor.decide("a", id=3).reason == Reason.TOTAL_CAP
    monitor.change(cap=None, class_cap=2)
    assert [monitor.decide("a", id=k).verify for k in (4, 5)] == [True, False]
    before = monitor.to_dict()
    for wrong, error in (({"tolerance": 0.1}, "cannot be changed"), ({"cap": -1}, "cap is -1"), ({"cap": "x"}, "cap")):
        with pytest.raises(SidelightError, match=error):
            monitor.change(**wrong)
    assert monitor.to_dict() == before


def test_what_is_to_be_noticed_can_be_changed_meanwhile():
    monitor = ClassifierMonitor(0.1)
    for n in range(400):
        if monitor.decide("a", id=n).verify:
            monitor.answer(n, correct=True)
    state = monitor.engine.classes["a"]
    assert state.verdict == "below"
    shares = [state.spot_share()]
    for limits in ({"notice_within": 500}, {"notice": 2.0}, {"notice": 3.0, "notice_within": None}):
        monitor.change(**limits)
        shares.append(state.spot_share())
    assert shares[0] == shares[3] < shares[1] < shares[2]


def test_an_engine_that_is_saved_within_a_batch_goes_on_with_it():
    there, here = (ClassifierMonitor(0.05, patience=3) for _ in range(2))
    found, here = there.decide_many(["cat"] * 5, ids=range(5)), here.engine
    here.begin_batch(5)
    for place, decision in enumerate(found):
        if place == 2:
            here = Engine.from_dict(here.to_dict())
        here.record(decision)
    assert here.to_dict() == there.to_dict()
    there.decide_many(["cat"] * 3)
    assert there.report()["cat"].overdue == 0


def test_recording_twice_changes_nothing_and_contradictions_are_refused():
    engine = ClassifierMonitor({"cat": 0.05, "7": 0.1}, policy="sequential", cap=0).engine
    asked = Decision(True, "a", Reason.OPEN, "cat")
    engine.record(asked)  # a cap is not applied to what was decided elsewhere
    before = engine.to_dict()
    assert engine.record(asked) == ()
    for wrong, error in (
        (Decision(False, "a", Reason.CERTAIN, "cat"), "was already decided: open"),
        (Decision(True, "a", Reason.OPEN, "dog"), "was decided as 'cat'"),
        (Decision(True, "b", Reason.OPEN, "dog"), "no tolerance for the class 'dog'"),
        (Decision(True, "b", Reason.OPEN, 7), "the class 7 is a number"),
    ):
        with pytest.raises(SidelightError, match=error):
            engine.record(wrong)
    assert engine.to_dict() == before
    assert before["pending"] == 1
