"""Looks under way: late symbols are counted on, lost ones are not for long."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.game_arrays import signals
from sidelight.kernels.arrays import new_arrays
from sidelight.strategies import Prospect
from sidelight.strategies.prospect.late_symbols import Waiting, count_old_plays, expected_symbols

LABELS = sl.games.load("label-efficient")
SIGNALS = signals(LABELS)
LOOK = 0


def expected(share, delay, rounds, every=1):
    """Return the symbols expected after some rounds of looking, a share of them answered, each after a delay."""
    waiting, counts, plays = new_arrays(Waiting, actions=3), np.zeros(SIGNALS.first[-1]), np.zeros(3, np.int64)
    answered = np.random.default_rng(1).random(rounds) < share
    for t in range(rounds):
        if t >= delay and (t - delay) % every == 0 and answered[t - delay]:
            counts[0] += 1
        count_old_plays(waiting, SIGNALS, counts, plays, t)
        plays[LOOK] += t % every == 0
    return expected_symbols(waiting, SIGNALS, counts, plays, LOOK), plays[LOOK], counts.sum()


def test_all_symbols_under_way_are_expected():
    assert [expected(1.0, delay, 300)[0] for delay in (1, 7, 100, 299)] == [1.0, 7.0, 100.0, 299.0]
    assert expected(1.0, 100, 300, every=10)[0] == 10.0


def test_if_none_has_come_yet_all_are_expected():
    assert expected(1.0, 1000, 500)[0] == 500.0


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.9])
def test_lost_symbols_are_expected_to_a_small_extent(share):
    found, plays, seen = expected(share, 1, 4000)
    assert plays == 4000
    assert found <= 3.2 * seen


def looks(strategy, rounds, answered):
    """Return in how many rounds a strategy looks, its symbols coming as `answered` says: round to delay, or None."""
    total, due = 0, {}
    for t in range(rounds):
        for action, symbol in due.pop(t, ()):
            strategy.observe(symbol, action=action)
        action = strategy.act()
        total += action == LOOK
        delay = answered(t)
        if delay is not None:
            due.setdefault(t + delay, []).append((action, LABELS.feedback[action][t // 10 % 2]))
    return total


def test_looks_under_way_save_others():
    assert looks(Prospect(LABELS), 300, lambda t: 300) < 250  # without any symbol, each look seems to pay as the first


def test_when_nothing_comes_looking_slows_down_until_something_comes():
    strategy = Prospect(LABELS)
    assert looks(strategy, 600, lambda t: None) < 300
    assert strategy.state.belief.under_way[LOOK] > 100
    assert "more symbols expected, as if they agreed" in strategy.explain()
    looks(strategy, 900, lambda t: 1)
    assert strategy.state.belief.under_way[LOOK] < 3.2 * strategy.state.belief.counts[:2].sum()


def test_with_nine_in_ten_lost_it_still_learns():
    strategy = Prospect(LABELS)
    with np.errstate(all="raise", under="ignore"):
        assert looks(strategy, 1500, lambda t: 1 if t % 10 == 0 else None) > 100
    assert strategy.state.belief.counts[:2].sum() > 10
