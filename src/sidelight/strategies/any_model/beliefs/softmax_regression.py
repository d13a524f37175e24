"""Softmax regression on symbols, for the built-in beliefs of ProspectModel.

The law at features z is p_j = eps + (1 - M eps) q_j, q = softmax(Theta z) with the last score 0; a symbol has the
probability G, the sum of p_j over the outcomes that show it. Minimized is

    sum over labels of -v log G(tau Theta z) / tau  +  1/2 theta' (R x diag(lambda)) theta,

R = 2 (I - 11'/M), which treats all outcomes alike. The factor tau = 1 / sqrt(1 + pi s^2 / 8) of each label averages
over the posterior variance s^2 of its score (a Gaussian variational fit: the curvature of the plain likelihood goes to
zero where classes can be separated, and then the posterior would stay wide for ever), and v is the weight of a label.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sidelight.kernels.arrays import Floats, Integers

_TINY = 1e-300


class Sample(NamedTuple):
    """Labels as arrays."""

    features: Floats  # (n, F)
    allowed: Floats  # (n, M): 1 for the outcomes that show the symbol seen
    by_action: list[tuple[Integers, Floats]]  # the rows of each action and its signals, (symbols, M)
    tau: Floats  # (n,)
    weights: Floats  # v, (n,)


def softmax(scores: Floats) -> Floats:
    """Return probabilities, (..., M), for scores of all outcomes but the last."""
    full = np.concatenate([scores, np.zeros((*scores.shape[:-1], 1))], -1)
    q = np.exp(full - full.max(-1, keepdims=True))
    return np.asarray(q / q.sum(-1, keepdims=True))


def row_precision(outcomes: int) -> Floats:
    """Return R."""
    return np.asarray(2.0 * (np.eye(outcomes - 1) - 1.0 / outcomes))


def fit(sample: Sample, theta: Floats, precision: Floats, noise: float, steps: int) -> tuple[Floats, Floats]:
    """Return coefficients and Hessian by Fisher scoring with backtracking; `precision` is lambda, `noise` is eps."""
    prior: Floats = np.kron(row_precision(theta.shape[0] + 1), np.diag(precision)).astype(float)
    value = _objective(sample, theta, prior, noise)
    hessian = prior
    for step in range(steps + 1):
        gradient, hessian = _derivatives(sample, theta, prior, noise)
        if step == steps:
            break
        direction = np.linalg.solve(hessian, gradient)
        decrement = float(gradient @ direction)
        if decrement < 1e-6:
            break
        length, found = 1.0, False
        while not found and length > 1e-4:
            trial = theta + length * direction.reshape(theta.shape)
            reached = _objective(sample, trial, prior, noise)
            found = reached <= value - 0.1 * length * decrement
            length /= 2.0
        if not found:
            break
        theta, value = trial, reached
    return theta, hessian


def _objective(sample: Sample, theta: Floats, prior: Floats, noise: float) -> float:
    q = softmax(sample.tau[:, None] * (sample.features @ theta.T))
    shown = (sample.allowed * (noise + (1.0 - q.shape[1] * noise) * q)).sum(1)
    data = -(sample.weights * np.log(np.maximum(shown, _TINY)) / sample.tau).sum()
    return float(data + 0.5 * theta.ravel() @ prior @ theta.ravel())


def _derivatives(sample: Sample, theta: Floats, prior: Floats, noise: float) -> tuple[Floats, Floats]:
    """Return the negative gradient and the Fisher information, that of the prior included."""
    Z, rows = sample.features, theta.shape[0]
    q = softmax(sample.tau[:, None] * (Z @ theta.T))
    keep = 1.0 - q.shape[1] * noise
    allowed_q = sample.allowed * q
    shown = np.maximum((noise * sample.allowed + keep * allowed_q).sum(1), _TINY)
    inside = allowed_q.sum(1, keepdims=True)
    slope = (sample.weights * keep / shown)[:, None] * q[:, :-1] * (sample.allowed[:, :-1] - inside)
    information = np.zeros((len(Z), rows, rows))
    scale = sample.weights * sample.tau
    for here, signal in sample.by_action:
        G = np.maximum((noise + keep * q[here]) @ signal.T, _TINY)
        g = keep * q[here][:, None, :-1] * (signal[None, :, :-1] - (q[here] @ signal.T)[:, :, None])
        information[here] = np.einsum("nu,nui,nuj->nij", scale[here][:, None] / G, g, g)
    blocks = [[(Z * information[:, i, j, None]).T @ Z for j in range(rows)] for i in range(rows)]
    return (slope.T @ Z).ravel() - prior @ theta.ravel(), prior + np.block(blocks)


def score_variance(features: Floats, covariance: Floats, rows: int) -> Floats:
    """Return the covariance of the scores at each label, (n, M - 1, M - 1)."""
    F = features.shape[1]
    S = covariance.reshape(rows, F, rows, F)
    V = np.empty((len(features), rows, rows))
    for i in range(rows):
        for j in range(rows):
            V[:, i, j] = ((features @ S[i, :, j]) * features).sum(1)
    return V


def averaging(scores: Floats, variance: Floats) -> Floats:
    """Return tau; s^2 is the variance of differences between scores, weighted with q_i q_j."""
    n, rows = scores.shape
    if rows == 1:
        return np.asarray(1.0 / np.sqrt(1.0 + math.pi / 8.0 * np.maximum(variance[:, 0, 0], 0.0)))
    full = np.zeros((n, rows + 1, rows + 1))
    full[:, :-1, :-1] = variance
    own = np.einsum("nii->ni", full)
    differences = own[:, :, None] + own[:, None, :] - 2.0 * full
    q = softmax(scores)
    pairs = (q[:, :, None] * q[:, None, :] + 1e-12) * (1.0 - np.eye(rows + 1))
    s2 = (pairs * differences).sum((1, 2)) / pairs.sum((1, 2))
    return np.asarray(1.0 / np.sqrt(1.0 + math.pi / 8.0 * np.maximum(s2, 0.0)))
