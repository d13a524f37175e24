"""A pool of laws drawn from the posterior, and what it says about which action is best.

With S laws p^s, of which those in A_b make action b best, the pool estimates

    P*_b = |A_b| / S,      E[p] = mean of all p^s,      E[p | b best] = mean of the p^s in A_b.

To draw all of them anew in every round would cost most of the time for nothing: after t rounds one more symbol moves
the posterior by a share of order 1 / t. So each round draws 8 S / t laws anew, at least 4, in turn: no law in the pool
is older than about an eighth of the rounds played, or than S / 4 rounds.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats, Integers
from sidelight.kernels.linear_algebra import add_multiple, copy, dot, fill
from sidelight.strategies.posterior.law_posterior import Belief, Target
from sidelight.strategies.posterior.simplex_sampling import SimplexSampler, draw_posterior_law
from sidelight.strategies.shared.candidates import BestActions

_AGE = 8
_LEAST = 4


class Pool(NamedTuple):
    """The laws, and which class of actions each makes best; `place` is where the next one goes."""

    laws: Annotated[Floats, "draws", "outcomes"]
    best: Annotated[Integers, "draws"]
    place: Annotated[Integers, 1]


class Summary(NamedTuple):
    """What the pool says."""

    chance: Annotated[Floats, "classes"]  # P*
    mean: Annotated[Floats, "outcomes"]  # E[p]
    optimal: Annotated[Floats, "classes", "outcomes"]  # P*_b E[p | b best]


@kernel
def renew_posterior_pool(
    target: Target, belief: Belief, sampler: SimplexSampler, choice: BestActions, pool: Pool, t: int,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Draw some laws of the pool anew; t rounds were played before."""
    size = pool.laws.shape[0]
    count = size if t < _AGE else max(min(_LEAST, size), _AGE * size // t)
    for _ in range(count):
        draw_posterior_law(target, belief, sampler, t, rng)
        n = pool.place[0]
        pool.place[0] = (n + 1) % size
        least = math.inf
        for c in range(choice.loss.shape[0]):
            expected = dot(choice.loss[c], sampler.law)
            if expected < least:
                pool.best[n], least = c, expected
        copy(sampler.law, pool.laws[n])


@kernel
def summarize_posterior_pool(pool: Pool, summary: Summary) -> None:
    """Summarize the laws of the pool."""
    size, outcomes = pool.laws.shape
    fill(summary.chance, 0.0)
    for c in range(summary.chance.shape[0]):
        fill(summary.optimal[c], 0.0)
    for n in range(size):
        c = pool.best[n]
        summary.chance[c] += 1.0
        add_multiple(summary.optimal[c], 1.0, pool.laws[n])
    for j in range(outcomes):
        total = 0.0
        for c in range(summary.chance.shape[0]):
            summary.optimal[c, j] /= size
            total += summary.optimal[c, j]
        summary.mean[j] = total
    for c in range(summary.chance.shape[0]):
        summary.chance[c] /= size
