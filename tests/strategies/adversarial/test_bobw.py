"""BOBW: the formulas of its rates, unbiased estimates, both worlds."""

import math

import numpy as np
import pytest
from common.recordings import record_law

import sidelight as sl
from sidelight.environments import Replay
from sidelight.strategies.adversarial.bobw import BOBW, next_exploration
from sidelight.strategies.adversarial.bobw_local import BOBWLocal
from sidelight.strategies.base import observe

PLAYABLE = [name for name in sl.games.names() if sl.games.describe(name).kind in ("easy", "hard")]


def rates_by_the_formulas(weights, c1, c2, size):
    """Return gamma_t and beta_t for given q_t, as printed; b_t / gamma'_t by the definition of gamma'_t."""
    b = [1 - max(q) for q in weights]
    a = [-sum(x * math.log(x) for x in q) for q in weights]
    primed = [0.25 * c1 * b[t] / (c1 + sum(b[: t + 1]) ** (1 / 3)) for t in range(len(b))]
    gamma, beta = [], [max(c2, 2 * size)]
    for t in range(len(b)):
        gamma.append(primed[t] + size / (2 * beta[t]))
        spent = sum(b[s] * a[s + 1] / primed[s] for s in range(t))
        beta.append(beta[t] + c2 * b[t] / (primed[t] * math.sqrt(c1 + spent)))
    return gamma, beta


def test_rates_follow_the_formulas():
    strategy = BOBW(sl.games.load("bartok"))
    compiled, rates = strategy.compiled_parameters, strategy.state.rates
    weights = np.random.default_rng(3).dirichlet(np.ones(3), size=40)
    gamma, beta = rates_by_the_formulas(weights, compiled.exploring, compiled.learning, compiled.size)
    for t, q in enumerate(weights):
        assert rates.beta[0] == pytest.approx(beta[t])
        assert next_exploration(compiled, rates, q, int(np.argmax(q)), 1.0) == pytest.approx(gamma[t])
        assert gamma[t] <= 0.5


def test_certainty_explores_by_the_rate_alone():
    """A one-hot q has b = 0 and gamma' = 0, and divides nothing by zero."""
    strategy = BOBW(sl.games.load("label-efficient"))
    rates = strategy.state.rates
    tiny = np.array([1.0, math.exp(-600.0)])
    with np.errstate(all="raise"):
        for _ in range(5):
            wanted = strategy.compiled_parameters.size / (2 * rates.beta[0])
            assert next_exploration(strategy.compiled_parameters, rates, tiny, 0, 1.0) == pytest.approx(wanted)


@pytest.mark.parametrize("name", PLAYABLE)
def test_estimates_are_unbiased_and_every_informer_is_explored(name):
    game = sl.games.load(name)
    strategy, loss = BOBW(game, seed=1), np.array(game.loss, float)
    estimator, rng = strategy.compiled_parameters.estimator, np.random.default_rng(2)
    members = estimator.members
    scale = np.ptp(loss, axis=0).max()
    for outcome in range(game.n_outcomes):
        total = np.zeros(len(members))
        for action in range(game.n_actions):
            symbol = game.symbols(action).index(game.feedback[action][outcome])
            total += estimator.weights[estimator.place[action] + symbol]
        wanted = (loss[members, outcome] - loss[members[0], outcome]) / scale
        assert total - total[0] + estimator.constant - estimator.constant[0] == pytest.approx(wanted, abs=1e-9)
    for _ in range(200):
        action = strategy.act()
        strategy.observe(game.feedback[action][rng.integers(game.n_outcomes)])
    least = strategy.compiled_parameters.size / 2 / strategy.state.rates.beta[0] / len(estimator.explorers)
    explored = strategy.state.chance[estimator.explorers]
    assert (explored[explored > 0] >= least).all()


def test_play_mixes_weights_and_exploration_by_the_formulas():
    game = sl.Game([[5, 6, 6], [3, 6, 6], [6, 0, 3], [4, 1, 2]], [[1, 2, 1], [0, 2, 2], [0, 1, 1], [2, 0, 1]])
    strategy, rng = BOBW(game, horizon=1_000, seed=2), np.random.default_rng(3)
    compiled, state = strategy.compiled_parameters, strategy.state
    doubts = 0.0
    for _ in range(100):
        beta, q = state.rates.beta[0], np.exp(-(state.totals - state.totals.min()) / state.rates.beta[0])
        b = 1 - max(q := q / q.sum())
        doubts += b
        primed = 0.25 * compiled.exploring * b / (compiled.exploring + doubts ** (1 / 3))
        gamma, p = primed + compiled.size / (2 * beta), np.zeros(4)
        p[compiled.estimator.members] += (1 - gamma) * q
        p[compiled.estimator.explorers] += gamma / len(compiled.estimator.explorers)
        action = strategy.act()
        assert p.sum() == pytest.approx(1)
        assert state.chance[action] == pytest.approx(p[action])
        strategy.observe(game.feedback[action][rng.integers(3)])


def test_a_late_estimate_uses_the_chance_of_its_action():
    game = sl.games.load("apple-tasting")
    strategy = BOBW(game)
    strategy.reset()
    estimator = strategy.compiled_parameters.estimator
    strategy.state.chance[:] = 0.25
    observe(strategy.compiled_parameters, strategy.state, 1, 0, np.zeros(0))
    wanted = estimator.constant + 4 * estimator.weights[estimator.place[1]]
    assert strategy.state.totals == pytest.approx(wanted)


def test_both_worlds():
    """One law: regret stops growing by much; outcomes that turn round: little against the best fixed action."""
    game = sl.games.load("apple-tasting")
    strategy = BOBW(game, horizon=160_000)
    world = record_law([0.1, 0.9], 8, 160_000)
    found = sl.simulate(strategy, world, 160_000, 8, 2, checkpoints=[10_000, 160_000], workers=1)
    first, last = found.regret.mean(axis=0)
    assert last < 3 * first  # T^(2/3) would be 6.3 times as much
    turning = Replay(np.repeat([1, 0, 1], [6_000, 7_000, 7_000]))
    assert sl.simulate(BOBW(game), turning, 20_000, 8, workers=1).final.mean() < 0.2 * 20_000


def test_the_local_form_follows_its_formulas():
    """The rate by the entropies of q, and no action below q_a / (2 k)."""
    game, rng = sl.games.load("bartok"), np.random.default_rng(4)
    strategy = BOBWLocal(game, horizon=1_000, learning=1.0)
    state, k = strategy.state, 3
    c1 = beta = 2 * k**1.5 * math.sqrt(math.log(1_000) / math.log(3))
    entropy = 0.0
    for _ in range(30):
        totals = state.totals.copy()
        action = strategy.act()
        q = np.exp(-(totals - totals.min()) / max(2 * 2 * k**2, beta))
        q /= q.sum()
        assert state.scratch.weights == pytest.approx(q)
        assert (state.p[strategy.compiled_parameters.program.members] >= q / (2 * k) - 1e-12).all()
        assert state.p.sum() == pytest.approx(1)
        entropy -= (q * np.log(q)).sum()
        beta += c1 / math.sqrt(1 + entropy / math.log(3))
        assert state.known[0] == pytest.approx(beta)
        strategy.observe(game.feedback[action][rng.integers(3)])


def test_the_local_form_refuses_hard_games():
    with pytest.raises(sl.SidelightError, match="BOBWLocal plays easy games, and this one is hard: use BOBW"):
        BOBWLocal(sl.games.load("label-efficient"))
