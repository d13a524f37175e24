"""Which answers count: the settled beginning of the line, whatever comes late, twice, never or is corrected."""

import copy
import heapq
import json
import pickle
import random
import threading
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.engine.clock import AnswerPatience
from sidelight.monitor.engine.line import LETTERS, OVERDUE, PENDING, RIGHT, SKIPPED, WRONG, VerificationLine
from sidelight.monitor.report.wording import word_standing_verdict_of_report


def naive_counts(requests, window=None):
    """Return answers and errors of the settled beginning, or among its last so many answers."""
    beginning = []
    for status in requests:
        if status == PENDING:
            break
        beginning.append(status)
    answers = [status == WRONG for status in beginning if status in (RIGHT, WRONG)]
    answers = answers if window is None else answers[-window:]
    return len(answers), sum(answers)


def naive_verdict(monitor, requests):
    """Return the latest verdict that the answers of the settled beginning reach."""
    n = e = 0
    latest = "unknown"
    for status in requests:
        if status == PENDING:
            break
        if status in (RIGHT, WRONG):
            n, e = n + 1, e + (status == WRONG)
            verdict = monitor.engine.classes["cat"].test.verdict(e, n)
            latest = latest if verdict == "unknown" else verdict
    return latest


STEPS = st.lists(
    st.one_of(
        st.just(("ask", 0)),
        st.tuples(st.sampled_from(["right", "wrong", "skip"]), st.integers(0, 40)),
        st.just(("save", 0)),
    ),
    max_size=150,
)


@pytest.mark.parametrize("window", [None, 5])
@pytest.mark.parametrize("patience", [3, 12])
@given(steps=STEPS)
@settings(max_examples=60, deadline=None)
def test_counts_and_verdicts_are_those_of_a_naive_line(window, patience, steps):
    monitor = ClassifierMonitor(
        0.3,
        policy="explore",
        verifications=10**6,
        window=window,
        patience=patience,
        confidence=0.7,
        drift=False,
        spot_checks=0,
    )
    requests = []
    for what, id in steps:
        if what == "ask":
            monitor.decide("cat", id=len(requests))
            requests.append(PENDING)
            for old in range(len(requests) - 1 - patience):
                requests[old] = OVERDUE if requests[old] == PENDING else requests[old]
        elif what == "save":
            monitor = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
        elif id < len(requests):
            monitor.answer(id, correct=None if what == "skip" else what == "right", skipped=what == "skip")
            requests[id] = {"right": RIGHT, "wrong": WRONG, "skip": SKIPPED}[what]
    if not requests:
        return
    state, one = monitor.engine.classes["cat"], monitor.report()["cat"]
    assert (state.n, state.e) == naive_counts(requests, window)
    assert state.line.plain()["line"] == "".join(LETTERS[status] for status in requests)
    assert state.ahead == sum(status in (RIGHT, WRONG) for status in requests[state.line.counted :])
    assert (one.pending, one.overdue, one.skipped) == tuple(map(requests.count, (PENDING, OVERDUE, SKIPPED)))
    assert (one.verified, one.errors) == (requests.count(RIGHT) + requests.count(WRONG), requests.count(WRONG))
    if window is None:
        assert one.verdict == naive_verdict(monitor, requests)
    else:
        assert one.verdict == state.test.verdict(state.e, state.n)


def test_answers_wait_for_an_earlier_one():
    monitor = ClassifierMonitor(0.05, policy="sequential", drift=False)
    monitor.decide_many(["cat"] * 5, ids=range(5))
    monitor.answer_many([1, 2, 4], [True, False, True])
    one = monitor.report()["cat"]
    assert (one.verified, one.errors, one.counted, one.estimate) == (3, 1, 0, None)
    assert "3 answers count as soon as an earlier one" in one.stalled
    assert one.oldest.startswith("0, asked for ")
    monitor.answer(0, correct=True)
    assert monitor.report()["cat"].counted == 3
    monitor.answer(3, skipped=True)
    assert (monitor.report()["cat"].counted, monitor.report()["cat"].stalled) == (4, None)


@pytest.mark.parametrize("options", [{}, {"max_pending": 3}, {"class_cap": 300}, {"policy": "randcbp"}], ids=repr)
def test_lost_answers_do_not_stop_it(options):
    monitor = ClassifierMonitor(0.05, **{"policy": "sequential", "drift": False} | options)
    draws = random.Random(1)
    for id in range(40_000):
        if monitor.decide("cat", id=id).verify and draws.random() < 0.9:
            monitor.answer(id, correct=draws.random() < 0.999)
    one = monitor.report()["cat"]
    assert one.verdict == "below"
    assert one.overdue > 0
    assert [pending.overdue for pending in monitor.pending()] == [True] * one.overdue
    assert "answers are overdue" in str(monitor.report())


def test_wrong_answers_that_take_longer_do_not_bias_the_verdict():
    """Right answers after 500 predictions on average, wrong ones after 2 000, rate 0.12: "below" 0.1 is wrong.

    Counted as they come, answers lead to "below" in 9 runs of 10.
    """
    ever, end = 0, 0
    for seed in range(12):
        monitor = ClassifierMonitor(0.1, policy="sequential", confidence=0.95, drift=False)
        draws, coming, seen = random.Random(seed), [], set()
        for id in range(12_000):
            if monitor.decide("cat", id=id).verify:
                wrong = draws.random() < 0.12
                heapq.heappush(coming, (id + draws.expovariate(1 / (2000 if wrong else 500)), id, wrong))
            while coming and (coming[0][0] <= id or id == 11_999):
                _, old, wrong = heapq.heappop(coming)
                seen.add(monitor.answer(old, correct=not wrong).verdict)
        ever += "below" in seen
        end += monitor.report()["cat"].verdict == "below"
    assert ever <= 3
    assert end <= 2


def test_overdue_requests_count_for_caps_on_asking_only():
    monitor = ClassifierMonitor(0.05, policy="explore", cap=30, patience=10, max_pending=5, class_cap=8, drift=False)
    asked = [monitor.decide("cat", id=id).verify for id in range(400)]
    assert sum(asked) == 30
    assert (monitor.report().pending, monitor.report()["cat"].overdue) == (0, 30)
    daily = ClassifierMonitor(0.05, policy="explore", daily_cap=4, patience=1, drift=False)
    assert sum(daily.decide("cat", time="2026-01-01").verify for _ in range(50)) == 4


@pytest.mark.parametrize(
    ("k", "m", "text"),
    [
        (-1, 2, "stands by earlier answers only"),
        (0, 1, "stands unless the missing answer is against it"),
        (0, 12, "stands unless one of the 12 missing answers is against it"),
        (1, 12, "stands if at most 1 of the 12 missing answers is against it"),
        (2, 12, "stands if at most 2 of the 12 missing answers are against it"),
        (3, 3, "stands whatever the missing answers say"),
    ],
)
def test_a_report_says_when_a_verdict_stands(k, m, text):
    assert word_standing_verdict_of_report(k, m) == text


def test_a_late_answer_takes_its_place_and_may_reopen_the_class():
    monitor = ClassifierMonitor(0.05, policy="sequential", confidence=0.9, patience=50, drift=False)
    late = [3, 8, 11]
    for id in range(300):
        if monitor.decide("cat", id=id).verify and id not in late:
            monitor.answer(id, correct=True)
    one = monitor.report()["cat"]
    assert (one.verdict, one.overdue) == ("below", 3)
    k, m = one.stands
    assert m == 3
    assert 0 <= k < 3
    assert f"'below' {word_standing_verdict_of_report(k, 3)}" in str(monitor.report())
    said = [monitor.answer(id, correct=False) for id in late]
    assert [answer.verdict for answer in said] == ["below"] * k + ["unknown"] * (3 - k)
    assert said[k].changed
    assert "overdue before" in said[k].text
    assert "reopened by a late answer" in monitor.report()["cat"].events[0]
    assert monitor.decide("cat", id="next").verify


def test_what_was_reached_stands_while_verifying_goes_on():
    """Later answers that decide nothing do not take a verdict back: Ville's inequality protects every crossing."""
    monitor = ClassifierMonitor(0.2, policy="explore", verifications=10**6, confidence=0.8, drift=False)
    marks = [True] * 30 + [False] * 12
    monitor.decide_many(["cat"] * len(marks), ids=range(len(marks)))
    monitor.answer_many(range(len(marks)), marks)
    one = monitor.report()["cat"]
    assert (one.verdict, one.reopened) == ("below", 0)
    assert one.interval[1] == 0.2
    assert monitor.engine.classes["cat"].test.verdict(12, 42) == "unknown"
    monitor.answer(2, correct=False)
    monitor.answer(3, correct=False)
    assert monitor.report()["cat"].verdict != "below"


def answered(marks, tolerance=0.05, **options):
    defaults = {"policy": "explore", "drift": False} | ({} if "policy" in options else {"verifications": 10**6})
    monitor = ClassifierMonitor(tolerance, **defaults | options)
    for id, right in enumerate(marks):
        if monitor.decide("cat", id=id).verify:
            monitor.answer(id, correct=right)
    return monitor


@pytest.mark.parametrize(("wrong", "right"), [(5, 1995), (30, 9970)])
@pytest.mark.parametrize("options", [{}, {"policy": "sequential", "mode": "guard"}], ids=["explore", "guard"])
def test_the_verdict_turns_when_the_counts_say_the_opposite(wrong, right, options):
    monitor = answered([False] * wrong + [True] * right, **options)
    one = monitor.report()["cat"]
    assert (one.verdict, one.reopened) == ("below", 1)
    assert one.interval[0] <= one.estimate <= one.interval[1] <= 0.05
    events = [(event.before, event.verdict, event.cause) for event in monitor.history()]
    assert events == [("unknown", "above", "answers"), ("above", "below", "answers")]
    assert len(one.events) == 1
    assert "'above' was certain until" in one.events[0]


def test_a_verdict_near_the_tolerance_turns_only_into_another_certain_one():
    near = [k % 10 == 0 for k in range(3000)]
    options = {"policy": "sequential", "spot_checks": 1.0, "margin": 0.03, "confidence": 0.95}
    monitor = answered([not wrong for wrong in near], tolerance=0.1, **options)
    state, passed = monitor.engine.classes["cat"], set()
    assert state.verdict == "near"
    for k in range(400):
        monitor.decide("cat", id=f"more {k}")
        monitor.answer(f"more {k}", correct=False)
        passed.add((state.test.verdict(state.e, state.n), state.verdict))
    assert passed == {("near", "near"), ("unknown", "near"), ("above", "above")}


def test_the_report_says_when_the_estimate_lies_outside_of_the_interval():
    monitor = answered([False] * 5 + [True] * 100)
    one = monitor.report()["cat"]
    assert one.verdict == "above"
    assert one.estimate < one.interval[0]
    assert "the estimate lies outside the interval" in str(monitor.report())


def test_a_change_near_the_head_of_a_long_line_takes_few_steps(monkeypatch):
    monitor = answered([k % 50 > 0 for k in range(20_000)])
    test, steps = monitor.engine.classes["cat"].test, []
    verdict = test.verdict
    monkeypatch.setattr(test, "verdict", lambda e, n: steps.append(n) or verdict(e, n))
    monitor.answer(3, correct=False)
    assert monitor.report()["cat"].verdict == "below"
    assert len(steps) <= 2


def test_patience_in_decisions_of_the_whole_monitor():
    monitor = ClassifierMonitor(0.05, policy="sequential", patience=20, drift=False)
    monitor.decide("cat", id="a")
    for _ in range(20):
        monitor.decide("dog")
    assert [one[-2:] for one in monitor.pending()[:1]] == [(20, False)]
    monitor.decide("dog")
    assert monitor.pending()[0].overdue
    assert monitor.report()["cat"].overdue == 1
    assert monitor.answer("a", correct=True).status == "recorded"
    assert (monitor.report()["cat"].overdue, monitor.report()["cat"].counted) == (0, 1)


@pytest.mark.parametrize("kind", [timedelta, lambda seconds: timedelta(seconds=seconds)], ids=["days", "seconds"])
def test_patience_in_time_and_times_that_go_backwards(kind):
    patience = kind(2)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    monitor = ClassifierMonitor(0.05, policy="sequential", patience=patience, drift=False)
    monitor.decide("cat", id="a", time=start)
    monitor.decide("cat", id="wild", time=start + 1000 * patience)  # makes "a" overdue, and nothing else ever
    assert [one.overdue for one in monitor.pending()] == [True, False]
    monitor.decide("cat", id="back", time=start - patience)
    for step in range(3):
        monitor.decide("cat", id=step, time=start + step * patience)
    monitor = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert {one.id: one.overdue for one in monitor.pending()} == {
        "a": True,
        "wild": False,
        "back": True,
        0: True,
        1: False,
        2: False,
    }
    assert monitor.answer("a", correct=True).status == "recorded"


@pytest.mark.parametrize("patience", [0, -1, 1.5, True, float("nan"), timedelta(0), "2 days"])
def test_what_is_not_a_patience(patience):
    with pytest.raises(SidelightError, match="patience is"):
        ClassifierMonitor(0.05, patience=patience)


def test_the_default_patience_follows_the_usual_delay_and_is_bounded():
    patience = AnswerPatience(None)
    assert patience.limit == 500
    for delay in [0] * 201 + [40_000] * 199:
        patience.learn(delay)
    assert patience.limit == 500
    for _ in range(3):
        patience.learn(40_000)
    assert patience.limit == 5000
    for delay in [300] * 250 + [40_000] * 150:
        patience.learn(delay)
    assert (patience.limit, len(patience.delays)) == (3000, 400)


def test_a_batch_is_as_old_as_its_last_decision():
    """Nobody can answer before the whole batch is decided, so it does not make its own requests overdue."""
    monitor = ClassifierMonitor(0.05, policy="explore", patience=5, drift=False)
    monitor.decide("cat", id=0)
    monitor.decide_many(["cat"] * 100, ids=[*range(50), *range(50)])
    assert [one.overdue for one in monitor.pending()] == [True] + [False] * 49
    assert {one.age for one in monitor.pending()[1:]} == {0}
    again = ClassifierMonitor.from_dict(monitor.to_dict())
    for one in (monitor, again):
        one.decide("cat", id="next")
    assert again.to_dict() == monitor.to_dict()
    assert monitor.pending()[1].age == 1


def test_for_ever_is_for_ever():
    monitor = ClassifierMonitor(0.05, policy="sequential", patience=float("inf"), drift=False)
    monitor = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    for id in range(5000):
        monitor.decide("cat", id=id)
    one = monitor.report()["cat"]
    assert (one.overdue, one.pending) == (0, one.needed)
    assert one.stalled.startswith("waiting: as many answers are pending")
    assert "stalled: waiting" in str(monitor.report())


def test_a_forgotten_request_holds_nothing_up():
    monitor = ClassifierMonitor(0.05, policy="explore", forget_after=10, patience=float("inf"), drift=False)
    for id in range(30):
        monitor.decide("cat", id=id)
        if id:
            monitor.answer(id, correct=True)
    assert monitor.report()["cat"].counted == 29


def test_an_overdue_request_that_is_forgotten_is_not_listed_as_overdue():
    monitor = ClassifierMonitor(0.05, forget_after=10, patience=3)
    for id in range(30):
        monitor.decide("cat", id=id)
    report = monitor.report()["cat"]
    assert (report.pending, report.overdue, report.skipped) == (4, 6, 20)
    assert [one.id for one in monitor.pending()] == list(range(20, 30))
    assert ClassifierMonitor.from_dict(monitor.to_dict()).to_dict() == monitor.to_dict()


def test_windows_are_followed_in_constant_time():
    """The number of steps does not grow with the window: what is looked at is the oldest answer and the newest."""
    line = VerificationLine(window=50_000)
    for place in range(120_000):
        line.append(place)
        line.marks[place] = WRONG if place % 10 == 0 else RIGHT
        line.counted += 1
        line.add(place % 10 == 0)
    assert (line.n, line.e, line.first) == (50_000, 5000, 70_000)


def test_copies_and_pickles_in_the_middle_of_everything():
    monitor = ClassifierMonitor(0.1, policy="sequential", patience=40, drift=True, drift_alarm_every=200)
    draws = random.Random(3)
    waiting = []
    for id in range(3000):
        if monitor.decide(id % 3, id=id).verify and draws.random() < 0.9:
            waiting.append(id)
        draws.shuffle(waiting)
        for old in [waiting.pop() for _ in range(len(waiting) // 8)]:
            monitor.answer(old, correct=draws.random() < (0.95 if id < 1500 else 0.6))
        if id % 500 == 250:
            for twin in (copy.deepcopy(monitor), pickle.loads(pickle.dumps(monitor))):
                assert twin.to_dict() == monitor.to_dict()
            monitor = twin
    assert any(event.cause == "drift" for state in monitor.engine.classes.values() for event in state.events)


def test_threads():
    # The order of answers is up to the threads, and an alarm by chance would start the counts anew.
    monitor = ClassifierMonitor(
        0.1, policy="explore", verifications=10**6, patience=30, drift=True, drift_alarm_every=10**9
    )

    def work(name):
        draws = random.Random(name)
        for k in range(400):
            decision = monitor.decide("cat", id=f"{name} {k}")
            if decision.verify and draws.random() < 0.8:
                monitor.answer(decision.id, correct=draws.random() < 0.8)

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one = monitor.report()["cat"]
    assert one.predictions == 1600
    assert one.verified + one.overdue + one.pending == monitor.report().verifications
    assert ClassifierMonitor.from_dict(monitor.to_dict()).to_dict() == monitor.to_dict()
