"""What stopping boundaries do, computed exactly, beyond what the library itself computes."""

import math

import numpy as np

from sidelight.monitor.stats.confidence import EvidenceBoundary
from sidelight.monitor.stats.prospects import Stopped


def near_stopped(test, rate, horizon):
    """Run a test with a margin: "near" is what is missing in above, below and open."""
    law, start, labels, above, below = np.ones(1), 0, 0.0, 0.0, 0.0
    few, many = test.boundary(horizon)
    errors = range(max(many) + 1)
    least, most = (np.array([side.end(e) for e in errors]) for side in (test.not_more, test.not_less))
    for n in range(1, horizon + 1):
        labels += float(law.sum())
        law = np.append(law * (1 - rate), 0.0) + np.append(0.0, law * rate)
        while len(law) > 1 and law[0] < 1e-15:
            law, start = law[1:], start + 1
        while len(law) > 1 and law[-1] < 1e-15:
            law = law[:-1]
        e = np.arange(start, start + len(law))
        below += float(law[e <= few[n]].sum())
        above += float(law[e >= many[n]].sum())
        known = np.minimum(e, max(many))
        near = (least[known] <= n) & (n <= most[known])
        law = np.where(near | (e <= few[n]) | (e >= many[n]), 0.0, law)
        if law.sum() < 1e-6:
            break
    return Stopped(labels, above, below, float(law.sum()))


def wald_labels(rate, tolerance, confidence):
    """log(1/α) / KL(p, τ): no test with this confidence needs fewer labels on average."""
    divergence = rate * math.log(rate / tolerance) + (1 - rate) * math.log((1 - rate) / (1 - tolerance))
    return -math.log1p(-confidence) / divergence


def missed(test, rate, horizon):
    """Return how often the interval ever fails to hold the rate, the verdict being the latest one that was reached.

    An end of the interval passes the rate when the evidence against the rate reaches the limit of that end. For
    tolerances up to 1/2.
    """
    few, many = test.boundary(horizon)
    top = min(horizon, int(rate * horizon + 8 * math.sqrt(rate * (1 - rate) * horizon)) + 10)
    e = np.arange(top + 1)

    def ends(mixture, limit):
        side = EvidenceBoundary(mixture, rate, limit)
        return np.array([side.end(k) for k in range(top + 1)])

    low, strict_low = (ends(test.many.mixture, limit) for limit in (test.limit, test.strict))
    high, strict_high = (ends(test.few.mixture, limit) for limit in (test.limit, test.strict))
    laws = {"unknown": np.zeros(top + 1), "above": np.zeros(top + 1), "below": np.zeros(top + 1)}
    laws["unknown"][0] = 1.0
    found, tau = 0.0, test.tolerance
    for n in range(1, horizon + 1):
        for name, law in laws.items():
            laws[name] = law * (1 - rate)
            laws[name][1:] += law[:-1] * rate
        for name, reached in (("above", e >= many[n]), ("below", e <= few[n])):
            for other in laws.keys() - {name}:
                laws[name][reached] += laws[other][reached]
                laws[other][reached] = 0.0
        for name, law in laws.items():
            under = (rate < tau) | (n <= strict_low) if name == "above" else (rate < tau) & (n <= low)
            over = (rate > tau) | (n >= strict_high) if name == "below" else (rate > tau) & (n >= high)
            out = under | over
            found += float(law[out].sum())
            law[out] = 0.0
    return found
