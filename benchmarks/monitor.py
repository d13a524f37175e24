"""What the monitor costs: microseconds of processor time per call, saving and loading, and the use case.

python benchmarks/monitor.py [--predictions N] [--runs N] [--against FOLDER]

With `--against`, the folder src of another checkout, the same stream is also decided by that version, in the same
process and in turns: the ratio is to be at most 1.3 without drift, and drift is to add at most 8 us to an answer.
"""

import argparse
import importlib
import itertools
import random
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

from measuring import missed, report

from sidelight.monitor import ClassifierMonitor
from sidelight.reproduction.exhibit import TOLERANCES
from sidelight.reproduction.use_case import simulate_use_case

RATES = [0.005, 0.01, 0.02, 0.03, 0.045, 0.055, 0.07, 0.1, 0.15, 0.25]


def stream(count, classes=10):
    draws = random.Random(1)
    predictions = [f"class {draws.randrange(classes)}" for _ in range(count)]
    wrong = [draws.random() < RATES[int(name.split()[1]) % len(RATES)] for name in predictions]
    return predictions, wrong


def version(folder):
    """Return the monitor of another checkout, beside the one that is imported."""
    ours = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "sidelight"}
    sys.path.insert(0, folder)
    other = importlib.import_module("sidelight.monitor").ClassifierMonitor
    sys.path.remove(folder)
    for name in [name for name in sys.modules if name.split(".")[0] == "sidelight"]:
        del sys.modules[name]
    sys.modules.update(ours)
    return other


def compare(folder, predictions, wrong, repetitions=3):
    """Print the ratio to another version without drift."""
    other = version(folder)
    for policy, mode in itertools.product(("randcbp", "explore", "sequential"), ("identify", "guard")):
        rounds = [
            [
                decide(policy, mode, predictions, wrong, kind, **options)
                for kind, options in ((other, {}), (ClassifierMonitor, {"drift": False}))
            ]
            for _ in range(repetitions)
        ]
        before, without = (min(times)[0] for times in zip(*rounds, strict=True))
        report(f"{policy} {mode}: ratio to the other version, drift off", without / before, most=1.3)


def drift_costs(predictions, wrong, repetitions=5):
    """Print what drift adds to an answer, where every prediction is verified, and spot checks to a prediction."""
    whole = {"verifications": len(predictions)}
    settings = {"drift": False, **whole}, {"spot_checks": 0.0, **whole}
    without, drift = fastest("explore", predictions, wrong, repetitions, *settings)
    report("more for drift, per answer", drift - without, most=8, unit="us")
    for policy in ("randcbp", "sequential"):
        rare, spots = fastest(policy, predictions, wrong, repetitions, {"spot_checks": 0.0}, {})
        report(f"{policy}: more for spot checks and their answers, per prediction", spots - rare, unit="us")


def fastest(policy, predictions, wrong, repetitions, *settings):
    """Return the least microseconds of a prediction with each of several settings, which take turns."""
    rounds = [
        [decide(policy, "identify", predictions, wrong, **one)[0] for one in settings] for _ in range(repetitions)
    ]
    return [min(times) for times in zip(*rounds, strict=True)]


def decide(policy, mode, predictions, wrong, kind=ClassifierMonitor, **options):
    """Return the microseconds of one prediction, with its answer if it is asked for."""
    monitor = kind(0.05, policy=policy, mode=mode, **options)
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
    parser.add_argument("--against", metavar="FOLDER")
    options = parser.parse_args()
    predictions, wrong = stream(options.predictions)
    if options.against:
        compare(options.against, predictions, wrong)
        drift_costs(predictions[:100_000], wrong[:100_000])
        raise SystemExit(bool(missed))
    for mode in ("identify", "guard"):
        for policy in ("randcbp", "cbp", "explore", "sequential"):
            each, asked = decide(policy, mode, predictions, wrong)
            total = each * options.predictions / 1e6
            print(f"{policy:10} {mode:9} {each:6.2f} us a prediction, {total:6.1f} s in all, {asked} answered")
    persistence()
    policies = ("explore", "cbp", "randcbp")
    for policy in policies:  # compiles
        simulate_use_case(1, 0.2, policy, 2)
    started = time.perf_counter()
    for case, tolerance, policy in product((1, 2), TOLERANCES, policies):
        simulate_use_case(case, tolerance, policy, options.runs)
    print(f"use case, 2 x 4 x 3 x {options.runs} runs: {time.perf_counter() - started:.1f} s of wall time")


if __name__ == "__main__":
    main()
