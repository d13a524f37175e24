"""What the monitor guarantees, by simulation: each line is a share of runs with its standard error and its limit.

python benchmarks/guarantees.py [--runs N] [NAME ...]

A guarantee is a generator of (what, found, limit): `found` has one entry per run, true where the guarantee was broken.
Its runs differ from those of the tests. A limit is exceeded if the share of broken runs is four standard errors above
it.
"""

import argparse
import heapq
import math

import numpy as np
from measuring import missed, report

from sidelight.monitor import ClassifierMonitor
from sidelight.monitor.policies import Explore
from sidelight.monitor.stats.confidence import rate_test, share_of_alpha

LOOKS = sorted({int(1.1**k) for k in range(100) if 1.1**k <= 4000})
"""After how many predictions somebody looks."""


def answered(monitor, place, name, wrong):
    """Let the monitor decide about a prediction, and answer at once."""
    if monitor.decide(name, id=place).verify:
        monitor.answer(place, correct=not wrong)


def intervals(runs):
    """Check that the interval of a class holds its rate at all times, and never contradicts the verdict.

    `benchmarks/verdicts.py` computes exactly how often it misses; here it is that of a whole monitor.
    """
    for tolerance, rates in ((0.05, (0.01, 0.06, 0.2)), (0.8, (0.5,))):
        for rate in rates:
            out, contradicted = np.zeros((2, runs), bool)
            for run in range(runs):
                rng = np.random.default_rng((101, int(1000 * tolerance), int(1000 * rate), run))
                monitor = ClassifierMonitor(
                    tolerance, confidence=0.95, policy=Explore(verifications=LOOKS[-1]), drift=False
                )
                for place, wrong in enumerate((rng.random(LOOKS[-1]) < rate).tolist()):
                    answered(monitor, place, "class", wrong)
                    if place + 1 in LOOKS:
                        one = monitor.report()["class"]
                        low, high = one.interval
                        out[run] |= not low <= rate <= high
                        sides = {"above": low >= tolerance, "below": high <= tolerance}
                        contradicted[run] |= not sides.get(one.verdict, low <= tolerance <= high)
            yield f"interval misses rate {rate} at tolerance {tolerance}", out, 0.05
            yield "... contradicts the verdict", contradicted, 0.0


def together(runs):
    """Check that few runs have any wrong verdict with together=True."""
    for factor in (0.95, 1.05):
        rng = np.random.default_rng((102, int(100 * factor)))
        errors = np.cumsum(rng.random((runs, 20, 3000)) < factor * 0.3, axis=2, dtype=np.int16)
        few, many = (np.array(ends[1:]) for ends in rate_test(0.3, 1 - 0.2 * share_of_alpha(0, 20)).boundary(3000))
        below, above = errors <= few, errors >= many
        first = np.argmax(below | above, axis=2)[..., None]
        wrong = np.take_along_axis(above if factor < 1 else below, first, 2)[..., 0].any(axis=1)
        yield f"any wrong verdict on 20 classes at {factor} of their tolerance", wrong, 0.2


def overall(runs):
    """Check that the overall error rate is held at all times, though verification is adaptive."""
    rates = {"a": 0.01, "b": 0.06, "c": 0.3, "d": 0.045}
    for policy in ("sequential", "randcbp"):
        out = np.zeros(runs, bool)
        for run in range(runs):
            rng = np.random.default_rng((103, run))
            monitor = ClassifierMonitor(0.05, classes=list(rates), policy=policy, confidence=0.9, drift=False)
            counts = dict.fromkeys(rates, 0)
            names = rng.choice(list(rates), LOOKS[-1], p=[0.4, 0.3, 0.1, 0.2]).tolist()
            for place, (name, u) in enumerate(zip(names, rng.random(LOOKS[-1]).tolist(), strict=True)):
                counts[name] += 1
                answered(monitor, place, name, u < rates[name])
                if place + 1 in LOOKS:
                    low, high = monitor.report().overall.interval
                    out[run] |= not low <= sum(counts[one] * rates[one] for one in rates) / (place + 1) <= high
        yield f"overall interval misses, {policy}", out, 0.1


def reviewers(runs):
    """Check that verdicts are right though reviewers err within their bound, in the direction that hurts most."""
    for tolerance, rate, miss, alarm in ((0.1, 0.102, 0.05, 0.0), (0.1, 0.098, 0.0, 0.05), (0.7, 0.71, 0.05, 0.0)):
        wrong = np.zeros(runs, bool)
        for run in range(runs):
            rng = np.random.default_rng((104, int(1000 * rate), run))
            monitor = ClassifierMonitor(tolerance, confidence=0.95, reviewer_error=0.05, drift=False)
            said = rate * (1 - miss) + (1 - rate) * alarm
            for place, bad in enumerate((rng.random(LOOKS[-1]) < said).tolist()):
                answered(monitor, place, "class", bad)
            wrong[run] = monitor.report()["class"].verdict == ("below" if rate > tolerance else "above")
        yield f"wrong at tolerance {tolerance}, rate {rate}, misses {miss}, false alarms {alarm}", wrong, 0.05


def late(runs):
    """Check that verdicts are right at the end though wrong answers take longer, and some never come."""
    for fast, slow, lost in ((50, 200, 0.0), (500, 2000, 0.0), (500, 2000, 0.1)):
        wrong, ever = np.zeros((2, runs), bool)
        for run in range(runs):
            rng = np.random.default_rng((105, slow, int(100 * lost), run))
            monitor = ClassifierMonitor(0.1, confidence=0.95, drift=False)
            coming = []
            for place in range(15_000):
                if monitor.decide("class", id=place).verify and rng.random() >= lost:
                    bad = rng.random() < 0.12
                    heapq.heappush(coming, (place + rng.exponential(slow if bad else fast), place, bad))
                while coming and (coming[0][0] <= place or place == 14_999):
                    _, id, bad = heapq.heappop(coming)
                    ever[run] |= monitor.answer(id, correct=not bad).verdict == "below"
            wrong[run] = monitor.report()["class"].verdict == "below"
        what = f"right after {fast}, wrong after {slow}, {100 * lost:g} % lost"
        yield f"{what}: wrong at the end", wrong, 0.05
        yield "... at any time, about which nothing is guaranteed", ever, 1.0


def lost(runs):
    """Check that classes clearly above or below tolerance get a verdict though a share of the answers never comes."""
    rates = (0.01, 0.02, 0.1, 0.2)
    for share in (0.1, 0.5):
        unknown, wrong = np.zeros((2, runs), bool)
        for run in range(runs):
            rng = np.random.default_rng((106, int(100 * share), run))
            monitor = ClassifierMonitor(0.05, classes=range(len(rates)), drift=False)
            for place, (u, v) in enumerate(rng.random((20_000, 2)).tolist()):
                name = place % len(rates)
                if monitor.decide(name, id=place).verify and u >= share:
                    monitor.answer(place, correct=v >= rates[name])
            found = [one.verdict for one in monitor.report().classes]
            unknown[run] = "unknown" in found
            wrong[run] = "above" in found[:2] or "below" in found[2:]
        yield f"{100 * share:g} % lost: a class of 4 without a verdict after 5 000 predictions", unknown, 0.05
        yield "... with a wrong one", wrong, 0.04


def changes(runs):
    """Check that a class starts anew after a change, and that its interval holds the new rate from the alarm on."""
    for before, after in ((0.01, 0.2), (0.2, 0.02)):
        missed_change, out = np.zeros((2, runs), bool)
        for run in range(runs):
            rng = np.random.default_rng((107, int(100 * after), run))
            monitor = ClassifierMonitor(0.05)
            for place, u in enumerate(rng.random(13_000).tolist()):
                answered(monitor, place, "class", u < (before if place < 3000 else after))
                if place > 3000 and place % 50 == 0:
                    one = monitor.report()["class"]
                    out[run] |= bool(one.alarms) and not one.interval[0] <= after <= one.interval[1]
            missed_change[run] = not monitor.report()["class"].alarms
        yield f"{before} to {after}: not noticed within 10 000 predictions", missed_change, 0.05
        yield "... the interval misses the new rate after an alarm", out, 0.01


GUARANTEES = (intervals, together, overall, reviewers, late, lost, changes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(one.__name__ for one in GUARANTEES))
    parser.add_argument("--runs", type=int, default=400)
    options = parser.parse_args()
    for guarantee in GUARANTEES:
        if options.names and guarantee.__name__ not in options.names:
            continue
        print(f"{guarantee.__doc__.splitlines()[0]} {options.runs} runs.")
        for what, broken, limit in guarantee(options.runs):
            share = float(np.mean(broken))
            slack, error = (math.sqrt(one * (1 - one) / len(broken)) for one in (limit, share))
            report(what, share, most=limit + 4 * slack, note=f"limit {limit:g}, standard error {error:.4f}")
    raise SystemExit(bool(missed))


if __name__ == "__main__":
    main()
