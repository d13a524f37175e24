"""A trivial game costs nothing from the first round."""

import numpy as np
import pytest
from common.players import DIMENSION, make

import sidelight as sl

# But for those that learn nothing, or that play games of one kind only.
SPECIAL = ("BayesOptimal", "BetaThompson", "CESA", "KLUCB", "LinTS", "LinUCB", "PGIDS", "PGTS", "STAP")
NAMES = [name for name in sl.strategies.names() if name not in ("Uniform", "FixedAction", *SPECIAL)]


@pytest.mark.parametrize("kind", ["degenerate", "duplicate"])
@pytest.mark.parametrize("name", NAMES)
def test_trivial_games_cost_nothing(name, kind):
    game = sl.games.load("trivial-degenerate", kind=kind)
    strategy, optimal = make(name, game), sl.analyze(game).pareto
    for _ in range(20):
        action = strategy.act(np.ones(DIMENSION))
        strategy.observe(game.feedback[action][0])
        assert action in optimal
