"""Greedy and epsilon-greedy play, without and with contexts: naive twins, the schedule, and what greed costs."""

import numpy as np
import pytest
from common.recordings import record_law

import sidelight as sl
from sidelight.strategies import EpsilonGreedy, EpsilonGreedySide, Greedy, GreedySide
from sidelight.strategies.baselines.greedy import explore_greedily, schedule_greedy_exploration

APPLES, LABELS = sl.games.load("apple-tasting"), sl.games.load("label-efficient")
GAMES = [
    APPLES,
    LABELS,
    sl.games.load("bartok"),
    sl.games.load("dynamic-pricing", prices=4),
    sl.games.load("bernoulli-bandit", arms=3),
    sl.games.load("dueling-bandit"),
]


class Draws:
    """Stands in for a random generator whose draws are given, and counted."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def random(self):
        return self.numbers.pop(0)


def signals(game):
    return [np.array(game.signal(a), float) for a in range(game.n_actions)]


def losses(game):
    return np.array([[float(x) for x in row] for row in game.loss])


class Twin:
    """Least squares over all that was seen, from scratch in every round; x is always 1 without contexts."""

    def __init__(self, game, penalty, constrained):
        self.S, self.L, self.penalty, self.constrained = signals(game), losses(game), penalty, constrained
        self.analysis, self.rows, self.t = sl.analyze(game), [], 0

    def learn(self, action, symbol, x):
        if len(self.S[action]) > 1:
            self.rows.append((action, symbol, x))

    def law(self, x):
        """Return the estimated law; without contexts it sums to one and starts at the uniform one."""
        M = self.L.shape[1]
        if not self.constrained:
            V, b = self.penalty * np.eye(M * len(x)), np.zeros(M * len(x))
            for action, symbol, z in self.rows:
                Phi = np.kron(z, self.S[action])
                V += Phi.T @ Phi
                b += Phi[symbol]
            return np.linalg.solve(V, b).reshape(len(x), M).T @ x
        E, last = np.vstack([np.eye(M - 1), -np.ones(M - 1)]), np.eye(M)[-1]
        A, b = [np.sqrt(self.penalty) * E], [np.sqrt(self.penalty) * (np.full(M, 1 / M) - last)]
        for action, symbol, _ in self.rows:
            S = self.S[action]
            root = 1 / np.sqrt(S.sum(axis=1))
            A.append(root[:, None] * (S @ E))
            b.append(root * (np.eye(len(S))[symbol] - S @ last))
        return E @ np.linalg.lstsq(np.vstack(A), np.concatenate(b))[0] + last

    def expected(self, x):
        """Return the expected loss of each action."""
        return self.L @ self.law(x)


def agree(strategy, twin, rounds=150):
    """Play, with the twin beside; actions whose expected losses are equal up to rounding are equally good."""
    game, rng, told = strategy.game, np.random.default_rng(1), 0
    law = rng.dirichlet(np.ones(game.n_outcomes))
    optimal = [a for a in range(game.n_actions) if sl.analyze(game).status(a) != "dominated"]
    for t in range(rounds):
        x = rng.normal(size=strategy.dimension)
        action = strategy.act(x)
        if t < game.n_actions:
            assert action == t
        else:
            expected = twin.expected(np.append(x, 1.0))
            told += int(np.ptp(expected) > 1e-6)
            assert expected[action] <= expected[optimal].min() + 1e-9
        outcome = rng.choice(game.n_outcomes, p=law)
        symbol = game.feedback[action][outcome]
        strategy.observe(symbol)
        twin.learn(action, game.symbols(action).index(symbol), np.append(x, 1.0))
    assert told > 100


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_greedy_plays_what_is_best_under_least_squares(game):
    agree(Greedy(game, regularization=0.7), Twin(game, 0.7, constrained=True))


@pytest.mark.parametrize("game", GAMES[:4], ids=lambda game: game.name)
def test_greedy_with_contexts_plays_what_is_best_under_ridge_regression(game):
    agree(GreedySide(game, 2, regularization=0.3), Twin(game, 0.3, constrained=False))


def test_the_estimate_is_the_smoothed_frequency():
    strategy = Greedy(APPLES, regularization=2.0)
    for symbol in ("nothing", "rotten", "rotten", "rotten", "rotten"):
        strategy.act()
        strategy.observe(symbol)
    assert strategy.act() == 1
    assert strategy.state.law == pytest.approx([(4 + 1) / 6, 1 / 6])


def test_exploring_has_the_given_probability():
    sometimes = schedule_greedy_exploration(LABELS, 2.0, 1 / 3)
    assert list(sometimes.actions) == [0]  # only asking shows anything
    assert explore_greedily(sometimes, 1000, Draws(0.2 - 1e-9, 0.99)) == 0
    assert explore_greedily(sometimes, 1000, Draws(0.2 + 1e-9)) == -1
    assert explore_greedily(sometimes, 2, Draws(0.999999, 0.0)) == 0
    assert explore_greedily(schedule_greedy_exploration(LABELS, 0.0, 0.0), 5, Draws()) == -1
    several = schedule_greedy_exploration(sl.games.load("bernoulli-bandit", arms=3), 1.0, 0.0)
    assert [explore_greedily(several, 9, Draws(0.5, u)) for u in (0.0, 0.5, 0.999)] == [0, 1, 2]


@pytest.mark.parametrize(("kind", "needed"), [(EpsilonGreedy, {}), (EpsilonGreedySide, {"dimension": 2})])
def test_it_asks_about_as_often_as_scheduled(kind, needed):
    game = LABELS
    strategy = kind(game, **needed, exponent=0.0, scale=0.25, seed=3)
    rng, asked = np.random.default_rng(2), 0
    for _ in range(2000):
        action = strategy.act(rng.normal(size=strategy.dimension))
        asked += action == 0
        strategy.observe(game.feedback[action][int(rng.random() < 0.2)])
    assert 420 < asked < 580  # 500, with a standard deviation of 19


def test_epsilon_greedy_learns_where_greed_does_not():
    env = record_law([0.4, 0.6], 40, 20_000)
    how = {"horizon": 20_000, "runs": 40, "seed": 7, "checkpoints": 1}
    greedy = sl.simulate(Greedy(LABELS), env, **how).final
    exploring = sl.simulate(EpsilonGreedy(LABELS), env, **how).final
    assert (greedy > 3000).any()  # 0.2 a round when it is wrong for ever
    assert exploring.max() < 2000
