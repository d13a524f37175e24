"""What a study will cost, from short tries."""

import pytest

from sidelight.studies import PlayerEntry
from sidelight.studies.plan.cases import plan_cases
from sidelight.studies.running.cost import StudyCost, estimate_running_cost

from ..making import small, write_mine


def test_short_tries_say_what_all_runs_cost(tmp_path):
    busy = write_mine(tmp_path, "return sum(range(20_000)) % 2")
    found = estimate_running_cost(plan_cases(small(busy, PlayerEntry("Uniform"), horizons=(300, 1000), runs=5)))
    assert found.rounds == 2 * 5 * 1300
    assert found.failures == {}
    assert 5 * 1300 * 2e-5 < found.seconds < 5 * 1300 * 0.02
    assert found.minutes(2) == pytest.approx(found.seconds / 120)


def test_what_fails_is_told_of_and_costs_nothing(tmp_path):
    study = small(write_mine(tmp_path, "raise RuntimeError('out of apples')"))
    found = estimate_running_cost(plan_cases(study))
    assert [failure.reason for failure in found.failures.values()] == ["RuntimeError: out of apples"]
    assert found.seconds is None
    assert StudyCost(1, None, {}).minutes() is None
