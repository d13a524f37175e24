"""Labels that are rationed: who gets them, and that nothing else changes."""

import json
import random
from datetime import date, timedelta

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, Reason
from sidelight.monitor.engine.rationing import VerificationRationing
from sidelight.monitor.stats.prospects import Prospects

MONDAY = date(2024, 1, 1)


class Traffic:
    """Predictions of classes with given rates; the k-th label of a class says the same whoever asks for it."""

    def __init__(self, rates, seed=0):
        self.rates, self.draws = rates, random.Random(seed)
        self.answers = {name: random.Random(f"{seed} {name}") for name in rates}
        self.known = {name: [] for name in rates}

    def day(self, counts):
        names = [name for name, count in counts.items() for _ in range(count)]
        self.draws.shuffle(names)
        return names

    def wrong(self, name, k):
        while len(self.known[name]) <= k:
            self.known[name].append(self.answers[name].random() < self.rates[name])
        return self.known[name][k]

    def feed(self, monitor, names, day=None):
        """Let a monitor decide, answer at once, and return what was decided."""
        made = []
        for name in names:
            decision = monitor.decide(name, time=day)
            made.append(decision)
            if decision.verify:
                monitor.answer(decision.id, correct=not self.wrong(name, monitor.engine.classes[name].verified))
        return made


def asked(made, name=None):
    return sum(one.verify and name in (None, one.prediction) for one in made)


def verdicts(monitor):
    return sum(one.verdict != "unknown" for one in monitor.report().classes)


def monitor_of(tolerance=0.05, **options):
    options = {"policy": "sequential", "confidence": 0.95, "drift": False, "spot_checks": 0.0} | options
    return ClassifierMonitor(tolerance, **options)


MIXED = {k: 0.05 * factor for k, factor in enumerate([1.0, 1.0, 1.0, 0.1, 0.2, 0.3, 0.9, 1.1, 3.0, 4.0, 0.1, 5.0])}
COUNTS = {k: 200 if k < 3 else 30 for k in MIXED}


def both(days, cap, rates=MIXED, counts=COUNTS, seed=1):
    """Return two monitors after the same days, one that rations and one that does not."""
    traffic, pair = Traffic(rates, seed), [monitor_of(daily_cap=cap, aim=aim) for aim in ("verdicts", "first-come")]
    for k in range(days):
        names = traffic.day(counts)
        for monitor in pair:
            traffic.feed(monitor, names, MONDAY + timedelta(k))
    return pair


def test_big_classes_at_tolerance_do_not_take_the_labels_of_others():
    big, decided = [0, 0], [0, 0]
    for seed in range(4):
        for k, monitor in enumerate(both(days=20, cap=30, seed=seed)):
            report = monitor.report()
            big[k] += sum(report[name].verified for name in range(3)) / report.verifications / 4
            decided[k] += verdicts(monitor)
    assert big[0] < 0.3 < 0.6 < big[1]
    assert decided[0] >= 2 * decided[1]


class TrueOrder(VerificationRationing):
    """Knows the rates, and so how many labels each verdict takes on average."""

    def prospects_of(self, state):
        needed = state.test.labels_at(state.e, state.n, MIXED[state.name])
        return Prospects(*[2.0**40 if needed is None else max(1.0, needed)] * 2)


def test_most_verdicts_of_the_order_by_true_rates_are_reached():
    ours = best = 0
    for seed in range(4):
        traffic, monitor, other = Traffic(MIXED, seed), monitor_of(daily_cap=60), monitor_of(daily_cap=60)
        other.engine.rationing = TrueOrder(other.engine.settings, other.engine.ledger)
        for k in range(20):
            names = traffic.day(COUNTS)
            for one in (monitor, other):
                traffic.feed(one, names, MONDAY + timedelta(k))
        ours, best = ours + verdicts(monitor), best + verdicts(other)
    assert ours >= 0.8 * best > 0


def test_as_many_labels_are_used_as_without_rationing():
    rationed, first_come = both(days=20, cap=30)
    assert rationed.report().verifications >= 0.97 * first_come.report().verifications
    assert max(rationed.engine.ledger.days.values()) == 30


def test_plentiful_labels_change_nothing_but_for_hopeless_classes():
    traffic, pair = Traffic(MIXED, 3), [monitor_of(daily_cap=10_000, aim=aim) for aim in ("verdicts", "first-come")]
    for k in range(3):
        names = traffic.day(COUNTS)
        ours, theirs = (traffic.feed(monitor, names, MONDAY + timedelta(k)) for monitor in pair)
        assert [one for one in ours if one.reason != Reason.HOPELESS] == [
            two for one, two in zip(ours, theirs, strict=True) if one.reason != Reason.HOPELESS
        ]


def test_a_single_class_gets_every_label():
    traffic = Traffic({"a": 0.045})
    pair = [monitor_of(daily_cap=20, aim=aim) for aim in ("verdicts", "first-come")]
    for k in range(10):
        names = traffic.day({"a": 100})
        one, two = (traffic.feed(monitor, names, MONDAY + timedelta(k)) for monitor in pair)
        assert [row.verify for row in one] == [row.verify for row in two]


def test_a_cap_on_all_labels_is_kept_for_the_classes_that_can_be_decided():
    traffic = Traffic(MIXED, 2)
    ours, theirs = (monitor_of(cap=900, aim=aim) for aim in ("verdicts", "first-come"))
    for _ in range(20):
        names = traffic.day(COUNTS)
        traffic.feed(ours, names)
        traffic.feed(theirs, names)
    assert ours.report().verifications <= 900
    assert theirs.report().verifications == 900
    assert verdicts(ours) >= verdicts(theirs) + 3


def test_weights_put_a_class_first():
    rates = {"light": 0.01, "heavy": 0.01}
    traffic, monitor = Traffic(rates), monitor_of(daily_cap=10, weights={"heavy": 5, None: 1})
    for k in range(6):
        traffic.feed(monitor, traffic.day({"light": 50, "heavy": 50}), MONDAY + timedelta(k))
    report = monitor.report()
    assert report["heavy"].verified > 4 * report["light"].verified > 0


def test_the_labels_of_quiet_days_of_the_week_are_used():
    rates = dict.fromkeys("abcdef", 0.04)
    traffic, monitor = Traffic(rates), monitor_of(0.04, daily_cap=40, confidence=0.9999)
    used = []
    for k in range(14):
        count = 15 if k % 7 > 4 else 100
        used.append(asked(traffic.feed(monitor, traffic.day(dict.fromkeys(rates, count)), MONDAY + timedelta(k))))
    assert min(used[:5] + used[7:]) >= 38


def test_nothing_is_kept_for_a_class_that_has_stopped_coming():
    monitor, traffic = monitor_of(daily_cap=20), Traffic({"gone": 0.0, "left": 0.05})
    for k in range(2):
        traffic.feed(monitor, traffic.day({"gone": 15, "left": 60}), MONDAY + timedelta(k))
    used = [asked(traffic.feed(monitor, ["left"] * 75, MONDAY + timedelta(k))) for k in range(2, 30)]
    assert used[-1] == 20


def test_a_new_class_gets_labels_on_its_first_day():
    monitor, traffic = monitor_of(daily_cap=20), Traffic({"old": 0.05, "new": 0.6})
    for k in range(5):
        traffic.feed(monitor, ["old"] * 100, MONDAY + timedelta(k))
    assert asked(traffic.feed(monitor, traffic.day({"old": 80, "new": 20}), MONDAY + timedelta(5)), "new") >= 5


HOPELESS_NAMES = ["close"] * 3000


def test_a_class_that_cannot_be_decided_stops_asking_says_so_and_starts_again():
    monitor, traffic = monitor_of(cap=10**6), Traffic({"close": 0.05})
    while traffic.feed(monitor, ["close"])[0].reason != Reason.HOPELESS:
        assert monitor.report().predictions < 3000
    assert not monitor.report()["close"].decidable
    assert f"close: stalled: {Reason.HOPELESS}" in str(monitor.report())
    reasons = [one.reason for one in traffic.feed(monitor, HOPELESS_NAMES)]
    assert 0.1 < reasons.count(Reason.OPEN) / len(reasons) < 0.8


def test_a_hopeless_class_keeps_its_spot_checks():
    monitor, traffic = monitor_of(cap=10**6, spot_checks=0.05), Traffic({"close": 0.05})
    made = traffic.feed(monitor, HOPELESS_NAMES)
    spots = sum(one.reason == Reason.SPOT for one in made)
    passed = sum(one.reason == Reason.HOPELESS for one in made)
    assert 0.03 < spots / (spots + passed) < 0.07


def test_spot_checks_of_decided_classes_leave_nine_tenths_of_the_labels_of_a_day():
    rates = {"done": 0.0, "open": 0.045}
    monitor, traffic = monitor_of(daily_cap=50, spot_checks=0.1, confidence=0.999), Traffic(rates)
    traffic.feed(monitor, ["done"] * 250, MONDAY - timedelta(30))
    for k in range(5):
        made = traffic.feed(monitor, traffic.day({"done": 3000, "open": 60}), MONDAY + timedelta(k))
    assert monitor.report()["done"].verdict == "below"
    assert 1 <= asked(made, "done") <= 12
    assert asked(made, "open") >= 35


def test_guarded_classes_come_after_open_ones():
    rates = {"bad": 0.5, "open": 0.04}
    monitor, traffic = monitor_of(daily_cap=20, mode="guard"), Traffic(rates)
    for k in range(4):
        made = traffic.feed(monitor, traffic.day({"bad": 100, "open": 30}), MONDAY + timedelta(k))
    assert monitor.report()["bad"].verdict == "above"
    assert asked(made, "open") >= 15


@pytest.mark.parametrize(
    "options", [{"daily_cap": 30}, {"cap": 500}, {"daily_cap": 30, "cap": 500, "spot_checks": 0.1}]
)
def test_a_loaded_monitor_goes_on_exactly(tmp_path, options):
    traffic, monitor = Traffic(MIXED, 4), monitor_of(**options)
    for k in range(3):
        names = traffic.day(COUNTS)
        traffic.feed(monitor, names[: 500 if k == 2 else None], MONDAY + timedelta(k))
    monitor.save(tmp_path / "monitor.json")
    again = ClassifierMonitor.load(tmp_path / "monitor.json")
    for k in range(2, 6):
        names = traffic.day(COUNTS)
        one, two = (traffic.feed(each, names, MONDAY + timedelta(k)) for each in (monitor, again))
        assert one == two
    assert json.dumps(again.to_dict()) == json.dumps(monitor.to_dict())


def test_decisions_that_were_recorded_count_as_if_they_were_made_here():
    traffic, monitor, copy = Traffic(MIXED, 5), monitor_of(daily_cap=30), monitor_of(daily_cap=30)
    for k in range(4):
        day = MONDAY + timedelta(k)
        for decision in traffic.feed(monitor, traffic.day(COUNTS), day):
            copy.engine.record(decision, day)
            if decision.verify:
                name = decision.prediction
                copy.answer(decision.id, correct=not traffic.wrong(name, copy.engine.classes[name].verified))
    assert copy.to_dict()["rationing"] == monitor.to_dict()["rationing"]


def test_a_decision_looks_at_its_own_class_only(monkeypatch):
    renewed = []
    renew = VerificationRationing._renew
    monkeypatch.setattr(
        VerificationRationing, "_renew", lambda self, state, claim: (renewed.append(1), renew(self, state, claim))
    )
    monitor = monitor_of(daily_cap=50)
    monitor.decide_many(range(2000), times=[MONDAY] * 2000)
    monitor.decide_many([*range(2000)] * 2, times=[MONDAY + timedelta(1)] * 4000)
    assert len(renewed) == 6000 + 2000  # each decision, and each class when the day begins


def test_days_that_come_in_any_order_are_decided():
    monitor, traffic = monitor_of(daily_cap=5), Traffic({"a": 0.1, "b": 0.01})
    draws = random.Random(0)
    for _ in range(300):
        traffic.feed(monitor, [draws.choice("ab")], MONDAY + timedelta(draws.randrange(20)))
    assert max(monitor.engine.ledger.days.values()) <= 5


@pytest.mark.parametrize("policy", ["randcbp", "cbp", "explore"])
def test_every_policy_can_be_rationed(policy):
    traffic, monitor = Traffic(MIXED, 6), monitor_of(daily_cap=30, policy=policy)
    for k in range(4):
        assert asked(traffic.feed(monitor, traffic.day(COUNTS), MONDAY + timedelta(k))) >= 25


def test_wrong_verdicts_stay_as_rare_as_promised():
    rates = {k: 0.05 * (0.93 if k % 2 else 1.08) for k in range(40)}
    wrong = total = 0
    for seed in range(3):
        monitor, _ = both(days=25, cap=200, rates=rates, counts=dict.fromkeys(rates, 12), seed=seed)
        for one in monitor.report().classes:
            total += 1
            wrong += one.verdict == ("above" if one.name % 2 else "below")
    assert wrong <= 0.05 * total + 3 * (0.05 * 0.95 * total) ** 0.5


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"aim": "most"}, "aim is 'most'"),
        ({"weights": 3}, "weights is 3"),
        ({"weights": {"a": 0}}, "for 'a' it is 0"),
        ({"weights": {"a": float("nan")}}, "give a number"),
        ({"weights": {"a": True}}, "give a number"),
    ],
)
def test_mistakes_are_named(options, text):
    with pytest.raises(SidelightError, match=text):
        monitor_of(cap=5, **options)


def test_without_caps_nothing_is_rationed():
    assert monitor_of().engine.rationing is None
    with pytest.raises(SidelightError, match="weights work only with cap or daily_cap: give one of them"):
        monitor_of(weights={"a": 2})
