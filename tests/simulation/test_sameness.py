"""What must not change a result: workers, compiling, what was learned before, how runs are shared out."""

import subprocess
import sys
import textwrap
import threading
from typing import NamedTuple

import numpy as np
import pytest
from common.recordings import record_law

import sidelight as sl
from sidelight.analysis import analysis
from sidelight.environments import IID, Replay, laws
from sidelight.environments.base import draw
from sidelight.kernels import compiled, implements, interpreted
from sidelight.results import concatenate
from sidelight.simulation import job, loop, worker
from sidelight.strategies.base import KernelStrategy, act, observe
from sidelight.strategies.confidence_bounds import plausible_sets as plausible

# Two games of the paper, the largest with a table of sign vectors, and one with pools.
GAMES = {
    "apple-tasting": {},
    "label-efficient": {},
    "dynamic-pricing": {},
    "pools": {"prices": 6},
}
MODES = {"apple-tasting": 0, "label-efficient": 0, "dynamic-pricing": 0, "pools": 2}


def load(key):
    return sl.games.load("dynamic-pricing" if key == "pools" else key, **GAMES[key])


@pytest.fixture(autouse=True)
def compiled_loops():
    with compiled():
        yield


def forget():
    analysis._recent.clear()


def dirichlet(game):
    return IID(laws.load("dirichlet", game.n_outcomes))


def simulated(key, kind=sl.strategies.RandCBP, fresh=True, world=None, **how):
    if fresh:
        forget()
    game = load(key)
    settings = {"horizon": 300, "runs": 5, "checkpoints": 7, "seed": 2} | how
    return sl.simulate(kind(game), dirichlet(game) if world is None else world, **settings)


def same(first, second):
    return np.array_equal(first.regret, second.regret) and np.array_equal(first.plays, second.plays)


@pytest.mark.parametrize("key", GAMES)
def test_the_modes_are_all_covered(key):
    strategy = sl.strategies.RandCBP(load(key))
    assert strategy.plausible_sets.snapshot().mode == MODES[key]


@pytest.mark.parametrize("kind", [sl.strategies.CBP, sl.strategies.RandCBP])
@pytest.mark.parametrize("key", GAMES)
def test_any_number_of_workers(key, kind):
    one = simulated(key, kind, workers=1)
    for workers in (2, 3, None):
        other = simulated(key, kind, workers=workers)
        assert same(one, other)
        assert one == other


@pytest.mark.parametrize("kind", [sl.strategies.CBP, sl.strategies.RandCBP])
@pytest.mark.parametrize("key", GAMES)
def test_compiled_or_interpreted(key, kind):
    how = {"horizon": 120 if key == "pools" else 400, "runs": 2}
    fast = simulated(key, kind, **how)
    with interpreted(), np.errstate(all="raise"):
        plain = simulated(key, kind, **how)
    assert same(fast, plain)


@pytest.mark.parametrize("key", GAMES)
def test_what_was_learned_before(key):
    fresh = simulated(key)
    game = load(key)
    forget()
    for seed in range(3):
        even = IID(np.full(game.n_outcomes, 1 / game.n_outcomes))
        sl.simulate(sl.strategies.RandCBP(game, sigma=0.3), even, horizon=500, runs=2, seed=seed)
        sl.simulate(sl.strategies.CBP(game, alpha=0.2), dirichlet(game), horizon=500, runs=2, seed=seed)
    assert len(analysis._recent) == 1
    assert same(fresh, simulated(key, fresh=False))
    # Even the same object, whose own snapshot is older than what was learned meanwhile.
    forget()
    strategy = sl.strategies.RandCBP(game)
    settings = {"horizon": 300, "runs": 5, "checkpoints": 7, "seed": 2}
    assert all(same(fresh, sl.simulate(strategy, dirichlet(game), **settings)) for _ in range(2))


def test_simulations_at_the_same_time_share_what_they_learn():
    alone = [simulated("pools", seed=seed) for seed in range(3)]
    forget()
    found = {}

    def work(seed):
        found[seed] = simulated("pools", fresh=False, seed=seed, workers=2)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(alone[seed], found[seed]) for seed in range(3))
    assert len(analysis._recent) == 1


def test_tiny_pools_forget_without_changing_a_result(monkeypatch):
    how = {"horizon": 2_000, "runs": 6}
    usual = simulated("pools", **how)
    monkeypatch.setattr(plausible, "_MOST_POOL", 1)
    monkeypatch.setattr(plausible, "_POOL_WORDS", 1)
    forget()
    sets = sl.strategies.RandCBP(load("pools")).plausible_sets
    facts, capacity = sets.snapshot(), 8
    small = {pool: getattr(facts, pool)[:, :capacity].copy() for pool in ("points", "certificates")}
    sets._facts = facts._replace(**small)
    overflown = []
    make_room = plausible.PlausibleSets._make_room
    monkeypatch.setattr(plausible.PlausibleSets, "_make_room", lambda *args: overflown.append(1) or make_room(*args))
    assert same(usual, simulated("pools", fresh=False, **how))
    assert len(overflown) > 3
    after = sets.snapshot()
    assert after.points.shape[1] == after.certificates.shape[1] == capacity
    assert max(after.n_points.max(), after.n_certificates.max()) <= capacity
    forget()


@pytest.mark.parametrize("key", ["label-efficient", "pools"])
def test_shards_make_the_whole(key):
    whole = simulated(key, runs=7)
    parts = [simulated(key, runs=3), simulated(key, runs=3, first_run=3), simulated(key, runs=1, first_run=6)]
    assert np.array_equal(whole.regret, np.concatenate([part.regret for part in parts]))
    assert np.array_equal(whole.plays, np.concatenate([part.plays for part in parts]))
    assert whole == concatenate(parts, seed=2)


def test_more_rounds_or_runs_or_checkpoints_extend_what_was_there():
    base = simulated("dynamic-pricing", checkpoints=[100, 300])
    longer = simulated("dynamic-pricing", checkpoints=[50, 100, 300, 500], horizon=500, runs=8)
    assert np.array_equal(base.regret, longer.regret[:5, 1:3])


def test_another_seed_is_another_result():
    assert not same(simulated("dynamic-pricing"), simulated("dynamic-pricing", seed=3))
    assert not np.array_equal(*simulated("dynamic-pricing", runs=2).regret)


class Witness(sl.strategies.Strategy):
    """Plays at random or always the same action, in a game that shows every outcome, and writes down what it saw."""

    seen = None

    def __init__(self, game, restless=True, seed=0):
        super().__init__(game, seed=seed)
        self.restless = restless

    def _start(self):
        return {"log": []}

    def _act(self, context):
        return int(self.rng.random() * self.game.n_actions) if self.restless else 0

    def _observe(self, action, symbol, context):
        Witness.seen.append(symbol)


def test_all_strategies_meet_the_same_outcomes():
    game = sl.games.load("full-information", outcomes=4)
    seen = []
    for strategy in (Witness(game), Witness(game, restless=False), Witness(game, seed=9)):
        Witness.seen = []
        sl.simulate(strategy, dirichlet(game), horizon=50, runs=3, seed=4)
        seen.append(Witness.seen)
    assert seen[0] == seen[1] == seen[2]
    assert len(set(map(tuple, np.reshape(seen[0], (3, 50))))) == 3


@pytest.mark.parametrize("key", GAMES)
def test_the_streams_are_those_that_the_documentation_names(key):
    game = load(key)
    recorded, drawn = [], []
    for run in range(3):
        rng = np.random.default_rng(np.random.SeedSequence(2, spawn_key=(run, 0)))
        drawn.append(laws.load("dirichlet", game.n_outcomes)(rng))
        world = IID(drawn[-1]).start(game, run, rng)
        recorded.append([draw(world, np.zeros(0), rng) for _ in range(300)])
    replayed = sl.simulate(
        sl.strategies.RandCBP(game), Replay(recorded, law=drawn), horizon=300, runs=3, seed=2, checkpoints=7
    )
    assert same(replayed, simulated(key, runs=3))
    strategy = sl.strategies.RandCBP(game)
    for run in range(3):
        strategy.reset(np.random.SeedSequence(2, spawn_key=(run, 1)))
        plays = np.zeros(game.n_actions, int)
        for outcome in recorded[run]:
            action = strategy.act()
            strategy.observe(game.feedback[action][outcome])
            plays[action] += 1
        assert plays.tolist() == replayed.plays[run].tolist()


def test_a_short_simulation_does_without_the_compiler():
    """In a process of its own: whatever ran before may have imported Numba."""
    said = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SHORT)], capture_output=True, text=True, check=True, timeout=120
    )
    assert said.stdout.split() == ["False", "True"], said.stderr


SHORT = """
    import sys
    import sidelight as sl

    def play(horizon):
        strategy = sl.strategies.RandCBP(sl.games.load("apple-tasting"))
        sl.simulate(strategy, sl.environments.IID([0.3, 0.7]), horizon, 1, progress=False)
        return "numba" in sys.modules

    print(play(200), play(200_000))
"""


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("key", GAMES)
def test_compiled_in_the_middle_of_a_run(key, workers, monkeypatch):
    """What the interpreter began, compiled code carries on, wherever the change falls."""
    whole = simulated(key)
    for rounds in (1, 40, 700):
        assert same(changing_over(rounds, monkeypatch, key, workers=workers), whole)


@pytest.mark.parametrize("kind", [sl.strategies.TSPM, sl.strategies.Prospect, sl.strategies.NeighborhoodWatch2])
def test_strategies_that_draw_go_on_compiled(kind, monkeypatch):
    how = {"horizon": 150, "world": record_law([0.4, 0.6], 5, 150)}
    whole = simulated("apple-tasting", kind, **how)
    assert same(changing_over(200, monkeypatch, "apple-tasting", kind, **how, workers=1), whole)


def changing_over(rounds, monkeypatch, *what, **how):
    """Simulate, compiled after so many rounds of the interpreter."""
    played = []

    def counted(*arguments):
        played.append(1)
        return python(*arguments)

    python = loop.play.python
    with monkeypatch.context() as patched:
        patched.setattr(loop.play, "python", counted)
        patched.setattr(loop.play, "is_compiled_for", lambda classes: False)
        patched.setattr(worker, "_MOMENT", 0.0)
        patched.setattr(job.Job, "pays_to_compile", lambda self: len(played) >= rounds)
        results = simulated(*what, **how)
    assert rounds <= len(played) <= rounds + 2  # each worker may have looked before another one played
    return results


def test_kernels_of_others_are_compiled_at_once(monkeypatch):
    """Whoever breaks a rule for them should not get results that depend on time."""
    monkeypatch.setattr(job, "chosen_way", lambda: None)
    assert simulated("apple-tasting", Dividing, horizon=50, runs=1).plays.tolist() == [[50, 0]]


class Nothing(NamedTuple):
    nothing: float


class Dividing(KernelStrategy):
    """Divides by zero, against the rules; compiled code carries on with infinity."""

    def _compile(self):
        return Nothing(0.0)

    def _start(self):
        return Nothing(0.0)


@implements(act, Nothing)
def _act(parameters, state, context, rng):
    return 0 if 1.0 / state.nothing > 0.0 else 1


@implements(observe, Nothing)
def _observe(parameters, state, action, symbol, context):
    pass


def test_time_decides_where_the_interpreter_is_slow(monkeypatch):
    short = job.Job(
        sl.strategies.Uniform(load("apple-tasting")),
        dirichlet(load("apple-tasting")),
        1_000,
        0,
        [1],
        range(3),
        Nobody(),
    )
    assert short.pays_to_compile()  # as the block around it says
    monkeypatch.setattr(job, "chosen_way", lambda: None)
    monkeypatch.setattr(job, "_SAME_DRAWS", True)
    assert not short.pays_to_compile()
    short.advance(10, 0.09)
    assert not short.pays_to_compile()  # too early to tell
    short.advance(10, 0.09)
    assert short.pays_to_compile()  # 2 980 rounds of 9 ms


class Nobody:
    """Watches no progress."""

    def advance(self, rounds):
        pass
