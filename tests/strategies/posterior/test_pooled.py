"""Mario and VIDS, which share a pool of laws drawn from the posterior."""

import numpy as np
import pytest
from common.recordings import record_law
from scipy.special import rel_entr

import sidelight as sl
from sidelight.strategies.base import act
from sidelight.strategies.posterior.mario import Mario
from sidelight.strategies.posterior.vids import VIDS
from sidelight.strategies.shared.transport import place_of_least_value_for_transport, transport_shares

NOTHING = np.zeros(0)


def transported(adjacent, chance, expected):
    size = len(chance)
    share, parent = np.zeros(size), np.zeros(size, np.int64)
    expected = np.array(expected, float)
    transport_shares(
        np.array(adjacent),
        place_of_least_value_for_transport(expected),
        np.array(chance, float),
        expected,
        parent,
        share,
    )
    return share


def played(kind, name, rounds, law, seed=3, **given):
    """Return a strategy after some rounds, just after it acted."""
    game = sl.games.load(name)
    strategy, rng = kind(game, seed=seed, **given), np.random.default_rng(seed)
    for _ in range(rounds):
        strategy.observe(game.feedback[strategy.act()][rng.choice(game.n_outcomes, p=law)])
    act(strategy.compiled_parameters, strategy.state, NOTHING, strategy.rng)
    return strategy


def test_the_published_transport():
    """The spam game with a cheap look: P* = (1/2, 1/2, 0), the first action leads, and 2 -> 3 -> 1 is the way."""
    adjacent = [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    assert transported(adjacent, [0.5, 0.5, 0], [0.3, 0.5, 0.4]) == pytest.approx([2 / 3, 1 / 6, 1 / 6])


def test_transport_keeps_all_mass_and_never_costs_more():
    rng = np.random.default_rng(0)
    for name in ("revenue-pricing", "bartok", "bernoulli-bandit"):
        compiled = Mario(sl.games.load(name)).compiled_parameters
        for _ in range(50):
            expected = compiled.choice.loss @ rng.dirichlet(np.ones(compiled.choice.loss.shape[1]))
            chance = rng.dirichlet(np.ones(len(expected)))
            share = transported(compiled.adjacent, chance, expected)
            assert share.sum() == pytest.approx(1)
            assert share @ expected <= chance @ expected + 1e-12


def test_mario_looks_while_thompson_would_call():
    """Cheap looks lie between the calls: they are played as soon as both calls may be best."""
    game = sl.games.load("matching-pennies", cost="1/4")
    rounds = 400
    world = record_law([0.1, 0.9], 12, rounds)
    ours = sl.simulate(Mario(game), world, rounds, 12, 1, workers=1)
    thompson = sl.simulate(sl.strategies.TSPM(game), world, rounds, 12, 1, workers=1)
    assert ours.final.mean() < 1.5 * thompson.final.mean()
    assert (ours.plays[:, 2] > 0).all()


@pytest.mark.parametrize(("name", "law"), [("bartok", [0.5, 0.3, 0.2]), ("label-efficient", [0.4, 0.6])])
@pytest.mark.parametrize("rounds", [0, 30])
def test_vids_weighs_what_its_laws_say(name, law, rounds):
    strategy = played(VIDS, name, rounds, law)
    game, state, compiled = strategy.game, strategy.state, strategy.compiled_parameters
    laws, loss = state.posterior.pool.laws, np.array(game.loss, float)
    best = (laws @ compiled.choice.loss.T).argmin(axis=1)
    assert best.tolist() == state.posterior.pool.best.tolist()
    gap = (laws @ loss.T).mean(axis=0) - (laws @ loss.T).min(axis=1).mean()
    assert state.scratch.gap == pytest.approx(gap, abs=1e-12)
    for a in range(game.n_actions):
        signal = np.array(game.signal(a), float)
        terms = [
            (best == b).mean() * rel_entr(signal @ laws[best == b].mean(axis=0), signal @ laws.mean(axis=0)).sum()
            for b in set(best)
        ]
        assert state.scratch.gain[a] == pytest.approx(sum(terms), abs=1e-12)


def test_the_pool_follows_the_posterior():
    """On apple tasting the posterior after n tastes with r rotten ones is Beta(1 + r, 1 + n - r), nearly."""
    strategy = played(VIDS, "apple-tasting", 200, [0.9, 0.1], draws=2_000)
    rotten, good = strategy.state.posterior.belief.counts[1:3]
    mean = (1 + rotten) / (2 + rotten + good)
    assert strategy.state.posterior.pool.laws[:, 0].mean() == pytest.approx(mean, abs=0.01)
    assert strategy.state.posterior.pool.laws[:, 0].std() == pytest.approx(
        np.sqrt(mean * (1 - mean) / (3 + good + rotten)), rel=0.2
    )


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("label-efficient", "Mario plays easy games, and this one is hard"),
        ("degenerate-informative", "only those tell actions 0 and 1 apart"),
    ],
)
def test_mario_refuses_games_in_which_nobody_on_the_way_informs(name, match):
    with pytest.raises(sl.SidelightError, match=match):
        Mario(sl.games.load(name))
