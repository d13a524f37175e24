"""Discounted: what fades, how far, and where it wins."""

import math

import numpy as np
import pytest
from common.recordings import record

import sidelight as sl
from sidelight.strategies.changing.discounted import Discounted

APPLES, BANDIT = sl.games.load("apple-tasting"), sl.games.load("bernoulli-bandit")


def play(strategy, rounds):
    """Play against apples that are always rotten."""
    for _ in range(rounds):
        strategy.observe("rotten" if strategy.act() else "nothing")


def test_counts_and_clock_become_those_of_a_window():
    strategy = Discounted(APPLES, strategy="CBP", window=1_000)
    play(strategy, 20_000)
    inner, whole = strategy.state.inner, 10 / (1 - math.exp(-0.01))  # 10 new rounds between two steps
    assert inner.plays.sum() == pytest.approx(whole, rel=0.02)
    assert inner.seen == pytest.approx(inner.plays)
    assert inner.counts.sum() == pytest.approx(whole, rel=0.02)
    assert inner.clock[0] == pytest.approx(whole, rel=0.1)  # a whole number


def test_a_long_window_changes_nothing():
    strategy, plain = Discounted(APPLES, strategy="CBP", window=10**9), sl.strategies.CBP(APPLES)
    play(strategy, 300)
    play(plain, 300)
    assert (strategy.state.inner.plays == plain.state.plays).all()


def test_what_is_never_played_is_not_divided_by():
    strategy = Discounted(APPLES, strategy="CBP", window=100)
    strategy.state.inner.plays[:] = 1e-7
    with np.errstate(all="raise"):
        play(strategy, 500)
    assert strategy.state.inner.plays.min() > 0


@pytest.mark.parametrize(("game", "inner", "most"), [(APPLES, "RandCBP", 0.2), (BANDIT, "BetaThompson", 0.5)])
def test_it_wins_where_the_law_jumps(game, inner, most):
    laws = [np.eye(game.n_outcomes)[j] * 0.6 + 0.4 / game.n_outcomes for j in (1, 2 % game.n_outcomes)]
    world = record(np.repeat([laws] * 8, [4_000, 6_000], axis=1))
    plain, ours = (
        sl.simulate(s, world, 10_000, 8, 3, workers=1).final.mean()
        for s in (getattr(sl.strategies, inner)(game), Discounted(game, strategy=inner, window=2_000))
    )
    assert ours < most * plain


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({"strategy": "Restarting"}, "give the name of another strategy"),
        ({"strategy": "Prospect"}, "Prospect has no counts that could fade: give CBP"),
        ({"strategy": "TSPM"}, "TSPM has no counts"),
        ({"window": 99}, "window is 99: give a whole number of at least 100"),
    ],
)
def test_mistakes_are_named(given, match):
    with pytest.raises(sl.SidelightError, match=match):
        Discounted(APPLES, **given)
