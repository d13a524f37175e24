"""An outcome law that is linear in a context, estimated by ridge regression on the symbols.

With p(x) = Theta x and theta = vec(Theta), a play of action a at x shows a symbol whose law is Phi theta, Phi = x' (x)
S_a, so that

    V = I + sum Phi' Phi,   theta_hat = V^-1 sum Phi' e(y),   p_hat_c = Theta_hat x_c,
    P_c = (x_c (x) I)' V^-1 (x_c (x) I).
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from sidelight.kernels import kernel
from sidelight.kernels.arrays import Floats
from sidelight.kernels.linear_algebra import multiply, quadratic_form
from sidelight.strategies.shared.gap_bounds import Bounds, Rivals, information_gain_for_gap_bounds
from sidelight.strategies.shared.ridge import add_ridge_observation


class Scratch(NamedTuple):
    """Work arrays for one context, or one symbol, at a time."""

    law: Annotated[Floats, "outcomes"]  # p_hat_c
    inverse: Annotated[Floats, "outcomes", "outcomes"]  # P_c
    matrix: Annotated[Floats, "outcomes", "outcomes"]
    row: Annotated[Floats, "coefficients"]
    solved: Annotated[Floats, "coefficients"]


class Regression(NamedTuple):
    """The estimate and what it is made of; rows of V are numbered (feature, outcome)."""

    updates: Annotated[Floats, 1]
    gram: Annotated[Floats, "coefficients", "coefficients"]  # V
    inverse: Annotated[Floats, "coefficients", "coefficients"]  # V^-1
    response: Annotated[Floats, "coefficients"]  # sum Phi' e(y)
    log_det: Annotated[Floats, 1]
    theta: Annotated[Floats, "coefficients"]
    scratch: Scratch


@kernel
def add_symbol_to_linear_law_regression(
    compared: Rivals, regression: Regression, x: Floats, action: int, symbol: int
) -> None:
    """Add a symbol of an informative action, seen at x."""
    row, solved = regression.scratch.row, regression.scratch.solved
    outcomes = compared.signals.shape[1]
    for u in range(compared.symbols[action]):
        for k in range(x.shape[0]):
            for j in range(outcomes):
                here = x[k] if compared.signals[action, j] == u else 0.0
                row[k * outcomes + j] = here
                if u == symbol:
                    regression.response[k * outcomes + j] += here
        # Rounding makes the form negative where features are far larger than their differences.
        regression.log_det[0] += math.log(1.0 + max(quadratic_form(regression.inverse, row, solved), 0.0))
        add_ridge_observation(regression.gram, regression.inverse, row, solved, regression.updates[0])
        regression.updates[0] += 1.0


@kernel
def estimate_linear_law_gaps(compared: Rivals, features: Floats, regression: Regression, bounds: Bounds) -> None:
    """Set, in every context, the estimated gaps, the widths of their bounds, and the information I of each action."""
    loss, law, inverse = compared.loss, regression.scratch.law, regression.scratch.inverse
    multiply(regression.inverse, regression.response, regression.theta)
    for c in range(features.shape[0]):
        project_linear_law_regression(regression, features[c])
        for a in range(loss.shape[0]):
            for r in range(compared.rivals.shape[0]):
                b = compared.rivals[r]
                mean = square = 0.0
                for i in range(law.shape[0]):
                    difference = loss[a, i] - loss[b, i]
                    mean += difference * law[i]
                    for j in range(law.shape[0]):
                        square += difference * (loss[a, j] - loss[b, j]) * inverse[i, j]
                bounds.mean[c, a, r] = mean
                bounds.reach[c, a, r] = math.sqrt(max(square, 0.0))
            bounds.gain[c, a] = information_gain_for_gap_bounds(compared, inverse, regression.scratch.matrix, a)


@kernel
def set_law_of_linear_regression(regression: Regression, x: Floats) -> None:
    """Set p_hat_c for the features x of a context."""
    law = regression.scratch.law
    outcomes = law.shape[0]
    for i in range(outcomes):
        total = 0.0
        for k in range(x.shape[0]):
            total += x[k] * regression.theta[k * outcomes + i]
        law[i] = total


@kernel
def project_linear_law_regression(regression: Regression, x: Floats) -> None:
    """Set p_hat_c and P_c for the features x of a context."""
    set_law_of_linear_regression(regression, x)
    inverse = regression.scratch.inverse
    outcomes = inverse.shape[0]
    for i in range(outcomes):
        for j in range(outcomes):
            total = 0.0
            for k in range(x.shape[0]):
                for m in range(x.shape[0]):
                    total += x[k] * x[m] * regression.inverse[k * outcomes + i, m * outcomes + j]
            inverse[i, j] = total


@kernel
def make_law_of_linear_estimate(law: Floats) -> None:
    """Make an estimate a law: no entry below 0, and sum 1; the uniform law if nothing is above 0."""
    total = 0.0
    for j in range(law.shape[0]):
        law[j] = max(0.0, law[j])
        total += law[j]
    for j in range(law.shape[0]):
        law[j] = law[j] / total if total > 0.0 else 1.0 / law.shape[0]
