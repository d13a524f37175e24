"""Measure BPMLeast, TSPM and TSPMGaussian: cost of a round, whole experiments, and regret against uniform play.

`python benchmarks/bayesian.py` prints a table and ends with an error if a limit is missed; with a number it makes so
many runs in place of 96. Speeds are ratios to the RandCBP loop typed out by hand, in the same process, in turns.
"""

import os
import sys
import time
import warnings

import limit
import numpy as np
from measuring import fastest, missed, report, seconds

import sidelight as sl
from sidelight.environments import IID, laws
from sidelight.kernels import compiled
from sidelight.strategies.posterior.bpm import BPMLeast
from sidelight.strategies.posterior.tspm import TSPM, TSPMGaussian

HORIZON = 20_000
ROUNDS, RUNS = 50_000, 4
# Times the loop by hand, per round.
RATIOS = {BPMLeast: 10.0, TSPM: 30.0, TSPMGaussian: 30.0}
GAMES = (("bartok", {}), ("bernoulli-bandit", {"arms": 3}), ("dynamic-pricing", {"prices": 5}))


def against_hand():
    """Compare rounds of apple tasting with the loop by hand, with the blind and with the seeing action being best."""
    game = sl.games.load("apple-tasting")
    for kind, most in RATIOS.items():
        for law in (0.45, 0.55):
            ours, hand = fastest(by_engine(game, kind(game), law), by_hand(law), repetitions=7)
            share = 1e9 / (ROUNDS * RUNS)
            note = f"({ours * share:.0f} against {hand * share:.0f} ns)"
            report(f"apple-tasting {kind.__name__}, law {law}, a round, times that by hand {note}", ours / hand, most)


def by_engine(game, strategy, law):
    how = {"horizon": ROUNDS, "runs": RUNS, "checkpoints": 1, "workers": 1, "progress": False}
    return lambda: sl.simulate(strategy, IID([law, 1 - law]), **how)


def by_hand(law):
    def work():
        for seed in range(RUNS):
            limit.apple_tasting(law, ROUNDS, limit.BINS, np.random.default_rng(seed))

    return work


def experiments(runs):
    """Time the two games of the paper, with both kinds of laws."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for name in limit.GAMES:
        game = sl.games.load(name)
        for kind in RATIOS:
            strategy = kind(game)
            for instance in ("imbalanced", "balanced"):
                world = IID(laws.load(instance, 2))
                spent = seconds(lambda s=strategy, w=world: simulate(s, w, runs))
                report(f"{name} {kind.__name__}, {instance}, {runs} runs", spent, 90.0, unit="s")


def simulate(strategy, world, runs):
    return sl.simulate(strategy, world, horizon=HORIZON, runs=runs, checkpoints=1, progress=False)


def uniform_regret(game, runs):
    """Return what playing every action alike loses on average, under the laws that the simulation draws."""
    loss = np.array(game.loss, float)
    total = 0.0
    for run in range(runs):
        rng = np.random.default_rng(np.random.SeedSequence(0, spawn_key=(run, 0)))
        expected = loss @ laws.load("dirichlet", game.n_outcomes)(rng)
        total += (expected.mean() - expected.min()) * HORIZON
    return total / runs


def regret(runs):
    """Compare the mean regret with that of uniform play, laws drawn uniformly from the simplex."""
    for name, parameters in GAMES:
        game = sl.games.load(name, **parameters)
        baseline = uniform_regret(game, runs)
        for kind in RATIOS:
            start = time.process_time()
            final = simulate(kind(game), IID(laws.load("dirichlet", game.n_outcomes)), runs).final
            error = final.std(ddof=1) / np.sqrt(runs)
            cost = (time.process_time() - start) / (runs * HORIZON) * 1e6
            note = f"{final.mean():.1f} +- {error:.1f} of {baseline:.0f}, {cost:.1f} us a round"
            report(f"{name} {kind.__name__}, regret ({note})", final.mean() / baseline, 0.25)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 96
    warnings.simplefilter("ignore", UserWarning)  # pricing and label efficient prediction are hard, on purpose
    against_hand()
    experiments(runs)
    regret(runs)
    if missed:
        sys.exit(f"{len(missed)} limits missed: {'; '.join(missed)}")


if __name__ == "__main__":
    with compiled():
        main()
