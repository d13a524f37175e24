"""ProspectModel with the built-in models against what ignores contexts and what is linear, in worlds of every kind."""

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
