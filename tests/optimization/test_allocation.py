"""The solvers behind PM-DMED and C*(p), against SciPy and known answers."""

import math
from itertools import islice
from types import SimpleNamespace

import numpy as np
import pytest
from random_games import spell
from scipy.optimize import linprog, minimize

import sidelight as sl
from sidelight.analysis import analyze
from sidelight.game_arrays import signals
from sidelight.limits import lower_bound
from sidelight.optimization import allocation as al
from sidelight.optimization import divergence as dv
from sidelight.optimization import hinge as hg
from sidelight.optimization import likelihood as lh

PRICES = sl.games.load("dynamic-pricing", prices=3, cost=2)


def room(game):
    """Return the layout of a game for loops, and arrays to work with."""
    shape = al.geometry(analyze(game))
    symbols = int(shape.signals.first[-1])
    return shape, al.Work(**al.master_room(game.n_actions, game.n_outcomes, symbols, len(shape.difference)))


def random_game(rng, outcomes=5):
    """A game with observable feedback and random losses."""
    actions = int(rng.integers(3, 6))
    words = ["".join(rng.choice(list("abc"), outcomes)) for _ in range(actions - 1)]
    return spell(rng.integers(0, 6, (actions, outcomes)).tolist(), [*words, "abcdefgh"[:outcomes]])


def fitted(game, counts, law=None):
    shape, work = room(game)
    if law is not None:
        work.law[:] = law
    shortfall = lh.fit(shape.signals, np.array(counts, float), work)
    return work.law, shortfall


# Maximum likelihood


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


# The search for alternatives


def border_problems(rng, count):
    """Yield games, laws, weights and a border that is not empty, ready to be searched."""
    while count:
        game = random_game(rng)
        shape, work = room(game)
        law = rng.dirichlet(np.ones(game.n_outcomes))
        if rng.random() < 0.3:
            law[rng.integers(game.n_outcomes)] = 0.0
            law /= law.sum()
        candidates = np.where(shape.candidate == 1, shape.loss @ law, np.inf)
        j = int(np.argmin(candidates))
        lh.project(shape.signals, law, work.base)
        work.cost[:] = np.maximum(shape.loss @ law - candidates[j], 1e-7)
        work.weight[:] = [rng.exponential(10) * (a != j and game.informative(a)) for a in range(game.n_actions)]
        for e in range(shape.start[j], shape.start[j + 1]):
            if al.approach(shape, j, work, e):
                count -= 1
                yield game, shape, work, law, j, e
                break


def revealed_at(game, law, weights, q):
    total = 0.0
    for a, weight in enumerate(weights):
        signal = np.array(game.signal(a))
        p, s = signal @ law, np.maximum(signal @ q, 1e-300)
        total += weight * sum(x * math.log(x / y) for x, y in zip(p, s, strict=True) if x > 0)
    return total


def test_search_against_scipy():
    for game, shape, work, law, j, e in border_problems(np.random.default_rng(1), 25):
        start = work.point.copy()
        assert (start >= 0).all()
        np.testing.assert_allclose(np.array(game.signal(j)) @ start, np.array(game.signal(j)) @ law, atol=1e-12)
        assert abs(shape.difference[e] @ start) < 1e-12
        weights = work.weight.copy()
        work.weight[:] *= 1e-3  # so that the target of 1 does not end the search
        low, value = dv.descend(shape.signals, j, work, 1e-10, 0.0)
        low, value = 1e3 * low, 1e3 * value
        assert value == pytest.approx(revealed_at(game, law, weights, work.point), rel=1e-9)
        assert 0 <= value - low <= 2e-7
        rows = np.vstack([game.signal(j), shape.difference[e]])
        levels = np.append(np.array(game.signal(j)) @ law, 0.0)
        other = minimize(
            lambda q, game=game, law=law, weights=weights: revealed_at(game, law, weights, q),
            np.maximum(start, 1e-6),
            bounds=[(1e-9, 1)] * len(law),
            constraints={"type": "eq", "fun": lambda q, rows=rows, levels=levels: rows @ q - levels},
            method="SLSQP",
        )
        if other.success and np.abs(rows @ other.x - levels).max() < 1e-8:
            assert low <= other.fun * (1 + 1e-5) + 1e-6


def test_former_points_prove_nothing_false():
    rng = np.random.default_rng(2)
    for _, shape, work, _, j, e in border_problems(rng, 25):
        work.weight[:] *= 1e-3
        low, value = dv.descend(shape.signals, j, work, 1e-12, 0.0)
        best, price = work.point.copy(), work.multipliers[0]
        work.kept[e] = np.where(best > 0, best * rng.uniform(0.8, 1.2, len(best)), 0.0)
        work.prices[e] = price * rng.uniform(0.8, 1.2)
        work.weight[:] *= 0.999 / value  # the true minimum is just below 1: nothing may claim 1
        assert al.approach(shape, j, work, e)
        low, _ = dv.descend(shape.signals, j, work, 1e-9, 0.0)
        assert low < 1.0


def test_an_empty_border_is_noticed():
    # Price 0 always sells, and what price 2 sells for says which of the two is better.
    shape, work = room(sl.games.load("apple-tasting"))
    lh.project(shape.signals, np.array([0.8, 0.2]), work.base)
    assert not al.approach(shape, 1, work, int(shape.start[1]))
    lh.project(shape.signals, np.array([0.5, 0.5]), work.base)
    assert al.approach(shape, 1, work, int(shape.start[1]))  # it is touched
    np.testing.assert_allclose(work.point, [0.5, 0.5])


# The linear program


def test_simplex_against_scipy():
    rng = np.random.default_rng(4)
    for _ in range(30):
        _, work = room(random_game(rng))
        actions = len(work.cost)
        work.cost[:] = rng.exponential(size=actions)
        al.restart(work, 0)
        columns = []
        for _ in range(40):
            column = np.where(rng.random(actions) < 0.7, rng.exponential(size=actions), 0.0)
            column[0] = 0.0
            if column.any():
                place = al.place_for_column(work)
                work.pool[place] = column
                columns.append(column)
                assert al.reoptimize(work)
        answer = linprog(work.cost[1:], A_ub=-np.array(columns)[:, 1:], b_ub=-np.ones(len(columns)))
        assert work.cost[1:] @ work.share[1:] == pytest.approx(answer.fun, rel=1e-7)
        assert (np.array(columns) @ work.share).min() >= 1 - 1e-8


def test_allocation_costs_what_is_proven_to_be_needed():
    rng = np.random.default_rng(5)
    for game, shape, work, law, j, _ in border_problems(rng, 15):
        bound = lower_bound(game, law)
        if bound.status != "finite":
            continue
        gaps = np.array(game.loss, float) @ law
        work.weight[:] *= 1e-6
        assert al.allocate(shape, j, work, 1e-4) == al.FOUND
        cost = (gaps - gaps[j]) @ np.where(np.arange(len(gaps)) == j, 0.0, work.share)
        assert bound.low * (1 - 1e-9) <= cost <= bound.high * (1 + 2e-4)
        work.weight[:] = np.where(np.arange(len(gaps)) == j, 0.0, 1.001 * work.share)
        assert al.allocate(shape, j, work, 1e-4) == al.SUFFICIENT
        work.weight[:] *= 0.99 * bound.low / cost
        assert al.allocate(shape, j, work, 1e-4) == al.FOUND


# With radii


def divergences(game, base, a, q):
    """KL(base_a | S_a q) for each law q (columns)."""
    p, shown = base[a][:, None], np.array(game.signal(a)) @ q
    return np.where(p > 0, p * np.log(np.maximum(p, 1e-300) / shown), 0.0).sum(axis=0)


def hinge_problems(rng, radius):
    """Yield three-outcome games with noisy frequencies, ready for the search of each border of the leader's cell."""
    while True:
        game = random_game(rng, outcomes=3)
        shape = hg.with_silence(al.geometry(analyze(game)))
        law = rng.dirichlet(np.ones(3))
        j = int(np.argmin(np.where(shape.candidate == 1, shape.loss @ law, np.inf)))
        outcomes = rng.choice(3, size=60, p=law)
        base = [np.array(game.signal(a))[:, outcomes].mean(axis=1) for a in range(game.n_actions)]
        symbols = int(shape.signals.first[-1])
        work = SimpleNamespace(**hg.hinged_room(game.n_actions + 1, 3, symbols, len(shape.difference)))
        work.base[:] = np.concatenate([*base, [1.0]])
        work.radius[:] = radius
        work.ball[0] = j if game.informative(j) else -1
        for e in range(shape.start[j], shape.start[j + 1]):
            work.asked[:] = [0.03 * (a != j and game.informative(a)) for a in range(game.n_actions)] + [0.0]
            yield game, shape, work, base, j, e


def laws_on_a_line(row):
    """A grid of the laws q with row q = 0."""
    rows = np.vstack([row, np.ones(3)])
    start = np.linalg.lstsq(rows, np.array([0.0, 1.0]), rcond=None)[0]
    q = start[:, None] + np.outer(np.linalg.svd(rows)[2][-1], np.linspace(-1.5, 1.5, 200_001))
    return q[:, (q > 0).all(axis=0)]


def test_search_with_radii_against_a_grid():
    radius, searched, missed = 0.02, 0, 0
    for game, shape, work, base, j, e in hinge_problems(np.random.default_rng(6), radius):
        q = laws_on_a_line(shape.difference[e])
        q = q[:, divergences(game, base, j, q) <= radius]
        own = game.n_actions
        if al.approach(shape, own, work, e) and hg.inside_ball(shape, own, work):
            low, value = hg.descend_hinged(shape.signals, own, work, 1e-9, 0.0)
            revealed = [work.asked[a] * np.maximum(divergences(game, base, a, q) - radius, 0.0) for a in range(own)]
            least = np.sum(revealed, axis=0).min(initial=np.inf)
            assert low <= value <= low + 1e-8
            assert low <= least + 1e-9
            assert value <= least + 1e-5
            searched += 1
        else:
            assert q.shape[1] <= 1
            missed += 1
        if searched >= 25 and missed >= 5:
            break


def test_a_law_within_all_radii_is_found_if_there_is_one():
    problems = islice(hinge_problems(np.random.default_rng(7), 0.02), 20)
    for number, (game, shape, work, base, _, _) in enumerate(problems):
        x, y = np.meshgrid(np.linspace(0.001, 0.997, 200), np.linspace(0.001, 0.997, 200))
        grid = np.array([x, y, 1 - x - y]).reshape(3, -1)[:, (x + y < 0.999).ravel()]
        shift = np.array([0.0, 0.0, float(number % 2)])  # half of the time the frequencies contradict each other
        base[-1] = (base[-1] + shift) / (1 + shift.sum())
        work.base[:] = np.concatenate([*base, [1.0]])
        work.asked[:] = [5.0 * game.informative(a) for a in range(game.n_actions)] + [0.0]
        work.law[:] = 1 / 3
        agreed = hg.reconcile(shape.signals, work)
        worst = np.max([divergences(game, base, a, grid) for a in range(game.n_actions)], axis=0)
        if agreed:
            q = work.law[:, None]
            assert max(divergences(game, base, a, q)[0] for a in range(game.n_actions)) <= 0.02 + 1e-6
        elif (worst < 0.015).any():
            raise AssertionError("a law within all radii was missed")
