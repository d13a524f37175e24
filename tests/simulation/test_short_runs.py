"""Runs of few rounds are played many at a time: nothing about them changes, and nothing of them stays in memory."""

import gc
import os
from typing import NamedTuple

import numpy as np
import pytest
from common.players import make
from common.recordings import record_law

import sidelight as sl
from sidelight.environments import IID, Environment, Replay
from sidelight.environments.base import charges_gaps, draw
from sidelight.kernels import compiled, implements, interpreted
from sidelight.kernels.arrays import Floats, Integers
from sidelight.simulation import worker
from sidelight.simulation.packing import packed_state
from sidelight.simulation.streams import Stream
from sidelight.strategies.base import UNANSWERED, KernelStrategy, act, observe

APPLES = sl.games.load("apple-tasting")


@pytest.fixture(autouse=True)
def compiled_loops():
    with compiled():
        yield


def one_by_one(strategy, environment, horizon, runs):
    parts = [sl.simulate(strategy, environment, horizon, 1, seed=3, first_run=r, progress=False) for r in range(runs)]
    return np.concatenate([part.regret for part in parts]), np.concatenate([part.plays for part in parts])


def assert_same_together(strategy, environment, horizon=12, runs=40):
    together = sl.simulate(strategy, environment, horizon, runs, seed=3, progress=False, workers=1)
    regret, plays = one_by_one(strategy, environment, horizon, runs)
    np.testing.assert_array_equal(together.regret, regret)
    np.testing.assert_array_equal(together.plays, plays)


@pytest.fixture
def calls(monkeypatch):
    """Count how often the loop is entered."""
    entered = []

    def counted(*arguments):
        entered.append(1)
        return play(*arguments)

    play = worker.play
    counted.python = play.python
    monkeypatch.setattr(worker, "play", counted)
    return entered


@pytest.mark.parametrize("name", ["RandCBP", "TSPM", "Uniform"])
def test_runs_that_are_played_together_are_the_same(name):
    assert_same_together(make(name, APPLES), record_law([0.3, 0.7], 40, 12))


def test_runs_that_are_played_together_are_the_same_in_the_interpreter():
    with interpreted():
        assert_same_together(sl.strategies.RandCBP(APPLES), IID([0.3, 0.7]))


def test_each_run_keeps_its_own_law():
    assert_same_together(sl.strategies.RandCBP(APPLES), IID(lambda rng: rng.dirichlet([1, 1])))
    laws = np.random.default_rng(1).dirichlet([1, 1], 40)
    assert_same_together(sl.strategies.RandCBP(APPLES), IID(laws))
    outcomes = np.random.default_rng(2).integers(0, 2, (40, 12))
    assert_same_together(sl.strategies.RandCBP(APPLES), Replay(outcomes))


def test_a_strategy_that_asks_questions():
    pricing = sl.games.load("dynamic-pricing", prices=6)
    law = np.full(pricing.n_outcomes, 1 / pricing.n_outcomes)
    assert_same_together(sl.strategies.RandCBP(pricing), IID(law), horizon=30, runs=12)


class Nothing(NamedTuple):
    pass


class Notes(NamedTuple):
    clock: Integers
    seen: Integers


class NotesEverything(KernelStrategy):
    """Notes every symbol, in an array that grows at a moment which depends on its random numbers."""

    def _compile(self):
        return Nothing()

    def _start(self):
        return Notes(np.zeros(1, np.int64), np.zeros(2, np.int64))

    def _resume(self, parameters, state):
        return parameters, state._replace(seen=np.append(state.seen, np.zeros_like(state.seen)))


@implements(act, Nothing)
def _act(parameters, state, context, rng):
    if state.clock[0] == state.seen.shape[0]:
        return UNANSWERED
    return 1 if rng.random() < 0.3 else state.seen[state.clock[0] - 1] % 2


@implements(observe, Nothing)
def _observe(parameters, state, action, symbol, context):
    if action == 1:
        state.seen[state.clock[0]] = symbol
        state.clock[0] += 1


def test_a_strategy_whose_arrays_grow():
    assert_same_together(NotesEverything(APPLES), IID([0.3, 0.7]))


@charges_gaps
class Shifting(NamedTuple):
    """A world whose arrays have another size in every other run."""

    outcomes: Floats
    gaps: Floats


@implements(draw, Shifting)
def _draw(world, context, rng):
    return 1 if rng.random() < world.outcomes[-1] else 0


class Uneven(Environment):
    name = "Uneven"

    def check(self, game, runs, horizon):
        pass

    def start(self, game, run, rng):
        return Shifting(np.full(1 + run % 2, rng.random()), np.array([0.0, 1.0]))

    def describe(self):
        return {"name": self.name}


def test_worlds_of_different_sizes_are_not_mixed():
    assert_same_together(NotesEverything(APPLES), Uneven(), runs=9)


def test_many_runs_enter_the_loop_few_times(calls):
    sl.simulate(sl.strategies.CBP(APPLES), IID([0.3, 0.7]), 10, 2000, progress=False, workers=1)
    assert len(calls) < 400


def test_without_access_to_its_memory_a_stream_is_seeded_for_each_run(monkeypatch, calls):
    monkeypatch.setattr("sidelight.simulation.streams._memory_of_stream_generator", lambda bits: None)
    assert Stream().memory is None
    assert_same_together(sl.strategies.RandCBP(APPLES), IID([0.3, 0.7]), runs=5)
    assert len(calls) == 10


def test_arrays_that_share_memory_or_are_large_are_not_packed():
    values = np.zeros(4)
    assert packed_state((values, values)) is None
    assert packed_state((values[:3], values[2:])) is None
    assert packed_state((values[:2], values[2:])) is not None
    assert packed_state((np.zeros(100_000),)) is None
    assert packed_state((np.zeros((3, 2)).T,)) is None


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads the size of a process as Linux shows it")
def test_memory_stays_flat_over_many_runs():
    def megabytes():
        gc.collect()
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6

    strategy, environment = sl.strategies.CBP(APPLES), IID([0.3, 0.7])

    def play():
        sl.simulate(strategy, environment, 10, 10_000, checkpoints=1, progress=False, workers=1)

    play()
    before = megabytes()
    play()
    play()
    assert megabytes() - before < 25  # it was 115 when each run left its generators behind
