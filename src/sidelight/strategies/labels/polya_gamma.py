"""Draws from the Pólya-Gamma distribution PG(1, z), exactly.

PG(1, z) is a quarter of J*(1, z / 2), whose density is an alternating series with two expansions, one good for small
and one for large x; they meet at TRUNCATION. A proposal from an exponential (right) or an inverse Gaussian (left) is
accepted or rejected by partial sums that bound the density from both sides, so the draw is exact.

References
----------
L. Devroye, "On exact simulation algorithms for some distributions related to Jacobi theta functions", Statistics and
Probability Letters, 2009.
N. Polson, J. Scott, J. Windle, "Bayesian inference for logistic models using Pólya-Gamma latent variables", Journal of
the American Statistical Association, 2013.
"""

from __future__ import annotations

import math

import numpy as np

from sidelight.kernels import kernel

TRUNCATION = 0.64
_RIGHT = math.pi * math.pi / 8.0
_ROOT = math.sqrt(1.0 / TRUNCATION)
_ROOT_HALF = math.sqrt(0.5 / TRUNCATION)
_MODERATE = 8.0
# Below this the normal distribution function comes from its asymptotic series, so that no exponential overflows.
_FAR = -8.0
# Above this an exponential would overflow, and the right part weighs nothing.
_HUGE = 700.0


@kernel
def log_normal_cdf_for_polya_gamma(x: float) -> float:
    """Return log Phi(x)."""
    if x > _FAR:
        return math.log(0.5 * math.erfc(-x * math.sqrt(0.5)))
    square = 1.0 / (x * x)
    series = 1.0 - square * (1.0 - 3.0 * square * (1.0 - 5.0 * square * (1.0 - 7.0 * square)))
    return -0.5 * x * x - math.log(-x) - 0.5 * math.log(2.0 * math.pi) + math.log(series)


@kernel
def right_share_of_polya_gamma_proposal(z: float, rate: float) -> float:
    """Return the share of the proposal's mass that lies right of the truncation point.

    With Phi the normal distribution function, the left part weighs 4/pi rate e^(rate T) (e^-z Phi(b) + e^z Phi(a)).
    """
    if z < _MODERATE:  # the usual case, without logarithms
        shrunk = math.exp(-z)
        below = shrunk * math.erfc(_ROOT_HALF * (1.0 - TRUNCATION * z))
        above = math.erfc(_ROOT_HALF * (1.0 + TRUNCATION * z)) / shrunk
        return 1.0 / (1.0 + 2.0 / math.pi * rate * math.exp(rate * TRUNCATION) * (below + above))
    start = math.log(rate) + rate * TRUNCATION
    near = start - z + log_normal_cdf_for_polya_gamma(_ROOT * (TRUNCATION * z - 1.0))
    far = start + z + log_normal_cdf_for_polya_gamma(-_ROOT * (TRUNCATION * z + 1.0))
    if max(near, far) > _HUGE:
        return 0.0
    return 1.0 / (1.0 + 4.0 / math.pi * (math.exp(near) + math.exp(far)))


@kernel
def left_proposal_of_polya_gamma(z: float, rng: np.random.Generator) -> float:
    """Draw from the inverse Gaussian with mean 1 / z and shape 1, given that it lies left of the truncation point."""
    if z * TRUNCATION < 1.0:  # the mean lies to the right: tilt a draw of the limit z = 0
        while True:
            e = rng.exponential()
            while e * e > 2.0 * rng.exponential() / TRUNCATION:
                e = rng.exponential()
            x = TRUNCATION / ((1.0 + TRUNCATION * e) * (1.0 + TRUNCATION * e))
            if rng.random() <= math.exp(-0.5 * z * z * x):
                return x
    mean = 1.0 / z
    while True:
        y = rng.normal()
        y = mean * y * y
        x = mean + 0.5 * mean * (y - math.sqrt(4.0 * y + y * y))
        if x <= 0.0:  # cancellation for very large y: the smaller root is mean / (1 + y) to first order
            x = mean / (1.0 + y)
        if rng.random() > mean / (mean + x):
            x = mean * mean / x
        if x <= TRUNCATION:
            return x


@kernel
def polya_gamma_series_coefficient(n: int, x: float) -> float:
    """Return the n-th term of the alternating series at x."""
    k = n + 0.5
    if x > TRUNCATION:
        return math.pi * k * math.exp(-0.5 * k * k * math.pi * math.pi * x)
    ratio = 2.0 / (math.pi * x)
    return ratio * math.sqrt(ratio) * math.pi * k * math.exp(-2.0 * k * k / x)


@kernel
def draw_polya_gamma(tilt: float, rng: np.random.Generator) -> float:
    """Draw from PG(1, tilt), whose mean is tanh(tilt / 2) / (2 tilt)."""
    z = 0.5 * abs(tilt)
    rate = _RIGHT + 0.5 * z * z
    share = right_share_of_polya_gamma_proposal(z, rate)
    while True:
        right = rng.random() < share
        x = TRUNCATION + rng.exponential() / rate if right else left_proposal_of_polya_gamma(z, rng)
        total = polya_gamma_series_coefficient(0, x)
        height = rng.random() * total
        n = 0
        while True:
            n += 1
            if n % 2 == 1:
                total -= polya_gamma_series_coefficient(n, x)
                if height <= total:
                    return 0.25 * x
            else:
                total += polya_gamma_series_coefficient(n, x)
                if height > total:
                    break
