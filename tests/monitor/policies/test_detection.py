"""The decision rule of the monitor against the general strategies on the τ-detection game."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.policies import CBPPolicy, RandCBPPolicy, wald_cap
from sidelight.monitor.policies.detection import detection_policy_verifies, draw_confidence_of_detection_policy
from sidelight.monitor.stats.randomness import random_key_of_class, uniform_number_of_key

VERIFY, PASS = 0, 1


class Uniforms:
    """Stands for a random generator: hands out given numbers."""

    def __init__(self, numbers):
        self._numbers = iter(numbers)

    def random(self):
        return next(self._numbers)


def strategy(tau, policy):
    game = sl.games.load("tau-detection", tau=tau)
    observers = policy.observers
    if observers == "verify":
        observers = {(VERIFY, PASS): {VERIFY: [f"{game.loss[0][0] - game.loss[1][0]}", 1]}}
    if isinstance(policy, CBPPolicy):
        return sl.strategies.CBP(game, alpha=policy.alpha, observers=observers)
    parameters = {name: getattr(policy, name) for name in ("alpha", "bins", "sigma", "tail", "lower")}
    return sl.strategies.RandCBP(game, **parameters, observers=observers)


POLICIES = [
    CBPPolicy(),
    CBPPolicy(alpha=2.0, observers="minimum-norm"),
    RandCBPPolicy(),
    RandCBPPolicy(bins=5),
    RandCBPPolicy(bins=2, sigma=0.3, tail=0.2),
    RandCBPPolicy(bins=7, lower=0.4, alpha=1.5),
    RandCBPPolicy(bins=4, lower=-1.0),
    RandCBPPolicy(bins=1),
    RandCBPPolicy(bins=10, observers="minimum-norm"),
    RandCBPPolicy(bins=5, observers="half-range"),
    RandCBPPolicy(bins=5, observers="max-norm"),
]


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
@pytest.mark.parametrize("tau", ["0.2", "0.05"])
def test_decisions_are_those_of_the_general_strategy(policy, tau):
    rates = [0.01, 0.04, 0.05, 0.07, 0.3]
    for run, rate in enumerate(rates):
        rng = np.random.default_rng([run, 5])
        outcomes, uniforms = rng.random(1500) < rate, rng.random(1500)
        general = strategy(tau, policy)
        general.reset()
        rule = policy.rule(float(tau))
        source = iter(uniforms)
        general._rng = Uniforms(uniforms)
        verified = errors = 0
        for t, wrong in enumerate(outcomes):
            u = next(source) if rule.draws and t >= 2 else 1.0
            action = general.act()
            assert detection_policy_verifies(rule, t, verified, errors, u) == (action == VERIFY), (run, t)
            if action == VERIFY:
                verified += 1
                errors += int(wrong)
                general.observe("wrong" if wrong else "right")
            else:
                general.observe("nothing")


@pytest.mark.parametrize("policy", [RandCBPPolicy(), RandCBPPolicy(bins=5), CBPPolicy()], ids=repr)
def test_monitor_in_guard_mode_plays_the_general_strategy(policy):
    """One strategy per class, on the uniform numbers of that class, whatever comes between."""
    rates = {"cat": 0.02, "dog": 0.3}
    monitor = ClassifierMonitor(0.2, policy=policy, mode="guard", seed=8, drift=False)
    general = {}
    for name in rates:
        general[name] = strategy("0.2", policy).reset()
        key = random_key_of_class(8, name, "policy")
        general[name]._rng = Uniforms([uniform_number_of_key(key, t) for t in range(2, 5000)])
    rng = np.random.default_rng(1)
    for _ in range(3000):
        name = "cat" if rng.random() < 0.7 else "dog"
        wrong = rng.random() < rates[name]
        decision = monitor.decide(name)
        assert decision.verify == (general[name].act() == VERIFY)
        if decision.verify:
            monitor.answer(decision.id, correct=not wrong)
        general[name].observe(("wrong" if wrong else "right") if decision.verify else "nothing")


def test_both_pairs_means_that_the_smaller_of_two_z_decides():
    rng = np.random.default_rng(2)
    both, once = (RandCBPPolicy(bins=10, pairs=pairs).rule(0.05) for pairs in ("both", "once"))
    assert (both.draws, once.draws, CBPPolicy().rule(0.05).draws) == (2, 1, 0)
    for _ in range(2000):
        t, n = int(rng.integers(2, 5000)), int(rng.integers(1, 500))
        e, u, v = int(rng.integers(0, n + 1)) // 10, rng.random(), rng.random()
        bound = np.sqrt(1.01 * np.log(t))
        delta, reach = 1 - e / n / 0.05, 19 / np.sqrt(n)
        z = min(
            draw_confidence_of_detection_policy(both, bound, u), draw_confidence_of_detection_policy(both, bound, v)
        )
        if abs(delta - z * reach) > 1e-9 and abs(delta) > 1e-9:
            assert detection_policy_verifies(both, t, n, e, min(u, v)) == (delta <= 0 or delta < z * reach)


def test_z_has_the_weights_of_the_definition():
    rule, bound = RandCBPPolicy(bins=5, tail=1e-7).rule(0.05), 3.163
    points = [draw_confidence_of_detection_policy(rule, bound, u) for u in (np.arange(20_000) + 0.5) / 20_000]
    values, counts = np.unique(np.round(points, 3), return_counts=True)
    assert values == pytest.approx([0, 0.791, 1.581, 2.372], abs=2e-3)
    assert counts / 20_000 == pytest.approx([0.4812, 0.3521, 0.1378, 0.0289], abs=2e-4)
    assert draw_confidence_of_detection_policy(rule, bound, 1 - 1e-9) == bound


def test_uniform_numbers_are_uniform_and_fixed():
    key = random_key_of_class(0, "cat", "policy")
    numbers = np.array([uniform_number_of_key(key, k) for k in range(20_000)])
    assert numbers.min() >= 0
    assert numbers.max() < 1
    counts = np.histogram(numbers, bins=20, range=(0, 1))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 45  # chi-square with 19 degrees of freedom, p = 0.0007
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 0.03
    others = {
        random_key_of_class(0, "cat", "spot"),
        random_key_of_class(1, "cat", "policy"),
        random_key_of_class(0, "dog", "policy"),
        random_key_of_class(0, 1, "policy"),
    }
    assert len(others | {key, random_key_of_class(0, "1", "policy")}) == 6
    # Fixed forever: a saved monitor must go on the same in every version.
    assert uniform_number_of_key(0, 0) == pytest.approx(
        0xE220A8397B1DCDAF / 2**64, abs=1e-15
    )  # SplitMix64's published first output


def test_wald_caps_are_the_published_ones():
    assert [10 * (wald_cap(tau) + 2) for tau in (0.025, 0.05, 0.1, 0.2)] == [105120, 26300, 6590, 1670]
