"""Recorded outcomes: played back as they are, and regret as a brute-force count has it."""

from typing import ClassVar

import numpy as np
import pytest

import sidelight as sl
from sidelight.environments import Replay
from sidelight.environments.base import draw

GAME = sl.games.load("dynamic-pricing", prices=4)
HORIZON, RUNS = 120, 3
RECORDED = np.random.default_rng(0).integers(4, size=(RUNS, HORIZON))
LAWS = np.random.default_rng(1).dirichlet(np.ones(4), size=RUNS)


class Scripted(sl.strategies.Strategy):
    """Plays the actions 0, 1, ... in turn, and keeps what it sees."""

    log: ClassVar[list] = []

    def _start(self):
        return {"t": 0}

    def _act(self, context):
        self.state["t"] += 1
        return (self.state["t"] * 7 // 3) % self.game.n_actions

    def _observe(self, action, symbol, context):
        Scripted.log.append((action, self.game.symbols(action)[symbol]))


def script(horizon=HORIZON):
    return [(t * 7 // 3) % 4 for t in range(1, horizon + 1)]


def simulated(environment, strategy=None, **how):
    settings = {"horizon": HORIZON, "runs": RUNS, "checkpoints": [1, 2, 17, 60, HORIZON]} | how
    return sl.simulate(strategy or Scripted(GAME), environment, **settings)


def hindsight(actions, recorded, rounds):
    """Count regret against the best fixed action up to each round."""
    loss = [[float(value) for value in row] for row in GAME.loss]
    regrets = []
    for end in rounds:
        spent = sum(loss[a][j] for a, j in zip(actions[:end], recorded[:end], strict=True))
        regrets.append(spent - min(sum(row[j] for j in recorded[:end]) for row in loss))
    return regrets


def test_hindsight_regret_at_each_checkpoint():
    results = simulated(Replay(RECORDED))
    assert results.regret_kind == "hindsight"
    for run in range(RUNS):
        assert results.regret[run].tolist() == hindsight(script(), RECORDED[run].tolist(), results.rounds)
    assert results.regret.min() < results.regret[:, -1].max()


def test_hindsight_regret_of_a_compiled_strategy():
    results = simulated(Replay(RECORDED), sl.strategies.RandCBP(GAME), seed=3)
    for run in range(RUNS):
        strategy = sl.strategies.RandCBP(GAME).reset(np.random.SeedSequence(3, spawn_key=(run, 1)))
        actions = []
        for outcome in RECORDED[run]:
            actions.append(strategy.act())
            strategy.observe(GAME.feedback[actions[-1]][outcome])
        assert results.regret[run].tolist() == hindsight(actions, RECORDED[run].tolist(), results.rounds)
        assert results.plays[run].tolist() == np.bincount(actions, minlength=4).tolist()


def test_hindsight_regret_may_be_negative():
    # Whoever changes with the outcomes beats every fixed action.
    game = sl.Game([[1, 0], [0, 1]], [["a", "b"], ["a", "b"]])

    class Changing(Scripted):
        def _act(self, context):
            self.state["t"] += 1
            return self.state["t"] % 2

    results = sl.simulate(Changing(game), Replay([0, 1] * 10), horizon=20, runs=1, checkpoints=2)
    assert results.regret.tolist() == [[-5.0, -10.0]]


def test_pseudo_regret_under_a_law():
    loss = np.array([[float(value) for value in row] for row in GAME.loss])
    for law, rows in ((LAWS, LAWS), (LAWS[0], LAWS[[0, 0, 0]])):
        results = simulated(Replay(RECORDED, law=law))
        assert results.regret_kind == "pseudo-regret"
        for run in range(RUNS):
            gaps = loss @ rows[run] - (loss @ rows[run]).min()
            assert np.allclose(results.regret[run], np.cumsum(gaps[script()])[results.rounds - 1])


def test_played_back_in_order_and_only_symbols_are_shown():
    Scripted.log.clear()
    simulated(Replay(RECORDED))
    expected = [(a, GAME.feedback[a][j]) for run in RECORDED for a, j in zip(script(), run, strict=True)]
    assert Scripted.log == expected


def test_one_recording_for_all_runs():
    one = simulated(Replay(RECORDED[0]))
    assert (one.regret == one.regret[0]).all()
    assert np.array_equal(one.regret[0], simulated(Replay(RECORDED)).regret[0])


def test_a_shorter_horizon_and_a_later_run():
    whole = simulated(Replay(RECORDED))
    part = simulated(Replay(RECORDED), horizon=60, checkpoints=[17, 60], runs=1, first_run=2)
    assert np.array_equal(part.regret[0], whole.regret[2, 2:4])


def test_contexts_are_shown_before_the_round():
    contexts = np.arange(2 * 3 * 2).reshape(2, 3, 2) / 7
    environment = Replay([[0, 1, 2], [3, 3, 3]], contexts=contexts)
    assert environment.dimension == 2
    for run in range(2):
        world = environment.start(GAME, run, np.random.default_rng(0))
        context = np.zeros(2)
        for t in range(3):
            assert draw(world, context, None) == environment.outcomes[run, t]
            assert np.array_equal(context, contexts[run, t])


def test_a_strategy_with_contexts_sees_each_of_them():
    seen = []

    class Reading(Scripted):
        dimension = 2

        def _act(self, context):
            seen.append(context.tolist())
            return 0

    contexts = np.random.default_rng(0).normal(size=(HORIZON, 2))
    simulated(Replay(RECORDED[0], contexts=contexts), Reading(GAME), runs=1)
    assert seen == contexts.tolist()
    with pytest.raises(sl.SidelightError, match="contexts of 2 numbers"):
        simulated(Replay(RECORDED[0]), Reading(GAME), runs=1)


def test_what_is_said_about_it():
    said = Replay(RECORDED, law=LAWS).describe()
    assert said["name"] == "Replay"
    assert said["shape"] == [RUNS, HORIZON]
    others = [Replay(RECORDED), Replay(RECORDED, law=LAWS[0]), Replay(1 - RECORDED % 2, law=LAWS)]
    assert len({one.describe()["sha256"] for one in others} | {said["sha256"]}) == 4
    assert Replay(RECORDED.astype(np.int8), law=LAWS).describe() == said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"outcomes": []}, "shape"),
        ({"outcomes": 3}, "shape"),
        ({"outcomes": np.zeros((2, 2, 2), int)}, "shape"),
        ({"outcomes": [0.0, 1.0]}, "integers"),
        ({"outcomes": ["a", "b"]}, "integers"),
        ({"outcomes": [True, False]}, "integers"),
        ({"outcomes": RECORDED[:, :50]}, "50 rounds were recorded, but the horizon is 120"),
        ({"outcomes": RECORDED[:2]}, "outcomes: 2 runs were recorded, but 3"),
        ({"outcomes": RECORDED + 1}, "outcome 4: this game has outcomes 0 to 3"),
        ({"outcomes": RECORDED - 1}, "outcome -1"),
        ({"outcomes": RECORDED, "law": [0.5, 0.5]}, "the law has 2 entries, but the game 4"),
        ({"outcomes": RECORDED, "law": LAWS[:2]}, "law: 2 runs"),
        ({"outcomes": RECORDED, "law": LAWS * 2}, "sums to 2"),
        ({"outcomes": RECORDED, "law": 0.5}, "shape"),
        ({"outcomes": RECORDED, "law": "even"}, "law"),
        ({"outcomes": RECORDED, "contexts": np.zeros((5, 2))}, "contexts have shape"),
        ({"outcomes": RECORDED, "contexts": np.zeros((HORIZON, 0))}, "contexts have shape"),
        ({"outcomes": RECORDED, "contexts": np.full((HORIZON, 1), np.nan)}, "not finite"),
        ({"outcomes": RECORDED, "contexts": np.zeros((2, HORIZON, 1))}, "contexts: 2 runs"),
    ],
)
def test_wrong_recordings(arguments, words):
    with pytest.raises(sl.SidelightError, match=words):
        simulated(Replay(**arguments))
