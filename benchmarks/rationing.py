"""How many verdicts rationed labels bring: against hindsight, the order by true expected labels, and first come.

python benchmarks/rationing.py [--runs N] [--worlds NAME...]

Every class has a fixed row of answers, of which each rule sees the beginning. *Hindsight* knows at which label each
class is decided and takes the cheapest; the order by *true* expected labels knows all rates, but no answer in advance.
"""

import argparse
import math
import random
from collections import deque
from datetime import date, timedelta

import numpy as np

from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.confidence import rate_test
from sidelight.monitor.evidence import answers_to
from sidelight.monitor.prospects import Prospects
from sidelight.monitor.rationing import Rationing

CLASSES, FIRST_DAY = 30, date(2024, 1, 1)


class World:
    """Classes with rates and traffic, the predictions of every day, and the answers of every class."""

    def __init__(self, rates, traffic, days, draws, delay=0, lost=0.0):
        self.rates, self.days, self.delay, self.lost, self.draws = rates, [], delay, lost, draws
        for day in range(days):
            counts = draws.poisson(traffic(day) if callable(traffic) else traffic)
            self.days.append(draws.permutation(np.repeat(np.arange(len(rates)), counts)).tolist())
        self.arrivals = np.bincount(np.concatenate(self.days).astype(int), minlength=len(rates))
        self.wrong = [(draws.random(n) < rate).tolist() for n, rate in zip(self.arrivals, rates, strict=True)]


class TrueOrder(Rationing):
    """Knows the true rates."""

    def prospects_of(self, state):
        """Return the labels that the test needs at the true rate."""
        test, share = state.test, self.rates[state.name]
        side = (test.many if share > test.rate else test.few).mixture
        found = max(1.0, min(answers_to(side, state.e, state.n, share, test.rate, test.limit), 2.0**50))
        return Prospects(found, found)


def play(world, tolerance, confidence, aim="verdicts", truth=False, **options):
    """Return the monitor at the end of the last day; answers come after `delay` predictions, or never."""
    monitor = ClassifierMonitor(tolerance, range(len(world.rates)), "sequential", confidence, aim=aim, **options)
    if truth:
        monitor._rationing = TrueOrder(monitor._settings, monitor._ledger)
        monitor._rationing.rates = world.rates
    asked, lost, waiting, place = [0] * len(world.rates), random.Random(1), deque(), 0
    for number, predictions in enumerate(world.days):
        day = FIRST_DAY + timedelta(number)
        for name in predictions:
            place += 1
            if monitor.decide(name, id=place, time=day).verify:
                if lost.random() >= world.lost:
                    waiting.append((place + world.delay, place, world.wrong[name][asked[name]]))
                asked[name] += 1
            while waiting and waiting[0][0] <= place:
                _, id, bad = waiting.popleft()
                monitor.answer(id, correct=not bad)
    for _, id, bad in waiting:
        monitor.answer(id, correct=not bad)
    return monitor


def hindsight(world, tolerance, confidence, budget):
    """Return the most classes that can be decided with so many labels, and how many with any number."""
    test, costs = rate_test(tolerance, confidence), []
    for answers in world.wrong:
        errors = 0
        for n, bad in enumerate(answers, 1):
            errors += bad
            if test.verdict(errors, n) != "unknown":
                costs.append(n)
                break
    return int(np.searchsorted(np.cumsum(sorted(costs)), budget, side="right")), len(costs)


def verdicts(monitor):
    return sum(one.verdict != "unknown" for one in monitor.report().classes)


def mixed(tolerance, draws, days=30, **options):
    """Rates from an eighth to four times the tolerance, traffic as Zipf's law has it."""
    rates = np.minimum(0.9, tolerance * np.exp(draws.uniform(-2.1, 1.4, CLASSES)))
    traffic = 2000 / np.arange(1, CLASSES + 1) / np.sum(1 / np.arange(1, CLASSES + 1))
    return World(rates, traffic, days, draws, **options)


def close(tolerance, draws):
    """Half of the classes, among them the three largest, within 5 % of the tolerance."""
    rates = tolerance * np.where(
        np.arange(CLASSES) % 2 == 0, draws.uniform(0.95, 1.05, CLASSES), np.exp(draws.uniform(-2.0, 1.2, CLASSES))
    )
    rates[:3] = tolerance
    traffic = draws.permutation(np.full(CLASSES, 30.0))
    traffic[:3] = 400.0
    return World(rates, traffic, 30, draws)


def equal(tolerance, draws):
    """All classes have the same traffic and the same rate."""
    return World(np.full(CLASSES, tolerance / 3), np.full(CLASSES, 60.0), 30, draws)


def weekends(tolerance, draws):
    """Return a world with a fifth of the traffic on Saturdays and Sundays, when other classes come."""
    world = mixed(tolerance, draws, 1)
    shape = draws.permutation(2000 / np.arange(1, CLASSES + 1) / 4)
    free = draws.permutation(shape) / 5
    return World(world.rates, lambda day: free if day % 7 > 4 else shape, 28, draws)


def moving(tolerance, draws):
    """Classes come and go: each is seen on ten days in a row."""
    starts = draws.integers(-5, 28, CLASSES)
    level = draws.uniform(10, 150, CLASSES)
    rates = np.minimum(0.9, tolerance * np.exp(draws.uniform(-2.1, 1.4, CLASSES)))
    return World(rates, lambda day: np.where((starts <= day) & (day < starts + 10), level, 0.0), 30, draws)


def single(tolerance, draws):
    """One class."""
    return World(tolerance * np.exp(draws.uniform(-2.0, 1.2, 1)), np.full(1, 300.0), 30, draws)


def late(tolerance, draws):
    """Mixed, and answers come after three days, a tenth of them never."""
    return mixed(tolerance, draws, delay=6000, lost=0.1)


WORLDS = {one.__name__: one for one in (mixed, close, equal, weekends, moving, single, late)}


def compare(world, tolerance, confidence, budget, runs, seed):
    rows = []
    for run in range(runs):
        one = WORLDS[world](tolerance, np.random.default_rng([seed, run]))
        cap = {"daily_cap": budget} if budget > 0 else {"cap": -budget}
        best, possible = hindsight(one, tolerance, confidence, budget * len(one.days) if budget > 0 else -budget)
        rows.append(
            (
                verdicts(play(one, tolerance, confidence, **cap)),
                verdicts(play(one, tolerance, confidence, truth=True, **cap)),
                verdicts(play(one, tolerance, confidence, "first-come", **cap)),
                best,
                possible,
            )
        )
    values = np.array(rows, float)
    means = values.mean(0)
    errors = values.std(0, ddof=1) / math.sqrt(runs) if runs > 1 else np.zeros(5)
    ratio, error = share(values[:, 0], values[:, 1])
    texts = [f"{mean:5.2f} ± {error:.2f}" for mean, error in zip(means, errors, strict=True)]
    what = f"{world} {tolerance} {budget}"
    print(f"{what:18} rationed {texts[0]}  true order {texts[1]}  first come {texts[2]}  hindsight {texts[3]}", end="")
    print(f" of {means[4]:.1f};  of true order {ratio:.3f} ± {error:.3f}", flush=True)
    return ratio


def share(a, b):
    """Return the ratio of two sums, and its standard error by the delta method."""
    ratio = a.sum() / b.sum()
    error = np.std(a - ratio * b, ddof=1) / b.mean() / math.sqrt(len(a)) if len(a) > 1 else 0.0
    return ratio, error


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument("--budgets", nargs="*", type=int, default=[10, 50, 200])
    parser.add_argument("--confidence", type=float, default=0.95)
    options = parser.parse_args()
    for world in options.worlds:
        for tolerance in (0.05, 0.1):
            for budget in options.budgets:
                compare(world, tolerance, options.confidence, budget, options.runs, options.seed)


if __name__ == "__main__":
    main()
