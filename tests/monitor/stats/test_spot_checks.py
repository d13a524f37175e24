"""Spot checks: the same numbers one at a time or many, and which predictions they choose."""

import pytest

from sidelight.monitor import ClassifierMonitor, Reason
from sidelight.monitor.stats.randomness import (
    ALWAYS,
    IF_SUSPICIOUS,
    NEVER,
    SpotChecks,
    random_key_of_class,
    uniform_number_of_key,
    uniform_numbers_of_key,
)


@pytest.mark.parametrize("start", [0, 77, 2**40])
def test_numbers_are_the_same_one_at_a_time_or_many(start):
    key = random_key_of_class(3, "cat", "spot")
    assert uniform_numbers_of_key(key, start, 300).tolist() == [
        uniform_number_of_key(key, start + k) for k in range(300)
    ]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.9, 1.0])
def test_levels_follow_from_one_number_each_in_any_order(share):
    key = random_key_of_class(0, 7, "spot")
    checks = SpotChecks(key)
    for count in [*range(600), 5, 1000, 999, 0, 10**6]:
        u = uniform_number_of_key(key, count)
        assert checks.level(count, share) == (ALWAYS if u < share else IF_SUSPICIOUS if u < 0.5 else NEVER)


def test_a_closed_class_is_looked_at_where_the_numbers_say():
    monitor = ClassifierMonitor(0.1, confidence=0.9, spot_checks=0.05, seed=5)
    for place in range(2000):
        decision = monitor.decide("cat", id=place)
        if decision.verify:
            monitor.answer(place, correct=True)
        if "closed" in decision.reason or decision.reason == Reason.SPOT:
            assert decision.verify == (uniform_number_of_key(random_key_of_class(5, "cat", "spot"), place) < 0.05)
    assert monitor.report().drift.spot_checks > 50
