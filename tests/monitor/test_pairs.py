"""Two versions of a model about the same items: answers are needed only where they disagree."""

import json
import math
import random

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, Reason, Report
from sidelight.monitor.engine.engine import Engine
from sidelight.monitor.stats.paired import (
    Differences,
    confidence_interval_of_paired_difference,
    log_evidence_of_paired_differences,
)


def item(source, old_rate, new_rate):
    """Return the true class and two predictions; both err mostly on the same, hard items."""
    true, hard = source.choice("ab"), source.random()
    other = "b" if true == "a" else "a"
    old, new = (other if (hard < rate) != (source.random() < 0.02) else true for rate in (old_rate, new_rate))
    return true, old, new


def watched(old_rate, new_rate, count, seed=0, monitor=None, told=True, **settings):
    source = random.Random(seed)
    monitor = monitor or ClassifierMonitor(0.1, **{"confidence": 0.9, "drift": False} | settings)
    for place in range(count):
        true, old, new = item(source, old_rate, new_rate)
        if monitor.decide(old, id=place, version="old", others={"new": new}).verify:
            monitor.answer(place, label=true) if told else monitor.answer(place, correct=true == old)
    return monitor


def test_versions_are_told_apart_with_few_answers():
    monitor = watched(0.05, 0.15, 3000, version_margin=0.02)
    found = monitor.compare("old", "new")
    assert found.verdict == "worse"
    assert found.interval[0] < 0.1 < found.interval[1]
    assert monitor.compare("old", "new").old.predictions == 3000
    assert found.new is None
    report = monitor.report()
    assert report.comparisons == (found,)
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report
    assert "Versions on the same items" in report.to_html()
    assert watched(0.15, 0.05, 3000).compare("old", "new").verdict == "better"
    same = watched(0.05, 0.05, 5000, version_margin=0.05).compare("old", "new")
    assert same.verdict == "not worse"


def test_only_disagreements_are_asked_for_and_classes_do_not_count_them():
    monitor = watched(0.02, 0.02, 4000)
    plain = ClassifierMonitor(0.1, confidence=0.9, drift=False)
    source = random.Random(0)
    for place in range(4000):
        true, old, _ = item(source, 0.02, 0.02)
        if plain.decide(old, id=place).verify:
            plain.answer(place, label=true)
    both = monitor.report(), plain.report()
    for name in "ab":
        assert both[0][name].counted == both[1][name].counted
        assert both[0][name].interval == both[1][name].interval
    asked = monitor.report().verifications - plain.report().verifications
    assert 0 < asked < 260  # 4 % of 4 000 disagree
    assert monitor.engine.pairs.asides["a"].verified > 0


def test_verdicts_are_wrong_no_more_often_than_promised():
    wrong = [watched(0.06, 0.06, 500, seed).compare("old", "new").verdict in ("better", "worse") for seed in range(60)]
    assert sum(wrong) <= 13  # 6 are expected at most


@pytest.mark.parametrize("told", [True, False])
def test_an_answer_without_a_label_is_taken_for_the_less_telling_one(told):
    found = watched(0.05, 0.15, 2000, told=told, version_margin=0.05).compare("old", "new")
    assert found.verdict == "worse"
    assert (found.differences.unclear > 0) == (not told)


def test_evidence_is_a_product_over_rounds():
    counts, m = Differences(better=3, same=40, worse=5, unclear=2), 0.03
    bets = [1.0, *(0.9 * 1.35**-k for k in range(20))]
    raw = [one + 0.02 for one in bets[1:]]
    weights = [0.1, *(0.9 * one / sum(raw) for one in raw)]
    for above, rounds in ((True, [-1] * 5 + [0] * 40 + [1] * 5), (False, [-1] * 3 + [0] * 42 + [1] * 5)):
        total = 0.0
        for bet, weight in zip(bets, weights, strict=True):
            factors = [1 + bet * (d - m) / (1 + m) if above else 1 - bet * (d - m) / (1 - m) for d in rounds]
            total += weight * math.prod(factors)
        assert log_evidence_of_paired_differences(counts, m, above) == pytest.approx(math.log(total))
    low, high = confidence_interval_of_paired_difference(counts, 0.9)
    assert -1 < low < 0.04 < high < 1


def test_late_lost_and_corrected_answers_take_their_places():
    monitor = ClassifierMonitor(0.1, policy="explore", verifications=100)
    for place in range(6):
        monitor.decide("a", id=place, version="old", others={"new": "b" if place % 2 else "a"})
    monitor.answer(3, label="b")
    assert monitor.compare("old", "new").differences == Differences()
    monitor.answer(1, label="a")
    assert monitor.compare("old", "new").differences == Differences(better=1, same=2, worse=1)
    monitor.answer(1, skipped=True)
    assert monitor.compare("old", "new").differences == Differences(better=1, same=1)
    monitor.answer(3, label="c")
    assert monitor.compare("old", "new").differences == Differences(same=2)


def test_recorded_and_saved_pairs_go_on_alike():
    source, there = random.Random(5), ClassifierMonitor(0.1, confidence=0.9, cap=250).engine
    here = ClassifierMonitor(0.1, confidence=0.9, cap=250).engine
    reasons = set()
    for place in range(1500):
        true, old, new = item(source, 0.03, 0.05)
        score = source.gauss(2 * (true != old), 1)
        about = (None, score, (("version", "old"),), (("new", new),))
        decision, _ = there.decide(old, place, *about)
        here.record(decision, *about)
        reasons.add(decision.reason)
        if decision.verify:
            for engine in (there, here):
                engine.answer(place, true == old, true)
        if place % 400 == 0:
            here = Engine.from_dict(json.loads(json.dumps(here.to_dict())))
    assert {Reason.COMPARED, Reason.TOTAL_CAP} <= reasons
    assert here.to_dict() == there.to_dict()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"others": {"new": "a"}}, "needs a version"),
        ({"version": "new", "others": {"new": "a"}}, "must be another"),
        ({"version": "old", "others": "new"}, "a mapping"),
    ],
)
def test_others_are_versions_beside_one(given, words):
    with pytest.raises(SidelightError, match=words):
        ClassifierMonitor(0.1).decide("a", **given)
