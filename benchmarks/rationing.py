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
from sidelight.monitor.engine.rationing import VerificationRationing
from sidelight.monitor.stats.confidence import rate_test
from sidelight.monitor.stats.evidence import answers_until_evidence
from sidelight.monitor.stats.prospects import Prospects

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


class TrueOrder(VerificationRationing):
    """Knows the true rates."""

    def prospects_of(self, state):
        """Return the labels that the test needs at the true rate."""
        test, share = state.test, self.rates[state.name]
        side = (test.many if share > test.rate else test.few).mixture
        found = max(1.0, min(answers_until_evidence(side, state.e, state.n, share, test.rate, test.limit), 2.0**50))
        return Prospects(found, found)


def play(world, tolerance, confidence, aim="verdicts", truth=False, **options):
    """Return the monitor at the end of the last day; answers come after `delay` predictions, or never."""
    options |= {"aim": aim, "drift": False, "spot_checks": 0.0}
    monitor = ClassifierMonitor(tolerance, range(len(world.rates)), "sequential", confidence, **options)
    if truth:
        monitor.engine.rationing = TrueOrder(monitor.engine.settings, monitor.engine.ledger)
        monitor.engine.rationing.rates = world.rates
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
    """Return the most classes that can be decided with so many labels."""
    test, costs = rate_test(tolerance, confidence), []
    for answers in world.wrong:
        errors = 0
        for n, bad in enumerate(answers, 1):
            errors += bad
            if test.verdict(errors, n) != "unknown":
                costs.append(n)
                break
    return int(np.searchsorted(np.cumsum(sorted(costs)), budget, side="right"))


def verdicts(monitor):
    return sum(one.verdict != "unknown" for one in monitor.report().classes)


def log_uniform(tolerance, draws):
    """Return rates from an eighth to four times the tolerance."""
    return np.minimum(0.9, tolerance * np.exp(draws.uniform(-2.1, 1.4, CLASSES)))


def zipf(daily):
    """Return the traffic of each class, the k-th largest with 1/k of the largest."""
    shares = 1 / np.arange(1, CLASSES + 1)
    return daily * shares / shares.sum()


def mixed(tolerance, draws, days, daily, **options):
    """Return classes of mixed rates and traffic."""
    return World(log_uniform(tolerance, draws), zipf(daily), days, draws, **options)


def late(tolerance, draws, days, daily):
    """Return the same with answers that come after three days, a tenth of them never."""
    return mixed(tolerance, draws, days, daily, delay=3 * daily, lost=0.1)


def close(tolerance, draws, days, daily):
    """Return a world where half of the classes, and the three largest, have rates within 5 % of the tolerance."""
    rates = np.where(
        np.arange(CLASSES) % 2, log_uniform(tolerance, draws), tolerance * draws.uniform(0.95, 1.05, CLASSES)
    )
    rates[:3] = tolerance
    return World(rates, np.where(np.arange(CLASSES) < 3, daily / 5, daily / 5 * 2 / (CLASSES - 3)), days, draws)


def equal(tolerance, draws, days, daily):
    """Return classes that are all alike."""
    return World(np.full(CLASSES, tolerance / 3), np.full(CLASSES, daily / CLASSES), days, draws)


def weekends(tolerance, draws, days, daily):
    """Return a world with a fifth of the traffic on Saturdays and Sundays, when other classes come."""
    week, free = draws.permutation(zipf(daily)), draws.permutation(zipf(daily / 5))
    return World(log_uniform(tolerance, draws), lambda day: free if day % 7 > 4 else week, days, draws)


def moving(tolerance, draws, days, daily):
    """Return classes that come and go: each is seen in a third of the days, in a row."""
    starts, level = draws.uniform(-days / 6, days * 5 / 6, CLASSES), draws.uniform(0, 6 * daily / CLASSES, CLASSES)
    traffic = lambda day: np.where((starts <= day) & (day < starts + days / 3), level, 0.0)  # noqa: E731
    return World(log_uniform(tolerance, draws), traffic, days, draws)


def single(tolerance, draws, days, daily):
    """Return a world of one class."""
    return World(log_uniform(tolerance, draws)[:1], np.full(1, daily / 4), days, draws)


def skewed(tolerance, draws, days, daily):
    """Return classes with rates from Beta(0.5, ...), of which most are far below the tolerance, in random traffic."""
    rates = draws.beta(0.5, 0.5 / tolerance, CLASSES)
    return World(rates, daily * draws.dirichlet(np.ones(CLASSES)), days, draws)


WORLDS = {one.__name__: one for one in (mixed, late, close, equal, weekends, moving, single, skewed)}
RULES = {"rationed": {}, "true order": {"truth": True}, "first come": {"aim": "first-come"}}


def compare(world, tolerance, confidence, caps, days, daily, runs, seed):
    """Print how many verdicts each rule brings; return the share of the first among those of the second."""
    rows = []
    for run in range(runs):
        one = WORLDS[world](tolerance, np.random.default_rng([seed, run]), days, daily)
        labels = min(caps.get("daily_cap", math.inf) * days, caps.get("cap", math.inf))
        rows.append([verdicts(play(one, tolerance, confidence, **caps, **rule)) for rule in RULES.values()])
        rows[-1].append(hindsight(one, tolerance, confidence, labels))
    values = np.array(rows, float)
    errors = values.std(0, ddof=1) / math.sqrt(runs)
    shown = zip([*RULES, "hindsight"], values.mean(0), errors, strict=True)
    limits = ", ".join(f"{name} {value}" for name, value in caps.items())
    print(f"{world} {tolerance:g}, {days} days of {daily}, {limits}: ", end="")
    print(", ".join(f"{name} {mean:.2f} ± {error:.2f}" for name, mean, error in shown), end="; ")
    parts = {name: share(values[:, 0], values[:, k]) for k, name in ((1, "true order"), (2, "first come"))}
    print(", ".join(f"{ratio:.3f} ± {error:.3f} of {name}" for name, (ratio, error) in parts.items()), flush=True)
    return parts["true order"][0]


def share(a, b):
    """Return the ratio of two sums, and its standard error by the delta method."""
    if not b.sum():
        return math.inf, 0.0
    ratio = a.sum() / b.sum()
    return ratio, np.std(a - ratio * b, ddof=1) / b.mean() / math.sqrt(len(a))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--worlds", nargs="*", default=list(WORLDS), choices=list(WORLDS))
    parser.add_argument("--tolerances", nargs="*", type=float, default=[0.05, 0.1])
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--daily", nargs="*", type=int, default=[10, 50, 200], help="labels of a day")
    parser.add_argument("--days", nargs="*", type=int, default=[360, 72, 18], help="days, as many numbers as --daily")
    parser.add_argument("--traffic", type=float, default=20.0, help="predictions per label; under 1 there is plenty")
    parser.add_argument("--cap", type=int, help="labels in all, instead of those of a day")
    options = parser.parse_args()
    for world in options.worlds:
        for tolerance in options.tolerances:
            for labels, days in zip(options.daily, options.days, strict=True):
                caps = {"daily_cap": labels} if options.cap is None else {"cap": options.cap}
                daily = round(options.traffic * labels)
                compare(world, tolerance, options.confidence, caps, days, daily, options.runs, options.seed)


if __name__ == "__main__":
    main()
