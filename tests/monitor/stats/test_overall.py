"""The error rate over all predictions: its interval against a slow search, and valid at all times."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.stats.overall import Counts, overall_confidence_interval, overall_rate


def log_evidence(one, rate):
    a, b = 0.5, 0.5 * (1 - one.tolerance) / one.tolerance
    right = one.verified - one.errors
    return betaln(a + one.errors, b + right) - betaln(a, b) - one.errors * np.log(rate) - right * np.log1p(-rate)


def slow_interval(classes, confidence):
    """Extremes over a grid of all rates."""
    grid = np.linspace(0.0005, 0.9995, 1000)
    evidence = [log_evidence(one, grid) for one in classes]
    total = sum(one.predictions for one in classes)
    sums = evidence[0][:, None] + evidence[1][None, :]
    means = (classes[0].predictions * grid[:, None] + classes[1].predictions * grid[None, :]) / total
    kept = means[sums <= -math.log1p(-confidence)]
    return kept.min(), kept.max()


@pytest.mark.parametrize(
    "counts", [((100, 40, 2), (300, 200, 30)), ((50, 30, 0), (50, 5, 5)), ((10, 0, 0), (90, 60, 6))]
)
def test_it_is_the_range_over_all_rates_that_are_not_refuted(counts):
    classes = [Counts(0.05, *one) for one in counts]
    low, high = overall_confidence_interval(classes, 0.95)
    slow_low, slow_high = slow_interval(classes, 0.95)
    assert low == pytest.approx(slow_low, abs=2e-3)
    assert high == pytest.approx(slow_high, abs=2e-3)


COUNTS = st.integers(0, 500).flatmap(
    lambda n: st.builds(Counts, st.floats(1e-9, 1 - 1e-9), st.integers(n, 10**9), st.just(n), st.integers(0, n))
)


@given(st.lists(COUNTS, max_size=6), st.floats(0.5, 0.999999))
@settings(max_examples=80, deadline=None)
def test_it_holds_the_estimate(classes, confidence):
    found = overall_rate(classes, confidence)
    low, high = found.interval
    assert 0.0 <= low <= high <= 1.0
    answered = [one for one in classes if one.predictions]
    if answered and all(one.verified for one in answered):
        assert low - 1e-9 <= found.estimate <= high + 1e-9
    assert overall_rate([*classes, Counts(0.05, 0, 0, 0)], confidence) == found


def test_nothing_is_known_before_the_first_answer():
    assert overall_rate([], 0.95).interval == (0.0, 1.0)
    assert overall_rate([Counts(0.05, 100, 0, 0)], 0.95).interval == (0.0, 1.0)
    assert overall_rate([Counts(0.05, 100, 0, 0)], 0.95).verdict == "unknown"


def test_the_verdict_is_where_the_interval_lies():
    good, bad = Counts(0.05, 10_000, 2_000, 20), Counts(0.1, 10_000, 2_000, 800)
    assert overall_rate([good], 0.99).verdict == "below"
    assert overall_rate([bad], 0.99).verdict == "above"
    both = overall_rate([good, bad], 0.99)
    assert both.tolerance == pytest.approx(0.075)
    assert both.verdict == "above"
    doubtful = overall_rate([good, bad], 0.99, reviewer_error=0.2)
    assert doubtful.verdict == "unknown"
    assert doubtful.interval[0] < both.interval[0] < both.interval[1] < doubtful.interval[1]


def test_it_is_valid_at_all_times_though_verification_is_adaptive():
    """Three classes, sequential verification, a look every 50 predictions; 80 runs, four standard errors of slack."""
    rates, runs, missed = {"a": 0.01, "b": 0.06, "c": 0.3}, 80, 0
    for run in range(runs):
        rng = np.random.default_rng((5, run))
        monitor = ClassifierMonitor(0.05, classes=list(rates), confidence=0.9)
        names = rng.choice(list(rates), 400, p=[0.5, 0.3, 0.2])
        wrong = rng.random(400) < [rates[name] for name in names]
        counts = dict.fromkeys(rates, 0)
        out = False
        for place, (name, bad) in enumerate(zip(names.tolist(), wrong.tolist(), strict=True)):
            counts[name] += 1
            if monitor.decide(name, id=place).verify:
                monitor.answer(place, correct=not bad)
            if place % 50 == 49:
                truth = sum(counts[one] * rates[one] for one in rates) / (place + 1)
                states = monitor.engine.classes.values()
                known = [Counts(one.tolerance, one.predictions, *one.fair) for one in states]
                low, high = overall_confidence_interval(known, 0.9)
                out |= not low <= truth <= high
        missed += out
    assert missed / runs <= 0.1 + 4 * math.sqrt(0.1 * 0.9 / runs)


def test_reports_show_it():
    monitor = ClassifierMonitor(0.05)
    for place, name in enumerate(itertools.islice(itertools.cycle("ab"), 400)):
        if monitor.decide(name, id=place).verify:
            monitor.answer(place, correct=True)
    report = monitor.report()
    assert report.overall.verdict == "below"
    assert "Overall error rate: 0.0000, between 0.0000 and" in str(report)
    assert report.to_dict()["overall"]["verdict"] == "below"
    assert ClassifierMonitor(0.05, window=50).report().overall is None
