"""Quartiles of what each run took: what must be on the figure, and that it is legible."""

import matplotlib
import numpy as np
import pytest
from extents import words
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from test_regret_figure import check_drawn

from sidelight.errors import SidelightError
from sidelight.report.quartile_figure import Box, Group, QuartilePanel, draw_quartiles
from sidelight.report.saving import save_figure

POLICIES = ("uniform", "by confidence", "CBP", "RandCBP")
LONG = "RandCBP with half-range observers, alpha 1.01, five bins, a tail of 1e-7 and more"


def group(tolerance, count, published=True):
    rng = np.random.default_rng(count)
    boxes = [Box("uniform", np.full(96, 105_000.0), None)]
    for k, name in enumerate(POLICIES[1:count]):
        values = np.round(10 ** rng.normal(4 - 0.7 * k, 0.2, 96))
        boxes.append(Box(name, values, 1.1 * float(np.median(values)) if published else None))
    return Group(f"tolerance {tolerance}", boxes)


def usual(published=True):
    tolerances = (0.025, 0.05, 0.1, 0.2)
    return [
        QuartilePanel("Case 1: errors are common", [group(each, 4, published) for each in tolerances]),
        QuartilePanel("Case 2: errors are rare", [group(each, 3, published) for each in tolerances]),
    ]


CASES = {
    "usual": usual,
    "unpublished": lambda: usual(False),
    "one": lambda: [QuartilePanel("One", [Group("all", [Box("only", np.array([7.0]), None)])])],
    "narrow": lambda: [QuartilePanel("One", [Group("all", [Box("only", 100.0 + np.arange(9), 104.0)])])],
    "five panels": lambda: [QuartilePanel(f"Case {k}", [group(0.1, 2 + k % 3)]) for k in range(5)],
    "long": lambda: [QuartilePanel("Long " * 40, [Group(LONG, [Box(LONG, np.arange(1.0, 99), 3.0)] * 2)])] * 2,
    "huge": lambda: [QuartilePanel("Huge", [Group("$x$", [Box("$y$", 10.0 ** np.arange(-3, 12), None)])])],
}


def draw(case, title="Verifications until all verdicts are certain", measure="verifications"):
    return draw_quartiles(CASES[case](), title, "96 runs", measure)


def boxes(axes):
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def lines(axes, kind):
    chosen = {
        "diamond": lambda each: each.get_marker() == "D",
        "whisker": lambda each: each.get_marker() == "|",
        "median": lambda each: each.get_marker() == "None" and each.get_linewidth() > 2,
    }[kind]
    return [each for each in axes.lines if chosen(each)]


@pytest.mark.parametrize("case", CASES)
def test_every_text_is_legible(case):
    check_drawn(draw(case))


def test_long_headings_are_legible():
    check_drawn(draw("one", "A long title " * 9, "what was counted until everything was certain, " * 2))


def test_boxes_are_quartiles_and_whiskers_hold_nine_of_ten():
    for axes, panel in zip(draw("usual").axes, usual(), strict=True):
        given = [box for each in panel.groups for box in each.boxes]
        assert axes.get_xscale() == "log"
        for box, shape, median, whisker in zip(
            given, boxes(axes), lines(axes, "median"), lines(axes, "whisker"), strict=True
        ):
            assert (shape.get_x(), shape.get_x() + shape.get_width()) == pytest.approx(
                tuple(np.quantile(box.values, (0.25, 0.75)))
            )
            assert median.get_xdata() == pytest.approx(np.median(box.values))
            assert whisker.get_xdata() == pytest.approx(np.quantile(box.values, (0.05, 0.95)))


def test_a_box_without_extent_is_seen():
    figure = draw("one")
    (axes,) = figure.axes
    (shape,), (median,) = boxes(axes), lines(axes, "median")
    assert shape.get_width() == 0
    figure.canvas.draw()
    across = [axes.transData.transform((7.0, y)) for y in median.get_ydata()]
    x, (bottom, top) = int(across[0][0]), sorted(int(y) for _, y in across)
    assert top - bottom > 10
    pixels = np.asarray(figure.canvas.buffer_rgba())[::-1][bottom + 2 : top - 2, x - 1 : x + 2, :3]
    assert (pixels.min(axis=(1, 2)) < 120).all()


def test_titles_groups_policies_and_numbers_are_written():
    said = words(draw("usual"))
    assert {"Case 1: errors are common", "Case 2: errors are rare", "96 runs"} <= set(said)
    assert said.count("tolerance 0.05") == said.count("verifications") == 2
    assert said.count("CBP") == 8
    assert said.count("RandCBP") == 4
    assert said.count("median") == said.count("published") == 2
    assert sum(word.replace("\N{THIN SPACE}", "").replace(" ", "") == "105000" for word in said) == 8


def test_published_medians_are_diamonds_if_there_are_any():
    left, right = draw("usual").axes
    assert (len(lines(left, "diamond")), len(lines(right, "diamond"))) == (12, 8)
    assert "published median" in words(draw("usual"))
    figure = draw("unpublished")
    assert not any(lines(axes, "diamond") for axes in figure.axes)
    assert not any("published" in word for word in words(figure))


def test_a_policy_has_one_color_and_all_panels_one_axis():
    figure = draw("usual")
    found = {}
    for axes, panel in zip(figure.axes, usual(), strict=True):
        given = [box for each in panel.groups for box in each.boxes]
        for box, shape in zip(given, boxes(axes), strict=True):
            found.setdefault(box.label, set()).add(to_hex(shape.get_facecolor()))
    assert all(len(each) == 1 for each in found.values())
    assert len(set.union(*found.values())) == 4
    assert len({axes.get_xlim() for axes in figure.axes}) == 1


def test_mistakes_are_explained():
    wrong = {
        "no panels": [],
        "no boxes": [QuartilePanel("A", [])],
        "a group without": [QuartilePanel("A", [Group("g", [])])],
        "no values": [QuartilePanel("A", [Group("g", [Box("b", np.array([]), None)])])],
        "above zero": [QuartilePanel("A", [Group("g", [Box("b", np.array([0.0, 1.0]), None)])])],
        "finite": [QuartilePanel("A", [Group("g", [Box("b", np.array([1.0]), np.nan)])])],
    }
    for message, panels in wrong.items():
        with pytest.raises(SidelightError, match=message):
            draw_quartiles(panels, "", "", "")


def test_the_same_bytes_whatever_the_settings(tmp_path):
    save_figure(draw("usual"), tmp_path / "a.svg")
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 20, "axes.grid": True, "lines.linestyle": ":"}):
        save_figure(draw("usual"), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
