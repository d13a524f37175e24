"""How soon changes of closed classes are noticed, and what that takes."""

import json
import math
import random

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.report.wording import word_freshness_of_report
from sidelight.monitor.stats.confidence import rate_test
from sidelight.monitor.stats.notice import NoticeStatistics, share_of_spot_checks_to_notice


def noticed(tolerance, before, after, seed, within, **options):
    """Say whether a closed class is reopened within so many predictions after a change; None if it was open."""
    monitor, draws = ClassifierMonitor(tolerance, seed=seed, **options), random.Random(seed)
    for place in range(4000 + within):
        if monitor.decide("cat", id=place).verify:
            monitor.answer(place, correct=draws.random() >= (before if place < 4000 else after))
        if place == 3999:
            known = monitor.engine.classes["cat"].verdict, monitor.report()["cat"].alarms
            if known[0] == "unknown":
                return None
    one = monitor.report()["cat"]
    return (one.verdict, one.alarms) != known


@pytest.mark.parametrize(
    ("tolerance", "before", "after", "within", "options"),
    [
        (0.08, 0.03, 0.24, 2000, {}),
        (0.03, 0.01, 0.09, 2000, {}),
        (0.4, 0.2, 0.8, 2000, {}),
        (0.1, 0.25, 0.033, 2000, {}),
        (0.1, 0.04, 0.2, 3000, {"notice": 2, "notice_within": 3000}),
        (0.1, 0.04, 0.3, 500, {"notice_within": 500}),
        (0.1, 0.03, 0.3, 2000, {"window": 300}),
    ],
)
def test_a_change_is_noticed_as_soon_as_wanted(tolerance, before, after, within, options):
    """In nine of ten cases; fewer than 15 of 20 would be a chance of 1 %."""
    found = [noticed(tolerance, before, after, seed, within, **options) for seed in range(300, 320)]
    closed = [one for one in found if one is not None]
    assert len(closed) >= 17
    assert sum(closed) >= len(closed) - 5


def test_a_class_that_is_stable_costs_few_labels():
    monitor, draws = ClassifierMonitor(0.1), random.Random(4)
    for place in range(20_000):
        if monitor.decide("cat", id=place).verify:
            monitor.answer(place, correct=draws.random() >= 0.04)
    assert monitor.report().verifications < 0.05 * 20_000


def history(n=400, e=16, tolerance=0.1, alarm=10_000, window=None):
    return NoticeStatistics(n, e, rate_test(tolerance, 0.99, 0.0, 0.0), tolerance, alarm, window)


def test_shares_follow_from_what_is_wanted():
    usual = share_of_spot_checks_to_notice(history(), 3.0, 2000)
    assert 0.005 < usual < 0.03
    assert share_of_spot_checks_to_notice(history(), 3.0, 500) > 3 * usual
    assert share_of_spot_checks_to_notice(history(), 2.0, 2000) > 2 * usual
    assert share_of_spot_checks_to_notice(history(tolerance=0.05, e=8), 3.0, 2000) > usual
    assert share_of_spot_checks_to_notice(history(alarm=10**6), 3.0, 2000) > usual
    assert (
        share_of_spot_checks_to_notice(history(n=20, e=1), 3.0, 2000) == 1.0
    )  # nothing can be noticed with so little to compare with
    assert share_of_spot_checks_to_notice(history(), 3.0, 10) == 1.0
    assert 0.0 < share_of_spot_checks_to_notice(history(e=100), 3.0, 2000) < 0.1
    assert 0.0 < share_of_spot_checks_to_notice(history(n=100, e=2, alarm=None, window=100), 3.0, 2000) < 0.5


def test_a_share_and_the_time_it_takes_agree():
    for within in (300, 2000, 20_000):
        known = history()
        found = known.predictions(known.target(3.0), share_of_spot_checks_to_notice(known, 3.0, within), 10**5)
        assert found == pytest.approx(within, rel=0.1)
    assert known.predictions(0.3, 0.0, 10**5) is None
    assert known.labels(0.05, 1.0, 10**5) == math.inf


def test_reports_say_how_fresh_the_evidence_is():
    monitor = ClassifierMonitor(0.1)
    for place in range(6000):
        if monitor.decide("cat", id=place).verify:
            monitor.answer(place, correct=place % 25 > 0)
    again = ClassifierMonitor.from_dict(json.loads(json.dumps(monitor.to_dict())))
    assert again.report() == monitor.report()
    one, late = monitor.report()["cat"], monitor.to_dict()["classes"][0]["asked_after"]
    assert one.fresh == sum(place > 4000 for place in late) / one.counted
    assert 0 < one.fresh < 0.3
    assert 2000 < one.doubling < 20_000
    assert 0.005 < one.spot_share < 0.05
    text = word_freshness_of_report(one)
    assert f"{100 * one.fresh:.0f} % of the answers are about the last 2\N{NO-BREAK SPACE}000 predictions" in text
    assert "a rise to twice the tolerance would be noticed within" in text
    assert "3 times the tolerance within 2\N{NO-BREAK SPACE}000 predictions of a class in nine of ten cases" in str(
        monitor.report()
    )
    assert "noticed within" in monitor.report().to_html()
    fresh = ClassifierMonitor(0.1, classes=["dog"]).report()["dog"]
    assert (fresh.fresh, fresh.doubling, word_freshness_of_report(fresh)) == (None, None, None)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"notice_within": 5}, "notice_within is 5"),
        ({"notice_within": 2.5}, "notice_within is 2.5"),
        ({"notice_within": True}, "notice_within is True"),
        ({"notice": 1}, "notice is 1"),
        ({"notice": "3"}, "notice is '3'"),
        ({"notice": math.inf}, "notice is inf"),
        ({"notice_within": 100, "spot_checks": 0.1}, "give one"),
        ({"notice_within": 100, "drift": False}, "needs drift or a window"),
    ],
)
def test_wishes_that_make_no_sense_are_refused(wrong, message):
    with pytest.raises(SidelightError, match=message):
        ClassifierMonitor(0.05, **wrong)
