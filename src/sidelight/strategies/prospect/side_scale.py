"""Convert the posterior of ProspectSide to other means and scales of the features.

The score does not depend on the units of a feature: theta z with z = (x - mean) / scale stays the same if

    theta_old_c = r_c theta_new_c,    r_c = scale_old_c / scale_new_c,
    intercept_old = intercept_new - sum_c f_c theta_new_c,    f_c = (mean_new_c - mean_old_c) / scale_new_c.

A feature that was constant before has r_c = 0: nothing is known of its coefficient but the prior.
"""

from __future__ import annotations

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.strategies.prospect.side_posterior import Posterior

_LEAST_RATIO = 1e-6  # below, a feature counts as new


@kernel
def spread(theta: Floats, covariance: Floats, features: int) -> float:
    """Return the spread of scores; the weights of contexts are inversely proportional to its square root."""
    rows = theta.shape[0] // features
    size = variance = 0.0
    for i in range(theta.shape[0]):
        if i % features < features - 1:
            size += theta[i] * theta[i]
        variance += covariance[i, i]
    return (size + variance) / rows * (1.0 + 0.16 * variance / rows)


@kernel
def ratio(posterior: Posterior, old: int, c: int) -> float:
    """Return r of a feature, 1 for the intercept."""
    if c == posterior.mean.shape[1]:
        return 1.0
    new = posterior.scale[1 - old, c]
    found = posterior.scale[old, c] / new if new > 0.0 else 0.0
    return found if found > _LEAST_RATIO else 0.0


@kernel
def shift(posterior: Posterior, old: int, c: int) -> float:
    """Return f of a feature, 0 for the intercept."""
    if c == posterior.mean.shape[1] or posterior.scale[1 - old, c] == 0.0:
        return 0.0
    return (posterior.mean[1 - old, c] - posterior.mean[old, c]) / posterior.scale[1 - old, c]


@kernel
def rescale(posterior: Posterior, old: int) -> None:
    """Put coefficients, covariance and what stands for absorbed labels into the means and scales of the other one."""
    new, last = 1 - old, posterior.mean.shape[1]
    features, size = last + 1, posterior.theta.shape[1]
    for i in range(size):
        r, f, end = ratio(posterior, old, i % features), shift(posterior, old, i % features), i - i % features + last
        posterior.theta[new, i] = posterior.theta[old, i] / r if r > 0.0 else 0.0
        posterior.pull[new, i] = r * posterior.pull[old, i] - f * posterior.pull[old, end]
        for j in range(size):
            own = r * ratio(posterior, old, j % features)
            posterior.covariance[new, i, j] = posterior.covariance[old, i, j] / own if own > 0.0 else 0.0
            posterior.absorbed[new, i, j] = posterior.absorbed[old, i, j]
        if r == 0.0:
            posterior.covariance[new, i, i] = 1.0 / posterior.precision[old]
    move_intercepts(posterior, old)
    rescale_products(posterior, old, posterior.absorbed[new])


@kernel
def rescale_products(posterior: Posterior, old: int, matrix: Floats) -> None:
    """Put a sum of z z' into the means and scales of the other posterior: z_new = r z_old - f, by rows and columns."""
    last = posterior.mean.shape[1]
    for i in range(matrix.shape[0]):
        c = i % (last + 1)
        if c < last:
            r, f = ratio(posterior, old, c), shift(posterior, old, c)
            for j in range(matrix.shape[0]):
                matrix[i, j] = r * matrix[i, j] - f * matrix[i - c + last, j]
    for i in range(matrix.shape[0]):
        c = i % (last + 1)
        if c < last:
            r, f = ratio(posterior, old, c), shift(posterior, old, c)
            for j in range(matrix.shape[0]):
                matrix[j, i] = r * matrix[j, i] - f * matrix[j, i - c + last]


@kernel
def move_intercepts(posterior: Posterior, old: int) -> None:
    """Add f to the intercepts: theta += f theta_c and S accordingly, first by rows, then by columns."""
    new, last = 1 - old, posterior.mean.shape[1]
    features, size = last + 1, posterior.theta.shape[1]
    theta, covariance = posterior.theta[new], posterior.covariance[new]
    for i in range(size):
        f, end = shift(posterior, old, i % features), i - i % features + last
        if f != 0.0:
            theta[end] += f * theta[i]
            for j in range(size):
                covariance[end, j] += f * covariance[i, j]
    for i in range(size):
        f, end = shift(posterior, old, i % features), i - i % features + last
        if f != 0.0:
            for j in range(size):
                covariance[j, end] += f * covariance[j, i]
