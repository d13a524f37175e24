"""The running mean and standard deviation of each feature of the contexts, and contexts measured in them.

After n contexts, with the deviation d = x - mean of the last one from the mean of those before it,

    mean += d / n,    s^2 = (1 - 1 / n) (s^2 + d^2 / n),

which is Welford's update for the standard deviation s itself (divided by n, not n - 1): no sum of squares is kept, so
large offsets cause no cancellation and large numbers do not overflow. Numbers beyond 1e300 count as 1e300.

From the eleventh context on a deviation counts as at most max(30, sqrt(n)) standard deviations. So one broken value
(9999 for a missing number, say) does not blow up the scale for thousands of rounds, while a feature that is rare, or
measured in another unit from some round on, sets its scale within a few values.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats

_LARGEST = 1e300
_FEW_CONTEXTS = 10.0
_NEVER_BROKEN = 30.0
FARTHEST = 1e6
"""No context counts as more standard deviations than this away from the mean."""


class Moments(NamedTuple):
    """Count, mean and standard deviation of the contexts so far."""

    contexts: Annotated[Floats, 1]  # how many there were
    mean: Annotated[Floats, "dimension"]
    scale: Annotated[Floats, "dimension"]  # standard deviations, 0 for a feature that has not changed


@kernel
def add_context(moments: Moments, context: Floats) -> None:
    """Take a context into the means and standard deviations."""
    moments.contexts[0] += 1.0
    share = 1.0 / moments.contexts[0]
    root, shrink = math.sqrt(share), math.sqrt(1.0 - share)
    reach = max(_NEVER_BROKEN, math.sqrt(moments.contexts[0]))
    for k in range(context.shape[0]):
        deviation = max(-_LARGEST, min(_LARGEST, context[k])) - moments.mean[k]
        if moments.contexts[0] > _FEW_CONTEXTS and moments.scale[k] > 0.0:
            most = reach * moments.scale[k]
            deviation = max(-most, min(most, deviation))
        moments.mean[k] += share * deviation
        moments.scale[k] = shrink * hypotenuse_for_standardization(moments.scale[k], root * abs(deviation))


@kernel
def hypotenuse_for_standardization(a: float, b: float) -> float:
    """Return sqrt(a^2 + b^2) of numbers of at least 0, without squaring a large one."""
    high, low = max(a, b), min(a, b)
    if low == 0.0:
        return high
    ratio = low / high
    return high * math.sqrt(1.0 + ratio * ratio)


@kernel
def standardize(mean: Floats, scale: Floats, context: Floats, z: Floats) -> None:
    """Set z = (x - mean) / scale, 0 where the scale is 0 and never beyond FARTHEST."""
    for k in range(context.shape[0]):
        deviation = max(-_LARGEST, min(_LARGEST, context[k])) - mean[k]
        if scale[k] == 0.0:
            z[k] = 0.0
        elif abs(deviation) / FARTHEST >= scale[k]:
            z[k] = FARTHEST if deviation > 0.0 else -FARTHEST
        else:
            z[k] = deviation / scale[k]
