"""Games whose answer hinges on the last digit: a float tolerance would get each of them wrong."""

from fractions import Fraction

import pytest
from naive import NaiveAnalysis
from random_games import HAIR, spell

from analysis.certificates import check_certificates
from sidelight.analysis import analyze
from sidelight.game import Game

half = Fraction(1, 2)
SCALES = [(1, 0), (Fraction(1, 3), Fraction(1, 3)), (10**9, Fraction(10**9, 7)), (Fraction(1, 10**20), 10**9)]


@pytest.mark.parametrize(("scale", "shift"), SCALES)
@pytest.mark.parametrize(
    ("cost", "status", "neighbors", "kind"),
    [
        (half - HAIR, "pareto", ((0, 2), (1, 2)), "easy"),
        (half, "degenerate", ((0, 1),), "easy"),
        (half + HAIR, "dominated", ((0, 1),), "hard"),
    ],
)
def test_matching_pennies(cost, status, neighbors, kind, scale, shift):
    loss = [[scale * value + shift for value in row] for row in ([0, 1], [1, 0], [cost, cost])]
    analysis = analyze(spell(loss, ["xx", "xx", "ht"]))
    assert (analysis.status(2), analysis.neighbors, analysis.kind) == (status, neighbors, kind)
    assert analysis.neighborhood(*neighbors[0]) == ((0, 1, 2) if status == "degenerate" else neighbors[0])
    check_certificates(analysis)


def test_decimal_text_and_floats_are_read_as_written():
    for cost, status in [("0.499999999999", "pareto"), (0.5, "degenerate"), (0.500000000001, "dominated")]:
        assert analyze(spell([[0, 1], [1, 0], [cost, cost]], ["xx", "xx", "ht"])).status(2) == status
    for cost, status in [(0.3333333333333333, "pareto"), ("1/3", "pareto"), ("0.33333333333333334", "dominated")]:
        analysis = analyze(spell([["1/3", 1], [1, "1/3"], [cost, 1]], ["ab"] * 3))
        assert analysis.status(2) == status
        assert analysis.duplicates == (((0, 2),) if cost == "1/3" else ())


@pytest.mark.parametrize(("scale", "shift"), SCALES)
@pytest.mark.parametrize(
    ("row", "status", "pairs"),
    [
        ([half - HAIR, half - HAIR, 1], "pareto", {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}),
        ([half, half, 1], "degenerate", {(0, 1), (0, 2), (1, 2)}),
        ([half, half, 1 + HAIR], "degenerate", {(0, 1), (0, 2), (1, 2)}),
        ([half + HAIR, half + HAIR, 1], "dominated", {(0, 1), (0, 2), (1, 2)}),
        ([half + HAIR, half - HAIR, 1 - HAIR], "pareto", None),
    ],
)
def test_an_action_that_slips_between_two_neighbors(row, status, pairs, scale, shift):
    loss = [[scale * value + shift for value in losses] for losses in ([0, 1, 1], [1, 0, 1], [1, 1, 0], row)]
    game = spell(loss, ["abc", "abb", "xxx", "aba"])
    analysis, expected = analyze(game), NaiveAnalysis(game)
    assert analysis.status(3) == status
    assert pairs is None or set(analysis.neighbors) == pairs
    assert analysis.neighbors == expected.neighbors
    assert analysis.kind == expected.kind
    check_certificates(analysis)


@pytest.mark.parametrize(("scale", "shift"), SCALES)
def test_observability_hinges_on_a_hair(scale, shift):
    for middle, kind in [(1, "easy"), (1 + HAIR, "hopeless")]:
        loss = [[scale * value + shift for value in row] for row in ([1, middle, 0], [0, 0, 1])]
        analysis = analyze(spell(loss, ["xxx", "aab"]))
        assert analysis.kind == kind
        check_certificates(analysis)


def test_actions_on_one_line_are_told_from_those_beside_it():
    for shift, inside in [(0, (0, 1, 2)), (HAIR, (0, 1))]:
        loss = [[0, 2, 0, 1], [2, 0, 0, 1], [1, 1, shift, 1], [1, 1, 1, 0]]
        analysis = analyze(spell(loss, ["abcd", "xxxx", "abcd", "aabb"]))
        assert analysis.neighborhood(0, 1) == inside
        assert analysis.status(2) == "degenerate"
        check_certificates(analysis)


def test_duplicates_are_exact():
    third = Fraction(1, 3)
    near = Game([[third, 0], [third + HAIR**3, 0], ["1/3", 0], [0, 1]], [["a", "b"]] * 4)
    analysis = analyze(near)
    assert analysis.duplicates == ((0, 2),)
    assert analysis.status(1) == "degenerate"


def test_long_fractions_stay_exact():
    primes = [10**9 + 7, 998244353, 10**9 + 9]
    rows = [[Fraction(a + b, primes[(a + b) % 3]) for b in range(3)] for a in range(3)]
    mixture = [
        sum(w * row[m] for w, row in zip((Fraction(2, 7), Fraction(5, 7)), rows, strict=False)) for m in range(3)
    ]
    for row in (mixture, [value + HAIR**2 for value in mixture], [value - HAIR**2 for value in mixture]):
        game = spell([*rows, row], ["abc"] * 4)
        found, expected = analyze(game), NaiveAnalysis(game)
        assert [found.status(i) for i in range(4)] == [expected.status(i) for i in range(4)]
        assert found.neighbors == expected.neighbors
        check_certificates(found)


@pytest.mark.parametrize(("other", "status"), [(10**12 - 10**6 + 1, "pareto"), (10**12 - 10**6 - 1, "dominated")])
def test_integers_that_nearly_meet(other, status):
    # The lines of [0, a] and [b, 0] meet at height ab / (a + b); here that is a - 1 plus or minus 1 / (a + b).
    a = 10**6
    assert (a - 1 < Fraction(a * other, a + other)) == (status == "pareto")
    analysis = analyze(spell([[0, a], [other, 0], [a - 1, a - 1]], ["xx", "xx", "ab"]))
    assert analysis.status(2) == status
    assert analysis.neighbors == (((0, 2), (1, 2)) if status == "pareto" else ((0, 1),))
    check_certificates(analysis)
