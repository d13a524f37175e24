"""Games with many outcomes: which outcomes decide the signs that loss differences can have together.

Whether some q >= 0 has given signs of d_e q, e over the pairs of neighbors, depends only on the cone that the columns
of d generate. So a few outcomes that generate it stand for all: with d = d_K X and X >= 0, d q = d_K (X q), and a proof
by multipliers, sum_e y_e d_e <= 0, that holds in the columns K holds in all of them. In a Bernoulli bandit with n arms,
n of the 2^n outcomes are enough, those in which one arm differs from all others.

Floats propose the combinations. A combination is used if it holds exactly in multiples of a fraction; otherwise its
outcome is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

# With fewer outcomes than this there is little to gain, and likewise if more than this many must be kept.
_MANY = 64
_MOST_KEPT = 64
# Combinations are multiples of 1 / this.
_FRACTION = 60
# Entries beyond this are not given to the float solver.
_LARGEST = 1 << 40


class GeneratingOutcomes(NamedTuple):
    """Columns K of a matrix d, and X >= 0 in integers with d_K X = scale d."""

    kept: list[int]
    combinations: npt.NDArray[Any]

    def combine(self, point: Any) -> list[int]:
        """Return X q, a point over the kept outcomes at which all differences have the same signs as at q."""
        return [int(value) for value in self.combinations @ np.array(point, dtype=object)]


def generating_outcomes(rows: npt.NDArray[Any]) -> GeneratingOutcomes | None:
    """Return outcomes whose columns generate the cone of all; None if reducing them is not worthwhile."""
    largest = max((abs(int(value)) for value in rows.flat), default=0)
    if rows.shape[1] <= _MANY or not 0 < largest < _LARGEST:
        return None
    from scipy.optimize import nnls

    exact, floats = rows.astype(np.int64), rows.astype(float)
    kept: list[int] = []
    combinations: dict[int, npt.NDArray[Any]] = {}
    for m in map(int, np.argsort(np.abs(floats).sum(axis=0), kind="stable")):
        weights = np.zeros(len(kept))
        if kept:
            weights = nnls(floats[:, kept], floats[:, m])[0]
        parts = [int(value) for value in np.rint(weights * _FRACTION)]
        if max(parts, default=0) < _LARGEST and _combine_generating_outcomes(exact, kept, parts) == [
            _FRACTION * int(v) for v in exact[:, m]
        ]:
            combinations[m] = np.array(parts, dtype=object)
        elif len(kept) == _MOST_KEPT:
            return None
        else:
            kept.append(m)
            combinations[m] = np.array([0] * (len(kept) - 1) + [_FRACTION], dtype=object)
    whole = np.zeros((len(kept), rows.shape[1]), dtype=object)
    for m, column in combinations.items():
        whole[: len(column), m] = column
    return GeneratingOutcomes(kept, whole)


def _combine_generating_outcomes(exact: npt.NDArray[Any], kept: list[int], parts: list[int]) -> list[int]:
    used = [(m, part) for m, part in zip(kept, parts, strict=True) if part]
    return [sum(part * int(row[m]) for m, part in used) for row in exact]
