"""ProspectSide in worlds that fit no line: it loses little to Prospect, which ignores contexts, and to RandCBPSide."""

import numpy as np
import pytest
from common.recordings import record_contexts

import sidelight as sl
from sidelight.kernels import compiled
from sidelight.strategies.prospect.prospect_side import BLIND, ODDS, note, recall
from sidelight.strategies.prospect.side_belief import SEEN

GAMES = {
    "apples": sl.games.load("apple-tasting"),
    "labels": sl.games.load("label-efficient"),
    "prices": sl.games.load("dynamic-pricing", prices=3),
}
CONTEXTS = np.random.default_rng(0).normal(size=(2000, 10))
NORM = (CONTEXTS[:, :4] ** 2).sum(axis=1)


def two(first):
    """Return laws of two outcomes from the probability of the first."""
    return np.column_stack([first, 1 - np.asarray(first)])


def valuations():
    """What customers would pay grows with the square of a feature."""
    scores = -((np.arange(3) - 0.5 - 0.5 * CONTEXTS[:, :1] ** 2) ** 2) / 1.28
    laws = np.exp(scores - scores.max(axis=1, keepdims=True))
    return laws / laws.sum(axis=1, keepdims=True)


# How many features are seen, and the laws. A ball holds half or 80 % of the contexts.
WORLDS = {
    "ball": (4, two(np.where(NORM < 3.357, 0.1, 0.9))),
    "large ball": (4, two(np.where(NORM < 5.989, 0.1, 0.9))),
    "checkers": (2, two(np.where(CONTEXTS[:, 0] * CONTEXTS[:, 1] > 0, 0.9, 0.1))),
    "square": (1, two(1 / (1 + np.exp(0.6 - 0.3 * CONTEXTS[:, 0] ** 2)))),
    "useless": (10, two(np.full(2000, 0.4))),
    "ball of prices": (4, np.where(NORM[:, None] < 5.989, [0.7, 0.2, 0.1], [0.1, 0.2, 0.7])),
    "valuations": (4, valuations()),
    "useless for prices": (4, np.tile([0.5, 0.2, 0.3], (2000, 1))),
}


def mean_regret(strategy, world, runs=64):
    with compiled():
        found = sl.simulate(strategy, world, horizon=5000, runs=runs, seed=1000, progress=False, workers=1)
    return found.final.mean()


@pytest.mark.parametrize(
    ("game", "name", "most"),
    [
        ("apples", "ball", 1.25),
        ("labels", "ball", 1.25),
        ("apples", "large ball", 1.15),
        ("labels", "large ball", 1.3),
        ("apples", "checkers", 1.3),
        ("labels", "checkers", 1.35),
        ("apples", "square", 1.55),
        ("labels", "square", 1.2),
        ("apples", "useless", 2.6),
        ("labels", "useless", 3.3),
        ("prices", "ball of prices", 1.1),
        ("prices", "valuations", 0.9),
        ("prices", "useless for prices", 2.7),
    ],
)
def test_loses_little_where_the_law_fits_no_line(game, name, most):
    dimension, laws = WORLDS[name]
    world = record_contexts(laws, CONTEXTS[:, :dimension], 64, 5000)
    rivals = sl.strategies.Prospect(GAMES[game]), sl.strategies.RandCBPSide(GAMES[game], dimension=dimension)
    best = min(mean_regret(rival, world) for rival in rivals)
    assert mean_regret(sl.strategies.ProspectSide(GAMES[game], dimension), world) < most * best


@pytest.mark.parametrize(("game", "rival"), [("apples", 4.0), ("labels", 2.0)])
def test_finds_the_one_category_in_ten_that_is_otherwise(game, rival):
    laws = two(np.where(np.arange(10) == 3, 0.9, 0.05))
    world = record_contexts(laws, np.eye(10), 64, 5000)
    regret = mean_regret(sl.strategies.ProspectSide(GAMES[game], 10), world)
    assert regret < rival * mean_regret(sl.strategies.RandCBPSide(GAMES[game], dimension=10), world)
    assert regret < 0.4 * mean_regret(sl.strategies.Prospect(GAMES[game]), world)


def test_few_labels_of_one_symbol_seldom_end_the_search():
    regret = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = (rng.random((2000, 8)) < rng.uniform(0.05, 0.5, 8)).astype(float)
        score = x @ rng.normal(scale=2, size=8)
        laws = two(1 / (1 + np.exp(-2 * (score - np.quantile(score, 0.9)))))
        strategy = sl.strategies.ProspectSide(GAMES["apples"], 8)
        regret.append(mean_regret(strategy, record_contexts(laws, x, 8, 5000), runs=8))
    assert np.mean(regret) < 75  # 64 with a standard error of 5; without contexts it is 277


@pytest.mark.parametrize(("slope", "least", "most"), [(3.0, 1.0, np.inf), (0.0, -np.inf, 0.5)])
def test_finds_out_whether_contexts_help(slope, least, most):
    laws = two(1 / (1 + np.exp(0.4 - slope * CONTEXTS[:, 0])))
    rng, game = np.random.default_rng(3), GAMES["labels"]
    strategy = sl.strategies.ProspectSide(game, 5)
    for x, law in zip(CONTEXTS[:600, :5], laws, strict=False):
        action = strategy.act(x)
        strategy.observe(game.feedback[action][int(rng.random() > law[0])])
    assert least < strategy.state.counts[ODDS] < most


def test_late_symbols_of_blind_looks_reach_the_constant_belief():
    rng, game = np.random.default_rng(4), GAMES["labels"]
    strategy, played, blind = sl.strategies.ProspectSide(game, 4), [], 0
    for x, law in zip(CONTEXTS[:600, :4], WORLDS["large ball"][1], strict=False):
        played.append((x, strategy.act(x), int(rng.random() > law[0])))
        blind += int(strategy.state.scratch.decision[BLIND])
        if len(played) == 50:
            for seen, action, j in reversed(played):
                strategy.observe(game.feedback[action][j], action=action, context=seen)
            played = []
    assert strategy.state.constant.counts[SEEN] == blind > 20


def test_contexts_are_kept_until_their_symbols_come():
    pending = sl.strategies.ProspectSide(GAMES["apples"], 1).state.pending
    room = len(pending.due)
    for k in range(room + 1):  # the last one finds no room
        note(pending, 500 + k, np.array([float(k)]))
    assert recall(pending, np.array([float(room)])) == 0
    assert recall(pending, np.array([7.0])) == 1
    assert recall(pending, np.array([7.0])) == 0  # a symbol that comes twice counts once
    note(pending, 1001, np.array([-1.0]))
    note(pending, 1100, np.array([-2.0]))  # in the place of the one of round 500, given up
    assert [recall(pending, np.array([x])) for x in (-1.0, -2.0, 0.0)] == [1, 1, 0]
