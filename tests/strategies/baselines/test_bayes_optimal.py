"""The Bayes-optimal play of two-outcome games with one revealing action."""

from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from sidelight import Game, environments, games, simulate
from sidelight.errors import SidelightError
from sidelight.kernels import compiled, interpreted
from sidelight.strategies.baselines.bayes_optimal import BayesOptimal
from sidelight.strategies.baselines.priors import (
    Beta,
    _mixture_of_bayes_optimal_prior,
    envelope_for_bayes_optimal,
    least_mean_loss_under_prior,
    posterior,
    read_bayes_optimal_prior,
    word_bayes_optimal_prior,
)

BLIND = ["-", "-"]
FOUR = Game([[0, 3], ["1/2", "5/4"], [1, "1/2"], ["9/4", 0], ["3/2", "3/2"]], [BLIND, BLIND, BLIND, BLIND, ["x", "y"]])
CASES = [
    games.load("apple-tasting"),
    games.load("label-efficient"),
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
MIXTURES = [
    "balanced",
    "imbalanced",
    [((0.25, 0.75), 1), ((0.5, 0.5), 2), ((0.875, 0.125), 1)],
    [((0, 1), 1), ((0.5, 0.5), 3)],
    [((1, 0), 2), ((0, 1), 1)],
    [((0.375, 0.625), 5)],
]


def pieces(prior):
    """Return a mixture as exact pieces (low, high, weight)."""
    if isinstance(prior, str):
        ends = {"balanced": [("2/5", "3/5")], "imbalanced": [("0", "1/5"), ("4/5", "1")]}[prior]
        return [(Fraction(low), Fraction(high), Fraction(1, len(ends))) for low, high in ends]
    total = sum(weight for _, weight in prior)
    return [(Fraction(law[0]), Fraction(law[0]), Fraction(weight, total)) for law, weight in prior]


def times_one_minus_p(polynomial):
    return [x - y for x, y in zip([*polynomial, 0], [0, *polynomial], strict=True)]


def mean(polynomial, prior, low=Fraction(0), high=Fraction(1)):
    """Return the mean of a polynomial of p over a mixture, counting p between two bounds only, exactly."""
    total = Fraction(0)
    for left, right, weight in pieces(prior):
        if left == right:
            inside = low <= left < high or left == high == 1
            total += weight * inside * sum(c * left**k for k, c in enumerate(polynomial))
            continue
        start, end = max(left, low), min(right, high)
        if start < end:
            integral = sum(c * (end ** (k + 1) - start ** (k + 1)) / (k + 1) for k, c in enumerate(polynomial))
            total += weight * integral / (right - left)
    return total


@cache
def evidence(prior, n, s):
    """Return W(n, s), the chance of one sequence of n looks with s at the first outcome."""
    polynomial = [Fraction(0)] * s + [Fraction(1)]
    for _ in range(n - s):
        polynomial = times_one_minus_p(polynomial)
    return mean(polynomial, MIXTURES[prior])


def chance(prior, n, s):
    """Return the chance of the first outcome after n looks, s of them at it, exactly."""
    if isinstance(prior, tuple):
        return Fraction(prior[0] + s) / (prior[0] + prior[1] + n)
    number = MIXTURES.index(prior)
    seen = evidence(number, n, s)
    return evidence(number, n + 1, s + 1) / seen if seen else Fraction(1, 2)


def least_loss(game, horizon, prior):
    """Return the least mean total loss of any play at all: blind rounds and looks in any order."""

    @cache
    def loss(left, n, s):
        if left == 0:
            return Fraction(0)
        m = chance(prior, n, s)
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
    """Return E min_k L_k (p, 1 - p) exactly, for mixtures and whole-numbered Beta laws, by integrating polynomials."""
    density = [Fraction(1)]
    if isinstance(prior, tuple):
        density = [Fraction(0)] * (prior[0] - 1) + density
        for _ in range(prior[1] - 1):
            density = times_one_minus_p(density)

    def integral(polynomial, low, high):
        if not isinstance(prior, tuple):
            return mean(polynomial, prior, low, high)
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

    def follow(player, left, n, s):
        if left == 0:
            return Fraction(0)
        m = chance(prior, n, s)
        action = player.act()
        now = game.loss[action][0] * m + game.loss[action][1] * (1 - m)
        if not game.informative(action):
            player.observe(game.symbols(action)[0])
            return now + follow(player, left - 1, n, s)
        later = Fraction(0)
        for u, share in enumerate((m, 1 - m)):
            branch = player.clone()
            branch.observe(game.symbols(action)[u])
            later += share * follow(branch, left - 1, n + 1, s + (u == 0))
        return now + later

    return follow(strategy.clone(), horizon, 0, 0)


@pytest.mark.parametrize("prior", [*PRIORS, *MIXTURES], ids=str)
@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name or "own")
def test_no_play_at_all_is_better(game, prior):
    """Exact dynamic programming over every order of looks and blind rounds, with fractions."""
    for horizon in (1, 2, 3, 7, 12):
        exact = least_loss(game, horizon, prior) - horizon * mean_of_least(game, prior)
        with interpreted():
            assert BayesOptimal(game, horizon, prior).value == pytest.approx(float(exact), abs=1e-12)
    assert BayesOptimal(game, 12, prior).value == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("prior", [(1, 1), (2, 5), *MIXTURES], ids=str)
@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name or "own")
def test_it_plays_what_it_promises(game, prior):
    strategy = BayesOptimal(game, 9, prior)
    exact = value_of_play(strategy, 9, prior) - 9 * mean_of_least(game, prior)
    assert strategy.value == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize(("name", "value"), [("apple-tasting", 11.125376), ("label-efficient", 48.613024)])
def test_known_values(name, value):
    """The Bayes regret under the uniform prior at T = 20 000, to six decimals."""
    game = games.load(name)
    assert BayesOptimal(game, 20_000).value == pytest.approx(value, abs=5e-7)
    for uniform in ("uniform", "dirichlet"):
        assert BayesOptimal(game, 300, uniform).value == BayesOptimal(game, 300).value


@pytest.mark.parametrize("prior", MIXTURES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 7, 60])
def test_chances_of_the_outcomes_are_exact_up_to_rounding(prior, n):
    belief = read_bayes_optimal_prior(prior)
    for s in range(n + 1):
        m, q = posterior(belief, s, n - s)
        exact = chance(prior, n, s)
        assert m == pytest.approx(float(exact), rel=2e-14, abs=1e-300)
        assert q == pytest.approx(float(1 - exact), rel=2e-14, abs=1e-300)


def test_a_mixture_that_is_uniform_is_the_uniform_law(monkeypatch):
    """The row by row recursion and the quadrature lose nothing over a thousand rounds."""
    game = games.load("label-efficient")
    exact = BayesOptimal(game, 1_000)
    cut = [((0.0, 0.3), 3), ((0.3, 0.31), 0.1), ((0.31, 1.0), 6.9)]
    mixture = BayesOptimal(game, 1_000)
    monkeypatch.setattr(mixture, "_prior", _mixture_of_bayes_optimal_prior([(*ends, weight) for ends, weight in cut]))
    assert mixture.value == pytest.approx(exact.value, abs=1e-10)


def test_evidence_against_the_prior_leads_to_its_nearest_law():
    """Looks that no balanced law makes likely, far beyond what floats can weigh."""
    belief = read_bayes_optimal_prior("balanced")
    assert posterior(belief, 0, 20_000) == pytest.approx((0.4, 0.6), abs=1e-4)
    assert posterior(belief, 20_000, 0) == pytest.approx((0.6, 0.4), abs=1e-4)
    assert posterior(read_bayes_optimal_prior("imbalanced"), 9_000, 11_000) == pytest.approx((0.2, 0.8), abs=1e-3)
    assert posterior(read_bayes_optimal_prior([((0, 1), 1), ((1, 0), 1)]), 3, 3) == (0.5, 0.5)


@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient"])
@pytest.mark.parametrize("prior", ["balanced", "imbalanced", [((0.3, 0.7), 1), ((0.6, 0.4), 2)]], ids=str)
def test_on_the_laws_of_its_prior_regret_is_the_value(name, prior):
    game = games.load(name)
    if isinstance(prior, str):
        environment = environments.IID(environments.laws.load(prior, 2))
    else:
        environment = environments.IID([law for law, weight in prior for _ in range(500 * weight)])
    player = BayesOptimal(game, 1_000, prior)
    final = simulate(player, environment, 1_000, 1_500, 7, checkpoints=1).final
    assert abs(final.mean() - player.value) < 4 * final.std() / np.sqrt(1_500)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("dirichlet", "uniform prior"),
        ((2, 0.5), "Beta(2, 0.5) prior"),
        ("balanced", "prior of balanced laws (p uniform on [0.4, 0.6])"),
        ("imbalanced", "prior of imbalanced laws (p uniform on [0, 0.2] or [0.8, 1])"),
        ([((0.25, 0.75), 1)], "prior of 1 law with weights"),
        (MIXTURES[2], "prior of 3 laws with weights"),
    ],
)
def test_the_prior_is_named(prior, words):
    assert word_bayes_optimal_prior(prior) == words
    assert BayesOptimal(CASES[0], 5, prior).assumes == words


def test_simulated_regret_is_the_value():
    """The mean over laws from the prior, within four standard errors."""
    for name, prior in (("apple-tasting", (1, 1)), ("label-efficient", (1, 1)), ("tau-detection", (2, 6))):
        game = games.load(name)
        laws = np.random.default_rng(5).beta(*prior, size=1_500)
        environment = environments.IID(np.stack([laws, 1 - laws], axis=1))
        strategy = BayesOptimal(game, 2_000, prior)
        final = simulate(strategy, environment, 2_000, 1_500, checkpoints=1).final
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
    final = simulate(BayesOptimal(game, 20_000), environment, 20_000, 1_500, 3, checkpoints=1).final
    assert final.mean() == pytest.approx(mean, abs=half)


@pytest.mark.parametrize("game", [games.load("apple-tasting"), games.load("spam-filtering"), FOUR], ids=str)
def test_compiled_and_interpreted_agree(game):
    environment = environments.IID([0.4, 0.6])
    fast = BayesOptimal(game, 60)
    rule = fast.compiled_parameters.rule
    with compiled():
        played = simulate(fast, environment, 80, 3)
    with interpreted(), np.errstate(all="raise"):
        slow = BayesOptimal(game, 60)
        assert (slow.compiled_parameters.rule.start == rule.start).all()
        assert (slow.compiled_parameters.rule.action == rule.action).all()
        assert slow.value == fast.value
        assert (simulate(slow, environment, 80, 3).plays == played.plays).all()


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
    assert envelope_for_bayes_optimal(rows) == [(3, 0), (2, Fraction(2, 7)), (1, Fraction(3, 5)), (0, Fraction(7, 9))]
    assert envelope_for_bayes_optimal({4: (Fraction(1), Fraction(0)), 2: (Fraction(0), Fraction(0))}) == [(2, 0)]
    assert envelope_for_bayes_optimal({}) == []


@pytest.mark.parametrize("game", CASES, ids=lambda game: game.name or "own")
def test_least_mean_loss(game):
    for prior in PRIORS:
        assert least_mean_loss_under_prior(game, Beta(*prior)) == pytest.approx(
            float(mean_of_least(game, prior)), abs=1e-14
        )


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (games.load("bartok"), "3 outcomes and 3 informative actions"),
        (games.load("hopeless"), "2 outcomes and 0 informative actions"),
        (games.load("full-information", outcomes=2), "2 outcomes and 2 informative actions"),
    ],
)
def test_other_games_are_refused(game, reason):
    with pytest.raises(SidelightError, match=f"exactly one action reveals them; this one has {reason}"):
        BayesOptimal(game, 10)


@pytest.mark.parametrize("wrong", [(1,), (1, 0), (1, -2), 3, "ab", (1, float("inf")), (float("nan"), 1), None])
def test_priors_are_two_positive_numbers(wrong):
    with pytest.raises(SidelightError, match=r"prior is .*: give the two positive parameters"):
        BayesOptimal(CASES[0], 10, wrong)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("balance", "prior is 'balance': .*the name of a family of laws .dirichlet, uniform, balanced"),
        ([], "prior is"),
        ([(0.2, 1), (0.8, 1)], "prior is .* laws with weights, such as"),
        ([((0.2, 0.3, 0.5), 1)], "prior is"),
        ([((0.2, 0.7), 1)], r"the law \(0.2, 0.7\): give two probabilities that sum to 1"),
        ([((1.2, -0.2), 1)], "two probabilities"),
        ([((0.2, 0.8), 0)], "the weight 0.0: give a positive number"),
        (b"xy", "prior is"),
    ],
)
def test_other_priors_that_are_refused(wrong, reason):
    with pytest.raises(SidelightError, match=reason):
        BayesOptimal(CASES[0], 10, wrong)


def test_weights_need_not_sum_to_one():
    laws = ((0.2, 0.8), (0.7, 0.3))
    values = {BayesOptimal(CASES[0], 40, [(law, weight) for law in laws]).value for weight in (1, 0.5, 1e300, 1e-300)}
    assert len(values) == 1
