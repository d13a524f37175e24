"""How many labels a verdict takes, computed exactly: the law of the errors while a test goes on, answer by answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sidelight.monitor.stats.confidence import RateTest


class Stopped(NamedTuple):
    """What becomes of a test at a given error rate."""

    labels: float
    """Expected answers until the verdict; runs that are still open at the horizon count with the horizon."""
    above: float
    """The share of runs that end with "above"; `below` and `open` likewise."""
    below: float
    open: float
    usual: int | None = None
    """The number of answers that suffices in nine of ten runs; None if the horizon does not."""


def stopped_test(test: RateTest, rate: float, horizon: int, forget: float = 1e-9) -> Stopped:
    """Run a test at an error rate, until fewer than a share `forget` of all runs are open."""
    few, many = test.boundary(horizon)
    law, start, labels, above, below, usual = np.ones(1), 0, 0.0, 0.0, 0.0, None
    for n in range(1, horizon + 1):
        after = np.empty(len(law) + 1)
        np.multiply(law, 1 - rate, out=after[:-1])
        after[-1] = 0.0
        after[1:] += rate * law
        law, stops = after, 0.0
        if few[n] >= start:
            cut = few[n] + 1 - start
            stops = float(law[:cut].sum())
            below, law, start = below + stops, law[cut:], start + cut
        if start + len(law) > many[n]:
            cut = max(0, many[n] - start)
            over = float(law[cut:].sum())
            above, law, stops = above + over, law[:cut], stops + over
        labels += n * stops
        if usual is None and above + below >= 0.9:
            usual = n
        if above + below > 1.0 - forget:
            break
    left = 1.0 - above - below
    return Stopped(labels + n * left, above, below, left, usual)
