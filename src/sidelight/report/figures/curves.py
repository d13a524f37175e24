"""Regret curves as plain values, independent of how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sidelight.errors import SidelightError
from sidelight.results.statistics import confidence_band_of_runs

Numbers = npt.NDArray[Any]

CONFIDENCE = 0.99
"""Of the bands around mean regrets."""


class Mark(NamedTuple):
    """A published value, drawn as a hollow diamond with an error bar at its round."""

    round: float
    mean: float
    error: float | None = None


class FigureCurve(NamedTuple):
    """A regret over rounds; low and high are None without a band.

    Curves of a family (by default each curve is its own family) share a color, and members with the same name share
    their dashes across families. The same label in several panels is the same strategy and looks the same.
    """

    label: str
    rounds: Numbers
    mean: Numbers
    low: Numbers | None = None
    high: Numbers | None = None
    family: str = ""
    member: str = ""
    mark: Mark | None = None

    def mapped(self, change: Callable[[Numbers], Numbers]) -> FigureCurve:
        """Return the curve with each of its arrays changed."""
        low, high = (None if each is None else change(each) for each in (self.low, self.high))
        return self._replace(rounds=change(self.rounds), mean=change(self.mean), low=low, high=high)


class Panel(NamedTuple):
    """One setting: curves, which may end at different rounds, and a regret to compare them with."""

    title: str
    curves: Sequence[FigureCurve]
    limit: FigureCurve | None = None
    logarithmic: bool = True


def mean_curve_with_band(label: str, rounds: Numbers, regret: Numbers, **others: Any) -> FigureCurve:
    """Return the mean over runs, the rows of `regret`, with its confidence band if there are several."""
    band = confidence_band_of_runs(regret, CONFIDENCE)
    low, high = (band.low, band.high) if len(regret) > 1 else (None, None)
    return FigureCurve(label, rounds, band.mean, low, high, **others)


def limit_curve(limit: Any) -> FigureCurve:
    """Read a limit: a curve, or a pair of rounds and values."""
    try:
        label, rounds, values = limit[:3] if isinstance(limit, FigureCurve) else ("limit", *limit)
        x, y = np.asarray(rounds, dtype=float), np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise SidelightError("the limit needs rounds and values: give a pair of arrays") from None
    if x.ndim != 1 or x.shape != y.shape or not x.size or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise SidelightError(
            f"the limit has rounds of shape {x.shape} and values of shape {y.shape}: give as many, finite"
        )
    return FigureCurve(label, x, y)
