"""Regret in several settings: what must be on the figure, that it is legible, and that it is the same every time."""

import matplotlib
import numpy as np
import pytest
from extents import words
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from test_regret_figure import check_drawn

from sidelight.errors import SidelightError
from sidelight.report.label_grid import split_labels
from sidelight.report.page import HUES
from sidelight.report.regret_figure import Limit
from sidelight.report.regret_panels import Line, Mark, Panel, draw_panels
from sidelight.report.saving import save_figure

ROUNDS = np.arange(1, 101) * 200.0
NAMES = ("CBP", "RandCBP", "BPMLeast", "TSPM", "TSPMGaussian", "PMDMED", "PMDMEDHinge", "FeedExp3", "IDS", "Uniform")
LONG = "RandCBP with half-range observers, alpha 1.01, five bins and a tail of 1e-7, whatever comes, number "


def line(label="CBP", family=0, end=50.0, power=0.4, last=20_000, band=True, **options):
    rounds = ROUNDS[: round(last / 200)]
    mean = end * (rounds / last) ** power
    low, high = (0.8 * mean, 1.2 * mean) if band else (None, None)
    return Line(label, rounds, mean, low, high, family, **options)


def flat(label, family, value):
    return Line(label, ROUNDS, np.full(100, float(value)), None, None, family)


def strategies(count=6, scale=4.0, **options):
    return [line(name, k, scale * 2.5**k, 0.1 * (k + 1), **options) for k, name in enumerate(NAMES[:count])]


def study(scale=10.0):
    return [
        line(f"σ={sigma}, K={bins}", family, scale * (1 + family + 0.2 * member), member=member)
        for family, sigma in enumerate(("1/2", "1", "2", "10"))
        for member, bins in enumerate((5, 10, 20))
    ]


def marked():
    first = [each._replace(mark=Mark(20_000, 1.2 * each.mean[-1], 0.1 * each.mean[-1])) for each in strategies(3)]
    return [Panel("Easy", first), Panel("Hard", [line(mark=Mark(10_000, 30.0, None))])]


CASES = {
    "four": lambda: [Panel(f"Game {k}", strategies(6, 4.0**k), Limit(ROUNDS, np.log(ROUNDS))) for k in range(1, 5)],
    "early": lambda: [
        Panel("Easy", [*strategies(3), line("TSPM", 3, last=7_600), line("PMDMED", 5, 1100, last=7_600)]),
        Panel("Hard", strategies(3, 100)),
    ],
    "study": lambda: [Panel(f"Game {k}", study(10.0**k), Limit(ROUNDS, np.log(ROUNDS))) for k in range(4)],
    "study of two": lambda: [Panel("Easy", study()), Panel("Hard", study(1000))],
    "marks": marked,
    "one": lambda: [Panel("Only", [line()])],
    "many": lambda: [Panel("Many", strategies(10)), Panel("Few", strategies(2))],
    "eight": lambda: [Panel(f"Game {k}", strategies(1 + k, 10)) for k in range(8)],
    "zero": lambda: [Panel("Never", [flat("CBP", 0, 0)]), Panel("Some", [flat("CBP", 0, 0), line("TSPM", 1)])],
    "negative": lambda: [Panel("Below", [flat("CBP", 0, -3), line("TSPM", 1)])],
    "equal": lambda: [
        Panel("Equal", [flat(name, k, 7) for k, name in enumerate(NAMES)]),
        Panel("Flat", [flat("X", 0, 1)]),
    ],
    "one run": lambda: [Panel("Single", strategies(2, band=False))],
    "one round": lambda: [Panel("Point", [line(last=200), line("TSPM", 1, last=200, end=9)])],
    "long": lambda: [
        Panel("A title " * 15, [line(LONG + str(k), k, 10.0 + k) for k in range(6)], Limit(ROUNDS, ROUNDS, LONG)),
        Panel("Short", [line(LONG + "3", 3)]),
    ],
    "large": lambda: [Panel("Large", strategies(4, 3e5)), Panel("Tiny", strategies(4, 1e-6))],
    "dollars": lambda: [Panel("$x$ and $", [line("$x$"), line("x_1^2", 1, 9)])],
}


def draw(case, title="Regret in all games", subtitle="96 runs; bands hold the mean with 99 % confidence"):
    return draw_panels(CASES[case](), title, subtitle)


def drawn(axes):
    """Return the curves of a panel, without the dots at their ends and the marks."""
    return [each for each in axes.lines if len(each.get_xdata()) > 2]


def diamonds(axes):
    return [each for each in axes.lines if each.get_marker() == "D"]


def looks(figure, panels):
    """Return the set of looks of each label."""
    found = {}
    for axes, panel in zip(figure.axes, panels, strict=True):
        for curve, each in zip(drawn(axes), panel.lines, strict=False):
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
        for curve, each in zip(drawn(axes), panel.lines, strict=True):
            assert np.array_equal(curve.get_xdata(), each.rounds)
            assert np.array_equal(curve.get_ydata(), each.mean)
        bands = [each for each in axes.collections if isinstance(each, PolyCollection)]
        assert len(bands) == len(panel.lines)


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
    panels = [Panel("A", strategies(3)), Panel("B", [line("BPMLeast", 0), line("Uniform", 1)])]
    found = looks(draw_panels(panels, "", ""), panels)
    assert {name: next(iter(each))[0] for name, each in found.items()} == {
        "CBP": HUES[0].lower(),
        "RandCBP": HUES[1].lower(),
        "BPMLeast": HUES[2].lower(),
        "Uniform": HUES[3].lower(),
    }


def test_marks_are_hollow_diamonds_with_error_bars():
    figure = draw("marks")
    left, right = figure.axes
    assert [(float(each.get_xdata()[0]), float(each.get_ydata()[0])) for each in diamonds(left)] == [
        (20_000, pytest.approx(1.2 * each.mean[-1])) for each in strategies(3)
    ]
    assert all(each.get_markerfacecolor() == "white" for each in diamonds(left))
    bars = [each.get_ydata() for each in left.lines if len(each.get_xdata()) == 2]
    assert [tuple(each) for each in bars] == [
        (pytest.approx(1.1 * each.mean[-1]), pytest.approx(1.3 * each.mean[-1])) for each in strategies(3)
    ]
    assert len(diamonds(right)) == 1
    assert not [each for each in right.lines if len(each.get_xdata()) == 2]


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
    for once in ("color", "dashes", "σ=1/2", "σ=1", "σ=2", "σ=10", "K=5", "K=10", "K=20", "limit"):
        assert said.count(once) == 1
    assert not any("σ" in word and "K" in word for word in said)
    assert any(word.endswith(" K=20") for word in said)
    panels = CASES["study"]()
    found = {label: next(iter(each)) for label, each in looks(figure, panels).items()}
    for sigma in ("1/2", "1", "2", "10"):
        assert len({found[f"σ={sigma}, K={bins}"][0] for bins in (5, 10, 20)}) == 1
    curves = dict(zip([each.label for each in panels[0].lines], drawn(figure.axes[0]), strict=False))
    for bins in (5, 10, 20):
        patterns = {str(curve._unscaled_dash_pattern) for label, curve in curves.items() if label.endswith(f"K={bins}")}
        assert len(patterns) == 1


def test_labels_are_split_only_if_that_says_everything():
    grid = [(f"RandCBP, s={s}, K={k}", s, k) for s in range(4) for k in range(2)]
    found = split_labels(grid[:-1])
    assert found.families == [(s, f"RandCBP, s={s}") for s in range(4)]
    assert found.members == [(0, "K=0"), (1, "K=1")]
    assert found.member_of["RandCBP, s=2, K=0"] == "K=0"
    assert split_labels([(name, k, 0) for k, name in enumerate(NAMES)]) is None
    assert split_labels([("A", 0, 0), ("B", 0, 1), ("C", 1, 0), ("D", 1, 1), ("E", 2, 0), ("F", 2, 1)]) is None
    assert split_labels([*grid[:-1], ("RandCBP, s=3", 3, 1)]) is None


def test_long_names_are_in_one_key():
    said = words(draw("long"))
    assert sum(word.startswith(LONG[:60]) for word in said) == 7
    assert "50.0" in said


def test_curves_that_coincide_are_wide_below_and_narrow_above():
    widths = [curve.get_linewidth() for curve in drawn(draw("equal").axes[0])]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == len(NAMES)
    assert len({curve.get_linewidth() for curve in drawn(draw("four").axes[0])[:6]}) == 1


def test_zero_is_said():
    said = words(draw("zero"))
    assert "never above zero" in said
    assert said.count("CBP 0") == 2


def test_mistakes_are_explained():
    good = line()
    wrong = {
        "no panels": [],
        "no lines": [Panel("Empty", [])],
        "same label": [Panel("Twice", [good, good])],
        "differ in shape": [Panel("A", [good._replace(mean=good.mean[1:])])],
        "not finite": [Panel("A", [good._replace(mean=good.mean * np.nan)])],
        "do not increase": [Panel("A", [good._replace(rounds=good.rounds - 200)])],
        "one end": [Panel("A", [good._replace(low=None)])],
        "published": [Panel("A", [good._replace(mark=Mark(1.0, np.nan, None))])],
        "limit": [Panel("A", [good], Limit([1.0], [1.0, 2.0]))],
    }
    for message, panels in wrong.items():
        with pytest.raises(SidelightError, match=message):
            draw_panels(panels, "", "")


@pytest.mark.parametrize("case", ["study", "marks"])
def test_the_same_bytes_whatever_the_settings(tmp_path, case):
    save_figure(draw(case), tmp_path / "a.svg")
    with matplotlib.rc_context({"lines.linewidth": 9, "font.size": 20, "axes.grid": True, "lines.linestyle": ":"}):
        save_figure(draw(case), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
