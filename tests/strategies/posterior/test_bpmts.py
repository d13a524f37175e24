"""BPM-TS: its draws have the mean and the variance of the belief."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.strategies.posterior.bpmts import BPMTS, draw_gaussian_posterior


@pytest.mark.parametrize(("name", "law"), [("apple-tasting", [0.4, 0.6]), ("bartok", [0.5, 0.3, 0.2])])
def test_draws_follow_the_belief(name, law):
    """Lambda = I + sum S'(SS')^-1 S and h = 1 / M + sum S' e_u / m_u in all outcomes, given that they sum to one."""
    game, rng = sl.games.load(name), np.random.default_rng(1)
    size = game.n_outcomes
    strategy = BPMTS(game, seed=2)
    precision, information = np.eye(size), np.full(size, 1 / size)
    for _ in range(40):
        action, outcome = strategy.act(), rng.choice(size, p=law)
        strategy.observe(game.feedback[action][outcome])
        if game.informative(action):
            signal = np.array(game.signal(action), float)
            shown = signal[:, outcome]
            precision += signal.T @ np.diag(1 / signal.sum(axis=1)) @ signal
            information += signal.T @ (shown / signal.sum(axis=1))
    basis = np.vstack([np.eye(size - 1), -np.ones(size - 1)])
    last = np.eye(size)[-1]
    covariance = np.linalg.inv(basis.T @ precision @ basis)
    mean = basis @ covariance @ basis.T @ (information - precision @ last) + last
    draws = []
    for _ in range(4_000):
        draw_gaussian_posterior(strategy.state, rng)
        draws.append(strategy.state.scratch.copy())
    assert np.mean(draws, axis=0) == pytest.approx(mean, abs=0.02)
    assert np.cov(np.array(draws).T) == pytest.approx(basis @ covariance @ basis.T, abs=0.01)
    assert np.sum(draws, axis=1) == pytest.approx(np.ones(4_000))


def test_games_beyond_it():
    with pytest.warns(UserWarning, match="no guarantee here: the game is hard"):
        BPMTS(sl.games.load("label-efficient"))
