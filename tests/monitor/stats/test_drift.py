"""Error rates that change: windows, restarts, spot checks."""

import json
import math
import random

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.report.records import Report
from sidelight.monitor.stats.drift import WINDOW, DriftStatistic


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
    texts = [
        ClassifierMonitor(0.05, **options).report().guarantee for options in ({"drift": False}, {"window": 50}, {})
    ]
    assert "With 99 % confidence, each interval contains the error rate of its class at all times at once." in texts[0]
    assert "last 50 answers" in texts[1]
    assert "not at all moments at once" in texts[1]
    assert "(k + 1) x 1 %" in texts[2]
    monitor = ClassifierMonitor(0.05, patience=1)
    for id in range(4):
        monitor.decide("cat", id=id)
    assert monitor.report().guarantee == texts[2]
    monitor.answer(0, correct=True)
    assert "contains the error rate of its class at any one moment" in monitor.report().guarantee
    assert "k + 1" not in monitor.report().guarantee
    assert ClassifierMonitor.from_dict(monitor.to_dict()).report().late == 1


def test_answers_from_before_a_restart_do_not_count_and_are_not_waited_for():
    monitor = ClassifierMonitor(0.05, policy="explore", verifications=10**6, patience=20, drift_alarm_every=100)
    for id in range(400):
        monitor.decide("cat", id=id)
        if id not in (5, 6):
            monitor.answer(id, correct=id < 300)
    one = monitor.report()["cat"]
    assert one.alarms
    assert (one.overdue, monitor.pending()) == (0, [])
    counted = one.counted
    answer = monitor.answer(5, correct=False)
    assert (answer.status, answer.changed) == ("recorded", False)
    assert "started from scratch since" in answer.text
    assert "does not count" in answer.text
    assert monitor.answer(6, skipped=True).status == "released"
    one = monitor.report()["cat"]
    assert (one.overdue, one.counted, one.skipped) == (0, counted, 1)
    assert "overdue" not in " ".join(note for note in str(monitor.report()).splitlines() if note.startswith("cat:"))


def late_answers(say):
    monitor = ClassifierMonitor(0.05, policy="explore", verifications=10**6, patience=10, drift=False)
    for id in range(1000):
        monitor.decide("cat", id=id)
        if id >= 15 and id % 20 == 0:
            monitor.answer(id - 15, correct=say(id))
        monitor.answer(id, correct=id % 10 > 0) if id % 20 != 5 else None
    return ClassifierMonitor.from_dict(monitor.to_dict()).report()


@pytest.mark.parametrize(
    ("say", "advice"),
    [
        (lambda id: False, "Wrong answers take longer than right ones"),
        (lambda id: id % 200 > 0, "a larger patience would only delay verdicts and drift alarms"),
    ],
    ids=["wrong ones are late", "all kinds are late"],
)
def test_reports_say_whether_a_larger_patience_would_help(say, advice):
    report = late_answers(say)
    assert report.late == 49
    assert "4.9 % of the answers came when they were overdue" in report.impatience
    assert advice in report.impatience
    assert report.impatience in str(report)
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))).impatience == report.impatience


def test_reports_without_late_answers_give_no_advice_about_patience():
    assert ClassifierMonitor(0.05).report().impatience is None
    monitor = ClassifierMonitor(0.05, policy="explore", patience=2)
    for id in range(10):
        monitor.decide("cat", id=id)
    monitor.answer_many(range(5), [True] * 5)  # with nothing to compare the first one with
    assert "100.0 % of the answers came when they were overdue" in monitor.report().impatience


@pytest.mark.parametrize("slow", [0.16, 0.35])
def test_a_slow_channel_does_not_hide_changes(slow):
    """Ten classes jump; some answers take 40 000 decisions and some never come. The others say it soon enough."""
    monitor, draws, late = ClassifierMonitor(0.1), random.Random(3), []
    for place in range(93_000):
        name, wrong = draws.randrange(10), draws.random() < (0.04 if place < 60_000 else 0.25)
        if monitor.decide(name, id=place).verify:
            fate = draws.random()
            if fate < slow:
                late.append((place, wrong))
            elif fate < 0.94:
                monitor.answer(place, correct=not wrong)
        while late and late[0][0] + 40_000 <= place:
            id, bad = late.pop(0)
            monitor.answer(id, correct=not bad)
        if place == 59_999:
            alarms = sum(one.alarms for one in monitor.report().classes)
    found = sum(event.cause == "drift" and event.decision > 60_000 for event in monitor.history())
    assert alarms <= 1
    assert found >= 8
    assert monitor.engine.ledger.patience.limit <= 5000


def test_spot_checks_have_their_share():
    monitor = ClassifierMonitor(0.05, policy="sequential", spot_checks=0.1)
    play(monitor, [0.0] * 1000)
    before = monitor.report().verifications
    play(monitor, [0.0] * 10_000)
    assert 850 < monitor.report().verifications - before < 1150
    assert ClassifierMonitor(0.05, drift=False).engine.settings.spot_checks == 0.0
    for options in ({}, {"window": 50}):
        settings = ClassifierMonitor(0.05, **options).engine.settings
        assert (settings.spot_checks, settings.notice, settings.notice_within) == (None, 3.0, 2000)


def test_a_window_counts_the_latest_asked_whatever_the_order_of_answers():
    marks = [random.Random(5).random() < 0.3 for _ in range(120)]
    reports = []
    for order in (range(120), reversed(range(120)), random.Random(2).sample(range(120), 120)):
        monitor = ClassifierMonitor(0.3, policy="explore", verifications=1000, window=40)
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
    monitor = ClassifierMonitor(0.2, policy="explore", verifications=1000, drift=True, confidence=0.9)
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


def direct(marks):
    """Return R_n as it is defined, by the logarithms of Beta functions."""
    n, sums = len(marks), [0]
    for wrong in marks:
        sums.append(sums[-1] + wrong)

    def log_beta(errors, answers):
        return math.lgamma(0.5 + errors) + math.lgamma(4 + answers - errors) - math.lgamma(4.5 + answers)

    return sum(
        math.exp(
            log_beta(sums[j], j) + log_beta(sums[n] - sums[j], n - j) - log_beta(0, 0) - log_beta(sums[n], n),
        )
        for j in range(max(0, n - WINDOW), n)
    )


def test_the_statistic_is_kept_up_to_date_as_it_is_defined():
    draws, drift, marks = random.Random(1), DriftStatistic(), []
    for place in range(1500):
        marks.append(int(draws.random() < (0.1 if place < 1000 else 0.16)))
        drift.add(bool(marks[-1]))
        if place % 149 == 0 or place in (0, 15, 16, 31, 32, 598, 599, 600, 601):
            anew = DriftStatistic()
            anew.renew(len(marks), sum(marks), bytes(marks[-WINDOW:]))
            assert drift.value == pytest.approx(direct(marks), rel=1e-9)
            assert anew.value == pytest.approx(drift.value, rel=1e-9)
            assert anew.since_change() == drift.since_change()
            assert anew.add(True) == pytest.approx(direct([*marks, 1]), rel=1e-9)
    empty = DriftStatistic()
    empty.renew(0, 0, b"")
    assert empty.add(False) == pytest.approx(1.0)


def alarm_time(rates, threshold, seed, most=10**5):
    draws, drift = np.random.default_rng(seed), DriftStatistic()
    for place, rate in enumerate(rates):
        if drift.add(draws.random() < rate) >= threshold:
            return place + 1
    return most


def test_false_alarms_are_as_rare_as_promised():
    """On average over the prior, R_n needs at least A answers to reach A; the runs are cut at 10 A, which is less."""
    threshold, rates = 100, np.random.default_rng(11).beta(0.5, 4, 150)
    times = [alarm_time([rate] * 1000, threshold, seed, 1000) for seed, rate in enumerate(rates)]
    error = np.std(times, ddof=1) / math.sqrt(len(times))
    assert np.mean(times) > threshold + 2 * error


@pytest.mark.parametrize(("before", "after"), [(0.02, 0.15), (0.3, 0.1), (0.01, 0.2)])
def test_changes_are_noticed_as_soon_as_promised(before, after):
    """After 500 answers: at most 1.25 times the mean delay of a CUSUM that knows both rates, same threshold."""
    threshold, ours, theirs = 10_000, [], []
    gains = math.log((1 - after) / (1 - before)), math.log(after / before)
    for seed in range(60):
        draws, drift, total = np.random.default_rng(seed), DriftStatistic(), 0.0
        if any(drift.add(draws.random() < before) >= threshold for _ in range(500)):
            continue
        late = None
        for place in range(1, 5000):
            wrong = draws.random() < after
            total = max(0.0, total + gains[wrong])
            if total >= math.log(threshold) and late is None:
                late = place
            if drift is not None and drift.add(wrong) >= threshold:
                ours.append(place)
                drift = None
            if late is not None and drift is None:
                theirs.append(late)
                break
    assert len(ours) == len(theirs) > 50
    assert np.mean(ours) < 1.25 * np.mean(theirs)


def test_a_class_starts_anew_soon_after_a_change_and_its_interval_holds_the_new_rate():
    held = 0
    for seed in range(12):
        monitor = ClassifierMonitor(0.05, policy="sequential")
        play(monitor, [0.01] * 3000, seed=seed)
        assert monitor.report()["cat"].alarms == 0
        play(monitor, [0.2] * 6000, seed=100 + seed)
        one = monitor.report()["cat"]
        assert one.alarms >= 1
        assert one.verdict == "above"
        held += one.interval[0] <= 0.2 <= one.interval[1]
    assert held >= 11


def test_spot_checks_are_more_frequent_while_there_is_evidence():
    """Most changes are found within a few hundred predictions, though one prediction in a hundred is looked at."""
    found = []
    for seed in range(15):
        monitor = ClassifierMonitor(0.05, policy="sequential")
        play(monitor, [0.01] * 6000, seed=seed)
        draws, place = random.Random(seed), 6000
        while not monitor.engine.classes["cat"].alarms and place < 16_000:
            if monitor.decide("cat", id=place).verify:
                monitor.answer(place, correct=draws.random() >= 0.3)
            place += 1
        found.append(place - 6000)
    assert sorted(found)[7] < 700
    steady = ClassifierMonitor(0.05, policy="sequential", spot_checks=0)
    play(steady, [0.0] * 3000)
    asked = steady.report().verifications
    play(steady, [1.0] * 3000)
    assert steady.report().verifications == asked


def test_reports_show_what_looking_for_changes_costs():
    monitor = ClassifierMonitor(0.2, policy="sequential", confidence=0.9, drift_alarm_every=1000, spot_checks=0.1)
    for place in range(3000):
        if monitor.decide("cat", id=place, time=3600 * place).verify:
            monitor.answer(place, correct=True)
    drift, days = monitor.report().drift, 2999 / 24
    answered = monitor.report()["cat"].verified
    assert (drift.alarm_every, drift.alarms) == (1000, 0)
    assert 200 < drift.spot_checks < 400
    assert drift.false_alarms == pytest.approx(answered / 1000)
    assert drift.false_alarms_a_month == pytest.approx(answered / 1000 * 30 / days)
    assert f"drift: no alarm; at most {drift.false_alarms_a_month:.2g} a month expected" in str(monitor.report())
    assert f"{drift.spot_checks} verifications were spot checks" in str(monitor.report())
    again = ClassifierMonitor.from_dict(monitor.to_dict())
    assert again.report() == monitor.report()
    assert ClassifierMonitor(0.05, drift=False).report().drift is None
    undated = ClassifierMonitor(0.2)
    play(undated, [0.0] * 2000)
    assert undated.report().drift.false_alarms_a_month is None


def test_drift_is_on_unless_there_is_a_window():
    assert ClassifierMonitor(0.05).engine.settings.drift
    assert not ClassifierMonitor(0.05, window=50).engine.settings.drift
    with pytest.raises(SidelightError, match="drift_alarm_every is 5"):
        ClassifierMonitor(0.05, drift_alarm_every=5)
