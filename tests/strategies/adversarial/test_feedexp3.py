"""FeedExp3."""

from fractions import Fraction

import numpy as np
import pytest

from sidelight import Game, analyze, environments, games, simulate
from sidelight.strategies.adversarial.exponential_weights import estimates
from sidelight.strategies.adversarial.feedexp3 import FeedExp3, rates
from sidelight.strategies.base import observe

PLAYABLE = [name for name in games.names() if games.describe(name).kind in ("easy", "hard")]
NOTHING = np.zeros(0)


def random_games(count, seed):
    """Yield observable games with a few actions and outcomes, and fractions as losses."""
    rng = np.random.default_rng(seed)
    found = 0
    while found < count:
        actions, outcomes = rng.integers(2, 5, size=2)
        loss = [[Fraction(int(x), 3) for x in row] for row in rng.integers(-4, 5, (actions, outcomes))]
        game = Game(loss, rng.integers(0, 3, (actions, outcomes)).tolist())
        if analyze(game).kind in ("easy", "hard"):
            found += 1
            yield game


def all_games():
    return [games.load(name) for name in PLAYABLE] + list(random_games(40, seed=5))


def chances(strategy):
    """Return the probability of every action in the next round, by the formula."""
    compiled, totals = strategy.compiled_parameters, strategy.state.totals
    t = int(strategy.state.clock[0]) + 1
    gamma, eta = min(1.0, compiled.exploring * t ** (-1 / 3)), compiled.learning * t ** (-2 / 3)
    weights = np.exp(-eta * (totals - totals.min()))
    q = np.zeros(strategy.game.n_actions)
    q[compiled.estimator.members] += (1 - gamma) * weights / weights.sum()
    q[compiled.estimator.explorers] += gamma / len(compiled.estimator.explorers)
    return q


def test_estimates_are_exact_in_every_outcome():
    for game in all_games():
        analysis = analyze(game)
        found = estimates(analysis)
        classes = analysis.cells.pareto
        for k, a in enumerate(classes):
            total = [found.constant[k]] * game.n_outcomes
            for i, vectors in found.weights.items():
                for weight, row in zip(vectors[k], game.signal(i), strict=True):
                    total = [x + weight * s for x, s in zip(total, row, strict=True)]
            assert total == [x - y for x, y in zip(game.loss[a], game.loss[classes[0]], strict=True)]


@pytest.mark.parametrize("warm", [0, 200])
def test_mean_estimate_is_the_loss_difference_whatever_was_played(warm):
    rng = np.random.default_rng(1)
    for game in all_games():
        strategy = FeedExp3(game, seed=2)
        law = rng.dirichlet(np.ones(game.n_outcomes))
        for _ in range(warm):
            action = strategy.act()
            strategy.observe(game.feedback[action][rng.choice(game.n_outcomes, p=law)])
        q = chances(strategy)
        assert q.sum() == pytest.approx(1)
        compiled = strategy.compiled_parameters
        mean = np.zeros(len(compiled.estimator.members))
        for action in np.flatnonzero(q):
            for outcome, p in enumerate(law):
                state = strategy.clone().state
                state.chance[action] = q[action]
                symbol = game.symbols(action).index(game.feedback[action][outcome])
                observe(compiled, state, action, symbol, NOTHING)
                mean += q[action] * p * (state.totals - strategy.state.totals)
        losses = np.array(game.loss, float)[list(strategy.analysis.cells.pareto)] @ law
        assert mean == pytest.approx(losses - losses[0], abs=1e-9)


def test_label_efficient_estimate():
    """The difference of the two predictions under (0.3, 0.7) is 0.4; only the answer of the expert counts."""
    analysis = analyze(games.load("label-efficient"))
    found = estimates(analysis)
    assert analysis.cells.pareto == (1, 2)
    assert found.constant == (0, 0)
    assert found.weights == {0: ((0, 0), (-1, 1))}
    assert np.dot(np.array(found.weights[0][1], float), [0.3, 0.7]) == pytest.approx(0.4)


def test_constants_are_not_estimated():
    """A blind action's symbol is certain, so it neither explores nor adds noise."""
    game = games.load("tau-detection", tau="1/5")
    compiled = FeedExp3(game).compiled_parameters
    assert compiled.estimator.explorers.tolist() == [0]
    assert sorted(map(abs, compiled.estimator.weights[:2].ravel())) == [0, 0, 2.5, 2.5]


def test_drawn_actions_have_the_chances_of_the_formula():
    game = games.load("dynamic-pricing")
    strategy = FeedExp3(game, eta=3, seed=7)
    rng = np.random.default_rng(0)
    expected, played = np.zeros(5), np.zeros(5)
    variance = np.zeros(5)
    for _ in range(3_000):
        q = chances(strategy)
        action = strategy.act()
        assert strategy.state.chance[action] == pytest.approx(q[action], rel=1e-9)
        strategy.observe(game.feedback[action][rng.choice(5, p=[0.3, 0.1, 0.1, 0.2, 0.3])])
        expected, variance = expected + q, variance + q * (1 - q)
        played[action] += 1
    assert (np.abs(played - expected) < 4.5 * np.sqrt(variance) + 1).all()


def test_rates_of_the_theory():
    """Three actions that all explore, entries of at most 1, T = 20 000: the published rates, K being N^2 k^2."""
    gamma, eta = rates(9.0, 3)
    assert gamma * 20_000 ** (-1 / 3) == pytest.approx(0.07081, abs=5e-6)
    assert eta * 20_000 ** (-2 / 3) == pytest.approx(7.757e-4, abs=5e-8)
    compiled = FeedExp3(games.load("apple-tasting")).compiled_parameters
    assert (compiled.exploring, compiled.learning) == pytest.approx(rates(0.25, 2))
    scaled = FeedExp3(games.load("apple-tasting"), eta=3, gamma=0.5).compiled_parameters
    assert scaled.learning == pytest.approx(3 * compiled.learning)
    assert scaled.exploring == pytest.approx(0.5 * compiled.exploring)


def test_exploration_is_free_where_a_duplicate_can_do_it():
    game = games.load("degenerate-informative", kind="duplicate")
    compiled = FeedExp3(game).compiled_parameters
    assert game.informative(1)
    assert compiled.estimator.members.tolist() == [1, 2]
    assert compiled.estimator.rank.tolist() == [-1, 0, 1]


def test_nothing_overflows():
    game = games.load("bernoulli-bandit", arms=2)
    strategy = FeedExp3(game, eta=1e9)
    with np.errstate(all="raise"):
        for _ in range(300):
            action = strategy.act()
            strategy.observe(game.feedback[action][1])
    assert np.isfinite(strategy.state.totals).all()


def test_an_adversary_gains_little():
    """Outcomes that turn round halfway: regret against the best fixed action stays small."""
    game = games.load("label-efficient")
    outcomes = np.repeat([1, 0, 1], [6_000, 7_000, 7_000])
    results = simulate(FeedExp3(game), environments.Replay(outcomes), horizon=20_000, runs=8)
    assert results.regret_kind == "hindsight"
    assert results.final.mean() < 0.1 * 20_000
