"""ProspectModel with the built-in models against what ignores contexts and what is linear, in worlds of every kind."""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.environments import RegionContexts, contexts_by_name
from sidelight.strategies import Prospect, ProspectModel, RandCBPSide

APPLES, LABELS = sl.games.load("apple-tasting"), sl.games.load("label-efficient")


def regret(strategy, world, runs):
    return sl.simulate(strategy, world, 1500, runs=runs, seed=77, checkpoints=1, progress=False).final.mean()


def simpler(game, world):
    return {
        "Prospect": regret(Prospect(game), world, 12),
        "RandCBPSide": regret(RandCBPSide(game, dimension=world.dimension), world, 12),
    }


@pytest.mark.slow
@pytest.mark.parametrize("game", [APPLES, LABELS], ids=["apples", "labels"])
@pytest.mark.parametrize("kind", ["logistic", "halfspace", "finite", "ball", "checkers"])
def test_as_good_as_what_ignores_contexts_or_is_linear(game, kind):
    world = contexts_by_name.load(kind, game)
    assert regret(ProspectModel(game), world, 4) < 1.5 * min(simpler(game, world).values()) + 10


@pytest.mark.slow
@pytest.mark.parametrize("game", [APPLES, LABELS], ids=["apples", "labels"])
def test_useless_contexts_cost_a_few_times_what_ignoring_them_would(game):
    world = RegionContexts([[0.3, 0.7], [0.3, 0.7]], dimension=5)
    assert regret(ProspectModel(game), world, 4) < 4.0 * simpler(game, world)["Prospect"]


CONTEXTS = np.random.default_rng(0).normal(size=(2000, 4))
LARGE_BALL = ((CONTEXTS**2).sum(axis=1) < 5.989)[:, None]  # four fifths of the contexts
PRICES = sl.games.load("dynamic-pricing", prices=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "inside", "outside", "model"),
    [
        (APPLES, [0.1, 0.9], [0.9, 0.1], "linear"),
        (APPLES, [0.1, 0.9], [0.9, 0.1], "auto"),
        (LABELS, [0.1, 0.9], [0.9, 0.1], "linear"),  # 2.4 times as much as ignoring contexts without blind looks
        (LABELS, [0.1, 0.9], [0.9, 0.1], "auto"),
        (PRICES, [0.7, 0.2, 0.1], [0.1, 0.2, 0.7], "linear"),
    ],
)
def test_a_model_that_is_wrong_and_sure_is_found_out(game, inside, outside, model):
    world = sl.environments.FiniteContexts(np.where(LARGE_BALL, inside, outside), CONTEXTS)
    allowance = 5 * (game.n_outcomes - 1) * math.log(1500)
    assert regret(ProspectModel(game, model), world, 4) < 1.2 * simpler(game, world)["Prospect"] + allowance
