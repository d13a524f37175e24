"""CBP and RandCBP on the τ-detection game, for millions of predictions one by one.

The game has two actions, verify and pass, and one pair of neighbors. With n verifications of which e were errors, and
the observer vector (v_wrong, v_right) of the verify action (plus a constant where passing observes, too), the pair has

    delta = constant + (v_wrong e + v_right (n - e)) / n,      c = Z max(|v_wrong|, |v_right|) / sqrt(n),

delta estimating L_verify - L_pass = 1 - p / τ. The general strategy (`sidelight.strategies.RandCBP`) then comes to
this: verify the first prediction, pass the second, and from then on pass exactly if delta is positive and at least c.
These functions compute exactly that, with the same operations in the same order, because a prediction should cost only
a microsecond or two; tests compare every decision with the general strategy on the same random numbers.

With pairs="both" the pair is listed twice, (verify, pass) and (pass, verify), as in the published runs: two independent
Z are drawn and the smaller one decides. Z grows with the uniform number it is made from, so one look at the smaller
number is enough.
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple

from sidelight.kernels import generic, implements, kernel


class Detection(NamedTuple):
    """CBP (bins = 1) or RandCBP on the τ-detection game, as numbers."""

    alpha: float
    bins: int
    lower: float
    sigma: float
    tail: float
    wrong: float
    right: float
    constant: float
    norm: float
    draws: int  # uniform numbers per prediction: none for CBP, one per listing of the pair for RandCBP


@kernel
def draw_confidence_of_detection_policy(game: Detection, bound: float, u: float) -> float:
    """Return the Z that a uniform number u draws: a grid point below the bound, or else the bound itself."""
    last = game.bins - 1
    if last == 0:
        return bound
    low = min(game.lower, bound)
    step = (bound - low) / last
    scale = -0.5 / (game.sigma * game.sigma)
    least = low * low
    if low < 0.0:
        for k in range(last):
            least = min(least, (low + step * k) ** 2)
    total = 0.0
    for k in range(last):
        point = low + step * k
        total += math.exp(scale * (point * point - least))
    share = (1.0 - game.tail) / total
    total = 0.0
    for k in range(last):
        point = low + step * k
        total += math.exp(scale * (point * point - least))
        if u < total * share:
            return point
    return bound


@kernel
def detection_policy_verifies(game: Detection, t: int, verified: int, errors: int, u: float) -> bool:
    """Decide about prediction t (from 0) of a class; u is the smallest of the uniform numbers for it."""
    if t < 2:
        return t == 0
    if verified == 0:
        return True
    score = game.wrong * errors
    score += game.right * (verified - errors)
    delta = game.constant + score / verified
    if delta <= 0.0:
        return True
    reach = game.norm / math.sqrt(verified)
    bound = math.sqrt(game.alpha * math.log(t))
    if delta >= bound * reach:
        return False
    return delta < draw_confidence_of_detection_policy(game, bound, u) * reach


class Everything(NamedTuple):
    """The rule of policies that verify every prediction of an open class up to a number of verifications."""

    limit: int = sys.maxsize


asks = generic("asks", ("rule", "t", "verified", "errors", "rng"))
"""For compiled loops: say whether prediction t of an open class is to be verified, by the rule of a policy."""


@implements(asks, Detection)
def _asks_as_detection_policy(rule: Detection, t: int, verified: int, errors: int, rng: Any) -> bool:
    u = 1.0
    for _ in range(rule.draws):
        u = min(u, rng.random())
    return detection_policy_verifies(rule, t, verified, errors, u)


@implements(asks, Everything)
def _asks_as_limited_policy(rule: Everything, t: int, verified: int, errors: int, rng: Any) -> bool:
    return verified < rule.limit
