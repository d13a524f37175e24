"""Error rates that change: windows, restarts, spot checks."""

import random

import pytest

from sidelight.monitor import ClassifierMonitor


def play(monitor, rates, seed=1, name="cat"):
    draws = random.Random(seed)
    start = monitor.report().predictions
    for place, rate in enumerate(rates, start):
        wrong = draws.random() < rate
        if monitor.decide(name, id=place).verify:
            monitor.answer(place, correct=not wrong)


@pytest.mark.parametrize("options", [{"window": 300}, {"drift": True}], ids=repr)
@pytest.mark.parametrize("policy", ["sequential", "randcbp"])
def test_a_class_that_gets_worse_is_found_again(options, policy):
    monitor = ClassifierMonitor(0.05, policy=policy, spot_checks=0.2, **options)
    play(monitor, [0.01] * 3000)
    assert monitor.report()["cat"].verdict == "below"
    before = monitor.report()["cat"].verified
    play(monitor, [0.25] * 4000, seed=2)
    one = monitor.report()["cat"]
    assert one.verdict == "above"
    assert one.reopened >= 1
    assert one.verified > before


def test_without_either_option_a_verdict_stands():
    monitor = ClassifierMonitor(0.05, policy="sequential")
    play(monitor, [0.01] * 3000 + [0.5] * 3000)
    one = monitor.report()["cat"]
    assert one.verdict == "below"
    assert one.reopened == 0


def test_a_class_that_gets_better_is_found_again_in_guard_mode():
    monitor = ClassifierMonitor(0.05, policy="sequential", mode="guard", drift=True)
    play(monitor, [0.3] * 500)
    assert monitor.report()["cat"].verdict == "above"
    play(monitor, [0.005] * 3000, seed=2)
    one = monitor.report()["cat"]
    assert one.verdict == "below"
    assert "reopened by drift" in one.events[0]
    assert "reopened by drift" in str(monitor.report())


def test_reports_say_what_happens_to_the_guarantee():
    texts = [ClassifierMonitor(0.05, **options).report().guarantee for options in ({}, {"window": 50}, {"drift": True})]
    assert "at all times at once with 99 % confidence" in texts[0]
    assert "last 50 answers" in texts[1]
    assert "not at all moments at once" in texts[1]
    assert "(k + 1) x 1 %" in texts[2]


def test_spot_checks_have_their_share():
    monitor = ClassifierMonitor(0.05, policy="sequential", spot_checks=0.1)
    play(monitor, [0.0] * 1000)
    before = monitor.report().verifications
    play(monitor, [0.0] * 10_000)
    assert 850 < monitor.report().verifications - before < 1150
    assert ClassifierMonitor(0.05)._settings.spot_checks == 0.0
    assert ClassifierMonitor(0.05, window=50)._settings.spot_checks == 0.01


def test_a_window_counts_the_latest_asked_whatever_the_order_of_answers():
    marks = [random.Random(5).random() < 0.3 for _ in range(120)]
    reports = []
    for order in (range(120), reversed(range(120)), random.Random(2).sample(range(120), 120)):
        monitor = ClassifierMonitor(0.3, policy="explore", labels=1000, window=40)
        for id in range(120):
            monitor.decide("cat", id=id)
        for id in order:
            monitor.answer(id, correct=not marks[id])
        reports.append(monitor.report()["cat"])
    assert reports[0].estimate == reports[1].estimate == reports[2].estimate == sum(marks[-40:]) / 40
    assert {one.interval for one in reports} == {reports[0].interval}
    assert reports[0].verified == 120


def test_window_forgets_withdrawn_answers_and_takes_older_ones_back():
    monitor = ClassifierMonitor(0.3, policy="explore", window=3)
    for id in range(4):
        monitor.decide("cat", id=id)
        monitor.answer(id, correct=id > 0)
    assert monitor.report()["cat"].estimate == 0
    monitor.answer(3, skipped=True)
    assert monitor.report()["cat"].estimate == pytest.approx(1 / 3)


def test_a_stable_class_is_not_restarted():
    restarts = 0
    for seed in range(10):
        monitor = ClassifierMonitor(0.05, policy="sequential", drift_alarm_every=10**6, drift=True, spot_checks=1.0)
        play(monitor, [0.02] * 3000, seed=seed)
        restarts += sum("drift" in event for event in monitor.report()["cat"].events)
    assert restarts == 0


def test_a_stretch_begins_after_the_answers_of_the_alarm():
    """Requests from before the alarm that come after it in the line count for the new stretch, earlier ones do not."""
    monitor = ClassifierMonitor(0.2, policy="explore", labels=1000, drift=True, confidence=0.9)
    monitor.decide_many(["cat"] * 500, ids=range(500))
    monitor.answer_many(range(300), [True] * 300)
    assert monitor.report()["cat"].verdict == "below"
    id = 300
    while monitor.answer(id, correct=False).verdict == "below":
        id += 1
    one = monitor.report()["cat"]
    assert "reopened by drift, by a change about" in one.events[0]
    assert (one.verdict, one.counted, one.estimate) == ("unknown", 0, None)
    assert (one.verified, one.errors) == (id + 1, id - 299)
    assert monitor.answer(5, correct=False).status == "corrected"
    assert monitor.answer(499, correct=False).status == "recorded"
    one = monitor.report()["cat"]
    assert (one.counted, one.errors) == (0, id - 297)
    monitor.answer_many(range(id + 1, 499), [True] * (498 - id))
    assert (monitor.report()["cat"].counted, monitor.report()["cat"].estimate) == (499 - id, 1 / (499 - id))
