"""Features of contexts for the built-in beliefs of ProspectModel: nothing, numbers, or also squares and random waves.

Reference
---------
A. Rahimi, B. Recht, "Random features for large-scale kernel machines", NeurIPS 2007.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sidelight.kernels.arrays import Floats, Integers

SCALES = (0.2, 0.5, 1.2)  # of the waves' lengths, times sqrt(d)
_LARGEST_SQUARE = 9.0
_MOST_COEFFICIENTS = 600  # of waves, of all outcomes together


class Features:
    """The standardized numbers z of a context, z^2, random waves cos(w'z + b) of each scale, and a constant.

    Waves alone would take a great many labels to learn that both small and large values are special.
    """

    def __init__(self, kind: str, outcomes: int, seed: int) -> None:
        """Prepare features of the kind "none", "linear" or "kernel"."""
        self.kind = kind
        self._rng_seed = seed
        self._waves = 0 if kind != "kernel" else min(200, _MOST_COEFFICIENTS // (outcomes - 1)) // len(SCALES)
        self._mean = self._scale = np.zeros(0)
        self._directions, self._phases = np.zeros((0, 0)), np.zeros(0)

    def fit(self, contexts: Any, pool: Any) -> None:
        """Standardize by the recent contexts, for labelled ones are no fair sample; the waves stay the same."""
        if self.kind == "none":
            return
        spread = pool.std(0)
        if len(contexts):  # a feature that has been constant of late
            spread = np.where(spread > 0.0, spread, contexts.std(0))
        self._mean = pool.mean(0)
        self._scale = np.where(spread > 1e-9 * (1.0 + np.abs(self._mean)), 1.0 / np.maximum(spread, 1e-300), 0.0)
        d = pool.shape[1]
        if self._waves and self._directions.shape != (self._waves * len(SCALES), d):
            rng = np.random.default_rng(self._rng_seed)
            lengths = np.repeat(SCALES, self._waves) * math.sqrt(max(d, 1))
            self._directions = rng.normal(size=(len(lengths), d)) / lengths[:, None]
            self._phases = rng.uniform(0.0, 2.0 * math.pi, len(lengths))

    @property
    def groups(self) -> Integers:
        """Which group each feature belongs to, all of one importance; -1 for the constant."""
        kinds, d = (2 + len(SCALES) if self._waves else 1), len(self._mean)
        sizes = [d, d, *[self._waves] * len(SCALES)][:kinds]
        return np.concatenate([np.repeat(np.arange(kinds), sizes), [-1]]).astype(np.int64)

    def __call__(self, contexts: Any) -> Floats:
        """Return the features of contexts, (n, features)."""
        one = np.ones((len(contexts), 1))
        if self.kind == "none":
            return one
        Z = (contexts - self._mean) * self._scale
        if not self._waves:
            return np.concatenate([Z, one], 1)
        waves = math.sqrt(2.0 / len(self._phases)) * np.cos(Z @ self._directions.T + self._phases)
        squares = (np.minimum(Z**2, _LARGEST_SQUARE) - 1.0) / 2.0
        return np.concatenate([Z, squares, waves, one], 1)
