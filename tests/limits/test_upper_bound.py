"""Upper bounds as numbers, against a second evaluation by hand."""

import itertools
import math

import numpy as np
import pytest
from common.recordings import record_law
from scipy.optimize import linprog

import sidelight as sl
from sidelight.kernels import compiled
from sidelight.limits import upper_bound
from sidelight.limits.upper_bound import local_to_global_constant_of_bound
from sidelight.strategies.adversarial.neighborhood_watch import rates, set_chain

T = 20_000


def test_cbp_on_apple_tasting():
    """N = 2, V = N+ = {sell, taste}, W = (0, 1), g <= 2, gap = 0.2 for tasting at the law (0.4, 0.6)."""
    game = sl.games.load("apple-tasting")
    strategy = sl.strategies.RandCBP(game, alpha=1.5)
    gaps = np.array(game.loss, float) @ [0.4, 0.6]
    gaps -= gaps.min()
    W = [max(abs(float(x)) for x in v) for v in sl.analyze(game).observer_vectors(0, 1).values()]
    W = [w if game.informative(a) else 0.0 for a, w in enumerate(W)]
    wanted = 2 * (2 * 2 * 2 + 1) + gaps.sum()
    wanted += sum(4 * W[k] ** 2 * 2**2 / gaps[k] * 1.5 * math.log(T) for k in (0, 1) if gaps[k] > 0)
    bound = upper_bound(strategy, [0.4, 0.6], T)
    assert bound.value == pytest.approx(wanted)
    assert bound.holds
    assert not upper_bound(sl.strategies.CBP(game, alpha=0.5), [0.4, 0.6], T).holds
    assert upper_bound(sl.strategies.CBP(game, alpha=0.5), [0.4, 0.6], T).value == math.inf
    assert not upper_bound(strategy, [0.5, 0.5], T).holds  # a tie


def test_cbp_on_a_hard_game():
    """Label-efficient prediction: only the question observes, and it is no neighbor; one pair with 3 observers."""
    game, alpha = sl.games.load("label-efficient"), 1.01
    gaps = np.array([1 - 0.3, 0.0, 0.7 - 0.3])
    rate = (alpha * math.log(T)) ** (1 / 3) * T ** (2 / 3)
    wanted = 3 * (2 * (1 + 1 / 0.02) * 3 + 1) + gaps.sum() + 4 * 1 * 9 / 0.7 * alpha * math.log(T)
    wanted += 2 * 0.7 * rate + 2 * 3 * rate
    bound = upper_bound(sl.strategies.CBP(game), [0.3, 0.7], T)
    assert bound.value == pytest.approx(wanted)
    assert bound.holds


def test_feedexp3():
    """K = 1/4 on label-efficient prediction: one explorer whose estimates differ by 1 at most."""
    bound = upper_bound(sl.strategies.FeedExp3(sl.games.load("label-efficient")), [0.3, 0.7], T)
    variance = (math.e - 2) * 0.25
    total = 0.0
    for t in range(1, T + 1):
        gamma = min(1, (variance * math.log(2) / t) ** (1 / 3))
        eta = math.log(2) ** (2 / 3) * variance ** (-1 / 3) * t ** (-2 / 3)
        total += variance * eta / gamma + gamma
    assert bound.value == pytest.approx(total + math.log(2) / eta)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("full-information", math.sqrt(2 * T * math.log(3))),
        ("bernoulli-bandit", math.sqrt(2 * T * 2 * math.log(2))),
        ("apple-tasting", 6 * 2 * 2**1.5 * math.sqrt(T * math.log(2))),
        ("label-efficient", 3 * (T / 2) ** (2 / 3) * math.log(3) ** (1 / 3)),
    ],
)
def test_exppm(name, wanted):
    game = sl.games.load(name)
    law = np.full(game.n_outcomes, 1 / game.n_outcomes)
    assert upper_bound(sl.strategies.ExpPM(game), law, T).value == pytest.approx(wanted)


@pytest.mark.parametrize("T", [100, 20_000, 10**6])
@pytest.mark.parametrize("name", ["label-efficient", "bartok"])
def test_bobw_sums_up(name, T):
    """The closed forms bound the sums that they stand for, at the weights that change least and most."""
    game = sl.games.load(name)
    strategy = sl.strategies.BOBW(game)
    value = upper_bound(strategy, np.full(game.n_outcomes, 1 / game.n_outcomes), T).value
    known = strategy.compiled_parameters
    k, kappa = len(known.estimator.members), (math.exp(4) - 5) / 16
    scale = max(max(column) - min(column) for column in zip(*game.loss, strict=True))
    for doubt, entropy in ((1 - 1 / k, math.log(k)), (1 - 1 / k, 0.0), (1e-3, math.log(k)), (0.0, 0.0)):
        beta, spent, sums, total = max(known.learning, 2 * known.size), 0.0, 0.0, 0.0
        total += beta * math.log(k)
        for _ in range(min(T, 20_000)):
            sums += doubt
            ratio = 4 * (1 + sums ** (1 / 3) / known.exploring)
            total += doubt / ratio + known.size / (2 * beta) + 4 * kappa * known.size**2 * ratio / beta
            step = known.learning * ratio / math.sqrt(known.exploring + spent)
            total += step * entropy
            beta, spent = beta + step, spent + ratio * entropy
        assert total * scale <= value
    assert value < (40 if T > 100 else 400) * scale * T


def contextual_bound(W, g, psi, d, lam, T, longest, alpha, outside):
    """Evaluate the theorem on RandCBPside* term by term."""
    width = psi * (math.sqrt(d * math.log(T) + 2 * math.log(T**2)) + psi)
    root = [2 * g * w * width * math.sqrt(2 * d * math.log(1 + T * longest / (d * lam))) for w in W]
    total = len(W) * math.pi**2 / 6 + len(W) + sum(r * math.sqrt(T) for r in root)
    f = alpha ** (1 / 3) * T ** (2 / 3) * math.log(T) ** (1 / 3)
    for k in outside:
        eta = W[k] ** (2 / 3)
        total += root[k] * (math.sqrt(eta * f) + math.sqrt(min(T, eta * f)))
        total += T * 2 * g * width / math.sqrt(f) * max(W) ** (2 / 3)
    return total


@pytest.mark.parametrize(
    ("name", "W", "g", "outside"),
    [("apple-tasting", [0.0, math.sqrt(2)], 2, ()), ("label-efficient", [math.sqrt(2), 0.0, 0.0], 3, (0,))],
)
@pytest.mark.parametrize("kind", ["CBPSide", "RandCBPSide"])
def test_contexts(kind, name, W, g, outside):
    """One pair of neighbors; v = (1, -1) for the one informative action, of length sqrt(2)."""
    game = sl.games.load(name)
    world = sl.environments.LinearContexts(np.full(4, 0.2), high=1.2)
    strategy = getattr(sl.strategies, kind)(game, dimension=4, bounds="corrected")
    bound = upper_bound(strategy, world, T)
    wanted = contextual_bound(W, g, 2, 4, 0.05, T, 4 * 1.2**2, 1.01, outside)
    assert bound.value == pytest.approx(wanted)
    assert [c.holds for c in bound.conditions] == [True] * 4 + [False]
    tight = upper_bound(getattr(sl.strategies, kind)(game, dimension=4), world, T)
    assert [c.holds for c in tight.conditions] == [True, True, False, False, False]
    with pytest.raises(sl.SidelightError, match="give a LinearContexts"):
        upper_bound(strategy, [0.4, 0.6], T)
    with pytest.raises(sl.SidelightError, match="needs 1"):
        upper_bound(strategy, sl.environments.LinearContexts(np.full((2, 4), 0.1)), T)


# Two calls, cheap looks between them, twice the first call and a mixture of call and look: k = 5, and between the first
# call and looking lie 2 actions, between looking and the second call none.
LINE = sl.Game(
    [[0, 4], [4, 0], [1, 1], [0, 4], ["1/2", "5/2"]], [["?", "?"], ["?", "?"], ["a", "b"], ["?", "?"], ["a", "b"]]
)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("horizon", [None, T])
def test_neighborhood_watch_on_a_line(horizon, bias):
    """Kappa = 4/3, from one call to the other: 4/3 (L_0 - L_2) = (-4/3, 4) is nowhere below L_0 - L_1 = (-4, 4)."""
    strategy = sl.strategies.NeighborhoodWatch2(LINE, horizon=horizon, bias=bias)
    V, k, total, explored = strategy.compiled_parameters.size, 5, 0.0, 0.0
    for t in range(1, T + 1):
        n = horizon or max(2, t)
        gamma = min(0.5, V * k * (eta := math.sqrt(math.log(k * n) / (n * k)) / V))
        eta = min(eta, 0.5 / (V * k))
        m = 1 + gamma if bias else 1
        s = (math.exp(m) - 1 - m) / m**2
        X = 2 * max(1 + 1 + 5 * 2, 1 + 2 + 5 * 2, 1 + 1) / (1 - gamma)
        total += eta * V**2 * X * (1 + s * (1 + 2 * eta + gamma) if bias else s)
        explored += gamma
    total += (math.log(2) + math.log(2) + math.log(3)) / eta
    bound = upper_bound(strategy, [0.4, 0.6], T)
    assert bound.value == pytest.approx(4 * (4 / 3 * total + explored))
    assert bound.holds


@pytest.mark.parametrize("game", [LINE, *map(sl.games.load, ("bartok", "revenue-pricing"))], ids=str)
def test_the_constants_of_neighborhood_watch(game):
    """Kappa by its other program, and what bounds the squares of estimates, both in play."""
    analysis, loss = sl.analyze(game), np.array(game.loss, float)
    members, kappa = analysis.cells.pareto, 0.0
    for a, b in itertools.permutations(members, 2):
        near = [c for c in members if (min(b, c), max(b, c)) in analysis.neighbors]
        found = linprog(np.ones(len(near)), A_ub=(loss[near] - loss[b]).T, b_ub=loss[a] - loss[b])
        kappa = max(kappa, found.fun)
    assert float(local_to_global_constant_of_bound(analysis)) == pytest.approx(kappa)
    strategy, rng = sl.strategies.NeighborhoodWatch2(game, seed=3), np.random.default_rng(4)
    watch, state, size = strategy.compiled_parameters.watch, strategy.state, len(members)
    neighbors = [np.sum(watch.source == i) for i in range(size)]
    between = [(watch.watched[watch.source == i].sum(axis=1) - 2).sum() for i in range(size)]
    most = 2 * max(1 + n + len(watch.played) * d for n, d in zip(neighbors, between, strict=True))
    for _ in range(300):
        totals, chain = state.totals.copy(), np.zeros((size, size))
        action = strategy.act()
        set_chain(watch, totals, state.eta[0], chain)
        r, gamma = state.stationary[list(members)], rates(strategy.compiled_parameters, state.clock[0])[1]
        squares = [
            chain[i, a] * r[i] ** 2 * (1 / state.chance[watch.watched[e] == 1]).sum()
            for e, (i, a) in enumerate(zip(watch.source, watch.target, strict=True))
        ]
        assert sum(squares) <= most / (1 - gamma)
        strategy.observe(game.feedback[action][rng.choice(game.n_outcomes)])


def test_mario_and_scale():
    game = sl.games.load("bartok")
    larger = sl.Game([[5 * x for x in row] for row in game.loss], game.feedback)
    law = [0.5, 0.3, 0.2]
    bound = upper_bound(sl.strategies.Mario(game), law, T)
    assert bound.value == pytest.approx(3**1.5 * 4 * math.sqrt(8 * T * math.log(3)) * max(map(max, game.loss)))
    assert upper_bound(sl.strategies.Mario(larger), law, T).value == pytest.approx(5 * bound.value)
    assert "does not hold: the posterior is exact" in str(bound)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        *itertools.product(("CBP", "FeedExp3", "BOBW", "ExpPM"), ("apple-tasting", "label-efficient", "bartok")),
        ("NeighborhoodWatch2", "apple-tasting"),  # label-efficient prediction is hard, so it is refused
        ("NeighborhoodWatch2", "bartok"),
    ],
)
def test_measured_regret_is_below(kind, name):
    game = sl.games.load(name)
    law = [0.4, 0.6] if game.n_outcomes == 2 else [0.5, 0.3, 0.2]
    strategy = getattr(sl.strategies, kind)(game)
    with compiled():
        found = sl.simulate(strategy, record_law(law, 4, 2_000), 2_000, 4, workers=1).final
    assert found.max() < upper_bound(strategy, law, 2_000).value


def test_what_is_not_known_is_said():
    game = sl.games.load("apple-tasting")
    with pytest.raises(sl.SidelightError, match="is known for BPMTS: there are some for RandCBP, RandCBPS"):
        upper_bound(sl.strategies.BPMTS(game), [0.4, 0.6], T)
    assert upper_bound(sl.strategies.CBP(sl.games.load("trivial")), [0.4, 0.6], T).value == 0
    with pytest.raises(sl.SidelightError, match="sums to"):
        upper_bound(sl.strategies.CBP(game), [0.4, 0.5], T)
