"""ProspectModel loses little to ignoring contexts, to a linear model and to RandCBPSide, in worlds of every kind."""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.environments import FiniteContexts, contexts_by_name
from sidelight.kernels import interpreted
from sidelight.strategies import FixedAction, Prospect, ProspectModel, RandCBPSide

GAMES = {
    "apples": sl.games.load("apple-tasting"),
    "labels": sl.games.load("label-efficient"),
    "prices": sl.games.load("dynamic-pricing", prices=3),
}
ROUNDS = 600
CONTEXTS = np.random.default_rng(0).normal(size=(2000, 4))
LARGE_BALL = ((CONTEXTS**2).sum(axis=1) < 5.989)[:, None]  # four fifths of the contexts


def world_of(kind, game):
    if kind != "large ball":
        return contexts_by_name.load_context_environment(kind, game)
    likely = np.eye(game.n_outcomes)[[-1, 0]] * 0.8 + 0.2 / game.n_outcomes
    return FiniteContexts(np.where(LARGE_BALL, *likely), CONTEXTS)


def regret(strategy, world, runs):
    return sl.simulate(strategy, world, ROUNDS, runs=runs, seed=77, checkpoints=1, progress=False).final.mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("apples", "halfspace"),
        ("labels", "halfspace"),
        *((name, kind) for name in ("apples", "labels") for kind in ("large ball", "useless")),
        ("prices", "useless"),
    ],
)
def test_little_more_than_what_is_simpler_and_what_it_takes_to_learn_the_coefficients(name, kind):
    game = GAMES[name]
    world = world_of(kind, game)
    with interpreted():
        simpler = [regret(each, world, 12) for each in (Prospect(game), RandCBPSide(game, dimension=world.dimension))]
    if kind == "halfspace":  # elsewhere ignoring contexts is as good
        simpler.append(regret(ProspectModel(game, "linear"), world, 2))
    bits = 0.5 * math.log2(ROUNDS) * (game.n_outcomes - 1) * (world.dimension + 1)  # a label has one at most
    looks = [FixedAction(game, a) for a in range(game.n_actions) if game.informative(a)]
    a_look = min(regret(look, world, 2) for look in looks) / ROUNDS
    factor = 1.5 if name == "prices" else 1.1
    runs = 2 if kind == "halfspace" else 4
    assert regret(ProspectModel(game), world, runs) < factor * min(simpler) + a_look * bits
