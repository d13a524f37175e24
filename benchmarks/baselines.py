"""Measure FeedExp3, IDS and Uniform (speed and regret) and the Bayes-optimal play (time and regret).

`python benchmarks/baselines.py [RUNS [BAYES_RUNS]]` prints a table and ends with an error if a limit is missed. Speed
is a ratio to RandCBP on apple tasting typed out by hand, in the same process, in turns, because the machine may be busy
with other things. Regrets are means over RUNS (96) and BAYES_RUNS (4 000) runs.
"""

import sys

import limit
import numpy as np
from measuring import fastest, missed, report, seconds

import sidelight as sl
from sidelight.environments import IID, laws
from sidelight.strategies.adversarial.feedexp3 import FeedExp3
from sidelight.strategies.baselines.bayes_optimal import BayesOptimal
from sidelight.strategies.baselines.uniform import Uniform
from sidelight.strategies.information.ids import IDS

ROUNDS, RUNS = 20_000, 8


def by_hand(law):
    def work():
        for seed in range(RUNS):
            limit.apple_tasting(law, ROUNDS, 5, np.random.default_rng(seed))

    return work


def played(game, strategy, law):
    environment = IID([law, 1.0 - law])
    return lambda: sl.simulate(strategy, environment, ROUNDS, RUNS, checkpoints=1, workers=1, progress=False)


def speed():
    """Compare with the loop by hand, where selling is best (rarely anything new) and where tasting is (every round)."""
    game = sl.games.load("apple-tasting")
    strategies = [Uniform(game), FeedExp3(game), IDS(game), BayesOptimal(game, ROUNDS)]
    for law in (0.45, 0.2, 0.8):
        hand, *ours = fastest(by_hand(law), *(played(game, strategy, law) for strategy in strategies))
        for strategy, spent in zip(strategies, ours, strict=True):
            note = f"({spent * 1e9 / ROUNDS / RUNS:.0f} against {hand * 1e9 / ROUNDS / RUNS:.0f} ns a round)"
            report(f"{strategy.name}, p = {law}, times RandCBP by hand", spent / hand, most=5, note=note)


def regrets(runs):
    """Compare the mean regret with Uniform's, over laws drawn uniformly."""
    for name, parameters in (("dynamic-pricing", {}), ("bernoulli-bandit", {"arms": 3}), ("bartok", {})):
        game = sl.games.load(name, **parameters)
        environment = IID(laws.load("dirichlet", game.n_outcomes))
        base = sl.simulate(Uniform(game), environment, ROUNDS, runs, progress=False).final.mean()
        for kind, most in ((IDS, 0.25), (FeedExp3, 0.6)):
            final = sl.simulate(kind(game), environment, ROUNDS, runs, progress=False).final
            error = final.std(ddof=1) / np.sqrt(runs)
            note = f"({final.mean():.0f} +- {error:.0f} against {base:.0f}, {runs} runs)"
            report(f"{game.name}: regret of {kind.__name__}, of Uniform's", final.mean() / base, most=most, note=note)


def bayes(runs):
    """Time the exact limit, and play it on the instances of the ICML 2024 paper."""
    for name, value in (("apple-tasting", 11.125376), ("label-efficient", 48.613024)):
        game = sl.games.load(name)
        BayesOptimal(game, 10).value  # noqa: B018 - compiles
        strategy = BayesOptimal(game, ROUNDS)
        report(f"{name}: Bayes-optimal play for T = 20 000", seconds(lambda s=strategy: s.value), most=10, unit="s")
        report(f"{name}: Bayes regret, distance from {value}", abs(strategy.value - value), most=5e-7)
        for kind in ("imbalanced", "balanced"):
            environment = IID(laws.load(kind, 2))
            final = sl.simulate(strategy, environment, ROUNDS, runs, checkpoints=1, progress=False).final
            note = f"(+- {final.std(ddof=1) / np.sqrt(runs):.2g}, {runs} runs)"
            report(f"{name} {kind}: mean regret of the Bayes-optimal play", final.mean(), note=note)


def main():
    given = [int(text) for text in sys.argv[1:]]
    speed()
    bayes(given[1] if len(given) > 1 else 4_000)
    regrets(given[0] if given else 96)
    if missed:
        sys.exit("missed: " + "; ".join(missed))


if __name__ == "__main__":
    main()
