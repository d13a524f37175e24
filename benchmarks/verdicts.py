"""How many labels verdicts take: exactly, over the stopping boundary, and policy by policy.

python benchmarks/verdicts.py [--runs N] [--predictions N]     (--runs 0: only what is exact)
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.stats.confidence import rate_test

sys.path.insert(0, str(Path(__file__).parent.parent))
from sidelight.monitor.stats.prospects import stopping_distribution_of_test
from tests.monitor.stats.stopping import missed, wald_labels

TOLERANCES = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3)
FACTORS = (0.1, 0.25, 0.5, 0.9, 1.1, 1.5, 2.5, 5.0, 8.0)


def ratios(confidence):
    """Print expected labels over Wald's bound, and wrong verdicts close to the tolerance."""
    print(f"expected labels over log(1/alpha) / KL(p, tau), confidence {confidence}")
    print("    tau  " + "".join(f"{factor:>8g} tau" for factor in FACTORS) + "   wrong at 0.98 and 1.02 tau")
    for tolerance in TOLERANCES:
        test, cells = rate_test(tolerance, confidence), []
        for factor in FACTORS:
            rate = factor * tolerance
            if rate >= 0.97:
                cells.append(" " * 12)
                continue
            least = wald_labels(rate, tolerance, confidence)
            cells.append(f"{stopping_distribution_of_test(test, rate, int(20 * least) + 20).labels / least:12.3f}")
        horizon = int(1000 / tolerance)
        wrong = [
            stopping_distribution_of_test(test, f * tolerance, horizon)[side] for f, side in ((0.98, 1), (1.02, 2))
        ]
        print(f"{tolerance:7g}  {''.join(cells)}   {wrong[0]:.4f} {wrong[1]:.4f} (up to {horizon} labels)", flush=True)


def coverage(confidence, horizon=3000):
    """Print how often the interval ever misses the rate."""
    print(f"share of runs in which the interval ever misses the rate in {horizon} answers, confidence {confidence}")
    for tolerance in (0.05, 0.2, 0.5):
        rates = (0.01, 0.049, 0.051, 0.1, 0.21, 0.49, 0.9)
        cells = (f"{rate}: {missed(rate_test(tolerance, confidence), rate, horizon):.4f}" for rate in rates)
        print(f"{tolerance:7g}  {'  '.join(cells)}", flush=True)


def until_certain(policy, tolerance, rate, predictions, seed):
    """Return labels and predictions until the verdict on one class, or nan where it did not come."""
    monitor = ClassifierMonitor(tolerance, policy=policy, seed=seed, drift=False)
    wrong = np.random.default_rng((seed, int(1e6 * rate))).random(predictions) < rate
    for place, bad in enumerate(wrong.tolist()):
        if monitor.decide("class", id=place).verify:
            answer = monitor.answer(place, correct=not bad)
            if answer.verdict != "unknown":
                return place + 1 - monitor.report().saved, place + 1
    return monitor.report().verifications, float("nan")


def policies(runs, predictions, tolerance=0.05):
    """Print labels and predictions until the verdict, mean and standard error."""
    print(f"tolerance {tolerance}, confidence 0.99, {runs} runs of at most {predictions} predictions of one class")
    for factor in (0.25, 0.5, 0.8, 1.25, 1.5, 2.5):
        for policy in ("sequential", "randcbp", "cbp"):
            found = [until_certain(policy, tolerance, factor * tolerance, predictions, 1000 + k) for k in range(runs)]
            labels, seen = np.array(found, float).T
            done = ~np.isnan(seen)
            text = f"{factor:5g} tau {policy:11} decided {done.mean():4.0%}"
            if done.any():
                for name, values in (("labels", labels[done]), ("predictions", seen[done])):
                    error = values.std(ddof=min(1, len(values) - 1)) / len(values) ** 0.5
                    text += f"  {name} {values.mean():8.0f} ± {error:<6.0f}"
            print(text, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--predictions", type=int, default=40_000)
    options = parser.parse_args()
    started = time.process_time()
    for confidence in (0.95, 0.99):
        ratios(confidence)
        coverage(confidence)
    print(f"{time.process_time() - started:.1f} s")
    if options.runs:
        policies(options.runs, options.predictions)


if __name__ == "__main__":
    main()
