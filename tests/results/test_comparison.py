"""Tests, wins and tables of several results."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from sidelight.errors import SidelightError
from sidelight.game import Game
from sidelight.results import Comparison, compare, concatenate, paired, welch, wins

from .making import make

SIDES = ("two-sided", "less", "greater")
SAMPLES = st.lists(st.integers(-1000, 1000).map(lambda n: n / 8), min_size=2, max_size=12)


@pytest.mark.filterwarnings("ignore:Precision loss occurred")  # SciPy's, where one of the samples does not vary
@pytest.mark.parametrize("side", SIDES)
@settings(deadline=None)
@given(a=SAMPLES, b=SAMPLES)
def test_welch_agrees_with_scipy(side, a, b):
    assume(len(set(a)) > 1 or len(set(b)) > 1)
    ours = welch(make(a), make(b, "B"), side)
    theirs = stats.ttest_ind(a, b, equal_var=False, alternative=side)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)
    assert ours.degrees == pytest.approx(theirs.df, rel=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
@settings(deadline=None)
@given(pairs=st.lists(st.tuples(st.integers(-99, 99), st.integers(-99, 99)), min_size=2, max_size=12))
def test_paired_agrees_with_scipy(side, pairs):
    a, b = zip(*pairs, strict=True)
    assume(len({x - y for x, y in pairs}) > 1)
    ours = paired(make(a), make(b, "B"), side)
    theirs = stats.ttest_rel(np.array(a, float), np.array(b, float), alternative=side)
    assert ours[:3] == pytest.approx((theirs.statistic, theirs.df, theirs.pvalue), rel=1e-7, abs=1e-10)


def test_a_test_states_its_side_in_words():
    a, b = make(name="RandCBP"), make([2, 3, 9], "CBP")
    assert welch(a, b).text == "mean of RandCBP different from mean of CBP (two-sided Welch test)"
    assert welch(a, b, "less").text == "mean of RandCBP less than mean of CBP (one-sided Welch test)"
    assert paired(a, b, "greater").text == "mean of RandCBP greater than mean of CBP (one-sided paired t-test)"
    assert "mean of CBP (first) less than mean of CBP (second)" in welch(b, b, "less").text


@pytest.mark.parametrize("test", [welch, paired])
def test_without_variance_the_answer_is_defined(test):
    low, high = make([0.1] * 3), make([0.3] * 3, "B")
    assert [test(low, high, side).p_value for side in SIDES] == [0, 0, 1]
    assert [test(high, low, side).p_value for side in SIDES] == [0, 1, 0]
    assert [test(low, low, side).p_value for side in SIDES] == [1, 0.5, 0.5]
    assert test(low, high).statistic == -math.inf
    assert test(low, low).statistic == 0
    assert test(low, high).degrees == (4 if test is welch else 2)


@pytest.mark.parametrize("test", [welch, paired])
def test_tests_refuse_what_cannot_be_tested(test):
    with pytest.raises(SidelightError, match="side is 'smaller'"):
        test(make(), make(), "smaller")
    with pytest.raises(SidelightError, match="A has a single run"):
        test(make([1]), make([1]))
    with pytest.raises(SidelightError, match="different rounds \\(10 and 20\\)"):
        test(make(), make(rounds=[5, 20]))
    with pytest.raises(SidelightError, match="different kinds of regret"):
        test(make(), make(regret_kind="hindsight"))
    with pytest.raises(SidelightError, match="different games"):
        test(make(), make(game=Game([[1, 0], [0, 2]], [[0, 0], [0, 1]])))


UNMATCHED = [
    ({"final": [1, 2]}, "3 and 2 runs"),
    ({"seed": 1}, r"different seeds \(0 and 1\)"),
    ({"seed": None}, "a seed is unknown"),
    ({"environment": {"name": "IID", "law": [0.5, 0.5]}}, "different environments"),
]


@pytest.mark.parametrize(("changes", "message"), UNMATCHED)
def test_runs_that_do_not_match_are_not_paired(changes, message):
    with pytest.raises(SidelightError, match=message):
        paired(make(), make(name="B", **changes))
    with pytest.raises(SidelightError, match=message):
        wins([make(), make(), make(name="B", **changes)])


def test_two_unknown_seeds_are_not_the_same_seed():
    with pytest.raises(SidelightError, match="a seed is unknown"):
        paired(make(seed=None), make(seed=None))


def test_wins_are_strict_or_tied():
    a, b, c = make([1, 2, 3, 0, 5], "A"), make([1, 1, 3, 7, 5], "B"), make([2, 2, 3, 8, 6], "C")
    # Run 0: A and B share; run 1: B alone; run 2: all three; run 3: A alone; run 4: A and B.
    assert wins([a, b, c]) == [("A", 1, 3), ("B", 1, 3), ("C", 0, 1)]


def test_rounding_is_no_win():
    # The same three losses in two orders.
    assert wins([make([0.1 + 0.2 + 0.3]), make([0.3 + 0.2 + 0.1], "B")]) == [("A", 0, 1), ("B", 0, 1)]
    assert wins([make([0.1 + 0.2 + 0.3]), make([0.3 + 0.2 + 0.1], "B")], tolerance=0) == [("A", 0, 0), ("B", 1, 0)]
    with pytest.raises(SidelightError, match="tolerance is -1"):
        wins([make()], tolerance=-1)


@settings(deadline=None)
@given(st.integers(1, 5), st.integers(1, 8), st.data())
def test_every_run_is_won_once_or_tied(strategies, runs, data):
    finals = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=runs, max_size=runs), min_size=strategies, max_size=strategies)
    )
    counts = wins([make(final) for final in finals])
    ties = sum(sorted(column).count(min(column)) > 1 for column in zip(*finals, strict=True))
    assert sum(w.strict for w in counts) + ties == runs
    assert (ties == 0) == (sum(w.tied for w in counts) == 0)


def test_wins_of_one_and_of_none():
    assert wins([make([1, 2])]) == [("A", 2, 0)]
    with pytest.raises(SidelightError, match="no results"):
        wins([])


def test_compare_makes_rows():
    a, b = make([1, 2, 3], "A"), make([2, 5, 8], "B")
    first, second = compare([a, b], comparisons=[Comparison(side="greater")])
    assert (first.label, first.runs, first.mean, first.std, first.max) == ("A", 3, 2, 1, 3)
    assert first.standard_error == pytest.approx(1 / math.sqrt(3))
    assert first.q99 == pytest.approx(2.98)
    assert (first.strict_wins, first.tied_wins, second.strict_wins, second.tied_wins) == (3, 0, 0, 0)
    assert (first.p_value, first.text) == (None, "")
    assert second.p_value == welch(b, a, "greater").p_value
    assert second.text == "mean of B greater than mean of A (one-sided Welch test)"
    assert compare([a, b], comparisons=[Comparison("B")])[0].p_value == welch(a, b).p_value


def test_compare_without_matching_runs_counts_no_wins():
    rows = compare([make([1, 2, 3]), make([2, 5], "B", seed=4), make([2], "C")])
    assert {(row.strict_wins, row.tied_wins) for row in rows} == {(None, None)}
    assert [row.p_value is None for row in rows] == [True, False, True]


def test_compare_refuses():
    with pytest.raises(SidelightError, match="no results"):
        compare([])
    with pytest.raises(SidelightError, match="different rounds"):
        compare([make(), make(rounds=[5, 20])])


def test_another_measure_a_limit_and_speed():
    runs = {"f1": [0.5, 0.9, 0.4], "seconds": [2e-5, 1e-5, 4e-5]}
    first = make([1, 2, 3], "A", measures=runs)
    second, best = make([2, 1, 6], "B", measures={"f1": [0.4, 0.8, 0.6]}), make([1, 1, 1], "limit")
    rows = compare([first, second, best], limit=best)
    assert [(row.strict_wins, row.tied_wins) for row in rows] == [(2, 0), (1, 0), (None, None)]
    assert [row.limit_ratio for row in rows] == [2.0, 3.0, 1.0]
    assert rows[0].microseconds == pytest.approx(1.0)
    assert rows[2].tests == (None,)
    assert [row.strict_wins for row in compare([first, second], "f1")] == [2, 1]  # larger is better
    with pytest.raises(SidelightError, match="limit has no 'f1': there are regret, verifications"):
        compare([first, best], "f1")


def test_a_limit_of_fewer_runs_is_compared_in_those_of_each_seed():
    ours = concatenate([make([1, 9], seed=0), make([3, 9], seed=1)])
    best = concatenate([make([1], "limit", seed=0), make([1], "limit", seed=1)])
    assert compare([ours, best], limit=best)[0].limit_ratio == 2.0
