"""`simulate`: checkpoints, errors, strategies of plain Python, what results say, and that nothing grows or hangs."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest

import sidelight as sl
from sidelight.environments import IID, laws
from sidelight.kernels import compiled, implements
from sidelight.simulation import progress, worker
from sidelight.simulation.checkpoints import rounds_of_checkpoints
from sidelight.strategies.base import KernelStrategy, Strategy, act, observe

GAME = sl.games.load("apple-tasting")
CBP, RandCBP = sl.strategies.CBP, sl.strategies.RandCBP
EVEN = IID([0.5, 0.5])


def simulated(strategy=None, environment=EVEN, **how):
    return sl.simulate(strategy or CBP(GAME), environment, **{"horizon": 100, "runs": 2} | how)


class TestCheckpoints:
    """Rounds after which regret is recorded."""

    @pytest.mark.parametrize(
        ("count", "horizon", "rounds"),
        [
            (1, 100, [100]),
            (4, 100, [25, 50, 75, 100]),
            (3, 100, [33, 66, 100]),
            (200, 5, [1, 2, 3, 4, 5]),
            (np.int64(2), np.int64(10), [5, 10]),
        ],
    )
    def test_a_number_is_spaced_evenly_and_ends_at_the_horizon(self, count, horizon, rounds):
        results = simulated(checkpoints=count, horizon=horizon)
        assert results.rounds.tolist() == rounds
        assert results.regret.shape == (2, len(rounds))

    def test_the_default_is_two_hundred(self):
        assert simulated(horizon=1_000).rounds.tolist() == list(range(5, 1_001, 5))

    @pytest.mark.parametrize("given", [[1, 7, 50], (1, 7, 50), np.array([1, 7, 50]), np.array([1, 7, 50], np.uint8)])
    def test_a_list_of_rounds(self, given):
        every = simulated(RandCBP(GAME), checkpoints=100)
        some = simulated(RandCBP(GAME), checkpoints=given)
        assert some.rounds.tolist() == [1, 7, 50]
        assert np.array_equal(some.regret, every.regret[:, [0, 6, 49]])
        assert some.plays.sum(axis=1).tolist() == [100, 100]

    @pytest.mark.parametrize("horizon", [1, 2, 100, 20_000])
    def test_a_logarithmic_scale(self, horizon):
        results = simulated(checkpoints="log", horizon=horizon, runs=1)
        assert results.rounds.tolist() == sorted({round(horizon ** (k / 120)) for k in range(121)})

    def test_a_logarithmic_scale_of_the_longest_horizon(self):
        rounds = rounds_of_checkpoints("log", 2**63 - 1)
        assert (rounds[0], rounds[-1]) == (1, 2**63 - 1)
        assert (np.diff(rounds) > 0).all()

    @pytest.mark.parametrize("horizon", [7, 1_000, 2**40 + 1, 2**62 + 3])
    @pytest.mark.parametrize("count", [1, 3, 200, 999])
    def test_evenly_spaced_without_rounding(self, horizon, count):
        wanted = [horizon * k // min(count, horizon) for k in range(1, min(count, horizon) + 1)]
        assert rounds_of_checkpoints(count, horizon).tolist() == wanted

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (0, "at least 1"),
            (True, "give how many"),
            ("logarithmic", "give how many, 'log', or a list of rounds"),
            ([], "list of rounds"),
            (None, "list of rounds"),
            ([0, 5], "between 1 and the horizon 100"),
            ([5, 5], "must increase"),
            (np.array([50, 30], np.uint64), "increas"),
        ],
    )
    def test_errors(self, given, words):
        with pytest.raises(sl.SidelightError, match=words):
            simulated(checkpoints=given)

    def test_regret_is_what_the_plays_cost(self):
        law = np.array([0.3, 0.7])
        results = simulated(RandCBP(GAME), IID(law), horizon=500, runs=4, checkpoints=10)
        gaps = np.array([[1, 0], [0, 1]]) @ law - 0.3
        assert np.allclose(results.final, results.plays @ gaps)
        assert (np.diff(results.regret) >= 0).all()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"horizon": 0}, "horizon is 0: give a whole number of at least 1"),
        ({"runs": 0}, "runs is 0"),
        ({"first_run": -1}, "first_run is -1"),
    ],
)
def test_wrong_numbers(settings, words):
    with pytest.raises(sl.SidelightError, match=words):
        simulated(**settings)


def test_huge_numbers():
    with pytest.raises(sl.SidelightError, match=r"runs with 20000 checkpoints do not fit into memory"):
        simulated(runs=2**31 - 1, checkpoints=20_000, horizon=20_000)
    with pytest.raises(sl.SidelightError, match=r"too many: give fewer than 2\*\*31"):
        simulated(horizon=2**62, checkpoints=2**61)
    with pytest.raises(sl.SidelightError, match=r"checkpoints"):
        simulated(checkpoints=[1, 2**63])
    with pytest.raises(sl.SidelightError, match=r"checkpoints"):
        simulated(checkpoints=[1, 2**70])
    with pytest.raises(sl.SidelightError, match=r"seed is too large: give a whole number below 2\*\*1024"):
        simulated(seed=10**5000)
    assert simulated(seed=2**1023).seed == 2**1023
    assert simulated(checkpoints=10**30).rounds.tolist() == list(range(1, 101))
    assert simulated(first_run=2**31 - 1).n_runs == 2


class TestArguments:
    """What is mixed up is said."""

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("apple-tasting", EVEN), "strategy is 'apple-tasting' (str), not of the class Strategy"),
            ((CBP, EVEN), "strategy is the class CBP: make one of it first"),
            ((CBP(GAME), IID), "environment is the class IID: make one of it first"),
            ((CBP(GAME), [0.5, 0.5]), "environment is [0.5, 0.5] (list), not of the class Environment"),
            ((EVEN, CBP(GAME)), "give simulate(strategy, environment, ...)"),
            ((GAME, CBP(GAME), EVEN), "not of the class Strategy: give simulate(strategy, environment, ...)"),
        ],
    )
    def test_mixed_up(self, arguments, words):
        with pytest.raises(sl.SidelightError, match=re.escape(words)) as caught:
            sl.simulate(*arguments)
        assert isinstance(caught.value, TypeError)

    def test_laws_for_fewer_runs(self):
        with pytest.raises(sl.SidelightError, match="laws for 2 runs, but 3"):
            simulated(environment=IID([[0.5, 0.5]] * 2), first_run=1)


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_one_run_is_the_error_of_all(workers):
    def sampler(rng):
        if rng.random() < 0.2:
            raise RuntimeError("no law today")
        return [0.5, 0.5]

    with pytest.raises(RuntimeError, match="no law today"):
        simulated(environment=IID(sampler), runs=60, workers=workers, horizon=1_000)


class Plain(Strategy):
    """Plays the action of the larger mean of a hash of what was seen, or a random one; of plain Python."""

    def __init__(self, game, share=0.3, seed=0):
        super().__init__(game, seed=seed)
        self.share = share

    def _start(self):
        return {"sums": [0.0] * self.game.n_actions, "plays": [0.0] * self.game.n_actions}

    def _act(self, context):
        if self.rng.random() < self.share:
            return int(self.rng.random() * self.game.n_actions)
        means = [(s + 1.0) / (n + 2.0) for s, n in zip(self.state["sums"], self.state["plays"], strict=True)]
        return means.index(max(means))

    def _observe(self, action, symbol, context):
        self.state["sums"][action] += symbol
        self.state["plays"][action] += 1.0


class KernelParameters(NamedTuple):
    share: float


class KernelState(NamedTuple):
    sums: np.ndarray
    plays: np.ndarray


@implements(act, KernelParameters)
def _act(parameters, state, context, rng):
    if rng.random() < parameters.share:
        return int(rng.random() * state.plays.shape[0])
    best, highest = 0, -1.0
    for a in range(state.plays.shape[0]):
        mean = (state.sums[a] + 1.0) / (state.plays[a] + 2.0)
        if mean > highest:
            best, highest = a, mean
    return best


@implements(observe, KernelParameters)
def _observe(parameters, state, action, symbol, context):
    state.sums[action] += symbol
    state.plays[action] += 1.0


class Compiled(KernelStrategy):
    """The same, as two pure functions from outside the package."""

    def __init__(self, game, share=0.3, seed=0):
        super().__init__(game, seed=seed)
        self.share = share

    def _compile(self):
        return KernelParameters(float(self.share))

    def _start(self):
        return KernelState(np.zeros(self.game.n_actions), np.zeros(self.game.n_actions))


class TestPlainPython:
    """Strategies that are stepped."""

    def test_equal_to_the_compiled_version(self):
        game = sl.games.load("dynamic-pricing", prices=4)
        environment = IID(laws.load("dirichlet", 4))
        settings = {"horizon": 1_500, "runs": 3, "seed": 8}  # more than one chunk of stepped rounds
        with compiled():
            plain, fast = (sl.simulate(kind(game, 0.2), environment, **settings) for kind in (Plain, Compiled))
        assert np.array_equal(plain.regret, fast.regret)
        assert np.array_equal(plain.plays, fast.plays)
        assert plain.plays.min() > 0

    def test_an_action_that_does_not_exist(self):
        class Wrong(Plain):
            def _act(self, context):
                return 2

        with pytest.raises((IndexError, sl.SidelightError)):
            simulated(Wrong(GAME))


def test_the_strategy_itself_is_left_alone():
    for strategy in (RandCBP(GAME, seed=5), Plain(GAME, seed=5)):
        for _ in range(7):
            strategy.observe(GAME.feedback[strategy.act()][0])
        before = strategy.save()
        twin = strategy.clone()
        simulated(strategy, seed=1)
        after = strategy.save()
        assert repr(before) == repr(after)
        assert [strategy.act() for _ in range(5)] == [twin.act() for _ in range(5)]


def test_a_strategy_that_has_played_starts_from_scratch():
    played = RandCBP(GAME, seed=5)
    for _ in range(50):
        played.observe(GAME.feedback[played.act()][1])
    assert np.array_equal(simulated(played).regret, simulated(RandCBP(GAME)).regret)


def test_what_the_results_say(tmp_path):
    strategy = RandCBP(GAME, sigma=2, observers="half-range")
    results = simulated(strategy, IID([0.25, 0.75]), seed=6, checkpoints=5)
    manifest = results.manifest
    assert results.label == "RandCBP(sigma=2, observers=half-range)" or results.label.startswith("RandCBP(sigma=2")
    assert manifest["strategy"]["name"] == "RandCBP"
    assert manifest["strategy"]["parameters"] == {
        "alpha": 1.01,
        "bins": 5,
        "sigma": 2,
        "tail": 1e-7,
        "lower": 0.0,
        "observers": "half-range",
        "ties": "lowest",
    }
    assert manifest["environment"] == {"name": "IID", "law": [0.25, 0.75]}
    assert manifest["seed"] == 6
    assert manifest["regret_kind"] == "pseudo-regret"
    assert manifest["game"]["loss"] == GAME.to_dict()["loss"]
    assert manifest["sidelight"] == sl.__version__
    assert manifest["numpy"] == np.__version__
    assert {"python", "numba", "platform", "created"} <= set(manifest)
    assert 0 < results.seconds < 60
    assert results.game == GAME
    results.save(tmp_path / "results.npz")
    assert sl.Results.load(tmp_path / "results.npz") == results


def test_silent_unless_asked(capfd, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    simulated()
    assert capfd.readouterr() == ("", "")
    # One worker's look after each run: enough for a bar to open, be drawn and be taken away.
    simulated(progress=True, runs=5)
    assert capfd.readouterr().out == ""
    simulated(progress=False)
    assert capfd.readouterr() == ("", "")


def test_memory_does_not_grow_with_the_horizon():
    strategy = RandCBP(GAME)

    def peak(horizon):
        tracemalloc.start()
        with compiled():
            simulated(strategy, horizon=horizon, checkpoints=50, workers=1)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    peak(1_000)
    assert peak(2_000_000) < peak(1_000) + 200_000


def test_progress_counts_every_round_once(monkeypatch):
    counted = []
    monkeypatch.setattr(progress.Progress, "advance", lambda self, count: counted.append(count))
    monkeypatch.setattr(worker, "_FIRST_CHUNK", 64)
    monkeypatch.setattr(worker, "_MOST_CHUNK", 64)
    results = simulated(RandCBP(GAME), horizon=1_000, runs=3)
    assert sum(counted) == 3_000
    assert max(counted) <= 64
    monkeypatch.undo()
    assert np.array_equal(results.regret, simulated(RandCBP(GAME), horizon=1_000, runs=3).regret)


# Tangents of a parabola: cheap to analyze, and a round costs some hundred times that of apple tasting.
ROW = "sl.Game([[s * s - 160 * s, s * s + 160 * s] for s in range(-40, 41)], [['a', 'b']] * 81)"


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("game", "workers"),
    [("sl.games.load('apple-tasting')", 2), (ROW, 1)],
    ids=["two workers", "long rounds"],
)
def test_ctrl_c_stops(game, workers):
    """Played to its end it would take hours."""
    script = f"""
        import sidelight as sl
        game = {game}
        strategy = sl.strategies.RandCBP(game)
        env = sl.environments.IID([0.5, 0.5])
        sl.simulate(strategy, env, horizon=200, runs=1)
        print("ready", flush=True)
        try:
            sl.simulate(strategy, env, horizon=10**10, runs=4, workers={workers})
        except KeyboardInterrupt:
            print("stopped", flush=True)
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        assert out == "stopped\n"
    finally:
        process.kill()


@pytest.mark.parametrize("progress", [0, 1, "yes", [], object()])
def test_progress_is_a_choice_or_something_to_tell(progress):
    with pytest.raises(sl.SidelightError, match="progress is"):
        simulated(progress=progress)
