"""SquareCB: its probabilities by the formula, and what it learns."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.strategies.baselines.squarecb import SquareCB, draw_inverse_gap_weighted_action
from sidelight.strategies.shared.linear_law_regression import make_law_of_linear_estimate


def chances(strategy, rounds=20_000):
    """Return how often each action is chosen for evenly spaced u."""
    found = np.zeros(strategy.game.n_actions)
    strategy.state.plays[:] = 0
    for u in (np.arange(rounds) + 0.5) / rounds:
        found[draw_inverse_gap_weighted_action(strategy.compiled_parameters, strategy.state, u)] += 1 / rounds
    return found


def ready(name, law, clock, **given):
    """Return a strategy in front of a context at which it expects a law."""
    strategy = SquareCB(sl.games.load(name), dimension=2, **given)
    state = strategy.state
    state.clock[0] = clock
    state.regression.scratch.law[:] = law
    state.scratch.expected[:] = strategy.compiled_parameters.choice.loss @ law
    return strategy


def test_two_actions_by_the_formula():
    strategy = ready("apple-tasting", [0.3, 0.7], 100)
    loss = np.array(strategy.game.loss, float) @ [0.3, 0.7]
    worse = int(loss.argmax())
    wanted = 1 / (2 + 10 * abs(loss[0] - loss[1]) / np.ptp(np.array(strategy.game.loss, float), axis=0).max())
    assert chances(strategy)[worse] == pytest.approx(wanted, abs=1e-4)


def test_a_dominated_informer_is_weighed_by_its_gap():
    """Label-efficient prediction at (0.3, 0.7): asking costs 1 and not 0.3, the other prediction 0.7."""
    found = chances(ready("label-efficient", [0.3, 0.7], 100, gamma=2.0))
    assert found[0] == pytest.approx(1 / (3 + 20 * 0.7), abs=1e-4)
    assert found[2] == pytest.approx(1 / (3 + 20 * 0.4), abs=1e-4)


def test_probability_is_shared_on_the_way():
    """Cheap looks lie between the calls: a third of the other call's probability goes to each action on its way."""
    game = sl.games.load("matching-pennies", cost="1/4")
    strategy = SquareCB(game, dimension=2)
    law = np.array([0.9, 0.1])
    state = strategy.state
    state.clock[0] = 100
    state.regression.scratch.law[:] = law
    state.scratch.expected[:] = strategy.compiled_parameters.choice.loss @ law
    look, far = 1 / (3 + 10 * 0.15), 1 / (3 + 10 * 0.8)
    assert chances(strategy) == pytest.approx([1 - look / 2 - far * 2 / 3, far / 3, look / 2 + far / 3], abs=2e-4)


def test_estimates_become_laws():
    for given, wanted in (([0.5, -0.2, 0.5], [0.5, 0, 0.5]), ([-1.0, 0.0], [0.5, 0.5]), ([2.0, 2.0], [0.5, 0.5])):
        law = np.array(given)
        make_law_of_linear_estimate(law)
        assert law == pytest.approx(wanted)


def matrix(game, action):
    """Return a signal matrix."""
    return np.array(game.signal(action), float)


def formula(game, law, t):
    """Return the published probabilities, for a game in which every action can be best."""
    analysis, size = sl.analyze(game), game.n_actions
    loss = np.array(game.loss, float) @ law / np.ptp(np.array(game.loss, float), axis=0).max()
    best = int(loss.argmin())
    chance, found = 1 / (size + np.sqrt(t) * (loss - loss[best])), np.zeros(size)
    chance[best] = 1 - (chance.sum() - chance[best])
    for a in range(size):
        way = [a]
        while way[-1] != best:
            near = [i + j - way[-1] for i, j in analysis.neighbors if way[-1] in (i, j)]
            way.append(min(near, key=lambda k: loss[k]))
        found[way] += chance[a] / len(way)
    return found


@pytest.mark.parametrize("intercept", [True, False])
def test_play_follows_the_formulas(intercept):
    """A game of no catalogue, contexts on two sides of a plane; least squares solved anew in every round."""
    game = sl.Game([[0, 2, 5], [2, 1, 2], [4, 4, 0]], [["a", "b", "b"], ["a", "a", "b"], ["a", "b", "a"]])
    strategy, rng = SquareCB(game, dimension=2, intercept=intercept, seed=5), np.random.default_rng(6)
    size = 2 + intercept
    gram, response = 0.05 * np.eye(3 * size), np.zeros(3 * size)
    plays, wanted = np.zeros(3), np.zeros(3)
    for t in range(1, 1_501):
        context = rng.uniform(-1, 1, 2)
        x = np.append(context, 1)[:size]
        law = np.maximum(np.linalg.solve(gram, response).reshape(size, 3).T @ x, 0)
        wanted += formula(game, law / law.sum() if law.sum() else np.full(3, 1 / 3), t)
        action, outcome = (
            strategy.act(context),
            rng.choice(3, p=[0.7, 0.2, 0.1] if context.sum() > 0 else [0.1, 0.3, 0.6]),
        )
        strategy.observe(game.feedback[action][outcome])
        plays[action] += 1
        rows = np.array([np.kron(x, row) for row in matrix(game, action)])
        gram += rows.T @ rows
        response += rows[game.symbols(action).index(game.feedback[action][outcome])]
    assert (np.abs(plays - wanted) < 4 * np.sqrt(wanted)).all()
