"""Upper bounds as numbers, against a second evaluation by hand."""

import math

import numpy as np
import pytest

import sidelight as sl
from sidelight.limits import upper_bound

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


def test_mario_and_scale():
    game = sl.games.load("bartok")
    larger = sl.Game([[5 * x for x in row] for row in game.loss], game.feedback)
    law = [0.5, 0.3, 0.2]
    bound = upper_bound(sl.strategies.Mario(game), law, T)
    assert bound.value == pytest.approx(3**1.5 * 4 * math.sqrt(8 * T * math.log(3)) * max(map(max, game.loss)))
    assert upper_bound(sl.strategies.Mario(larger), law, T).value == pytest.approx(5 * bound.value)
    assert "does not hold: the posterior is exact" in str(bound)


@pytest.mark.parametrize("name", ["apple-tasting", "label-efficient", "bartok"])
@pytest.mark.parametrize("kind", ["CBP", "FeedExp3", "ExpPM"])
def test_measured_regret_is_below(name, kind):
    game = sl.games.load(name)
    law = [0.4, 0.6] if game.n_outcomes == 2 else [0.5, 0.3, 0.2]
    strategy = getattr(sl.strategies, kind)(game)
    found = sl.simulate(strategy, sl.environments.IID(law), 2_000, 4, workers=1).final
    assert found.max() < upper_bound(strategy, law, 2_000).value


def test_what_is_not_known_is_said():
    game = sl.games.load("apple-tasting")
    with pytest.raises(sl.SidelightError, match="no bound with all its constants is known for BOBW"):
        upper_bound(sl.strategies.BOBW(game), [0.4, 0.6], T)
    assert upper_bound(sl.strategies.CBP(sl.games.load("trivial")), [0.4, 0.6], T).value == 0
    with pytest.raises(sl.SidelightError, match="sums to"):
        upper_bound(sl.strategies.CBP(game), [0.4, 0.5], T)
