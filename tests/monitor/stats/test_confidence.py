"""Verdicts and intervals: certain under peeking, never in contradiction, and nearly as quick as any test can be."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sidelight.monitor.stats.confidence import RateTest, rate_test
from sidelight.monitor.stats.prospects import stopping_distribution_of_test
from tests.monitor.stats.stopping import missed, wald_labels

COUNTS = st.integers(0, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
NEAR = st.tuples(st.integers(0, 10**6), st.floats(-5, 5))
TOLERANCES = st.one_of(st.floats(1e-9, 1 - 1e-9), st.sampled_from([1e-9, 0.05, 0.5, math.nextafter(0.5, 1), 1 - 1e-9]))
CONFIDENCES = st.one_of(st.floats(0.5, 0.999999), st.sampled_from([0.5, 0.95, 0.99, 0.999999]))


def agree(test, errors, verified):
    low, high = test.interval(errors, verified)
    verdict = test.verdict(errors, verified)
    assert 0.0 <= low <= high <= 1.0
    if verdict == "above":
        assert low >= test.tolerance
        assert errors > test.tolerance * verified
    elif verdict == "below":
        assert high <= test.tolerance
        assert errors < test.tolerance * verified
    else:
        assert low <= test.tolerance <= high
    if verified:
        assert low <= errors / verified <= high


@given(COUNTS, TOLERANCES, CONFIDENCES)
@settings(max_examples=400, deadline=None)
@example((0, 10**9), 1e-9, 0.5)
@example((10**9, 10**9), 1 - 1e-9, 0.999999)
def test_interval_and_verdict_never_contradict_each_other(counts, tolerance, confidence):
    agree(RateTest(tolerance, confidence), *counts)


@given(NEAR, TOLERANCES, CONFIDENCES)
@settings(max_examples=400, deadline=None)
def test_nor_near_the_boundary(place, tolerance, confidence):
    n, deviations = place
    e = round(tolerance * n + deviations * math.sqrt(tolerance * (1 - tolerance) * n))
    agree(RateTest(tolerance, confidence), min(n, max(0, e)), n)


@given(st.integers(1, 3000), st.floats(0, 1), st.integers(1, 99), CONFIDENCES)
@settings(max_examples=300, deadline=None)
def test_the_verdict_is_that_of_the_evidence(n, share, percent, confidence):
    """Also where the boundary was looked up for rounded counts."""
    test, e = rate_test(percent / 100, confidence), round(share * n)
    seen = n - e if test.mirrored else e
    more, fewer = (side.log_evidence(seen, n) - test.limit for side in (test.many, test.few))
    if min(abs(more), abs(fewer)) > 1e-9:
        expected = test.verdicts[0] if more > 0 else test.verdicts[1] if fewer > 0 else "unknown"
        assert test.verdict(e, n) == expected
        assert test.verdict(e, n) == expected


@given(st.integers(0, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.49))
@settings(max_examples=200, deadline=None)
def test_right_and_wrong_exchanged_exchange_above_and_below(counts, tolerance):
    e, n = counts
    tolerance = 1.0 - (1.0 - tolerance)  # so that both tolerances are exact
    test, mirror = rate_test(tolerance, 0.95), rate_test(1.0 - tolerance, 0.95)
    exchanged = {"above": "below", "below": "above", "unknown": "unknown"}
    assert mirror.verdict(n - e, n) == exchanged[test.verdict(e, n)]
    low, high = test.interval(e, n)
    assert mirror.interval(n - e, n) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-12)
    if abs(e - tolerance * n) > 0.1 * n:
        assert (mirror.labels_needed(n - e, n) == 0) == (test.labels_needed(e, n) == 0)


@pytest.mark.parametrize("tolerance", [0.05, 0.3, 0.8])
def test_the_boundary_is_where_verdicts_change(tolerance):
    test = RateTest(tolerance, 0.95)
    few, many = test.boundary(300)
    for n in range(301):
        verdicts = [RateTest.verdict(test, e, n) for e in range(n + 1)]
        assert few[n] == max((e for e in range(n + 1) if verdicts[e] == "below"), default=-1)
        assert min(many[n], n + 1) == min((e for e in range(n + 1) if verdicts[e] == "above"), default=n + 1)


@pytest.mark.parametrize(("confidence", "most"), [(0.95, 1.5), (0.99, 1.35)])
@pytest.mark.parametrize("tolerance", [0.01, 0.025, 0.05, 0.1, 0.2, 0.3])
def test_expected_labels_over_walds_bound(tolerance, confidence, most):
    """Exactly, by the law of the errors while the test goes on."""
    test = rate_test(tolerance, confidence)
    for factor in (0.25, 0.5, 1.5, 2.5):
        rate = factor * tolerance
        least = wald_labels(rate, tolerance, confidence)
        found = stopping_distribution_of_test(test, rate, int(20 * least))
        assert 1.0 < found.labels / least < most
        assert (found.below if factor > 1 else found.above) < 1 - confidence
        assert found.open < 1e-8


@pytest.mark.parametrize(("tolerance", "horizon"), [(0.1, 10_000), (0.3, 10_000), (0.8, 5_000)])
def test_wrong_verdicts_close_to_the_tolerance(tolerance, horizon):
    """Each side is wrong in at most α of all runs, whatever the horizon; at the tolerance itself both sides count."""
    test = rate_test(tolerance, 0.95)
    assert 0.01 < stopping_distribution_of_test(test, 0.98 * tolerance, horizon).above < 0.05
    assert 0.01 < stopping_distribution_of_test(test, 1.02 * tolerance, horizon).below < 0.05
    at = stopping_distribution_of_test(test, tolerance, horizon)
    assert at.above < 0.05
    assert at.below < 0.05


def test_a_verdict_that_stands_bounds_the_interval():
    test = rate_test(0.05, 0.95)
    assert test.interval(40, 1000)[1] > 0.05
    assert test.interval(40, 1000, "below")[1] == 0.05
    assert test.interval(60, 1000, "above")[0] == 0.05
    assert test.interval(500, 1000, "below") == (0.05, 0.05)


@pytest.mark.parametrize("tolerance", [0.05, 0.9])
@pytest.mark.parametrize(("errors", "verified"), [(0, 0), (0, 50), (3, 100), (15, 100), (1, 3)])
def test_labels_needed_are_what_the_expected_counts_need(errors, verified, tolerance):
    test = rate_test(tolerance, 0.99)
    needed = test.labels_needed(errors, verified)
    rate = (errors + 5 * tolerance) / (verified + 10)

    def certain(more):
        e, n = errors + rate * more, verified + more
        seen = n - e if test.mirrored else e
        side = test.many if seen > test.rate * n else test.few
        return side.log_evidence(seen, n) >= test.limit

    assert certain(needed)
    assert needed == 0 or not certain(needed - 1)


def test_labels_needed_at_the_tolerance_cannot_be_told():
    test = rate_test(0.05, 0.99)
    assert test.labels_needed(1, 20) is not None
    assert test.labels_needed(500_000_000, 10_000_000_000) is None
    assert test.labels_needed(0, 10_000) == 0


def test_labels_needed_are_a_fair_guess():
    """Half of the streams should be done within about the number that is told at the true counts."""
    rng = np.random.default_rng(3)
    test = rate_test(0.05, 0.99)
    assert test.labels_needed(20, 1000) == 0
    start = test.labels_needed(2, 100)
    few, many = (np.array(ends) for ends in test.boundary(20_000))
    errors = np.cumsum(rng.random((200, 20_000)) < 0.02, axis=1)
    lengths = np.argmax((errors <= few[1:]) | (errors >= many[1:]), axis=1)
    assert 0.3 * start < np.median(lengths) - 100 < 3 * start


@pytest.mark.parametrize(("tolerance", "rate"), [(0.05, 0.01), (0.05, 0.051), (0.05, 0.2), (0.3, 0.29), (0.3, 0.1)])
def test_the_interval_holds_the_rate_at_all_times(tolerance, rate):
    """Exactly, with a look after each of 1 000 answers and the verdict that was reached latest."""
    assert 0.01 < missed(rate_test(tolerance, 0.95), rate, 1000) < 0.05


def test_nothing_is_missed_at_the_tolerance_itself():
    assert missed(rate_test(0.1, 0.95), 0.1, 300) < 0.01


def test_the_interval_of_many_errors_holds_the_rate_at_all_times():
    """For a tolerance above 1/2, at moments that grow by a tenth; 400 streams, four standard errors of slack."""
    rng = np.random.default_rng(7)
    test, streams, rate = rate_test(0.9, 0.95), 400, 0.8
    errors = np.cumsum(rng.random((streams, 2000)) < rate, axis=1)
    out = np.zeros(streams, bool)
    for n in sorted({int(1.1**k) for k in range(80)}):
        for e in np.unique(errors[:, n - 1]):
            low, high = test.interval(int(e), n)
            out |= (errors[:, n - 1] == e) & ((rate < low) | (rate > high))
    assert out.mean() <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / streams)


def test_a_policy_that_chooses_when_to_look_gains_nothing():
    """Verifying only while the estimate looks bad is allowed: outcomes are not known when the choice is made."""
    rng = np.random.default_rng(11)
    rate, streams = 0.05, 1500
    few, many = (np.array(ends) for ends in rate_test(rate, 0.9).boundary(1500))
    n, e, above, below = (np.zeros(streams, int) for _ in range(4))
    for _ in range(1500):
        look = (e >= 0.04 * n) | (rng.random(streams) < 0.1)
        n += look
        e += look & (rng.random(streams) < rate)
        above |= e >= many[n]
        below |= e <= few[n]
    assert max(above.mean(), below.mean()) <= 0.1 + 4 * math.sqrt(0.09 / streams)
