"""The verdict "near": right, never at odds with the interval, and after about as many labels as said."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, replay
from sidelight.monitor.stats.confidence import RateTest, rate_test
from tests.monitor.stats.stopping import near_stopped

LABELS = {
    (tau, share): 2 * (math.log(20) + 2.5) * tau * (1 - tau) / (share * tau) ** 2
    for tau in (0.1, 0.3)
    for share in (0.25, 0.5)
}


@pytest.mark.parametrize(("tau", "share"), LABELS)
def test_labels_at_the_tolerance(tau, share):
    expected = LABELS[tau, share]
    found = near_stopped(rate_test(tau, 0.95, share * tau), tau, int(4 * expected))
    assert found.open < 0.01
    assert 0.6 * expected < found.labels < 1.3 * expected
    assert found.above < 0.05
    assert found.below < 0.05


@pytest.mark.parametrize("factor", [0.69, 0.71, 0.98, 1.02, 1.29, 1.31])
def test_wrong_verdicts_are_rare_on_both_sides_of_each_end(factor):
    """With a margin of 0.3 of the tolerance; the three verdicts share one level."""
    found = near_stopped(rate_test(0.2, 0.95, 0.06), factor * 0.2, 4000)
    near = 1 - found.above - found.below - found.open
    wrong = (near if abs(factor - 1) > 0.3 else 0.0) + (found.above if factor <= 1 else found.below)
    assert wrong < 0.05


@given(
    st.integers(1, 10**6),
    st.floats(-4, 4),
    st.floats(1e-6, 1 - 1e-6),
    st.floats(0.02, 3),
    st.sampled_from([0.5, 0.95, 0.999999]),
)
@settings(max_examples=300, deadline=None)
def test_interval_and_verdict_never_contradict_each_other(n, deviations, tolerance, share, confidence):
    margin = min(0.49, share * min(tolerance, 1 - tolerance))
    test = RateTest(tolerance, confidence, margin)
    e = min(n, max(0, round(tolerance * n + deviations * math.sqrt(tolerance * (1 - tolerance) * n))))
    low, high = test.interval(e, n)
    verdict = test.verdict(e, n)
    assert low <= e / n <= high
    if verdict == "near":
        assert low >= tolerance - margin * (1 + 1e-9)
        assert high <= tolerance + margin * (1 + 1e-9)
    held = {"above": low >= tolerance, "below": high <= tolerance}
    assert held.get(verdict, low <= tolerance <= high)
    assert (test.labels_needed(e, n) is not None) or share < 0.1


def test_a_class_at_its_tolerance_is_decided():
    rng = np.random.default_rng(1)
    monitor = ClassifierMonitor(0.1, confidence=0.95, margin=0.04)
    for place, bad in enumerate((rng.random(5000) < 0.1).tolist()):
        if monitor.decide("a", id=place).verify:
            monitor.answer(place, correct=not bad)
    one = monitor.report()["a"]
    assert one.verdict == "near"
    assert one.margin == 0.04
    assert one.needed == 0
    assert one.verified < 2000
    assert 0.06 <= one.interval[0] <= 0.1 <= one.interval[1] <= 0.14
    assert "near 0.1" in str(monitor.report())
    assert ClassifierMonitor.from_dict(monitor.to_dict()).report() == monitor.report()


def test_a_replay_judges_it_by_the_margin():
    rng = np.random.default_rng(2)
    truths = ["a" if one else "b" for one in rng.random(6000) >= 0.1]
    found = replay(["a"] * 6000, truths, 0.1, ["sequential", "explore"], confidence=0.95, margin=0.05)
    assert found["sequential"].report["a"].verdict == "near"
    assert (found["sequential"].right, found["sequential"].wrong) == (1, 0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"margin": 0.0001}, "margin is 0.0001: for the tolerance 0.1 give at least 0.002"),
        ({"margin": -1}, "margin is -1"),
        ({"margin": 0.6}, "margin is 0.6"),
        ({"margin": math.nan}, "margin is nan: give a difference"),
        ({"margin": "much"}, "margin is 'much': give a difference"),
        ({"margin": 0.02, "reviewer_error": 0.2}, "give a larger margin"),
    ],
)
def test_bad_margins_are_refused(options, text):
    with pytest.raises(SidelightError, match=text):
        ClassifierMonitor(0.1, **options)
