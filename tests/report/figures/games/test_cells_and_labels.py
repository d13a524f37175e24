"""The parts of figures that can be checked without drawing: cells, and room for labels."""

from fractions import Fraction

from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.report.figures import colors, labels
from sidelight.report.figures.games.cells import corners_of_drawn_cell, corners_of_law_simplex, ends_of_drawn_border

THIRD, HALF = Fraction(1, 3), Fraction(1, 2)
BARTOK = Game([[1, 1, 0], [0, 1, 1], [1, 0, 1], [HALF, 1, HALF], [2 * THIRD] * 3, [3, 3, 3]], [["x"] * 3] * 6)


def test_cells_of_a_triangle_are_exact():
    assert set(corners_of_drawn_cell(BARTOK, 1)) == {(1, 0, 0), (HALF, HALF, 0), (THIRD, THIRD, THIRD), (HALF, 0, HALF)}
    assert set(corners_of_drawn_cell(BARTOK, 3)) == {(HALF, 0, HALF), (THIRD, THIRD, THIRD)}
    assert corners_of_drawn_cell(BARTOK, 4) == [(THIRD, THIRD, THIRD)]
    assert corners_of_drawn_cell(BARTOK, 5) == []
    assert set(ends_of_drawn_border(BARTOK, 0, 2)) == {(0, HALF, HALF), (THIRD, THIRD, THIRD)}


def test_cells_of_a_segment_are_exact():
    pennies = Game([[0, 1], [1, 0], [HALF, HALF], [1, 1]], [["x", "x"]] * 4)
    assert set(corners_of_drawn_cell(pennies, 0)) == {(1, 0), (HALF, HALF)}
    assert corners_of_drawn_cell(pennies, 2) == [(HALF, HALF)]
    assert corners_of_drawn_cell(pennies, 3) == []


def test_a_single_action_owns_the_whole_space():
    assert corners_of_drawn_cell(Game([[1, 2, 3]], [["x"] * 3]), 0) == corners_of_law_simplex(3)


def test_corners_where_a_cell_does_not_turn_are_dropped():
    # Action 1 only touches the edge of the triangle at its middle.
    game = Game([[0, 0, 0], [1, 1, 0], [-1, 1, 5]], [["x"] * 3] * 3)
    assert len(corners_of_drawn_cell(game, 0)) == 4
    assert corners_of_drawn_cell(game, 1) == [(0, 0, 1)]


def test_labels_are_short_and_different():
    long = "x" * 60
    game = Game([[0, 1], [1, 0], [0, 1], [2, 0]], [["x", "x"]] * 4, actions=[long, long + "a", "again", long + "b"])
    texts = labels.action_labels_in_figure(analyze(game))
    assert list(texts) == [0, 1, 3]
    assert len(set(texts.values())) == 3
    assert all(len(text) < 34 for text in texts.values())
    assert texts[0].endswith("= 1 more")


def test_labels_of_outcomes_and_what_no_font_can_write():
    game = Game([[0, 1], [1, 0]], [["x", "x"]] * 2, actions=["\ue000", "déjà vu"], outcomes=["good", "7"])
    assert labels.action_labels_in_figure(analyze(game)) == {0: "\N{WHITE SQUARE}", 1: "déjà vu"}
    assert labels.outcome_label_in_figure(game, 0) == "good"
    assert labels.outcome_label_in_figure(game, 1) == "outcome 7"


def test_cells_stay_distinct_beyond_the_hues():
    looks = [colors.fill_color_and_hatch(rank) for rank in range(40)]
    assert len(set(looks)) == 40
