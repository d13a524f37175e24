"""Figures of games: what must be on them, that it is legible, and that it is the same every time."""

import random
from fractions import Fraction

import pytest
from figure_extents import check_drawn, words
from matplotlib.colors import to_hex

from sidelight import games
from sidelight.analysis import analyze
from sidelight.game import Game
from sidelight.report.figures.colors import ALARM
from sidelight.report.figures.games.game import draw_game_figure

HALF = Fraction(1, 2)
BLIND2, BLIND3 = ["x", "x"], ["x", "x", "x"]


def figure_of(game):
    return draw_game_figure(analyze(game))


def dashed(figure):
    """Return the line styles in use, by color."""
    return {(to_hex(line.get_color()), line.get_linestyle()) for axes in figure.axes for line in axes.lines}


def crosses(figure):
    return [line for axes in figure.axes for line in axes.lines if line.get_marker() == "x"]


def cells(figure):
    patches = [patch for axes in figure.axes for patch in axes.patches]
    return [patch for patch in patches if patch.get_facecolor()[3] > 0]


def random_game(actions, outcomes, seed, names=None):
    """Return a game with many cells: the losses touch a convex surface from below, some of them only nearly."""
    pick = random.Random(seed)
    loss = []
    for _ in range(actions):
        weights = [pick.randint(1, 60) for _ in range(outcomes)]
        law = [Fraction(weight, sum(weights)) for weight in weights]
        square = sum(p * p for p in law)
        loss.append([square - 2 * p for p in law])
    loss[-1] = [(a + b) / 2 for a, b in zip(loss[0], loss[1], strict=True)]
    feedback = [[pick.choice("abc"[: 1 + row % 3]) for _ in range(outcomes)] for row in range(actions)]
    return Game(loss, feedback, f"random {seed}", names)


@pytest.mark.parametrize("name", games.names())
def test_every_known_game_has_a_legible_figure(name):
    game = games.load(name)
    figure = figure_of(game)
    check_drawn(figure)
    written = " ".join(words(figure))
    assert name in written
    assert f"{analyze(game).kind}: " in written
    for action in game.actions:
        assert action[:18] in written


@pytest.mark.parametrize("outcomes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(6))
def test_labels_never_meet(outcomes, seed):
    names = [("a rather long name of action " if k % 3 == 0 else "go ") + str(k) for k in range(5 + 3 * seed)]
    check_drawn(figure_of(random_game(len(names), outcomes, seed, names)))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("dynamic-pricing", {"prices": 3}),
        ("dynamic-pricing", {"prices": 20}),
        ("dynamic-pricing", {"prices": 40}),
        ("bernoulli-bandit", {"arms": 3}),
        ("bernoulli-bandit", {"arms": 1}),
        ("dueling-bandit", {"arms": 6}),
        ("three-class-label-efficient", {"query": "coarse"}),
        ("matching-pennies", {"cost": "1/2"}),
    ],
)
def test_families_of_games_stay_legible(name, parameters):
    check_drawn(figure_of(games.load(name, **parameters)))


def test_segment_shows_breakpoints_ends_and_what_the_lines_are():
    loss = [[0, 20], [1, 12], [4, 7], [7, 4], [20, 0], [15, 15], [Fraction(5, 2), Fraction(19, 2)]]
    game = Game(loss, [["a", "b"], *[BLIND2] * 6], actions=["a", "b", "c", "d", "e", "worse", "between"])
    figure = figure_of(game)
    written = words(figure)
    for text in ("0", "1/9", "3/8", "1/2", "4/13", "1", "worse (dominated)", "between (degenerate)"):
        assert (text in written) == (text != "4/13")
    assert "probability of outcome 1 (0 means always outcome 0, 1 always outcome 1)" in written
    assert {"border locally observable", "border only globally observable", "least expected loss"} <= set(written)
    assert "border not observable" not in written
    assert len(cells(figure)) == 5


def test_long_fractions_are_rounded():
    game = Game([[0, 1], [Fraction(10**9 + 7, 3 * 10**9), 0]], [BLIND2, ["a", "b"]])
    assert "≈0.25" in words(figure_of(game))


def test_triangle_shows_cells_corners_and_thin_cells():
    loss = [[1, 1, 0], [0, 1, 1], [1, 0, 1], [HALF, 1, HALF], [Fraction(2, 3)] * 3, [1, 1, 0], [3, 3, 3]]
    feedback = [["a", "b", "b"], *[BLIND3] * 6]
    names = ["left", "right", "top", "half", "center", "left again", "bad"]
    figure = figure_of(Game(loss, feedback, "thin", names, ["sun", "rain", "snow"]))
    written = words(figure)
    assert {"left = left again", "right", "top", "half (degenerate)", "center (degenerate)"} <= set(written)
    assert {"always sun", "always rain", "always snow"} <= set(written)
    assert any(text.endswith("Dominated, never best: bad.") for text in written)
    assert len(cells(figure)) == 3
    check_drawn(figure)


@pytest.mark.parametrize(
    ("query", "meaning", "alarm"),
    [("full", "border only globally observable", False), ("coarse", "border not observable", True)],
)
def test_borders_say_what_is_observable(query, meaning, alarm):
    figure = figure_of(games.load("three-class-label-efficient", query=query))
    assert meaning in words(figure)
    assert bool(crosses(figure)) == alarm
    assert any(color == ALARM for color, _ in dashed(figure)) == alarm


def test_graph_groups_duplicates_and_sets_the_rest_aside():
    loss = [[0, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 1], [5, 5, 5, 5], [HALF] * 4]
    game = Game(loss, [["a", "b", "c", "d"]] * 5, actions=["one", "two", "three", "four", "five"])
    figure = figure_of(game)
    written = words(figure)
    assert {"one = three", "two"} <= set(written)
    assert any("(best only where others are as good): five. Dominated (never best): four." in text for text in written)
    check_drawn(figure)


def test_graph_draws_every_edge_by_what_is_observable():
    figure = figure_of(games.load("dynamic-pricing"))
    edges = [line for axes in figure.axes for line in axes.lines if len(line.get_xdata()) == 2]
    solid = [line for line in edges if line.get_linestyle() == "-"]
    assert (len(edges), len(solid)) == (10, 4)


def test_unobservable_edges_are_crossed():
    blind = Game([[int(i != j) for j in range(4)] for i in range(4)], [["x"] * 4] * 4)
    figure = figure_of(blind)
    assert len(crosses(figure)) == 6
    check_drawn(figure)


@pytest.mark.parametrize(
    "game",
    [
        Game([[3, 3]], [["x", "y"]]),
        Game([[1, 2, 3]], [BLIND3]),
        Game([[1, 2, 3, 4]], [["x"] * 4]),
        Game([[1], [2], [1]], [["x"], ["x"], ["x"]]),
        Game([[0, 0], [0, 0]], [BLIND2, BLIND2], "two of the same"),
        Game([[0, 1], [Fraction(1, 10**9), 0]], [BLIND2, BLIND2], "a cell too small to see"),
        Game([[k, -k * 10**6] for k in range(3)], [BLIND2] * 3, "large numbers"),
    ],
)
def test_small_and_odd_games_have_figures(game):
    check_drawn(figure_of(game))


@pytest.mark.parametrize("outcomes", [2, 3, 4])
def test_names_may_hold_anything(outcomes):
    odd = ["costs $5 or $6_x", "first\nsecond\tthird", "日本語", "x" * 90, "a " * 60, "x" * 91]
    loss = [[int(i % outcomes != j) + Fraction(i, 100) for j in range(outcomes)] for i in range(6)]
    figure = figure_of(
        Game(loss, [["x"] * outcomes] * 6, "a name $ 語 " * 12, odd, ["$", "日", "z" * 80, "_^"][:outcomes])
    )
    check_drawn(figure)
    assert any("costs $5 or $6_x" in text for text in words(figure))
    figure.canvas.draw()


def test_many_dominated_actions_do_not_fill_the_page():
    game = Game([[1, 0], [0, 1], *[[2, 2 + k] for k in range(80)]], [["a", "b"]] * 82)
    figure = figure_of(game)
    check_drawn(figure)
    assert any(text.endswith("80 dominated actions are drawn without their names.") for text in words(figure))
    assert max(figure.get_size_inches()) < 8
    for outcomes, rest in ((3, "and 77 more (degenerate)"), (4, "and 68 more.")):
        wide = figure_of(Game([[*row, *[9] * (outcomes - 2)] for row in game.loss], [["a"] * outcomes] * 82))
        assert any(text.endswith(rest) for text in words(wide))
