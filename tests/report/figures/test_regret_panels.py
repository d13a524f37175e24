"""Regret in several settings: what must be on the figure, that it is legible, and that it is the same every time."""

import functools

import numpy as np
import pytest
from figure_extents import check_drawn, curves, words
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex

from sidelight.report.figures.colors import CURVES
from sidelight.report.figures.curves import Curve, Mark, Panel
from sidelight.report.figures.regret import draw_panels

ROUNDS = np.arange(1, 101) * 200.0
NAMES = ("CBP", "RandCBP", "BPMLeast", "TSPM", "TSPMGaussian", "PMDMED", "PMDMEDHinge", "FeedExp3", "IDS", "Uniform")
LONG = "RandCBP with half-range observers, alpha 1.01, five bins and a tail of 1e-7, whatever comes, number "


def line(label="CBP", end=50.0, power=0.4, last=20_000, band=True, **options):
    rounds = ROUNDS[: round(last / 200)]
    mean = end * (rounds / last) ** power
    low, high = (0.8 * mean, 1.2 * mean) if band else (None, None)
    return Curve(label, rounds, mean, low, high, **options)


def flat(label, value):
    return Curve(label, ROUNDS, np.full(100, float(value)))


def limit(values=None, label="limit"):
    return Curve(label, ROUNDS, np.log(ROUNDS) if values is None else values)


def strategies(count=6, scale=4.0, **options):
    return [line(name, scale * 2.5**k, 0.1 * (k + 1), **options) for k, name in enumerate(NAMES[:count])]


def study(scale=10.0):
    return [
        line(f"{sigma} and {bins}", scale * (1 + j + 0.2 * k), family=f"σ={sigma}", member=f"K={bins}")
        for j, sigma in enumerate(("1/2", "1", "2", "10"))
        for k, bins in enumerate((5, 10, 20))
    ]


def marked():
    first = [each._replace(mark=Mark(20_000, 1.2 * each.mean[-1], 0.1 * each.mean[-1])) for each in strategies(3)]
    return [Panel("Easy", first), Panel("Hard", [line(mark=Mark(10_000, 30.0, None))])]


CASES = {
    "four": lambda: [Panel(f"Game {k}", strategies(6, 4.0**k), limit()) for k in range(1, 5)],
    "early": lambda: [
        Panel("Easy", [*strategies(3), line("TSPM", last=7_600), line("PMDMED", 1100, last=7_600)]),
        Panel("Hard", strategies(3, 100)),
    ],
    "study": lambda: [Panel(f"Game {k}", study(10.0**k), limit()) for k in range(4)],
    "study of two": lambda: [Panel("Easy", study()), Panel("Hard", study(1000))],
    "marks": marked,
    "one": lambda: [Panel("Only", [line()])],
    "many": lambda: [Panel("Many", strategies(10)), Panel("Few", strategies(2))],
    "eight": lambda: [Panel(f"Game {k}", strategies(1 + k, 10)) for k in range(8)],
    "zero": lambda: [Panel("Never", [flat("CBP", 0)]), Panel("Some", [flat("CBP", 0), line("TSPM")])],
    "negative": lambda: [Panel("Below", [flat("CBP", -3), line("TSPM")])],
    "equal": lambda: [
        Panel("Equal", [flat(name, 7) for name in NAMES]),
        Panel("Flat", [flat("X", 1)]),
    ],
    "one run": lambda: [Panel("Single", strategies(2, band=False))],
    "one round": lambda: [Panel("Point", [line(last=200), line("TSPM", last=200, end=9)])],
    "long": lambda: [
        Panel("A title " * 15, [line(LONG + str(k), 10.0 + k) for k in range(6)], limit(ROUNDS, LONG)),
        Panel("Short", [line(LONG + "3")]),
    ],
    "large": lambda: [Panel("Large", strategies(4, 3e5)), Panel("Tiny", strategies(4, 1e-6))],
    "dollars": lambda: [Panel("$x$ and $", [line("$x$"), line("x_1^2", 9)])],
}


@functools.cache
def draw(case, title="Regret in all games", subtitle="96 runs; bands hold the mean with 99 % confidence"):
    return draw_panels(CASES[case](), title, subtitle)


def diamonds(axes):
    return [each for each in axes.lines if each.get_marker() == "D"]


def looks(figure, panels):
    """Return the set of looks of each label."""
    found = {}
    for axes, panel in zip(figure.axes, panels, strict=True):
        for curve, each in zip(curves(axes), panel.curves, strict=False):
            found.setdefault(each.label, set()).add((to_hex(curve.get_color()), str(curve._unscaled_dash_pattern)))
    return found


@pytest.mark.parametrize("case", CASES)
def test_every_text_is_legible(case):
    check_drawn(draw(case))


def test_long_and_missing_headings_are_legible():
    check_drawn(draw("one", "A very long title, " * 8, "a long subtitle, " * 20))
    check_drawn(draw("marks", "", ""))


@pytest.mark.parametrize("case", CASES)
def test_pages_can_be_read_at_900_pixels(case):
    assert draw(case).get_figwidth() <= 11


def test_title_panels_and_axes_are_named():
    said = words(draw("four"))
    assert {"Regret in all games", "96 runs; bands hold the mean with 99 % confidence", "Game 1", "Game 4"} <= set(said)
    assert said.count("mean regret") == said.count("round") == 2
    assert "mean loss" in words(draw_panels(CASES["one"](), "", "", "mean loss"))


def test_all_axes_are_logarithmic_and_hold_all_curves():
    for axes, panel in zip(draw("early").axes, CASES["early"](), strict=True):
        assert axes.get_xscale() == axes.get_yscale() == "log"
        for curve, each in zip(curves(axes), panel.curves, strict=True):
            assert np.array_equal(curve.get_xdata(), each.rounds)
            assert np.array_equal(curve.get_ydata(), each.mean)
        bands = [each for each in axes.collections if isinstance(each, PolyCollection)]
        assert len(bands) == len(panel.curves)


def test_curves_are_named_at_their_ends_with_their_values():
    said = words(draw("four"))
    for name in NAMES[:6]:
        assert sum(word.startswith(f"{name} ") for word in said) == 4
    assert "CBP 4.00" in said
    assert sum(word == "limit 9.90" for word in said) == 4


def test_where_a_curve_ends_early_is_said():
    said = words(draw("early"))
    assert any(word.startswith("TSPM 50.0 at 7") for word in said)
    assert any(word.startswith("PMDMED 1") and word.endswith("600") for word in said)
    assert not any(" at " in word for word in said if word.startswith("CBP"))


@pytest.mark.parametrize("case", CASES)
def test_a_strategy_looks_the_same_everywhere_and_unlike_others(case):
    found = looks(draw(case), CASES[case]())
    assert all(len(each) == 1 for each in found.values())
    if case != "one round":
        assert len({next(iter(each)) for each in found.values()}) == len(found)


def test_the_first_panel_decides_how_a_strategy_looks():
    panels = [Panel("A", strategies(3)), Panel("B", [line("BPMLeast"), line("Uniform")])]
    found = looks(draw_panels(panels, "", ""), panels)
    assert {name: next(iter(each))[0] for name, each in found.items()} == {
        "CBP": CURVES[0].lower(),
        "RandCBP": CURVES[1].lower(),
        "BPMLeast": CURVES[2].lower(),
        "Uniform": CURVES[3].lower(),
    }


def test_marks_are_hollow_diamonds_with_error_bars():
    figure = draw("marks")
    left, right = figure.axes
    assert [(float(each.get_xdata()[0]), float(each.get_ydata()[0])) for each in diamonds(left)] == [
        (20_000, pytest.approx(1.2 * each.mean[-1])) for each in strategies(3)
    ]
    assert all(each.get_markerfacecolor() == "white" for each in diamonds(left))
    bars = [tuple(one.lines[2][0].get_segments()[0][:, 1]) for one in left.containers]
    assert bars == [(pytest.approx(1.1 * each.mean[-1]), pytest.approx(1.3 * each.mean[-1])) for each in strategies(3)]
    assert len(diamonds(right)) == 1
    assert not any(one.lines[2] for one in right.containers)


def test_what_diamonds_are_is_said_only_if_there_are_any():
    assert "published value ± its standard error" in words(draw("marks"))
    at_end = marked()[:1]
    assert "published value at the end ± its standard error" in words(draw_panels(at_end, "", ""))
    plain = [Panel("A", [line(mark=Mark(20_000, 3.0, None))])]
    assert "published value at the end" in words(draw_panels(plain, "", ""))
    for case in CASES.keys() - {"marks"}:
        figure = draw(case)
        assert not any("published" in word for word in words(figure))
        assert not any(diamonds(axes) for axes in figure.axes)
    impossible = [Panel("A", [line(mark=Mark(20_000, 0.0, 1.0))])]
    assert not any("published" in word for word in words(draw_panels(impossible, "", "")))


def test_a_study_has_a_key_of_colors_and_dashes():
    figure = draw("study")
    said = words(figure)
    for once in ("σ=1/2", "σ=1", "σ=2", "σ=10", "K=5", "K=10", "K=20", "limit"):
        assert said.count(once) == 1
    assert not any(" and " in word for word in said)
    assert any(word.endswith(" K=20") for word in said)
    shown = dict(zip([each.label for each in study()], curves(figure.axes[0]), strict=False))
    for sigma in ("1/2", "1", "2", "10"):
        assert len({shown[f"{sigma} and {bins}"].get_color() for bins in (5, 10, 20)}) == 1
    for bins in (5, 10, 20):
        alike = {str(curve._unscaled_dash_pattern) for label, curve in shown.items() if label.endswith(f" {bins}")}
        assert len(alike) == 1
    samples = [each for legend in figure.legends for each in legend.get_texts()]
    assert [each.get_text() for each in samples][4:7] == ["K=5", "K=10", "K=20"]


def test_long_names_are_in_one_key():
    said = words(draw("long"))
    assert sum(word.startswith(LONG[:60]) for word in said) == 7
    assert "50.0" in said


def test_curves_that_coincide_take_turns_or_are_wide_below_and_narrow_above():
    stripes = {str(curve._unscaled_dash_pattern) for curve in curves(draw("equal").axes[0])}
    assert len(stripes) == len(NAMES)
    same = [flat(f"{k}", 7)._replace(family=f"{k}", member="K=5") for k in range(6)]
    widths = [curve.get_linewidth() for curve in curves(draw_panels([Panel("Same", same)], "", "").axes[0])]
    assert widths == sorted(set(widths), reverse=True)
    assert len({curve.get_linewidth() for curve in curves(draw("four").axes[0])[:6]}) == 1


def test_zero_is_said():
    said = words(draw("zero"))
    assert "never above zero" in said
    assert said.count("CBP 0") == 2


def test_odd_values_are_drawn():
    low = line(mark=Mark(20_000, 1e-12, 5.0))
    huge = Curve("huge", ROUNDS[:5], 10.0 ** np.arange(-140, 160, 60))
    for curve in (low, huge, line("two\nlines"), Curve("", np.array([1, 2]), np.array([1, 2]))):
        check_drawn(draw_panels([Panel("A", [curve])], "", ""))
    figure = draw_panels([Panel("A", [line()], logarithmic=False)] * 2, "", "")
    check_drawn(figure)
    assert [axes.get_yscale() for axes in figure.axes] == ["linear", "linear"]
