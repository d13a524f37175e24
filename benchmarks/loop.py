"""Measure the round loop: how far from a hand-written loop, how it grows, how soon it starts.

`python benchmarks/loop.py` prints a table; it ends with an error if a limit is missed. Times are the least of several
repetitions, and speeds are ratios to loops that run in the same process at the same moment, because the machine may be
busy with other things.
"""

import os
import subprocess
import sys
import time

import limit
import numpy as np
from measuring import fastest, missed, report, seconds

import sidelight as sl
from sidelight.analysis import analysis
from sidelight.environments import IID
from sidelight.strategies import CBP, RandCBP

LAW = [0.45, 0.55]
# Processor time, which others who share the machine disturb less.
QUIET = {"repetitions": 7, "clock": time.process_time}
ROUNDS, RUNS = 100_000, 8


def simulation(game, strategy, law=LAW, **how):
    """Return a simulation as a piece of work."""
    settings = {"horizon": ROUNDS, "runs": RUNS, "checkpoints": 1, "workers": 1, "progress": False} | how
    return lambda: sl.simulate(strategy, IID(law), **settings)


def by_hand(name, bins):
    """Return the same amount of play by the loop typed out by hand."""
    play = limit.GAMES[name]

    def work():
        for seed in range(RUNS):
            play(LAW[0], ROUNDS, bins, np.random.default_rng(seed))

    return work


def against_hand():
    """Compare the engine with the loops by hand."""
    for name in limit.GAMES:
        game = sl.games.load(name)
        for kind, bins, most in ((CBP, 1, 4.0), (RandCBP, 5, 2.0)):
            engine, hand = fastest(simulation(game, kind(game)), by_hand(name, bins), **QUIET)
            share = 1e9 / (ROUNDS * RUNS)
            note = f"({engine * share:.1f} against {hand * share:.1f} ns a round)"
            report(f"{name} {kind.__name__}, times the loop by hand {note}", engine / hand, most=most)


def threads():
    """Compare two threads with one."""
    print(f"load of the machine: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    for name in limit.GAMES:
        game = sl.games.load(name)
        strategy = RandCBP(game)
        works = simulation(game, strategy), simulation(game, strategy, workers=2)
        one, two = fastest(*works, repetitions=7)
        report(f"{name} RandCBP, two threads faster than one", one / two, least=1.6, unit="times")


def first_round():
    """Time the first rounds of a fresh process, which does not wait for the compiler."""
    script = (
        "import sidelight as sl; game = sl.games.load('apple-tasting');"
        "sl.simulate(sl.strategies.RandCBP(game), sl.environments.IID([0.3, 0.7]), horizon=1, runs=1)"
    )
    command = [sys.executable, "-c", script]
    (spent,) = fastest(lambda: subprocess.run(command, check=True), repetitions=3)
    report("first round of a fresh process", spent, most=2.0, unit="s")


def interactive():
    """Time act and observe of the object, without compilation."""
    for name in limit.GAMES:
        game = sl.games.load(name)
        for kind in (CBP, RandCBP):
            rng, rounds = np.random.default_rng(0), 5_000
            outcomes = (rng.random(rounds) >= LAW[0]).astype(int).tolist()

            strategy = kind(game)

            def work(strategy=strategy, feedback=game.feedback, outcomes=outcomes):
                strategy.reset()
                for outcome in outcomes:
                    action = strategy.act()
                    strategy.observe(feedback[action][outcome])

            (spent,) = fastest(work, **QUIET)
            report(f"{name} {kind.__name__}, act and observe", spent / rounds * 1e6, most=40.0, unit="us")


def long_runs():
    """Compare the cost of a round in short and in long runs."""
    for name in limit.GAMES:
        game = sl.games.load(name)
        for kind in (CBP, RandCBP):
            strategy = kind(game)
            short = simulation(game, strategy, horizon=10_000, runs=100)
            long = simulation(game, strategy, horizon=10_000_000, runs=1)
            times = fastest(short, long, repetitions=2, clock=time.process_time)
            report(f"{name} {kind.__name__}, a round of 1e7 against one of 1e4", times[1] / times[0] / 10, most=1.5)


def many_short_runs():
    """Time runs of ten rounds, most of which is what a run costs before its first round."""
    game = sl.games.load("apple-tasting")
    for kind in (CBP, RandCBP, sl.strategies.Uniform):
        (spent,) = fastest(simulation(game, kind(game), horizon=10, runs=20_000), **QUIET)
        report(f"a run of ten rounds, {kind.__name__}", spent / 20_000 * 1e6, most=30.0, unit="us")


def growth():
    """Show how the cost of a round grows with the observer vectors."""
    print("dynamic pricing, RandCBP: prices, pairs, size of the observer vectors, ns a round, ns a round and entry")
    for prices in range(3, 10):
        game = sl.games.load("dynamic-pricing", prices=prices)
        strategy = RandCBP(game)
        (spent,) = fastest(simulation(game, strategy, np.full(prices, 1 / prices), horizon=5_000, runs=2), **QUIET)
        describe_growth(prices, strategy, spent / 10_000 * 1e9)
    print("games of two outcomes, actions in a row: actions, pairs, size, ns a round, ns a round and entry")
    for actions in (3, 6, 12, 24, 48, 96):
        game = row_of_actions(actions)
        strategy = RandCBP(game)
        (spent,) = fastest(simulation(game, strategy, horizon=5_000, runs=2), **QUIET)
        describe_growth(actions, strategy, spent / 10_000 * 1e9)


def describe_growth(size, strategy, nanoseconds):
    entries = strategy.compiled_parameters.watch.vector.shape[0]
    pairs = len(strategy.analysis.neighbors)
    print(f"  {size:4} {pairs:4} {entries:6} {nanoseconds:10.0f} {nanoseconds / entries:8.1f}", flush=True)


def row_of_actions(count):
    """Return a game of two outcomes with `count` cells in a row: tangents of a parabola, and all actions reveal."""
    slopes = np.arange(count) - (count - 1) / 2
    loss = [[int(2 * (s * s - 2 * s * end)) for end in (-count, count)] for s in slopes]
    return sl.Game(loss, [["a", "b"]] * count)


def large_games():
    """Play dynamic pricing from nothing learned, under several outcome laws."""
    for prices, most in ((5, 1.0), (12, 10.0)):
        game = sl.games.load("dynamic-pricing", prices=prices, cost=2)
        for number, law in enumerate(laws(prices)):
            analysis._recent.clear()
            how = {"horizon": 20_000, "runs": 1}
            # From nothing: the analysis of the game, the first points of the pools, and all that is asked.
            first = seconds(lambda: simulation(game, RandCBP(game), law, seed=number, **how)())  # noqa: B023
            strategy = RandCBP(game)
            solved = strategy.plausible_sets.solved
            again = seconds(simulation(game, strategy, law, seed=number, **how))
            other = seconds(simulation(game, strategy, law, seed=100 + number, **how))
            note = f"{solved} solved; another seed {other:.2g} s, {strategy.plausible_sets.solved - solved} more solved"
            report(f"{prices} prices, law {number}, 20 000 rounds ({note})", first, most=most, unit="s")
            if first > 0.1:
                report(f"{prices} prices, law {number}, the same run again against the first", again / first, most=0.5)


def laws(outcomes):
    """Yield outcome laws of many shapes: random, nearly sure, with zeros, even, and with two prices that tie."""
    rng = np.random.default_rng(7)
    for scale in (1.0, 1.0, 0.2, 10.0):
        yield rng.dirichlet(np.full(outcomes, scale))
    yield np.full(outcomes, 1 / outcomes)
    yield np.eye(outcomes)[outcomes // 2]
    yield np.eye(outcomes)[[0, -1]].mean(axis=0)


def main():
    game = sl.games.load("dynamic-pricing", prices=3)
    simulation(game, RandCBP(game), np.full(3, 1 / 3), horizon=10)()  # compiled, so that no figure includes that
    for part in (against_hand, threads, first_round, interactive, long_runs, many_short_runs, growth, large_games):
        part()
    if missed:
        sys.exit(f"{len(missed)} limits missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
