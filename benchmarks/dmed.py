"""PM-DMED: cost of a round, on apple tasting relative to the hand-written RandCBP loop, and on larger games.

    python benchmarks/dmed.py [path/to/limit.py]

`limit.py` holds the loops written for one game each; both are timed in this process, in turns. Larger games need none
of that; they are timed in CPU seconds, the fastest of several times, on whatever else the machine does. Beside each of
them stands what limits it: Newton steps per round, counted in the interpreter. Those of searches whose alternatives
enter the allocation cannot be left out or started elsewhere without other alternatives, and so other plays; those that
only end in a proof can, wherever a former point proves the same.
"""

import collections
import functools
import importlib.util
import sys
import time
from unittest import mock

import numpy as np
from large import random_game
from measuring import fastest

import sidelight as sl
from sidelight.environments import IID, laws
from sidelight.kernels import compiled, interpreted
from sidelight.optimization import allocation, divergence, likelihood
from sidelight.strategies.dmed.hinge import PMDMEDHinge
from sidelight.strategies.dmed.pmdmed import PMDMED

HORIZON = 20_000
LARGER = {
    "pricing-15": (lambda: sl.games.load("dynamic-pricing", prices=15), 100, 500),
    "pricing-28": (lambda: sl.games.load("dynamic-pricing", prices=28), 50, 340),
    "random-15x4": (lambda: random_game(15, 4, 2, 1), 1000, 25700),
    "random-15x6": (lambda: random_game(15, 6, 2, 2), 200, 1480),
    "random-20x8": (lambda: random_game(20, 8, 2, 4), 50, 630),
    "random-28x6": (lambda: random_game(28, 6, 3, 6), 200, 1250),
    "random-28x8": (lambda: random_game(28, 8, 2, 7), 50, 500),
}
"""Games, rounds, and rounds per CPU second with loops over all entries, noted on two busy cores at 2.8 GHz.

Other processes made these numbers vary by a third and more.
"""


def seconds_per_round(game, strategy, environment, runs, horizon=HORIZON):
    start = time.perf_counter()
    sl.simulate(strategy, environment, horizon=horizon, runs=runs, workers=1, checkpoints=1, progress=False)
    return (time.perf_counter() - start) / (runs * horizon)


def limit_per_round(limit, p, runs):
    start = time.perf_counter()
    for seed in range(runs):
        limit.apple_tasting(True, p, HORIZON, 1.01, 1.0, 5, 1e-7, np.random.default_rng(seed))
    return (time.perf_counter() - start) / (runs * HORIZON)


def compare_with_limit(path):
    spec = importlib.util.spec_from_file_location("limit", path)
    limit = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(limit)
    game = sl.games.load("apple-tasting")
    for p in (0.1, 0.45, 0.9):
        environment = IID([p, 1 - p])
        for strategy in (PMDMED(game), PMDMEDHinge(game)):
            seconds_per_round(game, strategy, environment, 1)
            limit_per_round(limit, p, 1)
            ratios = [
                seconds_per_round(game, strategy, environment, 20) / limit_per_round(limit, p, 20) for _ in range(5)
            ]
            print(f"apple tasting p={p}: {strategy.name:12} {np.median(ratios):5.2f} x the RandCBP limit loop")


def newton_steps(game, horizon):
    """Return the Newton steps per round: in searches that found an alternative, in proofs, and in fits of the law."""
    steps, under_way = collections.Counter(), [0]
    search, step, fit = (
        allocation.minimize_divergence,
        divergence.divergence_newton_step,
        likelihood.likelihood_newton_step,
    )

    def count_search(*args):
        under_way[0] = 0
        low, value = search(*args)
        steps["proofs" if low >= 1.0 else "alternatives"] += under_way[0]
        return low, value

    def count_step(*args):
        under_way[0] += 1
        step(*args)

    def count_fit(*args):
        steps["fits"] += 1
        fit(*args)

    with (
        interpreted(),
        mock.patch.object(allocation, "minimize_divergence", count_search),
        mock.patch.object(divergence, "divergence_newton_step", count_step),
        mock.patch.object(likelihood, "likelihood_newton_step", count_fit),
    ):
        seconds_per_round(game, PMDMED(game), IID(laws.load("dirichlet", game.n_outcomes)), 1, horizon)
    return {kind: steps[kind] / horizon for kind in ("alternatives", "proofs", "fits")}


def main():
    if len(sys.argv) > 1:
        compare_with_limit(sys.argv[1])
    for name, parameters in (("dynamic-pricing", {"prices": 5}), ("bernoulli-bandit", {"arms": 3}), ("bartok", {})):
        game = sl.games.load(name, **parameters)
        environment = IID(laws.load("dirichlet", game.n_outcomes))
        strategy = PMDMED(game)
        seconds_per_round(game, strategy, environment, 1, 10)
        print(f"{game.name}: {1e6 * seconds_per_round(game, strategy, environment, 8):.1f} us per round")
    for name, (make, horizon, before) in LARGER.items():
        game = make()
        environment, strategy = IID(laws.load("dirichlet", game.n_outcomes)), PMDMED(game)
        run = functools.partial(seconds_per_round, game, strategy, environment, 1, horizon)
        [cpu] = fastest(run, repetitions=9, clock=time.process_time)
        print(
            f"{name:12} {horizon / cpu:9,.0f} rounds per CPU second, {horizon / cpu / before:.1f} x as noted; ", end=""
        )
        each = newton_steps(game, min(horizon, 40))
        print("Newton steps per round: " + ", ".join(f"{kind} {count:.0f}" for kind, count in each.items()), flush=True)


if __name__ == "__main__":
    with compiled():
        main()
