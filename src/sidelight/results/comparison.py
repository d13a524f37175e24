"""Several results side by side: means, spread, wins and tests against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._checks import FloatArray
from sidelight.results._sameness import require_same_question, require_same_runs
from sidelight.results.hypothesis import Side, TTest, welch
from sidelight.results.results import Results


class Wins(NamedTuple):
    """In how many runs one of several results had the lowest final regret."""

    label: str
    strict: int
    """Runs in which it was lowest alone."""
    tied: int
    """Runs in which it was lowest together with another."""


class Comparison(NamedTuple):
    """One row of a table of results."""

    label: str
    runs: int
    mean: float
    std: float
    standard_error: float
    q99: float
    """The 99 % quantile."""
    max: float
    strict_wins: int | None
    """None where the results do not share their runs, so that nobody wins one."""
    tied_wins: int | None
    p_value: float | None
    """Of the Welch test against the baseline; None in the baseline's own row, or where one of both has a single run."""
    side: Side
    text: str
    """What a small p-value speaks for, in words; empty where there is none."""


def wins(results: Sequence[Results], tolerance: float = 1e-9) -> list[Wins]:
    """Count the runs that each result wins, strictly and tied.

    Run k is won by the lowest final regret r_min in it, and by all within tolerance * max(1, |r_min|) of it: sums of
    the same losses in another order differ by rounding. Strict wins plus runs with a tie make up all runs; counting
    ties as wins would not. Refused unless all results share environment, seed and number of runs.
    """
    _check_any(results)
    if not tolerance >= 0:
        raise SidelightError(f"tolerance is {tolerance!r}: give a number that is not negative")
    for other in results[1:]:
        require_same_runs(results[0], other)
    counts = wins_of(np.stack([r.final for r in results]), tolerance)
    return [Wins(r.label, *count) for r, count in zip(results, counts, strict=True)]


def wins_of(values: FloatArray, tolerance: float = 1e-9) -> list[tuple[int, int]]:
    """Count, for each row of an array (contestants, runs), the columns where it is lowest: alone, and with others."""
    lowest = values.min(axis=0)
    best = values <= lowest + tolerance * np.maximum(1.0, np.abs(lowest))
    alone = best.sum(axis=0) == 1
    return [(int((row & alone).sum()), int((row & ~alone).sum())) for row in best]


def compare(results: Sequence[Results], baseline: int = 0, side: Side = "two-sided") -> list[Comparison]:
    """Return one row per result: final regret, wins and a Welch test against the result at index `baseline`.

    With side="less" a small p-value speaks for a lower mean than the baseline's. The p-values are those of single
    tests: with many rows, some are small by chance.
    """
    _check_any(results)
    if not 0 <= baseline < len(results):
        raise SidelightError(
            f"there is no result {baseline} to be the baseline: give an index from 0 to {len(results) - 1}"
        )
    for other in results:
        require_same_question(results[baseline], other)
    counts = _wins_if_matched(results)
    rows = []
    for index, (one, won) in enumerate(zip(results, counts, strict=True)):
        enough = min(one.n_runs, results[baseline].n_runs) > 1
        test = welch(one, results[baseline], side) if index != baseline and enough else None
        rows.append(_row(one, won, test, side))
    return rows


def _row(one: Results, won: Wins | None, test: TTest | None, side: Side) -> Comparison:
    s = one.summary()
    return Comparison(
        label=one.label,
        runs=s.runs,
        mean=s.mean,
        std=s.std,
        standard_error=s.standard_error,
        q99=s.quantiles[99],
        max=s.max,
        strict_wins=won.strict if won else None,
        tied_wins=won.tied if won else None,
        p_value=test.p_value if test else None,
        side=side,
        text=test.text if test else "",
    )


def _wins_if_matched(results: Sequence[Results]) -> Sequence[Wins | None]:
    try:
        return wins(results)
    except SidelightError:
        return [None] * len(results)


def _check_any(results: Sequence[Results]) -> None:
    if not len(results):
        raise SidelightError("there are no results to compare: give a list of one or more")
