"""Reviewers who err within a bound: verdicts stay right, and what cannot be decided is said."""

import math

import numpy as np
import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.stats.confidence import RateTest, answered_error_rates, rate_test, true_rates_from_answered_rates
from sidelight.monitor.stats.prospects import stopping_distribution_of_test


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.3, 1.0])
@pytest.mark.parametrize("error", [0.0, 0.02, 0.4])
def test_rates_of_answers_by_hand(rate, error):
    possible = [rate * (1 - missed) + (1 - rate) * alarm for missed in (0, error) for alarm in (0, error)]
    assert answered_error_rates(rate, error) == pytest.approx((min(possible), max(possible)))
    low, high = true_rates_from_answered_rates(*answered_error_rates(rate, error), error)
    assert low <= rate <= high or (low, high) == pytest.approx((rate, rate))


@pytest.mark.parametrize("tolerance", [0.1, 0.8])
@pytest.mark.parametrize("missed", [0.0, 0.05])
@pytest.mark.parametrize("alarm", [0.0, 0.05])
@pytest.mark.parametrize("factor", [0.98, 1.02])
def test_verdicts_stay_right_whatever_reviewers_do_within_the_bound(tolerance, missed, alarm, factor):
    """Exactly, over the stopping boundary."""
    test = rate_test(tolerance, 0.95, 0.0, 0.05)
    rate = factor * tolerance
    found = stopping_distribution_of_test(test, rate * (1 - missed) + (1 - rate) * alarm, 4000)
    assert (found.above if factor < 1 else found.below) < 0.05


def test_interval_and_verdict_agree_and_hold_the_true_rate():
    test = RateTest(0.1, 0.95, 0.0, 0.05)
    for errors, verified in ((0, 200), (10, 200), (25, 200), (60, 200), (200, 200)):
        low, high = test.interval(errors, verified)
        verdict = test.verdict(errors, verified)
        assert {"above": low >= 0.1, "below": high <= 0.1, "unknown": low <= 0.1 <= high}[verdict]
    assert test.verdict(0, 200) == "below"
    assert test.verdict(60, 200) == "above"
    assert test.verdict(1200, 10_000) == "unknown"
    assert test.labels_needed(1200, 10_000) is None


def test_reports_say_what_cannot_be_decided():
    monitor = ClassifierMonitor(0.1, classes=["a"], reviewer_error=0.05)
    report = monitor.report()
    assert report["a"].undecidable == pytest.approx((0.095, 0.145))
    assert "if reviewers err in at most 5 % of cases each way" in report.guarantee
    assert ClassifierMonitor(0.1, classes=["a"]).report()["a"].undecidable is None
    loaded = ClassifierMonitor.from_dict(monitor.to_dict())
    assert loaded.report()["a"].undecidable == report["a"].undecidable


@pytest.mark.parametrize("bad", [-0.1, 0.5, math.nan, "a", None])
def test_bad_bounds_are_refused(bad):
    with pytest.raises(SidelightError, match="reviewer_error is"):
        ClassifierMonitor(0.1, reviewer_error=bad)
    assert ClassifierMonitor(0.1, reviewer_error=np.float32(0.25)).report()
