"""Restarting: the test for changes, probes, and what they cost and win."""

import numpy as np
import pytest
from common.recordings import record
from scipy.special import rel_entr

import sidelight as sl
from sidelight.strategies.base import act, observe
from sidelight.strategies.changing.change_test import (
    _ROOM,
    change_likelihood_ratio,
    law_changes_by_symbol,
    new_change_test,
)
from sidelight.strategies.changing.restarting import Restarting

APPLES = sl.games.load("apple-tasting")


def noticed(laws, risk, seed, rounds=1_000):
    """Return after how many symbols of tasting a change is noticed, or None."""
    test, rng = new_change_test(APPLES), np.random.default_rng(seed)
    for t in range(rounds):
        if law_changes_by_symbol(test, 1, int(rng.random() < laws[2 * t // rounds]), risk):
            return t
    return None


def test_the_likelihood_ratio_is_that_of_two_laws_against_one():
    test, rng = new_change_test(APPLES), np.random.default_rng(0)
    symbols = (rng.random(40) < 0.3).astype(int)
    for symbol in symbols:
        law_changes_by_symbol(test, 1, symbol, 1e-9)
    for k in range(test.kept[1]):
        n = int(test.before[k, 1])
        both = np.bincount(symbols, minlength=2) / 40
        parts = [np.bincount(part, minlength=2) / len(part) for part in (symbols[:n], symbols[n:]) if len(part)]
        wanted = sum(w * rel_entr(f, both).sum() for w, f in zip((n, 40 - n), parts, strict=False))
        if n < 40:
            assert change_likelihood_ratio(test, 1, k) == pytest.approx(wanted)


def test_room_is_bounded_and_spread_over_all_times():
    test = new_change_test(APPLES)
    for t in range(10_000):
        law_changes_by_symbol(test, 1, t % 2, 1e-9)
    kept = test.before[: test.kept[1], 1]
    assert len(kept) <= _ROOM
    assert np.diff(kept).max() <= 2 * np.median(np.diff(kept))
    assert kept[-1] > 9_000


def test_changes_are_noticed_and_seldom_imagined():
    assert sum(noticed([0.3, 0.3], 0.01, seed) is not None for seed in range(200)) <= 12
    found = [noticed([0.2, 0.8], 0.01, seed) for seed in range(50)]
    assert all(t is not None and t < 560 for t in found)
    assert sum(t >= 500 for t in found) >= 45


def test_what_is_not_played_is_probed():
    """Somebody sells for ever; tasting is probed after some 4 / c^2 rounds, then less and less often."""
    strategy = Restarting(APPLES, strategy="FixedAction", options={"action": 0}, probing=0.5)
    tastes = []
    for t in range(1_000):
        action = strategy.act()
        tastes += [t] * action
        strategy.observe("good" if action else "nothing")
    assert 14 <= tastes[0] <= 18
    assert (np.diff(np.diff(tastes)) >= 0).all()
    assert len(tastes) == pytest.approx(0.5 * np.sqrt(1_000), abs=4)
    assert strategy.state.starts[0] == 0


def test_probes_are_not_told_and_a_change_starts_anew():
    strategy = Restarting(APPLES, strategy="CBP", probing=1.0)
    state = strategy.state
    state.probes[1] = 1
    seen = state.inner.seen.copy()
    observe(strategy.compiled_parameters, state, 1, 0, np.zeros(0))
    assert (state.inner.seen == seen).all()
    observe(strategy.compiled_parameters, state, 1, 0, np.zeros(0))
    assert state.inner.seen[1] == seen[1] + 1
    state.changed[0] = 1
    assert act(strategy.compiled_parameters, state, np.zeros(0), strategy.rng) == -1
    strategy._under_way[0] = 0
    assert strategy.act() == 0
    assert strategy.state.starts[0] == 1
    assert strategy.state.inner.seen.sum() == 0


@pytest.mark.parametrize("inner", ["RandCBP", "TSPM"])
def test_it_wins_where_the_law_jumps(inner):
    game = sl.games.load("bartok")
    laws = np.random.default_rng(3).dirichlet(np.ones(game.n_outcomes), size=(16, 2))
    world = record(np.repeat(laws, [3_000, 7_000], axis=1))
    plain, ours = (
        sl.simulate(s, world, 10_000, 16, 3, workers=1).final.mean()
        for s in (getattr(sl.strategies, inner)(game), Restarting(game, strategy=inner))
    )
    assert ours < 0.5 * plain


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"strategy": "Restarting"}, "give the name of another strategy"),
        ({"strategy": "Nobody"}, "give the name of another strategy"),
        ({"strategy": "FixedAction", "options": {"action": 9}}, "action"),
        ({"strategy": "CBPSide", "options": {"dimension": 2}}, "without contexts"),
        ({"strategy": "CBPSide"}, "options are None: CBPSide says missing a required argument: 'dimension'"),
        ({"options": {"patience": 1}}, "options are .*: RandCBP says got an unexpected keyword argument 'patience'"),
        ({"options": {"game": APPLES}}, "RandCBP says multiple values for argument 'game'"),
        ({"options": {3: 1}}, "RandCBP says keywords must be strings"),
        ({"options": "alpha"}, "options is 'alpha': give parameters by name"),
        ({"risk": 0}, "risk is 0"),
        ({"probing": -1}, "probing is -1"),
    ],
)
def test_mistakes_are_named(given, match):
    with pytest.raises(sl.SidelightError, match=match):
        Restarting(APPLES, **given)
