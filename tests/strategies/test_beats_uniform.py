"""Every strategy beats Uniform clearly in every game of the catalogue in its class.

A game that is refused, or that gives a warning, is beyond it.
"""

import warnings

import numpy as np
import pytest
from common.players import DIMENSION, make

import sidelight as sl
from sidelight.environments import IID, FiniteContexts, LogisticContexts, laws

GAMES = [name for name in sl.games.names() if sl.games.describe(name).kind != "hopeless"]
NAMES = [name for name in sl.strategies.names() if name not in ("Uniform", "FixedAction")]
# Runs and rounds, where the usual ones take too long or a strategy needs more of them; chosen with another seed.
USUAL = 64, 2_000
SIZES = {
    "BOBWLocal": (32, 1_000),
    "CBPSide": (16, 20_000),
    "ExpPM": (32, 1_000),
    "IDS": (32, 2_000),
    "IDSContexts": (16, 20_000),
    "Mario": (32, 300),
    "PGIDS": (16, 200),
    "PGTS": (16, 200),
    "PGTSMulti": (16, 200),
    "PMDMED": (32, 2_000),
    "PMDMEDHinge": (24, 300),
    "ProspectModel": (6, 150),
    "ProspectSide": (16, 500),
    "VIDS": (32, 300),
}
SLOW = {"BOBWLocal", "ExpPM", "Mario", "PMDMED", "PMDMEDHinge", "ProspectModel", "ProspectSide", "VIDS"}
FEW = dict.fromkeys(("ProspectModel", "PMDMEDHinge"), ("apple-tasting", "label-efficient"))
# Where it does not hold, and why.
STAYS_WRONG = ("dueling-bandit", "spam-filtering", "tau-detection")  # whoever never explores
BUYS_TOO_MUCH = ("label-efficient", "spam-filtering", "matching-pennies", "blind-degenerate")  # as its file says
EXCEPT = {"Greedy": STAYS_WRONG, "GreedySide": STAYS_WRONG, "CESA": BUYS_TOO_MUCH}


def world_of(strategy, game):
    """Return the world in which a strategy plays."""
    rng = np.random.default_rng(9)
    if strategy.name == "IDSContexts":
        return FiniteContexts(rng.dirichlet(np.ones(game.n_outcomes), size=DIMENSION))
    if strategy.dimension or strategy.any_context:
        return LogisticContexts(rng.normal(scale=2, size=(game.n_outcomes, DIMENSION)), low=-1, high=1)
    return IID(laws.load("dirichlet", game.n_outcomes))


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in NAMES])
def test_beats_uniform(name):
    """By more than three standard errors; both meet the same laws, contexts and outcomes."""
    runs, rounds = SIZES.get(name, USUAL)
    played = 0
    for key in FEW.get(name, GAMES):
        game = sl.games.load(key)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                strategy = make(name, game)
        except (sl.SidelightError, UserWarning):
            continue
        played += 1
        if key not in EXCEPT.get(name, ()):
            world = world_of(strategy, game)
            blind, ours = (
                sl.simulate(each, world, rounds, runs, 2, checkpoints=1, workers=1).final
                for each in (sl.strategies.Uniform(game), strategy)
            )
            gain = blind - ours
            assert gain.mean() > 3 * gain.std(ddof=1) / np.sqrt(runs), key
    assert played
