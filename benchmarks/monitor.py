"""What the monitor costs: microseconds of processor time per call, saving and loading, and the use case.

python benchmarks/monitor.py [--predictions N] [--runs N]
"""

import argparse
import random
import tempfile
import time
from pathlib import Path

from sidelight.experiments.use_case import simulate_use_case
from sidelight.monitor import ClassifierMonitor

RATES = [0.005, 0.01, 0.02, 0.03, 0.045, 0.055, 0.07, 0.1, 0.15, 0.25]


def stream(count, classes=10):
    draws = random.Random(1)
    predictions = [f"class {draws.randrange(classes)}" for _ in range(count)]
    wrong = [draws.random() < RATES[int(name.split()[1]) % len(RATES)] for name in predictions]
    return predictions, wrong


def decide(policy, mode, predictions, wrong):
    """Return the microseconds of one prediction, with its answer if it is asked for."""
    monitor = ClassifierMonitor(0.05, policy=policy, mode=mode)
    started = time.process_time()
    for place, (name, bad) in enumerate(zip(predictions, wrong, strict=True)):
        if monitor.decide(name, id=place).verify:
            monitor.answer(place, correct=not bad)
    seconds = time.process_time() - started
    return 1e6 * seconds / len(predictions), monitor.report().verifications


def persistence(classes=1000, predictions=100_000):
    names, wrong = stream(predictions, classes)
    monitor = ClassifierMonitor(0.05, policy="sequential")
    for place, (name, bad) in enumerate(zip(names, wrong, strict=True)):
        if monitor.decide(name, id=place).verify:
            monitor.answer(place, correct=not bad)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "monitor.json"
        started = time.process_time()
        monitor.save(path)
        saved = time.process_time()
        ClassifierMonitor.load(path)
        print(f"{classes} classes, {predictions} ids: saved in {saved - started:.2f} s, loaded in ", end="")
        print(f"{time.process_time() - saved:.2f} s, {path.stat().st_size / 1e6:.1f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--predictions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=96)
    options = parser.parse_args()
    predictions, wrong = stream(options.predictions)
    for mode in ("identify", "guard"):
        for policy in ("randcbp", "cbp", "explore", "sequential"):
            each, asked = decide(policy, mode, predictions, wrong)
            total = each * options.predictions / 1e6
            print(f"{policy:10} {mode:9} {each:6.2f} us a prediction, {total:6.1f} s in all, {asked} answered")
    persistence()
    simulate_use_case(("explore", "cbp", "randcbp"), runs=2, tolerances=(0.2,))  # compiles
    started = time.perf_counter()
    simulate_use_case(("explore", "cbp", "randcbp"), runs=options.runs)
    print(f"use case, 2 x 4 x 3 x {options.runs} runs: {time.perf_counter() - started:.1f} s of wall time")


if __name__ == "__main__":
    main()
