"""What a verdict is expected to cost, against the definition written out."""

import math

import pytest
from scipy.stats import beta

from sidelight.monitor.stats.confidence import rate_test
from sidelight.monitor.stats.prospects import expected_labels_to_verdict

COUNTS = [(0, 0), (0, 1), (1, 1), (0, 30), (1, 20), (4, 20), (5, 100), (40, 1000), (60, 1000)]


def by_definition(test, errors, verified):
    """Return the index and the fewest labels, with the labels that the whole mixture needs at each rate."""
    needed = []
    for k in range(15):
        rate = beta(1 + errors, (1 - test.rate) / test.rate + verified - errors).ppf((k + 0.5) / 15)
        labels = test.labels_at(errors, verified, rate)
        needed.append(math.inf if labels is None else max(1, labels))
    needed.sort()
    plans = [(sum(needed[:k]) + (15 - k) * needed[k - 1]) / k for k in range(1, 16) if needed[k - 1] < math.inf]
    return min(plans), needed[0]


@pytest.mark.parametrize(
    "settings", [(0.05, 0.99), (0.1, 0.95), (0.01, 0.9), (0.05, 0.95, 0.02), (0.1, 0.95, 0.0, 0.01), (0.1, 0.9, 0.2)]
)
def test_the_index_is_that_of_the_definition(settings):
    test = rate_test(*settings)
    for errors, verified in COUNTS:
        if test.verdict(errors, verified) == "unknown":
            expected = by_definition(test, errors, verified)
            assert expected_labels_to_verdict(test, errors, verified) == pytest.approx(expected, rel=0.05, abs=1.5)


def test_classes_are_put_in_the_order_of_the_definition():
    test = rate_test(0.05, 0.99)
    order = sorted(COUNTS, key=lambda counts: expected_labels_to_verdict(test, *counts).per_verdict)
    assert order == sorted(COUNTS, key=lambda counts: by_definition(test, *counts)[0])


def test_a_class_at_its_tolerance_costs_more_the_better_it_is_known():
    test = rate_test(0.05, 0.99)
    assert (
        expected_labels_to_verdict(test, 500, 10_000).per_verdict
        > 5 * expected_labels_to_verdict(test, 50, 1000).per_verdict
        > 25 * expected_labels_to_verdict(test, 5, 100).per_verdict
    )


def test_a_class_far_from_its_tolerance_costs_ever_less():
    test = rate_test(0.05, 0.99)
    for rate in (0, 4):
        costs = [expected_labels_to_verdict(test, rate * k, 10 * k).per_verdict for k in range(1, 5)]
        assert costs == sorted(costs, reverse=True)


def test_right_answers_take_the_place_of_errors_above_one_half():
    few, many = rate_test(0.25, 0.99), rate_test(0.75, 0.99)
    for errors, verified in ((0, 0), (3, 10), (20, 100)):
        assert expected_labels_to_verdict(many, verified - errors, verified) == pytest.approx(
            expected_labels_to_verdict(few, errors, verified)
        )


def test_with_a_margin_no_class_is_hopeless():
    plain, near = rate_test(0.05, 0.99), rate_test(0.05, 0.99, 0.02)
    assert (
        expected_labels_to_verdict(near, 50, 1000).per_verdict
        < 0.2 * expected_labels_to_verdict(plain, 50, 1000).per_verdict
    )
