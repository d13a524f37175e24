"""The Bayes-optimal play of two-outcome games with one revealing action."""

import time
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from sidelight import Game, environments, games, simulate
from sidelight.errors import SidelightError
from sidelight.kernels import interpreted
from sidelight.limits.bayes import BayesOptimal, envelope, least_mean_loss

BLIND = ["-", "-"]
FOUR = Game([[0, 3], ["1/2", "5/4"], [1, "1/2"], ["9/4", 0], ["3/2", "3/2"]], [BLIND, BLIND, BLIND, BLIND, ["x", "y"]])
CASES = [
    games.load("apple-tasting"),
    games.load("label-efficient"),
    games.load("label-efficient", cost="1/3"),
    games.load("label-efficient", cost="1/2"),
    games.load("spam-filtering"),
    games.load("tau-detection", tau="1/5"),
    games.load("matching-pennies", cost="1/10"),
    games.load("degenerate-informative"),
    FOUR,
    Game([[2, 1], [1, 3]], [["x", "y"], BLIND]),
    Game([[1, 1], [0, 0]], [["x", "y"], BLIND]),
    Game([[1, 2]], [["x", "y"]]),
]
PRIORS = [(1, 1), (3, 1), (2, 5)]


def least_loss(game, horizon, prior):
    """Return the least mean total loss of any play at all: blind rounds and looks in any order."""
    a, b = map(Fraction, prior)

    @cache
    def loss(left, n, s):
        if left == 0:
            return Fraction(0)
        m = (a + s) / (a + b + n)
        ways = []
        for k, row in enumerate(game.loss):
            now = row[0] * m + row[1] * (1 - m)
            if game.informative(k):
                later = m * loss(left - 1, n + 1, s + 1) + (1 - m) * loss(left - 1, n + 1, s)
            else:
                later = loss(left - 1, n, s)
            ways.append(now + later)
        return min(ways)

    return loss(horizon, 0, 0)


def mean_of_least(game, prior):
    """Return E min_k L_k (p, 1 - p) exactly, for whole-numbered priors, by integrating polynomials."""
    a, b = prior
    density = [Fraction(0)] * (a - 1) + [Fraction(1)]
    for _ in range(b - 1):
        density = [x - y for x, y in zip([*density, 0], [0, *density], strict=True)]

    def integral(polynomial, low, high):
        return sum(c * (high ** (k + 1) - low ** (k + 1)) / (k + 1) for k, c in enumerate(polynomial))

    lines = [(row[1], row[0] - row[1]) for row in game.loss]
    cuts = {Fraction(0), Fraction(1)}
    for u, x in lines:
        for v, y in lines:
            if x != y and 0 < (v - u) / (x - y) < 1:
                cuts.add((v - u) / (x - y))
    total, points = Fraction(0), sorted(cuts)
    for low, high in pairwise(points):
        u, x = min(lines, key=lambda line: line[0] + line[1] * (low + high) / 2)
        product = [u * p + x * q for p, q in zip([*density, 0], [0, *density], strict=True)]
        total += integral(product, low, high)
    return total / integral(density, Fraction(0), Fraction(1))


def value_of_play(strategy, horizon, prior):
    """Return the mean total loss of a strategy that draws nothing, by following it through all symbols."""
    game = strategy.game
    a, b = map(Fraction, prior)

    def follow(player, left, n, s):
        if left == 0:
            return Fraction(0)
        m = (a + s) / (a + b + n)
        action = player.act()
        now = game.loss[action][0] * m + game.loss[action][1] * (1 - m)
        if not game.informative(action):
            player.observe(game.symbols(action)[0])
            return now + follow(player, left - 1, n, s)
        later = Fraction(0)
        for u, chance in enumerate((m, 1 - m)):
            branch = player.clone()
            branch.observe(game.symbols(action)[u])
            later += chance * follow(branch, left - 1, n + 1, s + (u == 0))
        return now + later

    return follow(strategy.clone(), horizon, 0, 0)


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name or "own")
def test_no_play_at_all_is_better(game, prior):
    """Exact dynamic programming over every order of looks and blind rounds, with fractions."""
    for horizon in (1, 2, 3, 7, 12):
        exact = least_loss(game, horizon, prior) - horizon * mean_of_least(game, prior)
        with interpreted():
            assert BayesOptimal(game, horizon, prior).value == pytest.approx(float(exact), abs=1e-12)
    assert BayesOptimal(game, 12, prior).value == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("prior", [(1, 1), (2, 5)])
@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name or "own")
def test_it_plays_what_it_promises(game, prior):
    strategy = BayesOptimal(game, 9, prior)
    exact = value_of_play(strategy, 9, prior) - 9 * mean_of_least(game, prior)
    assert strategy.value == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(("name", "value"), [("apple-tasting", 11.125376), ("label-efficient", 48.613024)])
def test_known_values(name, value):
    """The Bayes regret under the uniform prior at T = 20 000, to six decimals."""
    start = time.perf_counter()
    assert BayesOptimal(games.load(name), 20_000).value == pytest.approx(value, abs=5e-7)
    assert time.perf_counter() - start < 10


def test_simulated_regret_is_the_value():
    """The mean over laws from the prior, within four standard errors."""
    for name, prior in (("apple-tasting", (1, 1)), ("label-efficient", (1, 1)), ("tau-detection", (2, 6))):
        game = games.load(name)
        laws = np.random.default_rng(5).beta(*prior, size=1_500)
        environment = environments.IID(np.stack([laws, 1 - laws], axis=1))
        strategy = BayesOptimal(game, 2_000, prior)
        final = simulate(game, strategy, environment, 2_000, 1_500, checkpoints=1).final
        assert abs(final.mean() - strategy.value) < 4 * final.std() / np.sqrt(1_500)


@pytest.mark.parametrize(
    ("name", "kind", "mean", "half"),
    [
        ("apple-tasting", "imbalanced", 5.29, 0.5),
        ("apple-tasting", "balanced", 27.6, 4.5),
        ("label-efficient", "imbalanced", 11.5, 0.6),
        ("label-efficient", "balanced", 165, 14),
    ],
)
def test_means_on_the_instances_of_the_paper(name, kind, mean, half):
    """Reference means over 60 000 runs; here 1 500, with four standard errors as the margin."""
    game = games.load(name)
    environment = environments.IID(environments.laws.load(kind, 2))
    final = simulate(game, BayesOptimal(game, 20_000), environment, 20_000, 1_500, 3, checkpoints=1).final
    assert final.mean() == pytest.approx(mean, abs=half)


@pytest.mark.parametrize("game", [games.load("apple-tasting"), games.load("spam-filtering"), FOUR], ids=str)
def test_compiled_and_interpreted_agree(game):
    environment = environments.IID([0.4, 0.6])
    fast = BayesOptimal(game, 60)
    rule = fast.compiled_parameters.rule
    played = simulate(game, fast, environment, 80, 3)
    with interpreted(), np.errstate(all="raise"):
        slow = BayesOptimal(game, 60)
        assert (slow.compiled_parameters.rule.start == rule.start).all()
        assert (slow.compiled_parameters.rule.action == rule.action).all()
        assert slow.value == fast.value
        assert (simulate(game, slow, environment, 80, 3).plays == played.plays).all()


def test_looking_stops_for_good():
    game = games.load("label-efficient")
    strategy = BayesOptimal(game, 500)
    rng = np.random.default_rng(0)
    played = []
    for _ in range(500):
        played.append(strategy.act())
        strategy.observe(game.feedback[played[-1]][int(rng.random() > 0.3)])
    stop = played.index(1)
    assert set(played[:stop]) == {0}
    assert set(played[stop:]) == {1}


def test_after_the_horizon_the_best_guess_is_played():
    game = games.load("label-efficient")
    strategy = BayesOptimal(game, 1)
    assert strategy.act() == 1  # a look would come too late
    for _ in range(3):
        strategy.observe("nothing")
        assert strategy.act() == 1
    tasting = games.load("apple-tasting")
    strategy = BayesOptimal(tasting, 3)
    for _ in range(10):
        assert strategy.act() == 1
        strategy.observe("rotten")


def test_actions_of_least_loss_by_growing_p():
    rows = {k: (row[0], row[1]) for k, row in enumerate(FOUR.loss)}
    assert envelope(rows) == [(3, 0), (2, Fraction(2, 7)), (1, Fraction(3, 5)), (0, Fraction(7, 9))]
    assert envelope({4: (Fraction(1), Fraction(0)), 2: (Fraction(0), Fraction(0))}) == [(2, 0)]
    assert envelope({}) == []


@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name or "own")
def test_least_mean_loss(game):
    for prior in PRIORS:
        assert least_mean_loss(game, *prior) == pytest.approx(float(mean_of_least(game, prior)), abs=1e-14)


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (games.load("bartok"), "this game has 3 outcomes"),
        (games.load("hopeless"), "in this game no action does"),
        (games.load("full-information", outcomes=2), r"in this game actions 0 \(.+\), 1 \(.+\) do"),
    ],
)
def test_other_games_are_refused(game, reason):
    with pytest.raises(SidelightError, match=f"two outcomes and exactly one action .*; {reason}"):
        BayesOptimal(game, 10)


@pytest.mark.parametrize("wrong", [0, -3, 1.5, True, None])
def test_horizons_are_whole(wrong):
    with pytest.raises(SidelightError, match=r"horizon is .*: give a whole number of at least 1"):
        BayesOptimal(CASES[0], wrong)


@pytest.mark.parametrize("wrong", [(1,), (1, 0), (1, -2), 3, "ab", (1, float("inf")), (float("nan"), 1), None])
def test_priors_are_two_positive_numbers(wrong):
    with pytest.raises(SidelightError, match=r"prior is .*: give the two positive parameters"):
        BayesOptimal(CASES[0], 10, wrong)


def test_saved_and_loaded_it_goes_on_alike():
    strategy = BayesOptimal(CASES[0], 50, (2, 1))
    for _ in range(5):
        strategy.act()
        strategy.observe("rotten")
    twin = BayesOptimal.load(strategy.save())
    assert twin.value == strategy.value
    assert twin.state.looks.tolist() == [5, 0]
