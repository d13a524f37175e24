"""The confidence sequence: exact against its definition, valid under peeking."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sidelight.monitor.confidence import Prior, default_prior, interval, labels_needed, log_evidence, verdict

PRIORS = st.builds(Prior, st.floats(0.1, 20), st.floats(0.1, 200))
COUNTS = st.integers(0, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def slow_log_evidence(errors, verified, rate, prior):
    """The product of predictive odds, one answer after the other (any order gives the same)."""
    total = 0.0
    for k in range(verified):
        if k < errors:
            total += math.log((prior.a + k) / ((prior.a + prior.b + k) * rate))
        else:
            total += math.log((prior.b + k - errors) / ((prior.a + prior.b + k) * (1 - rate)))
    return total


@given(COUNTS, st.floats(0.001, 0.999), PRIORS)
@settings(max_examples=100, deadline=None)
def test_evidence_is_the_mixture_martingale(counts, rate, prior):
    errors, verified = counts
    expected = slow_log_evidence(errors, verified, rate, prior)
    assert log_evidence(errors, verified, rate, prior) == pytest.approx(expected, rel=1e-9, abs=1e-7)


@given(COUNTS, st.floats(0.5, 0.9999), PRIORS, st.floats(1e-6, 1 - 1e-6))
@settings(max_examples=300, deadline=None)
def test_interval_holds_exactly_the_rates_that_are_not_refuted(counts, confidence, prior, rate):
    errors, verified = counts
    low, high = interval(errors, verified, confidence, prior)
    assert 0.0 <= low <= (errors / verified if verified else 0.5) <= high <= 1.0
    excess = log_evidence(errors, verified, rate, prior) + math.log1p(-confidence)
    if abs(excess) > 1e-6:
        assert (low < rate < high) == (excess < 0)


@given(COUNTS, st.floats(0.01, 0.5), st.floats(0.8, 0.999))
@settings(max_examples=200, deadline=None)
def test_verdict_is_where_the_interval_lies(counts, tolerance, confidence):
    errors, verified = counts
    prior = default_prior(tolerance)
    low, high = interval(errors, verified, confidence, prior)
    found = verdict(errors, verified, tolerance, confidence, prior)
    if abs(low - tolerance) > 1e-9 and abs(high - tolerance) > 1e-9:
        assert found == ("above" if low > tolerance else "below" if high < tolerance else "unknown")


def test_nothing_is_known_before_the_first_answer():
    assert interval(0, 0, 0.99, Prior(1, 19)) == (0.0, 1.0)
    assert verdict(0, 0, 0.05, 0.99, Prior(1, 19)) == "unknown"


def test_ends_where_only_one_kind_was_seen():
    low, high = interval(0, 200, 0.95, Prior(1, 19))
    assert low == 0.0
    assert 0.01 < high < 0.05
    low, high = interval(200, 200, 0.95, Prior(1, 19))
    assert high == 1.0
    assert 0.7 < low < 1.0


def test_more_confidence_is_a_wider_interval():
    prior = default_prior(0.05)
    narrow, wide = (interval(30, 1000, confidence, prior) for confidence in (0.9, 0.999))
    assert wide[0] < narrow[0] < 0.03 < narrow[1] < wide[1]


@pytest.mark.parametrize(("errors", "verified"), [(0, 0), (0, 50), (3, 100), (12, 100), (1, 3)])
def test_labels_needed_are_what_the_expected_counts_need(errors, verified):
    tolerance, confidence, prior = 0.05, 0.99, default_prior(0.05)
    needed = labels_needed(errors, verified, tolerance, confidence, prior)
    rate = (errors + 5 * tolerance) / (verified + 10)
    for more, certain in ((needed, True), (needed - 1, False)):
        found = log_evidence(errors + rate * more, verified + more, tolerance, prior) >= -math.log1p(-confidence)
        assert found == certain


def test_labels_needed_at_the_tolerance_cannot_be_told():
    assert labels_needed(1, 20, 1 / 20, 0.99, Prior(1, 19)) is not None
    # 500 labels at exactly the tolerance, apart from the small pull toward a healthy class.
    assert labels_needed(500_000_000, 10_000_000_000, 0.05, 0.99, Prior(1, 19)) is None
    assert labels_needed(0, 10_000, 0.05, 0.99, Prior(1, 19)) == 0


def test_labels_needed_are_a_fair_guess():
    """Half of the streams should be done within about the number that is told at the true counts."""
    rng = np.random.default_rng(3)
    prior, tolerance, rate = default_prior(0.05), 0.05, 0.02
    told = labels_needed(20, 1000, tolerance, 0.99, prior)
    assert told == 0
    start = labels_needed(2, 100, tolerance, 0.99, prior)
    lengths = [first_certain(rng, rate, tolerance, 0.99, prior) for _ in range(200)]
    assert 0.3 * start < np.median(lengths) - 100 < 3 * start


def first_certain(rng, rate, tolerance, confidence, prior, most=20_000):
    errors = np.cumsum(rng.random(most) < rate)
    evidence = path(errors, tolerance, prior)
    return int(np.argmax(evidence >= -math.log1p(-confidence)))


def path(errors, rate, prior):
    """log M(rate) after each answer, for rows of cumulated errors."""
    from scipy.special import betaln

    n = np.arange(1, errors.shape[-1] + 1)
    mixed = betaln(prior.a + errors, prior.b + n - errors) - betaln(*prior)
    return mixed - errors * math.log(rate) - (n - errors) * math.log1p(-rate)


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("prior", [default_prior(0.05), Prior(0.5, 0.5)])
def test_coverage_with_a_look_at_every_step(rate, prior):
    """The interval must hold the truth at all of 2 000 looks at once; 1 000 streams, five standard errors of slack."""
    rng = np.random.default_rng(7)
    confidence, streams = 0.95, 1000
    errors = np.cumsum(rng.random((streams, 2000)) < rate, axis=1)
    missed = (path(errors, rate, prior) >= -math.log1p(-confidence)).any(axis=1)
    slack = 5 * math.sqrt(0.05 * 0.95 / streams)
    assert missed.mean() <= 0.05 + slack
    # And the function that people see agrees at the moments that matter.
    for row in np.flatnonzero(missed)[:20]:
        step = int(np.argmax(path(errors[row], rate, prior) >= -math.log1p(-confidence)))
        low, high = interval(int(errors[row, step]), step + 1, confidence, prior)
        assert not low < rate < high


def test_coverage_survives_a_policy_that_chooses_when_to_look():
    """Verifying only while the estimate looks bad is allowed: outcomes are not known when the choice is made."""
    rng = np.random.default_rng(11)
    prior, confidence, rate, streams = default_prior(0.05), 0.9, 0.05, 1500
    n, e, missed = np.zeros(streams), np.zeros(streams), np.zeros(streams, bool)
    from scipy.special import betaln

    for _ in range(1500):
        look = (e >= 0.04 * n) | (rng.random(streams) < 0.1)
        wrong = rng.random(streams) < rate
        n += look
        e += look & wrong
        evidence = betaln(prior.a + e, prior.b + n - e) - betaln(*prior) - e * math.log(rate)
        missed |= evidence - (n - e) * math.log1p(-rate) >= -math.log1p(-confidence)
    assert missed.mean() <= 0.1 + 5 * math.sqrt(0.09 / streams)
