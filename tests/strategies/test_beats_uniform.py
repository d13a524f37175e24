"""Every strategy beats Uniform clearly in every game of the catalogue in its class, slow ones in the smaller games.

A game that is refused, or that gives a warning, is beyond it.
"""

import functools
import warnings

import numpy as np
import pytest
from common.players import DIMENSION, make
from common.recordings import record, record_contexts

import sidelight as sl
from sidelight.kernels import compiled

GAMES = [name for name in sl.games.names() if sl.games.describe(name).kind != "hopeless"]
NAMES = [name for name in sl.strategies.names() if name not in ("Uniform", "FixedAction")]
# Runs and rounds, where the usual ones take too long or a strategy needs more of them; chosen with another seed.
USUAL = 64, 2_000
SIZES = {
    "BOBWLocal": (32, 1_000),
    "CBPSide": (16, 20_000),
    "EpsilonGreedySide": (16, 2_000),
    "ExpPM": (32, 1_000),
    "IDS": (32, 2_000),
    "IDSContexts": (16, 20_000),
    "Mario": (32, 300),
    "PGIDS": (16, 200),
    "PGTS": (16, 200),
    "PGTSMulti": (16, 200),
    "PMDMED": (32, 1_000),
    "PMDMEDHinge": (24, 300),
    "ProspectModel": (4, 150),
    "ProspectSide": (8, 300),
    "SquareCB": (16, 2_000),
    "VIDS": (32, 300),
}
# A round of these takes long: they meet games of few actions and outcomes only.
SLOW = {"BOBWLocal", "ExpPM", "Mario", "PMDMED", "PMDMEDHinge", "ProspectModel", "ProspectSide", "VIDS"}
MOST = 12  # actions times outcomes
FEW = dict.fromkeys(("ProspectModel", "PMDMEDHinge"), ("apple-tasting", "label-efficient"))
# Where it does not hold, and why.
STAYS_WRONG = ("dueling-bandit", "spam-filtering", "tau-detection")  # whoever never explores
BUYS_TOO_MUCH = ("label-efficient", "spam-filtering", "matching-pennies", "blind-degenerate")  # as its file says
EXCEPT = {"Greedy": STAYS_WRONG, "GreedySide": STAYS_WRONG, "CESA": BUYS_TOO_MUCH}


@functools.lru_cache(maxsize=8)
def world_for(kind, outcomes, runs, rounds):
    """Return a world with a law for each run, or for each of a few or many contexts."""
    rng = np.random.default_rng(12)
    if kind == "laws":
        return record(np.repeat(rng.dirichlet(np.ones(outcomes), size=(runs, 1)), rounds, axis=1))
    if kind == "few contexts":
        return record_contexts(rng.dirichlet(np.ones(outcomes), size=DIMENSION), np.eye(DIMENSION), runs, rounds)
    theta, contexts = rng.normal(scale=2, size=(outcomes, DIMENSION)), rng.uniform(-1, 1, size=(2_000, DIMENSION))
    odds = np.exp(contexts @ theta.T)
    return record_contexts(odds / odds.sum(axis=1, keepdims=True), contexts, runs, rounds)


def kind_for(strategy):
    """Return which kind of world a strategy is for."""
    if strategy.name == "IDSContexts":
        return "few contexts"
    return "contexts" if strategy.dimension or strategy.any_context else "laws"


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in NAMES])
def test_beats_uniform(name):
    """By more than three standard errors; both meet the same laws, contexts and outcomes."""
    runs, rounds = SIZES.get(name, USUAL)
    played = 0
    for key in FEW.get(name, GAMES):
        game = sl.games.load(key)
        if name in SLOW and game.n_actions * game.n_outcomes > MOST:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                strategy = make(name, game)
        except (sl.SidelightError, UserWarning):
            continue
        played += 1
        if key not in EXCEPT.get(name, ()):
            world = world_for(kind_for(strategy), game.n_outcomes, runs, rounds)
            with compiled():
                blind, ours = (
                    sl.simulate(each, world, rounds, runs, 2, checkpoints=1, workers=1).final
                    for each in (sl.strategies.Uniform(game), strategy)
                )
            gain = blind - ours
            assert gain.mean() > 3 * gain.std(ddof=1) / np.sqrt(runs), key
    assert played
