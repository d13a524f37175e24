"""What a look is worth to ProspectModel: how much the regret of every later round may fall.

The deviations of the members are the features of a Gaussian posterior with covariance C, the identity after a fit. The
margin between an action i and its neighbor j at a context is h = log(plus / minus), what j costs more over what it
costs less; psi = (h - mean) sqrt(w (nu + 1) / nu) are the members' deviations, w their weights and nu + 1 = 1 / sum of
w^2 their effective number. Where i seems best the margin has the variance s^2 = psi' C psi, and less would save

    omega = kappa exp(-mean^2 / 2 s^2) phi(0) / (2 s) / sqrt(1 + .64 (kappa s / half)^2)

per unit, kappa the change of the expected loss with h and `half` half the range of L_j - L_i. A is the mean of
omega psi psi' over recent contexts; the part that members drawn at random would show by chance is subtracted. A look
with action a has deviations D of its symbols' probabilities g, and R = diag(g) - g g' is the noise of one symbol:

    VOI_a = tr[(D' C D + R)^-1 (C D)' A (C D)],   C <- C - C D (D' C D + R)^-1 (C D)' when it is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sidelight.kernels.arrays import Floats
from sidelight.strategies.any_model.beliefs.threads import one_thread
from sidelight.strategies.any_model.stakes import Stakes

_DENSITY = 0.3989422804014327  # phi(0)
_LEAST = 1e-9


class Value:
    """What looks are worth between two fits, given what the members predict at recent contexts."""

    def __init__(self, stakes: Stakes, pool: Floats, weights: Floats, noise: float) -> None:
        """Start from a fitted belief; `noise` is the sum of w^2 over its members that were drawn at random."""
        self._stakes, self._pool, self._noise = stakes, pool, min(noise, 0.5)
        self.weights = weights
        self._root = np.sqrt(weights / (1.0 - self._noise))[:, None]
        self.covariance = np.eye(len(weights))
        self.refresh()

    def refresh(self) -> None:
        """Work out A for the present covariance."""
        P, stakes, size = self._pool, self._stakes, len(self.weights)
        law = np.tensordot(self.weights, P, 1)
        best = stakes.pareto[(law @ stakes.losses[stakes.pareto].T).argmin(1)]
        A = np.zeros((size, size))
        for i in np.unique(best):
            rows = np.flatnonzero(best == i)
            for j in stakes.neighbors[i]:
                with one_thread():
                    psi, omega = self._margin(P[:, rows], stakes.losses[j] - stakes.losses[i])
                    A += (psi * omega) @ psi.T
        A /= P.shape[1]
        self.curvature = (1.0 - self._noise) * A - self._noise * np.trace(A) * np.eye(size)
        self.stale = 0

    def _margin(self, P: Floats, more: Floats) -> tuple[Floats, Floats]:
        """Return psi, (members, n), and omega; `more` is what the neighbor costs more at each outcome."""
        plus, minus = np.maximum(more, 0.0), np.maximum(-more, 0.0)
        h = np.log(np.maximum(P @ plus, _LEAST) / np.maximum(P @ minus, _LEAST))
        mean = self.weights @ h
        psi = (h - mean) * self._root
        variance = np.maximum(np.einsum("bn,bn->n", psi, self.covariance @ psi), _LEAST)
        s = np.sqrt(variance)
        law = np.tensordot(self.weights, P, 1)
        up, down = law @ (plus > 0), law @ (minus > 0)
        gain, loss = law @ plus / np.maximum(up, 1e-12), law @ minus / np.maximum(down, 1e-12)
        kappa = (up + down) * gain * loss / np.maximum(gain + loss, 1e-12)
        half = (more.max() - more.min()) / 2
        spread = np.sqrt(1.0 + 0.64 * (kappa * s / half) ** 2)
        return psi, kappa * np.exp(-0.5 * mean**2 / variance) * _DENSITY / (2.0 * s) / spread

    def _look(self, P: Floats, action: int) -> tuple[Floats, Floats]:
        """Return C D and D' C D + R, for what the members predict at a context, (members, outcomes)."""
        G = P @ self._stakes.signals[action][:-1].T
        g = self.weights @ G
        D = (G - g) * self._root
        CD = self.covariance @ D
        return CD, D.T @ CD + np.diag(g + _LEAST) - np.outer(g, g)

    def of_look(self, P: Floats, action: int) -> float:
        """Return VOI_a."""
        CD, spread = self._look(P, action)
        saved = CD.T @ (self.curvature @ CD)
        if len(spread) == 1:
            return max(0.0, float(saved[0, 0] / spread[0, 0]))
        return max(0.0, float(np.trace(np.linalg.solve(spread, saved))))

    def take(self, P: Floats, action: int) -> None:
        """Count a look that is under way as if its symbol were known, so that the same is not bought twice."""
        CD, spread = self._look(P, action)
        self.covariance -= CD @ np.linalg.solve(spread, CD.T)
        self.stale += 1

    def to_plain(self) -> dict[str, Floats | int]:
        """Return what looks have changed since the fit."""
        return {"covariance": self.covariance.copy(), "curvature": self.curvature.copy(), "stale": self.stale}

    def from_plain(self, data: Any) -> None:
        """Continue from what `to_plain` returned."""
        self.covariance, self.curvature = np.array(data["covariance"]), np.array(data["curvature"])
        self.stale = int(data["stale"])
