"""Prospect: its evaluation against the formulas, its horizon, what it plays and how it explains that."""

import math
from fractions import Fraction

import numpy as np
import pytest
from common.recordings import record_law
from optimization.test_posterior_mode import fitted, gradient
from random_games import spell
from scipy.stats import norm

import sidelight as sl
from sidelight.strategies import Prospect
from sidelight.strategies.prospect.evaluation import evaluate, most_worthwhile_look, new_belief, terms
from sidelight.strategies.prospect.prospect import rounds_to_come

APPLES, LABELS = sl.games.load("apple-tasting"), sl.games.load("label-efficient")
PRICES = sl.games.load("dynamic-pricing", prices=4)


def outlook(game, counts, rounds):
    """Return what an evaluation finds, and the actions that it calls best and worth most."""
    setting = terms(sl.analyze(game))
    belief = new_belief(setting)
    belief.counts[:] = counts
    best = evaluate(setting, belief, float(rounds))
    return setting, belief.outlook, best, most_worthwhile_look(belief.outlook, best)


def log_posterior(game, counts, prior, law):
    symbols = np.concatenate([np.array(game.signal(a), float) @ law for a in range(game.n_actions)])
    used = np.concatenate([[game.informative(a)] * len(game.symbols(a)) for a in range(game.n_actions)])
    return np.array(counts)[used] @ np.log(symbols[used]) + prior * np.log(law).sum()


def by_the_formulas(game, counts, rounds):
    """Return cost and earning by action, evidence and gain by rival, all from the definitions."""
    prior = 1 / math.sqrt(2 * game.n_outcomes)
    analysis = sl.analyze(game)
    loss = np.array(game.loss, float)
    law, _ = fitted(game, counts, prior)
    best = min(analysis.pareto, key=lambda i: (round(loss[i] @ law, 12), i))
    cost, earning, found = loss @ law - loss[best] @ law, np.zeros(game.n_actions), {}
    for rival in set(analysis.pareto) - {best}:
        other, _ = fitted(game, counts, prior, loss[rival] - loss[best])
        evidence = log_posterior(game, counts, prior, law) - log_posterior(game, counts, prior, other)
        z = math.sqrt(2 * max(evidence, 1e-9))
        gain = cost[rival] / z * (norm.pdf(z) - z * norm.cdf(-z))
        found[rival] = evidence, gain
        looks = {}
        for a in range(game.n_actions):
            p, q = (np.array(game.signal(a), float) @ each for each in (law, other))
            divergence = p @ np.log(p / q)
            looks[a] = max(1, evidence / (1 + evidence) / divergence) if divergence > 1e-14 else math.inf
        to_come = min(rounds, looks[best])
        for a in set(range(game.n_actions)) - {best}:
            earning[a] += max(0.0, to_come - looks[a]) * gain / looks[a] if looks[a] < math.inf else 0.0
    return best, cost, earning, found


@pytest.mark.parametrize(
    "name", ["apple-tasting", "label-efficient", "bartok", "three-class-label-efficient", "pricing"]
)
def test_an_evaluation_follows_the_formulas(name):
    game = PRICES if name == "pricing" else sl.games.load(name)
    rng = np.random.default_rng(5)
    for _ in range(12):
        law = rng.dirichlet(np.ones(game.n_outcomes))
        shares = [np.minimum(np.array(game.signal(a), float) @ law, 1.0) for a in range(game.n_actions)]
        counts = np.concatenate([rng.multinomial(rng.integers(0, 200), share) for share in shares])
        best, cost, earning, found = by_the_formulas(game, counts, 5000.0)
        if min(evidence for evidence, _ in found.values()) < 1e-3:
            continue  # ties are another test's
        setting, seen, chosen, _ = outlook(game, counts, 5000)
        assert chosen == best
        np.testing.assert_allclose(seen.cost * setting.scale, cost, atol=1e-9)
        np.testing.assert_allclose(seen.earning * setting.scale, earning, rtol=1e-4, atol=1e-9)
        for c, rival in enumerate(setting.member.tolist()):
            if rival != best:
                assert seen.evidence[c] == pytest.approx(found[rival][0], abs=1e-7)
                assert seen.gain[c] * setting.scale == pytest.approx(found[rival][1], rel=1e-5, abs=1e-12)


def test_ties_are_the_limit_of_what_lies_beside_them():
    for game, tie, beside in (
        (APPLES, [0, 4000, 4000], [0, 4000, 4001]),
        (LABELS, [4000, 4000, 0, 0], [4000, 4001, 0, 0]),
        (APPLES, [0, 5e8, 5e8], [0, 5e8, 5e8 + 300]),
    ):
        setting, exactly, _, _ = outlook(game, tie, 1e6)
        _, nearly, _, _ = outlook(game, beside, 1e6)
        assert exactly.evidence.max() < 1e-12
        np.testing.assert_allclose(exactly.gain[exactly.gain > 0], nearly.gain[nearly.gain > 0], rtol=0.03)
        look = 1 if game is APPLES else 0
        assert exactly.earning[look] == pytest.approx(nearly.earning[look], rel=0.03)
    slope, seen = gradient(APPLES, [0, 4000, 4000], setting.prior, np.array([0.5, 0.5]))
    np.testing.assert_allclose(slope, seen + 2 * setting.prior)


def test_evaluations_never_fail_and_never_loop_on_extreme_counts():
    with np.errstate(all="raise", under="ignore"):
        for game in (APPLES, LABELS, PRICES, sl.games.load("bartok"), sl.games.load("bernoulli-bandit")):
            symbols = int(terms(sl.analyze(game)).signals.first[-1])
            for rounds in (1.0, 1e15):
                for counts in (np.zeros(symbols), np.ones(symbols), np.full(symbols, 1e9), np.eye(symbols)[-1] * 1e9):
                    _, seen, _, chosen = outlook(game, counts, rounds)
                    assert 0 <= chosen < game.n_actions
                    for values in (seen.cost, seen.earning, seen.evidence, seen.gain):
                        assert np.isfinite(values).all()
                        assert values.min() >= 0.0


def test_the_horizon_counts_down_and_play_goes_on_after_it():
    known, anytime = Prospect(APPLES, horizon=100).compiled_parameters, Prospect(APPLES).compiled_parameters
    assert rounds_to_come(known, 0) == 100.0
    assert rounds_to_come(known, 99) == 1.0
    assert rounds_to_come(known, 100) == rounds_to_come(anytime, 100)
    assert rounds_to_come(Prospect(APPLES, horizon=100, caution=2).compiled_parameters, 40) == 120.0
    strategy = Prospect(APPLES, horizon=3)
    for _ in range(50):
        strategy.observe(APPLES.feedback[strategy.act()][1])


def test_with_one_round_to_come_it_does_not_look():
    strategy = Prospect(LABELS, horizon=1)
    assert strategy.act() in (1, 2)


def test_informative_duplicates_are_played_and_show_more():
    game = spell([[0, 1], [1, 0], [0, 1]], ["xx", "yy", "ab"])
    strategy = Prospect(game)
    played = set()
    for _ in range(40):
        action = strategy.act()
        played.add(action)
        strategy.observe(game.feedback[action][0])
    assert played == {2}


@pytest.mark.parametrize("factor", [1, 10**9, "1e-9"])
def test_units_of_loss_do_not_matter(factor):
    scaled = sl.Game([[value * Fraction(factor) for value in row] for row in PRICES.loss], PRICES.feedback)
    outcomes = np.random.default_rng(1).integers(4, size=300)
    plays = []
    for game in (PRICES, scaled):
        strategy = Prospect(game)
        plays.append([])
        for outcome in outcomes:
            plays[-1].append(strategy.act())
            strategy.observe(game.feedback[plays[-1][-1]][outcome])
    assert plays[0] == plays[1]


@pytest.mark.parametrize("game", [APPLES, LABELS])
def test_regret_is_far_below_that_of_cbp(game):
    law = record_law([0.45, 0.55], 100, 20_000)
    found = [
        sl.simulate(strategy, law, horizon=20_000, runs=100, seed=100).final.mean()
        for strategy in (Prospect(game), Prospect(game, horizon=20_000), sl.strategies.CBP(game))
    ]
    assert max(found[:2]) < 0.7 * found[2]


def test_it_explains_what_a_look_costs_and_may_earn():
    strategy = Prospect(APPLES)
    assert strategy.explain() == ""
    for t in range(400):
        strategy.observe(APPLES.feedback[strategy.act()][1])
        text = strategy.explain()
        if t == 0:
            assert "a look at 1 taste costs 0 and may earn" in text
            assert "Chosen: 1 taste, to look" in text
    assert "it does not pay" in text
    assert "Chosen: 0 sell, since no look pays" in text
    assert "holds until round" in text
    trivial = Prospect(sl.games.load("trivial"))
    trivial.act()
    assert "trivial" in trivial.explain()


def test_explanations_of_large_games_stay_short():
    game = sl.games.load("dynamic-pricing", prices=15)
    strategy = Prospect(game)
    for t in range(30):
        strategy.observe(game.feedback[strategy.act()][t % 15])
    lines = strategy.explain().splitlines()
    assert len(lines) < 20
    assert any("more" in line for line in lines)
