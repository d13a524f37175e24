"""The likeliest law under a prior, against SciPy and its own conditions of optimality, on games that are hard on it."""

import os

import numpy as np
import pytest
from random_games import seeded_game
from scipy.optimize import minimize

import sidelight as sl
from sidelight.game_arrays import signals
from sidelight.kernels import loop
from sidelight.kernels.arrays import new_arrays
from sidelight.optimization.likelihood import new_fit
from sidelight.optimization.posterior_mode import Solutions, law_on_border, maximize_posterior
from sidelight.strategies.prospect.evaluation import terms

# Set SIDELIGHT_PROBLEMS=2000 for the long audit.
PROBLEMS = int(os.environ.get("SIDELIGHT_PROBLEMS", "80"))


@loop
def maximize(shown, counts, prior, row, bordered, fit, found):
    return maximize_posterior(shown, counts, prior, row, bordered, fit, found)


def fitted(game, counts, prior, row=None, law=None):
    """Return the likeliest law, and the steps that it took."""
    fit = new_fit(game.n_outcomes, len(counts))
    if law is not None:
        fit.law[:] = law
    bordered = row is not None
    row = np.array(row, float) if bordered else np.zeros(game.n_outcomes)
    if bordered and law is None:
        fit.law[:] = law_on_border(row.tolist())
    found = new_arrays(Solutions, outcomes=game.n_outcomes)
    steps = maximize(signals(game), np.array(counts, float), prior, row, bordered, fit, found)
    return fit.law, steps


def gradient(game, counts, prior, law):
    """Return the gradient of the log posterior and the number of symbols that count."""
    total, seen, first = prior / law, 0.0, 0
    for a in range(game.n_actions):
        signal = np.array(game.signal(a), float)
        nu = np.array(counts[first : first + len(signal)], float)
        first += len(signal)
        if game.informative(a):
            total = total + signal.T @ (nu / (signal @ law))
            seen += nu.sum()
    return total, seen


def residual(game, counts, prior, law, row=None):
    """Return the largest |p (grad F - multipliers)| over the total count, the multipliers fitted by least squares."""
    slope, seen = gradient(game, counts, prior, law)
    total = seen + prior * game.n_outcomes
    rest = law * (slope - total)
    if row is not None:
        along = law * np.array(row, float)
        rest = rest - along * (along @ rest) / (along @ along)
    return np.abs(rest).max() / total


def problems(rng, count):
    """Yield games with planted ties, counts of up to 1e9 under laws that may lie on the boundary, and a border."""
    while count:
        game = seeded_game(int(rng.integers(2**31)), int(rng.integers(2, 9)), int(rng.integers(2, 7)))
        analysis = sl.analyze(game)
        if analysis.kind in ("trivial", "hopeless"):
            continue
        law = rng.dirichlet(np.full(game.n_outcomes, rng.choice([0.05, 0.3, 1.0, 5.0])))
        if rng.random() < 0.3:
            law = np.where(rng.random(game.n_outcomes) < 0.5, 0.0, law)
            law = np.eye(game.n_outcomes)[0] if law.sum() == 0.0 else law / law.sum()
        counts = []
        for a in range(game.n_actions):
            size = 10 ** rng.uniform(0, 9) if rng.random() < 0.8 else 0.0
            counts += np.round(size * np.maximum(np.array(game.signal(a), float) @ law, 0.0)).tolist()
        borders = terms(analysis).border
        count -= 1
        yield game, counts, borders[int(rng.integers(len(borders)))]


def test_conditions_of_optimality_hold_on_hard_games():
    rng = np.random.default_rng(100)
    most = 0
    with np.errstate(all="raise", under="ignore"):
        for game, counts, row in problems(rng, PROBLEMS):
            prior = 1.0 / np.sqrt(2.0 * game.n_outcomes)
            for border in (None, row):
                law, steps = fitted(game, counts, prior, border)
                assert np.isfinite(law).all()
                assert law.min() > 0.0
                assert law.sum() == pytest.approx(1.0, abs=1e-12)
                assert border is None or abs(border @ law) < 1e-12
                assert residual(game, counts, prior, law, border) < 1e-9
                most = max(most, steps)
    assert most < 100, "the search ended before it converged"


def test_scipy_finds_nothing_better():
    rng = np.random.default_rng(3)
    for game, _, row in problems(rng, 25):
        first = signals(game).first
        counts = rng.integers(0, 30, first[-1]) * (rng.random(first[-1]) < 0.7)
        prior = rng.uniform(0.2, 1.0)
        stack = np.vstack([np.array(game.signal(a), float) * game.informative(a) for a in range(game.n_actions)])
        used = (counts > 0) & (stack.sum(axis=1) > 0)

        def objective(p, stack=stack[used], counts=counts[used], prior=prior):
            return -counts @ np.log(np.maximum(stack @ p, 1e-300)) - prior * np.log(p).sum()

        hair = np.abs(row)[row != 0.0].min() < 1e-6  # SciPy cannot hold x p = 0 there
        for border in (None, *(() if hair else (row,))):
            law, _ = fitted(game, counts, prior, border)
            equations = [{"type": "eq", "fun": lambda p: p.sum() - 1}]
            if border is not None:
                equations.append({"type": "eq", "fun": lambda p, border=border: border @ p})
            start = np.full(len(law), 1 / len(law)) if border is None else law_on_border(border.tolist())
            other = minimize(objective, start, bounds=[(1e-9, 1)] * len(law), constraints=equations, method="SLSQP")
            assert objective(law) <= other.fun + 1e-6


def test_without_symbols_the_law_is_uniform_and_on_a_border_the_most_even():
    game = sl.games.load("bartok")
    counts = np.zeros(signals(game).first[-1])
    np.testing.assert_allclose(fitted(game, counts, 0.4, law=[0.7, 0.2, 0.1])[0], [1 / 3] * 3, atol=1e-12)
    law, _ = fitted(game, counts, 0.4, row=[1.0, -1.0, 0.0], law=[0.1, 0.1, 0.8])
    np.testing.assert_allclose(law, [1 / 3] * 3, atol=1e-9)


def test_symbols_of_uninformative_actions_do_not_count():
    game = sl.games.load("apple-tasting")
    assert [len(game.symbols(a)) for a in range(2)] == [1, 2]
    law, _ = fitted(game, [1e9, 3.0, 5.0], 0.5)
    np.testing.assert_allclose(law, [3.5 / 9, 5.5 / 9], atol=1e-12)


def test_a_start_far_away_and_huge_counts():
    game = sl.games.load("apple-tasting")
    for counts in ([0, 1e9, 0], [0, 0, 1e9], [0, 1, 1e9], [0, 5e8, 5e8]):
        expected = (np.array(counts[1:]) + 0.5) / (sum(counts) + 1)
        for law in ([0.5, 0.5], [1e-12, 1 - 1e-12], [1 - 1e-9, 1e-9]):
            np.testing.assert_allclose(fitted(game, counts, 0.5, law=law)[0], expected, rtol=1e-7)


@pytest.mark.parametrize("row", [[1.0, -1.0], [1e-12, -1.0, 0.0], [-0.5, 0.25, 1.0, 0.0, 0.0]])
def test_searches_on_a_border_start_there(row):
    law = law_on_border(row)
    assert law.min() > 0.0
    assert law.sum() == pytest.approx(1.0)
    assert abs(np.array(row) @ law) < 1e-15
