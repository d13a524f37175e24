"""Policies decide for themselves: a policy is one class, and nothing else has to know of it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from sidelight.errors import SidelightError
from sidelight.experiments.use_case import simulate_case
from sidelight.monitor import ClassifierMonitor, decisions, replay
from sidelight.monitor.policies import POLICIES, Policy


@dataclass(frozen=True)
class EverySecond(Policy):
    """Verify every second prediction, never waiting for answers."""

    name: ClassVar[str] = "every-second"
    title: ClassVar[str] = "Every second"
    waits: ClassVar[bool] = False
    step: int = 2

    def wants(self, state):
        return (False, decisions.LIKELY_BELOW) if state.predictions % self.step else (True, decisions.OPEN)


def test_a_policy_is_one_class(monkeypatch):
    monkeypatch.setitem(POLICIES, "every-second", EverySecond)
    monitor = ClassifierMonitor(0.05, policy="every-second", step=3)
    found = [monitor.decide("cat", id=k).verify for k in range(7)]
    assert found == [True, False, False, True, False, False, True]
    again = ClassifierMonitor.from_dict(monitor.to_dict())
    assert [again.decide("cat", id=k).verify for k in range(7, 10)] == [False, False, True]
    done = replay(["cat"] * 100, ["cat"] * 100, 0.05, ["every-second", "sequential"])
    assert done["every-second"].verifications == 50
    assert done["every-second"].title == "Every second"


def test_in_the_use_case_a_policy_without_a_rule_of_its_own_verifies_everything():
    ours, theirs = (simulate_case(1, 0.2, policy, 2) for policy in (EverySecond(), "explore"))
    assert ours.verifications.tolist() == theirs.verifications.tolist()


def test_an_unlisted_policy_works_as_an_object_and_is_refused_by_name():
    assert ClassifierMonitor(0.05, policy=EverySecond()).decide("cat").verify
    with pytest.raises(SidelightError, match="every-second"):
        ClassifierMonitor(0.05, policy="every-second")


@pytest.mark.parametrize("kind", POLICIES.values(), ids=list(POLICIES))
@pytest.mark.parametrize("mode", ["identify", "guard"])
def test_who_goes_on_after_a_certain_verdict(kind, mode):
    monitor = ClassifierMonitor(0.05, policy=kind(), mode=mode)
    for k in range(50):
        if monitor.decide("bad", id=k).verify:
            monitor.answer(k, correct=False)
    assert monitor.report()["bad"].verdict == "above"
    decision = monitor.decide("bad")
    assert decision.verify == (mode == "guard" or kind.name == "explore")
    assert decision.reason in decisions.REASONS
