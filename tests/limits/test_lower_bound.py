"""C*(p): known values, proven bounds, and the cases that have no number."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import sidelight as sl
from sidelight.errors import SidelightError
from sidelight.limits import lower_bound

APPLE = sl.games.load("apple-tasting")
LABEL = sl.games.load("label-efficient")
PRICES = sl.games.load("dynamic-pricing", prices=3, cost=2)


def spell(loss, words):
    """Return a game whose feedback rows are words, a letter for each outcome."""
    return sl.Game(loss, [list(word) for word in words])


def kl_half(p):
    return math.log(2) + sum(x * math.log(x) for x in (p, 1 - p) if x > 0)


def brackets(bound, value, slack=1e-9):
    return bound.low * (1 - slack) <= value <= bound.high * (1 + slack)


@pytest.mark.parametrize(("p", "value"), [(0.05, 1.81953), (0.2, 3.11293), (0.45, 19.96659)])
def test_apple_tasting(p, value):
    bound = lower_bound(APPLE, [p, 1 - p])
    assert bound.status == "finite"
    assert bound.value == pytest.approx(value, abs=5e-6)
    assert brackets(bound, (1 - 2 * p) / kl_half(p))
    assert bound.optimal == 0
    np.testing.assert_allclose(bound.allocation, [0, 1 / kl_half(p)])


@pytest.mark.parametrize(("p", "value"), [(0.05, 1.92062), (0.2, 4.15057), (0.45, 109.81624)])
def test_label_efficient_prediction(p, value):
    for law in ([p, 1 - p], [1 - p, p]):
        bound = lower_bound(LABEL, law)
        assert bound.value == pytest.approx(value, abs=5e-6)
        assert brackets(bound, (1 - p) / kl_half(p))


def test_bernoulli_bandit():
    means = (0.7, 0.4)
    outcomes = itertools.product((0, 1), repeat=2)
    law = [math.prod(m if up else 1 - m for m, up in zip(means, o, strict=True)) for o in outcomes]
    game = sl.games.load("bernoulli-bandit", arms=2)
    bound = lower_bound(game, law)
    assert bound.value == pytest.approx(1.56216, abs=5e-6)
    assert brackets(bound, 0.3 / (0.4 * math.log(0.4 / 0.7) + 0.6 * math.log(0.6 / 0.3)))


@pytest.mark.parametrize(
    ("law", "value", "allocation"),
    [
        ((0.5, 0.3, 0.2), 13.3118, (0, 16.980, 5.357)),
        ((0.1, 0.6, 0.3), 4.8970, (0, 0, 5.4411)),
        ((0.6, 0.2, 0.2), 9.8769, None),
    ],
)
def test_dynamic_pricing(law, value, allocation):
    bound = lower_bound(PRICES, law)
    assert bound.value == pytest.approx(value, abs=6e-5)
    if allocation:
        np.testing.assert_allclose(bound.allocation, allocation, atol=6e-4)
    losses = np.array(PRICES.loss, float) @ law
    assert (losses - losses.min()) @ bound.allocation == pytest.approx(bound.high)


def test_scale_and_shift_of_losses():
    plain = lower_bound(PRICES, [0.5, 0.3, 0.2])
    loss = [[7 * value + 10**6 for value in row] for row in PRICES.loss]
    moved = lower_bound(sl.Game(loss, PRICES.feedback), [0.5, 0.3, 0.2])
    assert moved.value == pytest.approx(7 * plain.value)
    np.testing.assert_allclose(moved.allocation, plain.allocation, rtol=1e-4)


def test_zero_when_the_optimal_action_shows_it():
    bound = lower_bound(APPLE, [0.8, 0.2])
    assert (bound.status, bound.low, bound.high, bound.value) == ("zero", 0, 0, 0)
    assert bound.allocation.tolist() == [0, 0]
    assert "action 1 (taste)" in bound.reason
    assert lower_bound(sl.games.load("trivial"), [0.5, 0.5]).status == "zero"


def test_undefined_for_ties_however_they_are_written():
    for law in ([0.5, 0.5], ["1/2", "1/2"], np.array([0.5, 0.5])):
        bound = lower_bound(APPLE, law)
        assert bound.status == "undefined"
        assert math.isnan(bound.value)
        assert np.isnan(bound.allocation).all()
    assert "action 0 (price 0) and action 1 (price 1)" in lower_bound(PRICES, [1 / 3, 1 / 3, 1 / 3]).reason


def test_infinite_when_nobody_can_tell():
    bound = lower_bound(sl.games.load("hopeless"), [0.3, 0.7])
    assert (bound.status, bound.low, bound.high) == ("infinite", math.inf, math.inf)
    assert "(1/2, 1/2)" in bound.reason
    # The same pair may be told apart from one side of the border only.
    coarse = sl.games.load("three-class-label-efficient", query="coarse")
    assert {lower_bound(coarse, law).status for law in ([0.8, 0.1, 0.1], [0.1, 0.6, 0.3])} == {"finite", "infinite"}


def test_duplicates_inform_for_nothing():
    sell = [["?", "?"], ["a", "b"], ["a", "b"]]
    assert lower_bound(sl.Game([[1, 0], [1, 0], [0, 1]], sell), [0.2, 0.8]).status == "zero"
    # A free look at one outcome of three leaves a border, on which the law of that outcome is fixed.
    loss = [[0, 0, 1], [0, 0, 1], [1, "1/2", 0]]
    law = [0.5, 0.2, 0.3]
    blind = lower_bound(spell(loss, ["xxx", "xxx", "abc"]), law)
    looking = lower_bound(spell(loss, ["xxx", "xyx", "abc"]), law)
    q = (0.35, 0.2, 0.45)
    assert brackets(looking, 0.3 / sum(x * math.log(x / y) for x, y in zip(law, q, strict=True)))
    assert blind.low > looking.high


def test_on_the_boundary_of_the_simplex():
    assert brackets(lower_bound(APPLE, [0, 1]), 1 / math.log(2))
    for law in itertools.permutations((0.0, 0.3, 0.7)):
        bound = lower_bound(PRICES, law)
        assert bound.status in ("finite", "zero")
        assert bound.high - bound.low <= 1e-7 * bound.high
        near = lower_bound(PRICES, [(x + 1e-9) / (1 + 3e-9) for x in law])
        assert near.value == pytest.approx(bound.value, rel=1e-2)


def test_errors_name_what_is_wrong():
    with pytest.raises(SidelightError, match="3 entries: give 2"):
        lower_bound(APPLE, [0.2, 0.3, 0.5])
    with pytest.raises(SidelightError, match=r"sums to 0\.9"):
        lower_bound(APPLE, [0.2, 0.7])
    with pytest.raises(SidelightError, match="not negative"):
        lower_bound(APPLE, [-0.5, 1.5])
    for tolerance in (0, 1, -1e-9, math.nan, math.inf, True, "0.1", None):
        with pytest.raises(SidelightError, match=r"tolerance is .*: give a"):
            lower_bound(APPLE, [0.2, 0.8], tolerance=tolerance)


def random_cases(count):
    """Random three-outcome games without duplicates and with finite C*, and a law each."""
    rng = np.random.default_rng(3)
    while count:
        actions = int(rng.integers(2, 5))
        words = rng.choice(["xxx", "xxy", "xyx", "yxx", "xyz"], actions)
        game = spell(rng.integers(0, 4, (actions, 3)).tolist(), words)
        law = rng.integers(1, 20, 3)
        bound = lower_bound(game, [Fraction(int(x), int(law.sum())) for x in law])
        if bound.status == "finite" and bound.high < 1e3 and len(set(game.loss)) == actions:
            count -= 1
            yield game, law / law.sum(), bound


def divergences(game, law, q):
    """KL(S_a p | S_a q) for every action a (rows) and law q (columns)."""
    rows = []
    for a in range(game.n_actions):
        signal = np.array(game.signal(a))
        p, shown = (signal @ law)[:, None], np.maximum(signal @ q, 0.0)
        with np.errstate(divide="ignore"):
            rows.append((p * np.log(p / shown)).sum(axis=0))
    return np.minimum(np.array(rows), 1e9)


def all_alternatives(game, law, j, side=400):
    """Laws of a grid that j cannot tell from p and for which another action is at least as good."""
    signal = np.array(game.signal(j), float)
    share = np.linspace(0, 1, side * side // 2)
    if len(signal) == 2:  # what j shows leaves a segment
        block = np.flatnonzero(signal[np.argmax(signal.sum(axis=1))])
        q = np.repeat(law[:, None], len(share), axis=1)
        q[block[0]], q[block[1]] = law[block].sum() * share, law[block].sum() * (1 - share)
    else:
        x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
        q = np.array([x, y, 1 - x - y]).reshape(3, -1)[:, (x + y <= 1).ravel()]
    return q[:, is_alternative(game, j, q)]


def is_alternative(game, j, q, slack=0.0):
    """Say for which laws some action that is ever better than j is at least as good."""
    loss = np.array(game.loss, float)
    rivals = (loss < loss[j]).any(axis=1)
    return ((loss @ q)[rivals] <= (loss @ q)[j] + slack).any(axis=0)


def edge_alternatives(game, law, j, steps=3000):
    """The same, only where some action is exactly as good as j: a fine grid of a few segments or points."""
    loss, found = np.array(game.loss, float), []
    for k in np.flatnonzero((loss < loss[j]).any(axis=1)):
        rows = np.vstack([loss[k] - loss[j], game.signal(j)])
        start = np.linalg.lstsq(rows, np.concatenate([[0.0], np.array(game.signal(j)) @ law]), rcond=None)[0]
        singular, directions = np.linalg.svd(rows)[1:]
        free = directions[np.concatenate([singular, np.zeros(3 - len(singular))]) < 1e-9]
        if np.abs(rows @ start - np.concatenate([[0.0], np.array(game.signal(j)) @ law])).max() > 1e-9:
            continue
        ends = np.zeros(1)
        if len(free):  # from where the segment enters the simplex to where it leaves
            places = [-x / v for x, v in zip(start, free[0], strict=True) if abs(v) > 1e-12]
            inside = [t for t in places if (start + t * free[0] >= -1e-12).all()]
            ends = np.linspace(min(inside), max(inside), steps) if inside else np.zeros(0)
        q = start[:, None] + np.outer(free[0] if len(free) else np.zeros(3), ends)
        found.append(np.maximum(q[:, (q >= -1e-12).all(axis=0)], 0.0))
    return np.hstack(found)


def test_the_ends_enclose_a_grid_brute_force():
    """Fewer alternatives ask for less, so the optimum over a grid is below C*, and just below if the grid is fine."""
    for game, law, bound in random_cases(20):
        j = bound.optimal
        paid = [a for a in range(game.n_actions) if game.loss[a] != game.loss[j]]
        gaps = (np.array(game.loss, float) @ law)[paid] - np.array(game.loss[j], float) @ law
        edge = edge_alternatives(game, law, j)
        assert is_alternative(game, j, edge, 1e-9).all()
        rows = divergences(game, law, edge)[paid].T
        answer = linprog(gaps, A_ub=-rows, b_ub=-np.ones(len(rows)))
        assert bound.low * (1 - 1e-4) <= answer.fun <= bound.high * (1 + 1e-9)
        assert bound.high - bound.low <= 1e-7 * bound.high
        every = divergences(game, law, all_alternatives(game, law, j))[paid].T
        assert (every @ bound.allocation[paid]).min(initial=1.0) >= 1 - 1e-9
