"""How rare the false alarms of drift are, and how late its alarms: means with standard errors, and what is promised.

python benchmarks/drift.py [--runs N]

False alarms are counted with rates drawn from Beta(1/2, 4), and at single rates; runs are cut at 20 A, so that means
are too low rather than too high. Delays are compared with those of a CUSUM that knows both rates, threshold log A.

The limits of delays were chosen after 60 runs of 12 other changes (0.01 to 0.05 and 0.2, 0.02 to 0.1, 0.05 to 0.15 and
0.4, 0.1 to 0.3, and back) with other seeds. The changes below were not looked at before.
Nothing is promised about rates above 0.4.
"""

import argparse
import math

import numpy as np
from measuring import missed, report

from sidelight.monitor.stats.drift import DriftStatistic

ALARM = 10_000
CHANGES = [(0.01, 0.1), (0.02, 0.2), (0.03, 0.15), (0.05, 0.25), (0.08, 0.3), (0.15, 0.4)]
CHANGES += [(after, before) for before, after in CHANGES]
CHANGES += [(0.25, 0.6), (0.4, 0.8), (0.6, 0.9), (0.7, 0.3)]
HIGHEST_RATE = 0.4


def time_to_alarm(rate, threshold, rng):
    drift = DriftStatistic()
    for place, u in enumerate(rng.random(20 * threshold).tolist()):
        if drift.add(u < rate) >= threshold:
            return place + 1
    return 20 * threshold


def delays(before, after, history, rng):
    """Return the delays of the statistic and of the CUSUM, or None after a false alarm."""
    drift, total, ours, theirs = DriftStatistic(), 0.0, None, None
    for u in rng.random(history).tolist():
        if drift.add(u < before) >= ALARM:
            return None
    gains = math.log((1 - after) / (1 - before)), math.log(after / before)
    for place in range(1, 5_000):
        wrong = rng.random() < after
        total = max(0.0, total + gains[wrong])
        theirs = place if theirs is None and total >= math.log(ALARM) else theirs
        ours = place if ours is None and drift.add(wrong) >= ALARM else ours
        if ours is not None and theirs is not None:
            break
    return ours or 5_000, theirs or 5_000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    for threshold in (100, 300):
        rng = np.random.default_rng((201, threshold))
        rates = rng.beta(0.5, 4.0, runs)
        for name, chosen in (("over the prior", rates), *((f"at {p}", np.full(runs, p)) for p in (0.01, 0.1, 0.5))):
            times = np.array([time_to_alarm(rate, threshold, rng) for rate in chosen]) / threshold
            error = times.std(ddof=1) / math.sqrt(runs)
            least = 1.0 - 3 * error if name == "over the prior" else None
            report(
                f"answers to a false alarm / A, A = {threshold}, {name}",
                times.mean(),
                least=least,
                note=f"± {error:.2f}",
            )
    for history, most, soon in ((500, 1.25, 150), (150, 2.0, 50)):
        for before, after in CHANGES:
            rng = np.random.default_rng((203, history, int(1000 * before), int(1000 * after)))
            found = [one for one in (delays(before, after, history, rng) for _ in range(runs)) if one is not None]
            ours, theirs = np.array(found).T
            ratio = ours.mean() / theirs.mean()
            error = (ours - ratio * theirs).std(ddof=1) / theirs.mean() / math.sqrt(len(found))
            note = f"± {error:.2f}; {ours.mean():.0f} answers, {runs - len(found)} false alarms before"
            what = f"delay / CUSUM, {before} to {after}, {history} before"
            promised = theirs.mean() <= soon and max(before, after) <= HIGHEST_RATE
            report(what, ratio, most=most if promised else None, note=note)
    raise SystemExit(bool(missed))


if __name__ == "__main__":
    main()
