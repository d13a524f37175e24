"""Measure the contextual strategies: time of a round, its growth with t and with d, many runs, Gibbs transitions.

`python benchmarks/contextual.py` prints a table; it ends with an error if a limit is missed. Times are the least of
several repetitions, but a cold start is the CPU time of one new process, imports included. Limits in absolute time are
meant for a machine that has nothing else to do: the load is printed.
"""

import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
from measuring import fastest, missed, report

import sidelight as sl
from sidelight.environments import HalfspaceContexts, LinearContexts
from sidelight.strategies import PGTS, PublishedRandCBPSide

GAME = sl.games.load("apple-tasting")


def played(strategy, environment, **how):
    settings = {"horizon": 20_000, "runs": 1, "checkpoints": 1, "workers": 1, "progress": False} | how
    return lambda: sl.simulate(strategy, environment, **settings)


def always_revealing(d):
    """Return a strategy that updates its matrices in every round, whatever t: Z is always the (wide) bound."""
    return PublishedRandCBPSide(GAME, d, bins=1), LinearContexts(np.full(d, 1 / d))


def one_round():
    """Time a round of every kind of bounds, since they play differently, and compare short runs with long ones."""
    environment = LinearContexts(np.full(10, 0.1))
    for bounds in ("tight", "corrected", "published"):
        (spent,) = fastest(played(PublishedRandCBPSide(GAME, 10, bounds=bounds), environment, runs=10))
        report(f"RandCBPSide, {bounds}, d = 10: a round", spent / 200_000 * 1e6, most=1.5, unit="us")
    short, long = fastest(
        played(*always_revealing(10), horizon=5_000, runs=40), played(*always_revealing(10), horizon=200_000)
    )
    report("RandCBPSide, d = 10: a round of 200 000 against one of 5 000", long / short, most=1.3, unit="times")


def growth():
    """Compare dimensions: at most quadratic."""
    sizes = (10, 20, 40)
    times = fastest(*(played(*always_revealing(d), runs=4) for d in sizes))
    for d, spent in zip(sizes, times, strict=True):
        report(f"RandCBPSide, d = {d}: a round with an update", spent / 80_000 * 1e6, unit="us")
    report("RandCBPSide, d = 20 against d = 10", times[1] / times[0], unit="times")
    report("RandCBPSide, d = 40 against d = 10", times[2] / times[0], most=16.0, unit="times")


def many_runs():
    """Time what the published table needs for a cell."""
    environment = HalfspaceContexts(10)
    for bounds in ("tight", "published"):
        work = played(PublishedRandCBPSide(GAME, 10, bounds=bounds), environment, runs=96, workers=2)
        (spent,) = fastest(work, repetitions=2)
        report(f"RandCBPSide, {bounds}: 96 runs of 20 000 rounds, two threads", spent, most=5.0, unit="s")


def gibbs():
    """Time a latent variable of a transition: draw, score, and its part of the precision matrix."""
    environment = HalfspaceContexts(10)
    rounds = 1_500
    strategy = PGTS(GAME, 10)
    results = played(strategy, environment, horizon=rounds, checkpoints=rounds)()
    # Labels grow evenly with the rounds, up to the plays of the revealing action.
    labels = results.plays[0, 1] * rounds / 2
    (spent,) = fastest(played(strategy, environment, horizon=rounds), repetitions=3)
    each = spent / (labels * strategy.transitions) * 1e9
    report("PGTS, d = 10: a latent variable and transition", each, most=250, unit="ns")
    for horizon in (7_500, 20_000):
        visits = 0.52 * horizon * horizon / 2 * strategy.transitions
        report(f"PGTS, d = 10: a run of {horizon} rounds, from that", visits * each * 1e-9, unit="s")


COLD = """
import sidelight as sl
player = sl.strategies.ProspectSide(sl.games.load("apple-tasting"), dimension=5)
sl.simulate(player, sl.environments.LinearContexts([0.2] * 5), horizon=50, runs=1, workers=1, progress=False)
"""


def cold_start():
    """Time the first simulation of ProspectSide, which has the most to compile, on an empty cache."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as cache:
        subprocess.run([sys.executable, "-c", COLD], check=True, env=os.environ | {"SIDELIGHT_CACHE_DIR": cache})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    report("ProspectSide: the first simulation on an empty cache", spent, most=6.0, unit="s")


def main():
    print(f"load of the machine: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    for part in (cold_start, one_round, growth, many_runs, gibbs):
        part()
    print(f"load of the machine: {os.getloadavg()[0]:.2f} on {os.cpu_count()} cores")
    if missed:
        sys.exit(f"{len(missed)} limits missed: {'; '.join(missed)}")


if __name__ == "__main__":
    main()
