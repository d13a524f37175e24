"""Worlds that change: which law is in force when, and regret as a brute-force sum has it."""

import numpy as np
import pytest

import sidelight as sl
from sidelight.environments import Adversarial, Corrupted, Markov, Replay, Switching, hard_sequences
from sidelight.environments.base import baseline, cost, draw

GAME = sl.games.load("label-efficient")
LOSS = np.array(GAME.loss, float)
LAWS = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])


def played(environment, actions, game=GAME, seed=0):
    """Return the laws in force, the outcomes, and the regret after all of the actions."""
    rng = np.random.default_rng(seed)
    world = environment.start(game, 0, rng)
    laws, outcomes, spent = [], [], 0.0
    for action in actions:
        outcomes.append(draw(world, np.zeros(0), rng))
        laws.append(world.laws[world.now[1]])
        spent += cost(world, action, outcomes[-1])
    return np.array(laws), np.array(outcomes), spent - baseline(world)


@pytest.mark.parametrize("against", ["round", "fixed"])
@pytest.mark.parametrize("make", [
    lambda against: Switching(LAWS, times=[30, 70], against=against),
    lambda against: Switching(LAWS, rate=0.1, against=against),
    lambda against: Markov(LAWS, [[0.8, 0.1, 0.1], [0.3, 0.7, 0], [0, 0.5, 0.5]], against=against),
])  # fmt: skip
def test_regret_is_exact(make, against):
    actions = np.random.default_rng(1).integers(3, size=200)
    environment = make(against)
    laws, _, regret = played(environment, actions)
    expected = laws @ LOSS.T
    best = expected.min(axis=1).sum() if against == "round" else expected.sum(axis=0).min()
    assert regret == pytest.approx(expected[np.arange(200), actions].sum() - best)
    assert environment.regret_kind == ("pseudo-regret" if against == "round" else "hindsight")


def test_the_law_jumps_at_the_given_times():
    laws, outcomes, _ = played(Switching([[1, 0], [0, 1], [1, 0]], times=[3, 7]), [0] * 10)
    assert outcomes.tolist() == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]
    assert laws[:, 0].tolist() == [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("environment", [
    Switching(LAWS, rate=0.2), Markov(LAWS, 0.8 * np.eye(3) + 0.2 * np.roll(np.eye(3), 1, axis=1))
])  # fmt: skip
def test_the_law_moves_with_the_given_probability(environment):
    laws, _, _ = played(environment, [0] * 20_000)
    moved = (laws[1:] != laws[:-1]).any(axis=1).mean()
    assert moved == pytest.approx(0.2, abs=0.015)
    assert laws[:, 0].mean() == pytest.approx(LAWS[:, 0].mean(), abs=0.02)


def test_corruption_is_not_charged():
    early, _, regret = played(Corrupted([0.9, 0.1], budget=5), [1] * 20)
    assert early[:, 0].tolist() == [0.1] * 5 + [0.9] * 15
    assert regret == pytest.approx(20 * (0.9 - 0.1))  # predicting B, the unlikely class, at all times
    spread, _, _ = played(Corrupted([0.9, 0.1], corruption=[0, 1], budget=3, every=4), [1] * 20)
    assert np.flatnonzero(spread[:, 0] == 0).tolist() == [0, 4, 8]


def test_laws_may_be_drawn_for_each_run():
    environment = Switching(sl.environments.laws.load("dirichlet", 2), times=[5])
    first, again = (played(environment, [0] * 10, seed=4)[0] for _ in range(2))
    assert (first == again).all()
    assert (first[0] != first[9]).all()
    assert (played(environment, [0] * 10, seed=5)[0] != first).any()


@pytest.mark.parametrize("name", ["label-efficient", "apple-tasting", "dynamic-pricing", "bartok"])
def test_hard_sequences_come_from_laws_on_both_sides_of_a_border(name):
    """A pair of neighbors swaps places, by as much as said; in a hard game its own symbols do not show it."""
    game, rounds = sl.games.load(name), 8_000
    analysis, hard = sl.analyze(game), hard_sequences(game, rounds)
    expected = hard.laws @ np.array(game.loss, float).T
    assert (hard.laws > 0).all()
    assert hard.laws.sum(axis=1) == pytest.approx([1, 1])
    best = expected.argmin(axis=1)
    assert tuple(sorted(best)) in analysis.neighbors
    gap = abs(expected[:, best[0]] - expected[:, best[1]])
    widest = np.abs(np.subtract(*np.array(game.loss, float)[best])).max()
    power = -1 / 3 if analysis.kind == "hard" else -1 / 2
    assert gap == pytest.approx(np.full(2, 0.5 * widest * rounds**power))
    if analysis.kind == "hard":
        for a in analysis.neighborhood(*best):
            signal = np.array(game.signal(a), float)
            assert signal @ hard.laws[0] == pytest.approx(signal @ hard.laws[1])


def test_an_adversary_draws_a_sequence_for_each_run():
    world = Adversarial(hard_sequences(GAME, 500))
    found = sl.simulate(sl.strategies.Uniform(GAME), world, 500, runs=3, workers=1)
    same = sl.simulate(sl.strategies.FixedAction(GAME, action=0), world, 500, runs=3, workers=1)
    assert found.regret_kind == "hindsight"
    assert len(set(same.final)) == 3
    recorded = np.random.default_rng(0).integers(2, size=(3, 500))
    for one, other in zip(*(sl.simulate(sl.strategies.CBP(GAME), w, 500, 3).final for w in (Adversarial(recorded),
                            Replay(recorded))), strict=True):  # fmt: skip
        assert one == other


@pytest.mark.parametrize(("function", "match"), [
    (lambda rng: [0] * int(rng.integers(20, 40)), "outcomes were drawn for run 0, but .* for another"),
    (lambda rng: [7 * int(rng.random() < 0.1)] * 40, "the recording holds outcome 7"),
    (lambda rng: [[0] * 40], "outcomes of shape \\(1, 40\\): let it return \\(T,\\)"),
    (lambda rng: [0] * 19, "19 rounds were recorded, but the horizon is 20"),
])  # fmt: skip
def test_an_adversary_draws_what_can_be_played(function, match):
    """Compiled code does not look whether there is an outcome at a place."""
    with pytest.raises(sl.SidelightError, match=match):
        sl.simulate(sl.strategies.Uniform(GAME), Adversarial(function), 20, runs=40, workers=1)


def test_a_recording_with_the_law_of_each_round():
    rng = np.random.default_rng(3)
    laws = rng.dirichlet(np.ones(2), size=(2, 100))
    outcomes = rng.integers(2, size=(2, 100))
    strategy = sl.strategies.FixedAction(GAME, action=1)
    found = sl.simulate(strategy, Replay(outcomes, laws=laws), 100, runs=2, checkpoints=[1, 100], workers=1)
    expected = laws @ LOSS.T
    gaps = (expected - expected.min(axis=2, keepdims=True))[:, :, 1]
    assert found.regret_kind == "pseudo-regret"
    assert found.regret == pytest.approx(np.stack([gaps[:, 0], gaps.sum(axis=1)], axis=1))


@pytest.mark.parametrize("name", ["RandCBP", "ExpPM", "Mario"])
@pytest.mark.parametrize("symbols", [2, 3, 5])
def test_hard_sequences_cost_what_must_be_paid(symbols, name):
    """Symbol ladder: whoever plays, the worst regret is at least (F - 1) sqrt(n) / 45 for F symbols."""
    game, n = sl.games.load("symbol-ladder", symbols=symbols), 2_000
    strategy, world = getattr(sl.strategies, name)(game), Adversarial(hard_sequences(game, n, scale=2.0))
    assert sl.simulate(strategy, world, n, 10, 3, workers=1).final.mean() > (symbols - 1) * np.sqrt(n) / 45


@pytest.mark.parametrize(("make", "match"), [
    (lambda: Switching(LAWS), "either times or a rate"),
    (lambda: Switching(LAWS, times=[5]), "3 laws cannot change 1 times"),
    (lambda: Switching(LAWS, times=[5, 5]), "increasing"),
    (lambda: Switching(LAWS, rate=1.5), "between 0 and 1"),
    (lambda: Switching([0.5, 0.5], times=[3]), "several laws"),
    (lambda: Switching([[0.5, 0.6], [0.5, 0.5]], times=[3]), "law 0 is .* sums to 1.1"),
    (lambda: Switching(LAWS, times=[1, 2], against="best"), "'round' or 'fixed'"),
    (lambda: Markov(LAWS, np.eye(2)), "3 laws, but the transition"),
    (lambda: Switching(LAWS, rate="often"), "rate is 'often': give a number"),
    (lambda: Switching(np.zeros((0, 2)), rate=0.5), "give several laws"),
    (lambda: Switching([[0.5, 0.5], [1]], times=[3]), "rows that differ in length"),
    (lambda: Switching(LAWS, times=[1.5, 3]), "a time is 1.5: give a whole number"),
    (lambda: Switching(LAWS, times=[0, 3]), "a time is 0"),
    (lambda: Switching(LAWS, times=[1, 2**70]), "below 2\\*\\*62"),
    (lambda: Switching(LAWS, times=3), "times is 3: give a list"),
    (lambda: Markov(LAWS, [[0.5, 0.5], [1]]), "transition laws: not numeric, or rows"),
    (lambda: Corrupted([0.5, 0.5], budget=0), "budget is 0"),
    (lambda: Corrupted([0.5, 0.5], every=2**70), "every is .*below 2\\*\\*62"),
    (lambda: hard_sequences(sl.games.load("hopeless"), 10), "the game is hopeless"),
    (lambda: hard_sequences(GAME, 0), "rounds is 0"),
    (lambda: hard_sequences(GAME, 10, scale=float("nan")), "scale is nan: give a number above 0"),
    (lambda: Replay([[0, 1], [0]]), "rows differ in length"),
    (lambda: Replay([0, 1], law=[[0.5, 0.5], [1]]), "the law: not numeric, or rows"),
    (lambda: Replay([0, 1], laws="even"), "laws: not numeric"),
    (lambda: Replay([0, 1], contexts=[[1], [1, 2]]), "contexts: not numeric, or rows"),
    (lambda: Replay([0, 1], laws=[[0.5, 0.5]]), "give \\(2, M\\)"),
    (lambda: Replay([0, 1], laws=[[0.5, 0.5], [0.5, 0.6]]), "not a law"),
    (lambda: Replay([0, 1], law=[0.5, 0.5], laws=[[0.5, 0.5]] * 2), "not both"),
])  # fmt: skip
def test_mistakes_are_named(make, match):
    with pytest.raises(sl.SidelightError, match=match):
        make()
