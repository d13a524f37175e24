"""Uniform and FixedAction."""

import numpy as np
import pytest

from sidelight import environments, games, simulate
from sidelight.errors import SidelightError
from sidelight.strategies.baselines.uniform import FixedAction, Uniform


def test_uniform_plays_all_actions_alike_and_pays_the_mean_gap():
    game = games.load("dynamic-pricing")
    law = np.array([0.1, 0.3, 0.2, 0.15, 0.25])
    results = simulate(Uniform(game), environments.IID(law), horizon=5_000, runs=20, seed=3, workers=1)
    counts = results.plays.sum(axis=0)
    assert counts.sum() == 100_000
    # Chi-square with 4 degrees of freedom: beyond 23.5 once in 10 000 times.
    assert ((counts - 20_000) ** 2 / 20_000).sum() < 23.5
    losses = np.array(game.loss, float) @ law
    assert results.final.mean() == pytest.approx(5_000 * (losses.mean() - losses.min()), rel=0.02)


def test_fixed_action_is_named_or_numbered():
    game = games.load("apple-tasting")
    assert FixedAction(game, "taste").act() == FixedAction(game, 1).act() == FixedAction(game, np.int64(1)).act() == 1
    results = simulate(FixedAction(game, 0), environments.IID([0.3, 0.7]), horizon=100, runs=1)
    assert results.plays.tolist() == [[100, 0]]
    again = FixedAction.load(FixedAction(game, "sell").save())
    assert again.parameters() == {"action": "sell"}
    assert again.act() == 0


@pytest.mark.parametrize("wrong", [2, -1, "eat", 0.0, True, None])
def test_other_actions_are_refused(wrong):
    with pytest.raises(SidelightError, match=r"action is .*: give an index from 0 to 1, or a name \(sell, taste\)"):
        FixedAction(games.load("apple-tasting"), wrong)
