"""Tests of whether two mean final regrets differ, with the side always stated."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple, get_args

from sidelight.errors import SidelightError
from sidelight.results._checks import FloatArray
from sidelight.results._sameness import require_same_question, require_same_runs
from sidelight.results.results import Results
from sidelight.results.summary import mean_and_deviation

Side = Literal["two-sided", "less", "greater"]
"""What is to be shown about the first mean: that it differs from the second, is less, or is greater."""

_WORDS = {"two-sided": "different from", "less": "less than", "greater": "greater than"}


class TTest(NamedTuple):
    """The outcome of a t-test on the final regrets of two results."""

    statistic: float
    """t, negative where the first mean is lower."""
    degrees: float
    """Degrees of freedom."""
    p_value: float
    """The chance of so much evidence for `text` if the two means were equal."""
    side: Side
    text: str
    """What a small p-value speaks for, in words, and the name of the test."""


def welch(a: Results, b: Results, side: Side = "two-sided") -> TTest:
    """Test the mean final regrets of two results without assuming equal variances (Welch's t-test).

    With v = std^2 / n of each, t = (mean_a - mean_b) / sqrt(v_a + v_b), and by Welch and Satterthwaite
    degrees = (v_a + v_b)^2 / (v_a^2 / (n_a - 1) + v_b^2 / (n_b - 1)). The samples are taken as independent; where both
    were simulated with the same seed, `paired` is the sharper test.

    If neither sample varies, degrees = n_a + n_b - 2, and t is 0 for equal means and infinite otherwise.
    """
    require_same_question(a, b)
    for one in (a, b):
        _check_runs(one)
    statistic, degrees, p_value = welch_of(a.final, b.final, side)
    return TTest(statistic, degrees, p_value, side, _statement(a, b, side, "Welch test"))


def welch_of(a: FloatArray, b: FloatArray, side: Side = "two-sided") -> tuple[float, float, float]:
    """Return statistic, degrees of freedom and p-value of `welch` for two samples of two or more numbers."""
    _check_side(side)
    (mean_a, square_a), (mean_b, square_b) = _mean_and_square_error(a), _mean_and_square_error(b)
    total = square_a + square_b
    if total == 0:
        degrees = float(a.size + b.size - 2)
    else:
        share = square_a / total
        degrees = 1 / (share**2 / (a.size - 1) + (1 - share) ** 2 / (b.size - 1))
    statistic = _ratio(mean_a - mean_b, math.sqrt(total))
    return statistic, degrees, _p_value(statistic, degrees, side)


def paired(a: Results, b: Results, side: Side = "two-sided") -> TTest:
    """Test the mean difference of final regrets, run by run (paired t-test).

    With d = final_a - final_b, t = mean(d) / (std(d) / sqrt(n)) and degrees = n - 1. Valid because run k of both faced
    the same random numbers; refused unless environment, seed and number of runs are the same. If the differences do not
    vary, t is 0 where they are 0 and infinite otherwise.
    """
    _check_side(side)
    require_same_runs(a, b)
    _check_runs(a)
    mean, deviation = mean_and_deviation(a.final - b.final)
    statistic, degrees = _ratio(mean, deviation / math.sqrt(a.n_runs)), float(a.n_runs - 1)
    text = _statement(a, b, side, "paired t-test")
    return TTest(statistic, degrees, _p_value(statistic, degrees, side), side, text)


def _check_side(side: str) -> None:
    if side not in get_args(Side):
        raise SidelightError(f"side is {side!r}: it is one of {', '.join(map(repr, get_args(Side)))}")


def _check_runs(results: Results) -> None:
    if results.n_runs < 2:
        raise SidelightError(f"{results.label} has a single run, which says nothing about chance: give two or more")


def _mean_and_square_error(values: FloatArray) -> tuple[float, float]:
    """Return the mean and its squared standard error."""
    mean, deviation = mean_and_deviation(values)
    return mean, deviation**2 / values.size


def _ratio(difference: float, error: float) -> float:
    """Return difference / error, also where there is no error."""
    if error == 0:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / error


def _p_value(statistic: float, degrees: float, side: Side) -> float:
    from scipy.special import stdtr

    if side == "two-sided":
        return min(1.0, 2 * float(stdtr(degrees, -abs(statistic))))
    return float(stdtr(degrees, statistic if side == "less" else -statistic))


def _statement(a: Results, b: Results, side: Side, name: str) -> str:
    first, second = (a.label, b.label) if a.label != b.label else (f"{a.label} (first)", f"{b.label} (second)")
    sided = "two-sided" if side == "two-sided" else "one-sided"
    return f"mean of {first} {_WORDS[side]} mean of {second} ({sided} {name})"
