"""CBP and RandCBP against their naive twin, and what is particular about them."""

import random
from fractions import Fraction

import numpy as np
import pytest
from naive_cbp import NaiveCBP, shortest_vectors
from random_games import seeded_game

import sidelight as sl
from sidelight.kernels.digest import code_digest
from sidelight.strategies import CBP, RandCBP
from sidelight.strategies.confidence_bounds import plausible
from sidelight.strategies.confidence_bounds.cbp import Parameters, _act
from sidelight.strategies.confidence_bounds.plausible import TABLE

INTERVALS, POOLS = 1, 2
RAND = {"bins": 5}
SETTINGS = (
    {},
    RAND,
    {"bins": 3, "sigma": 0.5, "lower": -1.3, "tail": 0.01, "alpha": 1.5},
    {"bins": 4, "lower": 2.3, "tail": 0.2, "sigma": 3.0},
)
CATALOGUE = [
    ("apple-tasting", {}),
    ("label-efficient", {}),
    ("bartok", {}),
    ("dynamic-pricing", {"prices": 3}),
    ("dynamic-pricing", {"prices": 4}),
    ("cops-and-robbers", {}),
    ("blind-degenerate", {}),
    ("degenerate-informative", {"kind": "degenerate"}),
    ("degenerate-informative", {"kind": "duplicate"}),
    ("unobservable-dominated", {}),
    ("tau-detection", {}),
    ("matching-pennies", {"cost": "1/4"}),
    ("trivial", {}),
]
# The rule has exact ties, which floats may miss by their last digit: an estimate of exactly 0 decides nothing, and the
# lowest of equal scores is played. Where rounding decides instead, a comparison ends; see the tests marked with this.


class Comparison:
    """A strategy and its twin, shown the same symbols; the twin takes the same uniforms in the same order."""

    def __init__(self, game, seed, observers=None, **settings):
        kind = RandCBP if settings else CBP
        given = {} if observers is None else {"observers": observers}
        self.game = game
        self.strategy = kind(game, seed=seed, **settings, **given)
        vectors = observers and {
            pair: {a: dict(zip(game.symbols(a), v, strict=True)) for a, v in one.items()}
            for pair, one in observers.items()
        }
        self.twin = NaiveCBP(game, np.random.default_rng(seed), observers=vectors, **settings)
        self.draws = np.random.default_rng([seed, 1])
        self.law = self.draws.dirichlet(np.ones(game.n_outcomes))

    def play(self, rounds):
        for t in range(rounds):
            action, expected = self.strategy.act(), self.twin.act()
            assert action == expected, f"round {t}; the closest comparison so far came to {self.twin.margin:.1e}"
            symbol = self.game.feedback[action][self.draws.choice(self.game.n_outcomes, p=self.law)]
            self.strategy.observe(symbol)
            self.twin.observe(symbol, action)
        # Floats decide as exact arithmetic does, unless a comparison is closer than they can tell.
        assert self.twin.margin > 1e-11
        return self.twin


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize(("name", "variant"), CATALOGUE, ids=str)
def test_twin_on_the_catalogue(name, variant, settings):
    one = Comparison(sl.games.load(name, **variant), 2, **settings)
    one.play(200)


@pytest.mark.parametrize(("settings", "rounds"), [({}, 150), (RAND, 30)], ids=str)
def test_twin_on_five_prices(settings, rounds):
    one = Comparison(sl.games.load("dynamic-pricing", prices=5), 5, **settings)
    one.play(rounds)


@pytest.mark.parametrize("name", ["bartok", "cops-and-robbers"])
def test_twin_with_contradictory_signs(name):
    """Even laws make every difference uncertain, and a Z of 0 decides all the same."""
    found = 0
    for seed in range(3):
        one = Comparison(sl.games.load(name), seed, **RAND)
        one.law = np.full(one.game.n_outcomes, 1 / one.game.n_outcomes)
        found += one.play(250).contradictions
    assert found >= 3


def random_games(count, seed=0):
    """Yield small games with planted rows that are not hopeless."""
    while count:
        seed += 1
        rng = random.Random(seed)
        game = seeded_game(seed, rng.randint(2, 7), rng.randint(2, 4))
        if sl.analyze(game).kind in ("easy", "hard") and len(sl.analyze(game).neighbors) <= 10:
            count -= 1
            yield seed, game


@pytest.mark.slow
def test_twin_on_random_games():
    planted, kinds = 0, set()
    for seed, game in random_games(14):
        analysis = sl.analyze(game)
        planted += bool(analysis.duplicates or analysis.degenerate)
        kinds.add(analysis.kind)
        for settings in SETTINGS[:2]:
            one = Comparison(game, seed, **settings)
            one.play(100)
    assert planted >= 4
    assert kinds == {"easy", "hard"}


def forecasts(seed, count, outcomes, sighted):
    """Forecasts of the outcome under squared error: their cells are a Voronoi diagram, so there are many pairs."""
    rng = random.Random(seed)
    points = set()
    while len(points) < count:
        cuts = sorted(rng.randint(0, 16) for _ in range(outcomes - 1))
        points.add(tuple(Fraction(b - a, 16) for a, b in zip([0, *cuts], [*cuts, 16], strict=True)))
    every = range(outcomes)
    order = rng.sample(sorted(points), count)
    loss = [[sum((q[k] - (k == j)) ** 2 for k in every) for j in every] for q in order]
    blind = [["x"] * outcomes if rng.random() < 0.4 else [rng.choice("ab") for _ in every] for _ in order]
    return sl.Game(loss, [list(every) if a == 0 or sighted else row for a, row in enumerate(blind)])


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize(
    ("seed", "count", "outcomes", "sighted", "mode"),
    [(1, 13, 2, False, INTERVALS), (2, 13, 2, True, INTERVALS), (1, 8, 3, False, POOLS), (4, 8, 3, True, POOLS)],
)
def test_twin_with_many_pairs(seed, count, outcomes, sighted, mode, settings):
    game = forecasts(seed, count, outcomes, sighted)
    assert len(sl.analyze(game).neighbors) > 10
    one = Comparison(game, seed, **settings)
    assert one.strategy.compiled_parameters.plausible.mode == mode
    one.play(150 if outcomes == 2 else 100)


def test_small_games_use_the_table():
    assert CBP(sl.games.load("bartok")).compiled_parameters.plausible.mode == TABLE


@pytest.mark.parametrize(("prices", "reached"), [(3, False), (7, True)])
def test_only_games_with_pools_compile_what_reads_them(prices, reached, monkeypatch):
    facts = CBP(sl.games.load("dynamic-pricing", prices=prices)).compiled_parameters.plausible
    classes = (Parameters, type(facts))
    before = code_digest(_act, classes)
    monkeypatch.setattr(plausible.plausible_region_admits, "__defaults__", (0,))  # as an edit would
    assert (code_digest(_act, classes) != before) == reached


def test_an_estimate_of_exactly_zero_decides_nothing():
    """Say, four sold and two unsold at the middle price: -1/3 + (4 * 4/3 - 2 * 5/3) / 6 = 0, however small Z is."""
    game = sl.games.load("dynamic-pricing", prices=3)
    for seed in range(12):
        Comparison(game, seed, **RAND).play(100)


def test_the_lowest_of_equal_scores_is_played():
    """Weights 1/2 and 5/3 after 9 and 100 plays: (1/2)^2 / 9 = (5/3)^2 / 100 = 1/36."""
    game = next(game for seed, game in random_games(12) if seed == 12)
    one = Comparison(game, 12)
    one.play(120)


def actions(strategy, rounds=400, seed=5):
    draws = np.random.default_rng(seed)
    played = []
    for _ in range(rounds):
        played.append(strategy.act())
        strategy.observe(strategy.game.feedback[played[-1]][int(draws.random() * strategy.game.n_outcomes)])
    return played


def test_published_observers_of_tau_detection():
    """The verify action alone, (1 - 1/tau, 1); the least norm also uses the constant of the other action."""
    game = sl.games.load("tau-detection", tau="1/5")
    own = {(0, 1): {0: (Fraction(-4), Fraction(1))}}
    assert sl.analyze(game).observer_vectors(0, 1) == {0: (-3, 2), 1: (-1,)}
    for settings in SETTINGS:
        for seed in range(3):
            Comparison(game, seed, observers=own, **settings).play(150)
    swapped = {"1,0": {"0": ["4", -1.0]}}
    assert actions(CBP(game, observers=swapped)) == actions(CBP(game, observers=own))
    assert list(CBP(game, observers=own).compiled_parameters.weight) == [16, 0]
    assert list(CBP(game).compiled_parameters.weight) == [9, 0]


@pytest.mark.parametrize("kind", ["half-range", "max-norm"])
def test_twin_with_other_observers(kind):
    game = sl.games.load("dynamic-pricing", prices=4)
    analysis = sl.analyze(game)
    own = {pair: analysis.observer_vectors(*pair, kind=kind) for pair in analysis.neighbors}
    Comparison(game, 3, observers=own, **RAND).play(200)
    assert actions(CBP(game, observers=kind)) == actions(CBP(game, observers=own))


@pytest.mark.parametrize(
    ("observers", "problem"),
    [
        ("shortest", "minimum-norm"),
        ({}, r"lack the pair of neighbors \(0, 1\)"),
        ({(0, 1): {0: (-4, 2)}}, "add up to"),
        ({(0, 1): {0: (-4,)}}, "one entry per symbol"),
        ({(0, 1): {7: (-4, 1)}}, "name action 7"),
        ({(0, 0): {0: (-4, 1)}}, "not neighbors"),
        ({"both": {0: (-4, 1)}}, "give a pair of actions"),
        ({(0, 1): {0: ("x", 1)}}, "not a number"),
        (3, "a mapping"),
    ],
)
def test_observers_of_ones_own_are_checked(observers, problem):
    with pytest.raises(sl.SidelightError, match=problem):
        CBP(sl.games.load("tau-detection"), observers=observers)


def test_the_twin_finds_the_shortest_vectors_too():
    for name, variant in CATALOGUE:
        analysis = sl.analyze(sl.games.load(name, **variant))
        for i, j in analysis.neighbors:
            difference = [a - b for a, b in zip(analysis.game.loss[i], analysis.game.loss[j], strict=True)]
            found = shortest_vectors(analysis.game, analysis.observers(i, j), difference)
            assert {a: tuple(v.values()) for a, v in found.items()} == analysis.observer_vectors(i, j)


@pytest.mark.parametrize(
    ("loss", "best"),
    [([[1, 1], [0, 0]], 1), ([[0, 1], [1, 1], [0, 1]], 0), ([[2]], 0), ([[1, 2, 3], [0, 2, 2], [0, 2, 2]], 1)],
    ids=str,
)
@pytest.mark.parametrize("kind", [CBP, RandCBP])
def test_a_trivial_game_is_played_optimally_from_the_first_round(kind, loss, best):
    strategy = kind(sl.Game(loss, [[f"symbol {j}" for j in range(len(loss[0]))] for _ in loss]))
    assert set(actions(strategy, 50)) == {best}


@pytest.mark.parametrize(
    "odd",
    [{"sigma": 1e-6}, {"sigma": 1e9}, {"tail": 0.0}, {"tail": 1.0}, {"lower": -50.0}, {"lower": 50.0}, {"bins": 2}],
)
def test_twin_with_extreme_parameters(odd):
    Comparison(sl.games.load("bartok"), 2, **(RAND | odd)).play(150)


def test_all_the_mass_on_the_bound_is_cbp():
    game = sl.games.load("bartok")
    assert actions(RandCBP(game, tail=1.0)) == actions(CBP(game))
    assert actions(RandCBP(game, lower=50.0)) == actions(CBP(game))


@pytest.mark.parametrize("settings", SETTINGS[:2], ids=str)
@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient", "bartok", "dynamic-pricing"])
def test_feedback_under_way_counts_as_a_play_and_not_as_an_observation(name, settings):
    """The twin counts plays when it acts and symbols when it sees them, and t counts acts."""
    one = Comparison(sl.games.load(name, **({"prices": 3} if name == "dynamic-pricing" else {})), 4, **settings)
    waiting, rng = [], random.Random(8)
    for _ in range(250):
        action, expected = one.strategy.act(), one.twin.act()
        assert action == expected
        waiting.append((action, one.game.feedback[action][one.draws.choice(one.game.n_outcomes, p=one.law)]))
        while len(waiting) > 30 or (waiting and rng.random() < 0.5):
            late, symbol = waiting.pop(rng.randrange(len(waiting)))
            one.strategy.observe(symbol, action=late)
            one.twin.observe(symbol, late)
    state = one.strategy.state
    assert state.clock[0] == 250 == state.plays.sum()
    assert state.seen.sum() == 250 - len(waiting)


def test_without_any_feedback_nothing_is_decided():
    strategy = CBP(sl.games.load("bartok"))
    assert [strategy.act() for _ in range(3)] == [0, 1, 2]
    for _ in range(30):
        strategy.act()
        assert not strategy.state.differences.signs.any()


@pytest.mark.parametrize("kind", [CBP, RandCBP])
@pytest.mark.parametrize("name", ["bartok", "cops-and-robbers", "label-efficient"])
def test_the_order_of_outcomes_does_not_matter(kind, name):
    """Vectors of these games are sums of few powers of two, so that floats are exact whatever the order."""
    game = sl.games.load(name)
    order = random.Random(3).sample(range(game.n_outcomes), game.n_outcomes)
    turned = sl.Game([[row[j] for j in order] for row in game.loss], [[row[j] for j in order] for row in game.feedback])
    draws = np.random.default_rng(9)
    one, other = kind(game), kind(turned)
    for _ in range(300):
        action = one.act()
        assert other.act() == action
        symbol = game.feedback[action][int(draws.random() * game.n_outcomes)]
        one.observe(symbol)
        other.observe(symbol)
