"""Compare several results: summaries, wins and tests, which always state their side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._sameness import require_same_question, require_same_runs
from sidelight.results.results import Results
from sidelight.results.statistics import Side, Summary, TTest, check_side, paired_of, welch_of, wins_of

_WORDS = {"two-sided": "different from", "less": "less than", "greater": "greater than"}


class Wins(NamedTuple):
    """In how many runs one of several results had the lowest final regret."""

    label: str
    strict: int
    """Runs in which it was lowest alone."""
    tied: int
    """Runs in which it was lowest together with another."""


def wins(results: Sequence[Results], tolerance: float = 1e-9) -> list[Wins]:
    """Count the runs that each result wins, strictly and tied.

    Run k is won by the lowest final regret r_min in it, and by all within `tolerance * max(1, |r_min|)` of it: sums of
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


def compare(results: Sequence[Results], baseline: int = 0, side: Side = "two-sided") -> list[Summary]:
    """Return one summary per result: final regret, wins and a Welch test against the result at index `baseline`.

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
    rows = []
    for index, (one, won) in enumerate(zip(results, _wins_if_matched(results), strict=True)):
        enough = min(one.n_runs, results[baseline].n_runs) > 1
        test = welch(one, results[baseline], side) if index != baseline and enough else None
        alone, shared = (won.strict, won.tied) if won else (None, None)
        rows.append(one.summary()._replace(strict_wins=alone, tied_wins=shared, side=side, test=test))
    return rows


def welch(a: Results, b: Results, side: Side = "two-sided") -> TTest:
    """Test the mean final regrets of two results without assuming equal variances (Welch's t-test).

    The samples are treated as independent; if both were simulated with the same seed, `paired` is the sharper test.
    `statistics.welch_of` has the formula.
    """
    check_side(side)
    require_same_question(a, b)
    for one in (a, b):
        _check_runs(one)
    return welch_of(a.final, b.final, side)._replace(text=_statement(a, b, side, "Welch test"))


def paired(a: Results, b: Results, side: Side = "two-sided") -> TTest:
    """Test the mean difference of final regrets, run by run (paired t-test).

    Valid because run k of both faced the same random numbers; refused unless environment, seed and number of runs are
    the same. `statistics.paired_of` has the formula.
    """
    check_side(side)
    require_same_runs(a, b)
    _check_runs(a)
    return paired_of(a.final - b.final, side)._replace(text=_statement(a, b, side, "paired t-test"))


def _wins_if_matched(results: Sequence[Results]) -> Sequence[Wins | None]:
    try:
        return wins(results)
    except SidelightError:
        return [None] * len(results)


def _check_any(results: Sequence[Results]) -> None:
    if not len(results):
        raise SidelightError("there are no results to compare: give a list of one or more")


def _check_runs(results: Results) -> None:
    if results.n_runs < 2:
        raise SidelightError(f"{results.label} has a single run, which says nothing about chance: give two or more")


def _statement(a: Results, b: Results, side: Side, name: str) -> str:
    first, second = (a.label, b.label) if a.label != b.label else (f"{a.label} (first)", f"{b.label} (second)")
    sided = "two-sided" if side == "two-sided" else "one-sided"
    return f"mean of {first} {_WORDS[side]} mean of {second} ({sided} {name})"
