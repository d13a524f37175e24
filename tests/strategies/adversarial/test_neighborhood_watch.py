"""NeighborhoodWatch2: REDISTRIBUTE, the stationary law, unbiased estimates, refusals."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.strategies.adversarial.neighborhood_watch import (
    NeighborhoodWatch2,
    redistribute,
    set_chain,
    set_stationary,
)
from sidelight.strategies.base import act, observe

EASY = [name for name in sl.games.names() if sl.games.describe(name).kind == "easy"]
# Degenerate actions at several places of a line, duplicates of both ends, and an action off the line.
CROWDED = sl.Game(
    [[0, 4, 4], [4, 0, 4], [1, 3, 4], [2, 2, 4], [0, 4, 4], [4, 0, 4], [3, 3, 0]],
    [["a", "b", "c"]] * 3 + [["?", "?", "?"]] * 2 + [["a", "b", "b"], ["a", "b", "c"]],
)


def games():
    degenerate = sl.games.load("degenerate-informative")
    return [CROWDED, degenerate, *(sl.games.load(name) for name in EASY)]


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name or "crowded")
def test_redistribution_keeps_all_mass_and_every_loss(game):
    strategy = NeighborhoodWatch2(game)
    compiled, rng = strategy.compiled_parameters, np.random.default_rng(0)
    loss, members = np.array(game.loss, float), compiled.watch.members
    for _ in range(20):
        before, after = np.zeros(game.n_actions), np.zeros(game.n_actions)
        before[members] = rng.dirichlet(np.full(len(members), 0.3)) * 0.999 + 0.001 / len(members)
        redistribute(compiled.mixtures, len(compiled.watch.played), before, after)
        assert after.sum() == pytest.approx(1)
        assert after @ loss == pytest.approx(before @ loss)
        assert (after[compiled.watch.played] > 0).all()
        assert (after[members] >= before[members] / 2 - 1e-12).all()


def test_the_actions_beside_the_pareto_optimal_ones():
    mixtures = NeighborhoodWatch2(CROWDED).compiled_parameters.mixtures
    found = dict(zip(mixtures.mixed.tolist(), mixtures.alpha.tolist(), strict=True))
    assert found == {2: 0.75, 3: 0.5, 4: 1.0, 5: 1.0}


@pytest.mark.parametrize("eta", [0.01, 1.0, 1e9])
def test_the_stationary_law(eta):
    game = sl.games.load("revenue-pricing")
    watch = NeighborhoodWatch2(game).compiled_parameters.watch
    rng = np.random.default_rng(1)
    totals, size = rng.normal(scale=3, size=len(watch.source)), len(watch.members)
    chain, law = np.zeros((size, size)), np.zeros(size)
    with np.errstate(all="raise", under="ignore"):
        set_chain(watch, totals, eta, chain)
        kept = chain.copy()
        set_stationary(chain, law)
    assert kept.sum(axis=1) == pytest.approx(np.ones(size))
    assert law.sum() == pytest.approx(1)
    assert law @ kept == pytest.approx(law, abs=1e-12)
    if eta < 1:
        for e, (i, a) in enumerate(zip(watch.source, watch.target, strict=True)):
            assert kept[i, a] / kept[i, i] == pytest.approx(np.exp(-eta * totals[e]))


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name or "crowded")
def test_estimates_are_unbiased_but_for_the_bonus(game):
    """The mean of Z over plays and one outcome is r_i (L_a - L_i) less eta V^2 sum r_i^2 / P_b."""
    strategy = NeighborhoodWatch2(game, horizon=500, seed=3)
    compiled, state = strategy.compiled_parameters, strategy.state
    loss, watch = np.array(game.loss, float), compiled.watch
    scale = np.ptp(loss, axis=0).max()
    act(compiled, state, np.zeros(0), np.random.default_rng(4))
    assert state.chance.sum() == pytest.approx(1)
    for outcome in range(game.n_outcomes):
        mean = np.zeros(len(state.totals))
        for action in watch.played:
            after = strategy.clone().state
            symbol = game.symbols(action).index(game.feedback[action][outcome])
            observe(compiled, after, action, symbol, np.zeros(0))
            mean += state.chance[action] * (after.totals - state.totals)
        for e, (i, a) in enumerate(zip(watch.members[watch.source], watch.members[watch.target], strict=True)):
            r = state.stationary[i]
            inner = list(strategy.analysis.neighborhood(i, a))
            bonus = state.eta[0] * compiled.size**2 * r**2 * (1 / state.chance[inner]).sum()
            assert mean[e] == pytest.approx(r * (loss[a, outcome] - loss[i, outcome]) / scale - bonus, abs=1e-9)


def test_rates():
    compiled = NeighborhoodWatch2(sl.games.load("bartok"), horizon=2_000)
    compiled.act()
    k, n, size = 3, 2_000, compiled.compiled_parameters.size
    assert compiled.state.eta[0] == pytest.approx(np.sqrt(np.log(k * n) / (n * k)) / size)
    assert size == 1.0


@pytest.mark.parametrize("name", ["label-efficient", "hopeless"])
def test_games_that_are_not_easy_are_refused(name):
    with pytest.raises(sl.SidelightError, match=f"plays easy games, and this one is (hard|{name})"):
        NeighborhoodWatch2(sl.games.load(name))


def test_an_adversary_gains_little():
    turning = sl.environments.Replay(np.repeat([1, 0, 1], [6_000, 7_000, 7_000]))
    game = sl.games.load("apple-tasting")
    assert sl.simulate(NeighborhoodWatch2(game), turning, 20_000, 8, workers=1).final.mean() < 0.1 * 20_000
