"""What a stopping boundary does, computed exactly: the law of the errors while a test goes on, answer by answer."""

import math
from typing import NamedTuple

import numpy as np


class Stopped(NamedTuple):
    labels: float
    """Expected answers, those of runs that are still open cut off at the horizon."""
    above: float
    below: float
    open: float


def stopped(test, rate, horizon, forget=1e-9):
    """Run a `RateTest` at an error rate, until fewer than a share `forget` of all runs are open."""
    few, many = test.boundary(horizon)
    law, start, labels, above, below = np.ones(1), 0, 0.0, 0.0, 0.0
    for n in range(1, horizon + 1):
        left = float(law.sum())
        if left < forget:
            break
        labels += left
        law = np.append(law * (1 - rate), 0.0) + np.append(0.0, law * rate)
        cut = max(0, few[n] + 1 - start)
        below, law, start = below + float(law[:cut].sum()), law[cut:], start + cut
        above, law = above + float(law[max(0, many[n] - start) :].sum()), law[: max(0, many[n] - start)]
    return Stopped(labels, above, below, float(law.sum()))


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
