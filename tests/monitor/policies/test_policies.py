"""Policies decide for themselves: a policy is one class, and nothing else has to know of it."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from sidelight.errors import SidelightError
from sidelight.monitor import ClassifierMonitor, Reason, replay
from sidelight.monitor.policies import POLICIES, Explore, Policy, wald_cap
from sidelight.reproduction.use_case import simulate_use_case


@dataclass(frozen=True)
class EverySecond(Policy):
    """Verify every second prediction, never waiting for answers."""

    name: ClassVar[str] = "every-second"
    title: ClassVar[str] = "Every second"
    waits: ClassVar[bool] = False
    step: int = 2

    def wants(self, state):
        return (False, Reason.LIKELY_BELOW) if state.predictions % self.step else (True, Reason.OPEN)


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


def test_simulations_need_a_compiled_rule():
    with pytest.raises(
        SidelightError, match="'every-second' has no compiled rule: give the class EverySecond a method `rule"
    ):
        simulate_use_case(1, 0.2, EverySecond(), 2)


def test_simulations_keep_to_the_number_of_labels():
    assert simulate_use_case(1, 0.2, Explore(verifications=10), 2).verified.tolist() == [[10] * 10] * 2
    assert simulate_use_case(1, 0.2, Explore(), 1).verified.tolist() == [[wald_cap(0.2)] * 10]
    assert simulate_use_case(1, 0.2, Explore(verifications=10**30), 1).verified.tolist() == [[wald_cap(0.2) + 2] * 10]
    assert simulate_use_case(1, 0.2, "explore", 1).verified.tolist() == [[wald_cap(0.2) + 2] * 10]  # as published


@dataclass(frozen=True)
class Cautious(Explore):
    """Without a name of its own, it would be loaded as its parent."""


@pytest.mark.parametrize(("policy", "name"), [(EverySecond(), "every-second"), (Cautious(), "a-name-of-its-own")])
def test_an_unlisted_policy_is_refused_with_what_to_do(policy, name):
    with pytest.raises(SidelightError, match=rf"POLICIES\['{name}'\] = {type(policy).__name__}"):
        ClassifierMonitor(0.05, policy=policy)
    with pytest.raises(SidelightError, match="policy is 'every-second'"):
        ClassifierMonitor(0.05, policy="every-second")


@dataclass(frozen=True)
class Talkative(EverySecond):
    name: ClassVar[str] = "talkative"

    def wants(self, state):
        return True, "I feel like it"


def test_a_reason_of_its_own_is_refused_with_those_that_exist(monkeypatch):
    monkeypatch.setitem(POLICIES, "talkative", Talkative)
    with pytest.raises(SidelightError, match=r"'I feel like it'.* OPEN, FIRST, .*COMPARED$"):
        ClassifierMonitor(0.05, policy="talkative").decide("cat")


def test_a_policy_that_json_cannot_hold_is_refused_by_save(monkeypatch, tmp_path):
    monkeypatch.setitem(POLICIES, "every-second", EverySecond)
    with pytest.raises(SidelightError, match="cannot be written as JSON"):
        ClassifierMonitor(0.05, policy="every-second", step={2}).save(tmp_path / "monitor.json")
    assert list(tmp_path.iterdir()) == []


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
    assert decision.reason in Reason


@pytest.mark.parametrize("margin", [1e-200, 1e-160, 5e-324])
def test_a_tiny_margin_asks_for_every_label(margin):
    policy = Explore(half_width=margin)
    assert policy.limit(0.05) >= 2**62
    assert policy.rule(0.05) == Explore(verifications=policy.limit(0.05)).rule(0.05)
