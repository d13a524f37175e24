"""Outcome laws near the border of two cells, where it is hard to tell which action is best."""

from __future__ import annotations

import numpy as np

from sidelight.kernels.arrays import Floats

_ATTEMPTS = 1_000
_HALVINGS = 50


def near_border(loss: Floats, least: float, most: float, rng: np.random.Generator) -> Floats:
    """Draw two laws with different best actions, and return one `least` to `most` back from where the best one changes.

    On the segment from the first law to the second, let b be the place (0 to 1) where the best action of the first
    stops being best. The law lies at b (1 - u) with u uniform between `least` and `most`. In a game where one action
    is always best, the law is uniform over all laws.
    """
    outcomes = loss.shape[1]
    if (loss == loss.min(axis=0)).all(axis=1).any():  # one action is always best: no attempt would find another
        return np.asarray(rng.dirichlet(np.ones(outcomes), size=(_ATTEMPTS, 2))[-1, 0])
    for _ in range(_ATTEMPTS):
        start, end = rng.dirichlet(np.ones(outcomes), size=2)
        if _best(loss, start) != _best(loss, end):
            break
    else:
        return start
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        same = _best(loss, (1.0 - middle) * start + middle * end) == _best(loss, start)
        low, high = (middle, high) if same else (low, middle)
    place = low * (1.0 - rng.uniform(least, most))
    return (1.0 - place) * start + place * end


def _best(loss: Floats, law: Floats) -> int:
    return int(np.argmin(loss @ law))
