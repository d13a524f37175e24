"""Maximum likelihood, against SciPy and known answers."""

import numpy as np
import pytest
from scipy.optimize import minimize

import sidelight as sl
from optimization.problems import random_game
from sidelight.game_arrays import signals
from sidelight.optimization.likelihood import maximize_likelihood, new_fit

PRICES = sl.games.load("dynamic-pricing", prices=3, cost=2)


def fitted(game, counts, law=None):
    fit = new_fit(game.n_outcomes, len(counts))
    if law is not None:
        fit.law[:] = law
    shortfall = maximize_likelihood(signals(game), np.array(counts, float), fit)
    return fit.law, shortfall


def test_most_likely_law_of_three_prices():
    # Symbols by first appearance: price 0 always sells; price 1 unsold, sold; price 2 unsold, sold.
    assert [len(PRICES.symbols(a)) for a in range(3)] == [1, 2, 2]
    law, shortfall = fitted(PRICES, [7, 4, 9, 8, 3])
    np.testing.assert_allclose(law, [4 / 13, 8 / 11 - 4 / 13, 3 / 11], atol=1e-12)
    assert shortfall <= 1e-11


def test_fitting_satisfies_its_conditions_and_agrees_with_scipy():
    rng = np.random.default_rng(0)
    for _ in range(30):
        game = random_game(rng)
        shown = signals(game)
        counts = rng.integers(0, 30, shown.first[-1]) * (rng.random(shown.first[-1]) < 0.8)
        law, shortfall = fitted(game, counts)
        assert shortfall <= 1e-10
        assert law.min() >= 0.0
        assert law.sum() == pytest.approx(1.0)
        used = np.concatenate([[game.informative(a)] * len(game.symbols(a)) for a in range(game.n_actions)])
        stack = np.vstack([game.signal(a) for a in range(game.n_actions)])[used & (counts > 0)]
        seen = counts[used & (counts > 0)]
        gradient = stack.T @ (seen / (stack @ law))
        assert gradient.max() <= seen.sum() * (1 + 1e-9)
        np.testing.assert_allclose(gradient[law > 1e-9], seen.sum(), rtol=1e-6)
        other = minimize(
            lambda p, stack=stack, seen=seen: -seen @ np.log(stack @ p + 1e-300),
            np.full(len(law), 1 / len(law)),
            jac=lambda p, stack=stack, seen=seen: -stack.T @ (seen / (stack @ p + 1e-300)),
            bounds=[(1e-12, 1)] * len(law),
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
            method="SLSQP",
        )
        assert seen @ np.log(stack @ law) >= -other.fun - 1e-6


def test_fitting_recovers_from_a_symbol_held_impossible():
    law, shortfall = fitted(PRICES, [0, 4, 9, 8, 3], law=[0.0, 1.0, 0.0])
    assert shortfall <= 1e-11
    np.testing.assert_allclose(law, [4 / 13, 8 / 11 - 4 / 13, 3 / 11], atol=1e-9)


def test_nothing_seen_leaves_the_law_alone():
    law, shortfall = fitted(PRICES, [5, 0, 0, 0, 0])
    assert law.tolist() == [1 / 3] * 3
    assert shortfall == 0.0
