"""Compare several results: summaries, wins and tests, which always state their side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sidelight.errors import SidelightError
from sidelight.results._sameness import (
    require_results_of_same_question,
    require_results_of_same_runs,
    results_have_same_runs,
    seed_parts_of_results,
)
from sidelight.results.results import Results
from sidelight.results.statistics import (
    Side,
    Summary,
    TTest,
    check_side_of_test,
    paired_test_of_differences,
    welch_test_of_samples,
    wins_in_runs,
)

LARGER_IS_BETTER = ("f1",)
"""The measures of which larger values are better; of all others, smaller ones are."""
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
    _check_any_results(results)
    if not tolerance >= 0:
        raise SidelightError(f"tolerance is {tolerance!r}: give a number that is not negative")
    for other in results[1:]:
        require_results_of_same_runs(results[0], other)
    counts = wins_in_runs(np.stack([r.final for r in results]), tolerance)
    return [Wins(r.label, *count) for r, count in zip(results, counts, strict=True)]


@dataclass(frozen=True)
class Comparison:
    """Which results the others are tested against, and how.

    Parameters
    ----------
    against
        The label of the results that the others are compared with; by default the first.
    test
        "welch" (independent samples) or "paired" (run by run, as all meet the same outcomes).
    side
        What a small p-value speaks for about a mean: "two-sided" (it differs), "less" or "greater".
    """

    against: str = ""
    test: str = "welch"
    side: Side = "two-sided"


def compare(
    results: Sequence[Results],
    measure: str = "regret",
    comparisons: Sequence[Comparison] = (Comparison(),),
    *,
    at: int | None = None,
    limit: Results | None = None,
    contestants: Sequence[Results] | None = None,
) -> list[Summary]:
    """Return one summary per result: a measure over the runs, wins, tests, the ratio to a limit, and the speed.

    Parameters
    ----------
    results
        One or more results of one game and horizon.
    measure, at
        What is compared: the regret at a checkpoint (by default the last), or another measure of all results.
    comparisons
        Which tests to make. The p-values are those of single tests: with many rows, some are small by chance.
    limit
        The results, among those given, that are no contestant but what the others are measured against.
    contestants
        Those that can win runs, by default all but the limit; whoever did not meet the runs of the first wins none.
    """
    _check_any_results(results)
    if at is None:
        for other in results:
            require_results_of_same_question(results[0], other)
    rivals = [one for one in (results if contestants is None else contestants) if one is not limit]
    won = _wins_of_matched_results(rivals, measure, at)
    rows = []
    for one in results:
        strict, tied = won.get(id(one), (None, None))
        row = one.summary(at, measure)._replace(
            strict_wins=strict,
            tied_wins=tied,
            limit_ratio=None if limit is None else _ratio_to_limit(one, limit, measure, at),
            microseconds=_microseconds_per_round(one),
        )
        tests = (None if one is limit else _test_results(each, one, results, measure, at) for each in comparisons)
        rows.append(row._replace(tests=tuple(tests)))
    return rows


def _wins_of_matched_results(rivals: Sequence[Results], measure: str, at: int | None) -> dict[int, tuple[int, int]]:
    """Count wins among the results that met the same runs as the first; none if there are no two of them."""
    matched = [one for one in rivals if results_have_same_runs(rivals[0], one)]
    if len(matched) < 2 <= len(rivals):
        return {}
    sign = -1.0 if measure in LARGER_IS_BETTER else 1.0
    counts = wins_in_runs(np.stack([sign * one.values(measure, at) for one in matched])) if matched else []
    return {id(one): count for one, count in zip(matched, counts, strict=True)}


def _test_results(
    comparison: Comparison, one: Results, results: Sequence[Results], measure: str, at: int | None
) -> TTest | None:
    """Test results against the reference of a comparison, if it exists and both have several runs."""
    named = [other for other in results if other.label == comparison.against] if comparison.against else results
    if not named or named[0] is one or min(one.n_runs, named[0].n_runs) < 2:
        return None
    if comparison.test == "welch":
        return welch(one, named[0], comparison.side, measure, at)
    return paired(one, named[0], comparison.side, measure, at) if results_have_same_runs(one, named[0]) else None


def _ratio_to_limit(one: Results, limit: Results, measure: str, at: int | None) -> float | None:
    """Return the mean over that of the limit, in the runs that both have: of each seed, the first ones."""
    sizes = [[part["runs"] for part in seed_parts_of_results(each.seed, each.n_runs)] for each in (one, limit)]
    if len(sizes[0]) != len(sizes[1]):
        return None
    means = []
    for each, own in zip((one, limit), sizes, strict=True):
        values = np.split(each.values(measure, at), np.cumsum(own)[:-1])
        shared = [part[: min(pair)] for part, *pair in zip(values, *sizes, strict=True)]
        means.append(float(np.concatenate(shared).mean()))
    return means[0] / means[1] if means[1] > 0 else None


def _microseconds_per_round(one: Results) -> float | None:
    if "seconds" not in one.measures or not one.horizon:
        return None
    return 1e6 * float(one.measures["seconds"].min()) / one.horizon


def welch(a: Results, b: Results, side: Side = "two-sided", measure: str = "regret", at: int | None = None) -> TTest:
    """Test the means of two results without assuming equal variances (Welch's t-test).

    The samples are treated as independent; if both were simulated with the same seed, `paired` is the sharper test.
    `statistics.welch_test_of_samples` has the formula.
    """
    check_side_of_test(side)
    if at is None:
        require_results_of_same_question(a, b)
    for one in (a, b):
        _check_runs_of_results(one)
    found = welch_test_of_samples(a.values(measure, at), b.values(measure, at), side)
    return found._replace(text=_statement_of_results_test(a, b, side, "Welch test"))


def paired(a: Results, b: Results, side: Side = "two-sided", measure: str = "regret", at: int | None = None) -> TTest:
    """Test the mean difference of two results, run by run (paired t-test).

    Valid because run k of both faced the same random numbers; refused unless environment, seed and number of runs are
    the same. `statistics.paired_test_of_differences` has the formula.
    """
    check_side_of_test(side)
    require_results_of_same_runs(a, b)
    _check_runs_of_results(a)
    found = paired_test_of_differences(a.values(measure, at) - b.values(measure, at), side)
    return found._replace(text=_statement_of_results_test(a, b, side, "paired t-test"))


def _check_any_results(results: Sequence[Results]) -> None:
    if not len(results):
        raise SidelightError("there are no results to compare: give a list of one or more")


def _check_runs_of_results(results: Results) -> None:
    if results.n_runs < 2:
        raise SidelightError(f"{results.label} has a single run, which says nothing about chance: give two or more")


def _statement_of_results_test(a: Results, b: Results, side: Side, name: str) -> str:
    first, second = (a.label, b.label) if a.label != b.label else (f"{a.label} (first)", f"{b.label} (second)")
    sided = "two-sided" if side == "two-sided" else "one-sided"
    return f"mean of {first} {_WORDS[side]} mean of {second} ({sided} {name})"
