"""Inputs at the edge of what floats can hold: a clear error, or a careful answer, never a traceback."""

import numpy as np
import pytest
from click.testing import CliRunner

import sidelight as sl
from sidelight.cli import main

APPLES = sl.games.load("apple-tasting")


@pytest.mark.parametrize("size", ["1e400", "1e-400", "1e200"])
def test_losses_beyond_floats_are_analysed_but_not_played(size):
    game = sl.Game([[size, 0], [0, size]], [["a", "b"], ["c", "c"]])
    assert sl.analyze(game).kind == "easy"
    with pytest.raises(sl.SidelightError, match="scale them"):
        sl.strategies.CBP(game)
    with pytest.raises(sl.SidelightError, match="scale them"):
        sl.limits.lower_bound(game, [0.3, 0.7])


@pytest.mark.parametrize("seed", [-1, "a", 1.5])
def test_a_bad_seed_is_refused_at_once(seed):
    with pytest.raises(sl.SidelightError, match="seed is"):
        sl.strategies.Uniform(APPLES, seed=seed)


@pytest.mark.parametrize("choice", [1.5, None, "sell"])
def test_an_action_is_an_index(choice):
    class Odd(sl.strategies.Strategy):
        def _start(self):
            return {"plays": np.zeros(1)}

        def _act(self, context):
            return choice

        def _observe(self, action, symbol, context):
            pass

    with pytest.raises(sl.SidelightError, match="not the index of an action"):
        Odd(APPLES).act()


def test_a_vanishing_probability_is_refused():
    with pytest.raises(sl.SidelightError, match="below 1e-300"):
        sl.limits.lower_bound(APPLES, [1e-320, 1.0])


@pytest.mark.parametrize("p", ["0.49999999,0.50000001", "0.499999999999,0.500000000001"])
@pytest.mark.parametrize("further", [[], ["--json"]])
def test_laws_next_to_a_tie_have_a_limit(p, further):
    result = CliRunner().invoke(main, ["limits", "apple-tasting", "--law", p, "--horizon", "50", *further])
    assert result.exit_code == 0, result.output
    assert "lower" in result.output.lower()
