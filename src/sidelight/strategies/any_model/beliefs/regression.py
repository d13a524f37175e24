"""The built-in beliefs of ProspectModel: softmax regression on features of the context, with a Gaussian posterior.

Each group of features has its own prior precision, found from how large its coefficients are (the evidence
approximation), so that useless ones fade. It falls below its first value only as labels outnumber coefficients, for so
many coefficients fit any labels, and the larger they are, the better. A share of outcomes may be drawn uniformly
whatever the context is, which keeps a few wrong labels from spoiling the fit. Labels far from any border between
actions count less once there are many: there the law need not be right.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.kernels.arrays import Floats, Integers
from sidelight.strategies.any_model.beliefs.features import Features
from sidelight.strategies.any_model.beliefs.softmax_regression import (
    Sample,
    averaging,
    fit,
    row_precision,
    score_variance,
    softmax,
)
from sidelight.strategies.any_model.beliefs.threads import one_thread
from sidelight.strategies.any_model.stakes import Stakes

_PRECISION = 0.2  # of all coefficients at first, and always of the constant
_STRENGTH = 0.04  # of the prior of precisions
_NEAR = 3.0  # log-odds from a border within which labels count in full
_MOST_MEMBERS = 40


class Regression:
    """A belief about outcomes by regression on "none", "linear" or "kernel" features."""

    calibrated = True

    def __init__(self, stakes: Stakes, model: str, members: int, seed: int) -> None:
        self._stakes, self._members, self._seed = stakes, members, seed
        self._features = Features(model, stakes.outcomes, seed)
        self._steps, self._most_labels = (4, 2000) if model == "kernel" else (10, 20_000)
        self._theta: Floats | None = None
        self._covariance: Floats = np.zeros((0, 0))

    def fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Fit the coefficients, their precisions and the share of wrong labels to all labels."""
        with one_thread():
            self._fit(contexts, actions, symbols, pool)

    def _fit(self, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        newest = slice(-self._most_labels, None)
        contexts, actions, symbols = contexts[newest], actions[newest], symbols[newest]
        self._features.fit(contexts, pool)
        groups = self._features.groups
        if self._theta is None or self._theta.shape[1] != len(groups):
            self._begin(len(groups))
        assert self._theta is not None
        sample = self._sample(
            self._features(contexts) if len(actions) else np.zeros((0, len(groups))), actions, symbols
        )
        if len(actions):
            if self._features.kind != "none":
                self._set_precision(groups, len(actions))
            sample = self._adapt(sample)
        self._theta, hessian = fit(sample, self._theta, self._precision, self._noise, self._steps)
        self._covariance = np.asarray(np.linalg.inv(hessian), float)
        lower = np.linalg.cholesky(hessian)
        draws, self.exact = _draws(self._members, self._theta.size, self._seed)
        offsets = np.linalg.solve(lower.T, draws.T).T
        self._thetas = self._theta.ravel() + offsets

    def predict(self, contexts: Any) -> Floats:
        """Return the probability of each outcome under each member."""
        M, Z = self._stakes.outcomes, self._features(contexts)
        scores = Z @ self._thetas.reshape(-1, Z.shape[1]).T
        q = softmax(scores.reshape(len(Z), -1, M - 1).transpose(1, 0, 2))
        return self._noise + (1.0 - M * self._noise) * q

    def to_plain(self) -> dict[str, Any]:
        """Return the posterior."""
        names = ("_seed", "_theta", "_precision", "_noise", "_covariance", "_thetas", "exact")
        return {name: getattr(self, name) for name in names}

    def from_plain(self, data: Any, contexts: Any, actions: Integers, symbols: Integers, pool: Any) -> None:
        """Take over a posterior."""
        for name, value in data.items():
            setattr(self, name, np.array(value) if isinstance(value, list | np.ndarray) else value)
        self._features = Features(self._features.kind, self._stakes.outcomes, self._seed)
        self._features.fit(contexts[-self._most_labels :], pool)

    def _begin(self, size: int) -> None:
        M = self._stakes.outcomes
        self._theta = np.zeros((M - 1, size))
        self._precision = np.full(size, _PRECISION)
        self._noise = 0.5 / 20.5 / (M - 1) if size > 1 else 0.0
        rows = np.linalg.inv(row_precision(M))
        self._covariance = np.kron(rows, np.diag(1.0 / self._precision)).astype(float)

    def _sample(self, Z: Floats, actions: Integers, symbols: Integers) -> Sample:
        weights = np.ones(len(Z))
        if self._features.kind == "none":  # equal labels are one that counts several times
            told, counts = np.unique(np.column_stack([actions, symbols]), axis=0, return_counts=True)
            Z, actions, symbols, weights = Z[: len(told)], told[:, 0], told[:, 1], counts.astype(float)
        by_action = [(np.flatnonzero(actions == a), self._stakes.signals[int(a)]) for a in np.unique(actions)]
        return Sample(Z, self._stakes.allowed(actions, symbols), by_action, np.ones(len(Z)), weights)

    def _set_precision(self, groups: Integers, labels: int) -> None:
        """Set lambda of each group to (coefficients that the labels decide) / (their squared size)."""
        assert self._theta is not None
        rows, size = self._theta.shape
        R, S = row_precision(rows + 1), self._covariance.reshape(rows, size, rows, size)
        least = _PRECISION * min(1.0, self._theta.size / labels)
        for group in range(groups.max() + 1):
            here = np.flatnonzero(groups == group)
            if not len(here):  # contexts of no numbers
                continue
            theta = self._theta[:, here]
            squared = float(np.einsum("ac,ab,bc->", theta, R, theta))
            variance = float(np.einsum("ab,acbc->", R, S[:, here][:, :, :, here]))
            decided = max(0.0, theta.size - self._precision[here[0]] * variance)
            strength = _STRENGTH * theta.size / (theta.size + labels)  # fades, so that useless features may shrink
            wanted = (decided + strength) / (squared + strength / _PRECISION)
            self._precision[here] = max(least, wanted)

    def _adapt(self, sample: Sample) -> Sample:
        """Set tau, v and the share of wrong labels by the posterior of the last fit."""
        assert self._theta is not None
        scores = sample.features @ self._theta.T
        tau = averaging(scores, score_variance(sample.features, self._covariance, len(self._theta)))
        q = softmax(tau[:, None] * scores)
        if self._features.kind == "none":
            return sample._replace(tau=tau)
        weights = self._nearness(q) if len(q) > 100 else sample.weights
        M, n = q.shape[1], len(q)
        seen = (sample.allowed * (self._noise + (1.0 - M * self._noise) * q)).sum(1)
        wrong = self._noise * (sample.allowed * (1.0 - q)).sum(1) / seen
        self._noise = min(0.9 / M, (float(wrong.sum()) + 0.5) / (n + 20.5) / (M - 1))
        return sample._replace(tau=tau, weights=weights)

    def _nearness(self, q: Floats) -> Floats:
        """Return v = 1 / (1 + (h / 3)^2), h the smallest margin between the best action and a neighbor."""
        stakes, M = self._stakes, q.shape[1]
        p = self._noise + (1.0 - M * self._noise) * q
        best = stakes.pareto[(p @ stakes.losses[stakes.pareto].T).argmin(1)]
        least = np.full(len(q), math.inf)
        for i in np.unique(best):
            rows = np.flatnonzero(best == i)
            for j in stakes.neighbors[i]:
                more = stakes.losses[j] - stakes.losses[i]
                more = (1.0 - M * self._noise) * more + self._noise * more.sum()
                plus, minus = q[rows] @ np.maximum(more, 0.0), q[rows] @ np.maximum(-more, 0.0)
                least[rows] = np.minimum(least[rows], np.abs(np.log(np.maximum(plus, 1e-9) / np.maximum(minus, 1e-9))))
        return np.asarray(1.0 / (1.0 + (np.where(np.isfinite(least), least, 0.0) / _NEAR) ** 2))


def _draws(members: int, size: int, seed: int) -> tuple[Floats, bool]:
    """Return standard normal draws, (members, size); if they are many enough, with mean 0 and covariance 1 exactly."""
    count = max(members, min(_MOST_MEMBERS, 2 * size + 2))
    draws = np.random.default_rng([seed, 1]).normal(size=(count, size))
    if count <= size + 1:
        return draws, False
    orthogonal, triangle = np.linalg.qr(draws - draws.mean(0))
    return math.sqrt(count) * orthogonal * np.sign(np.diag(triangle)), True
