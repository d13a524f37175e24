"""Figures of regret: what must be on them, and that it is legible."""

import functools

import numpy as np
import pytest
from figure_extents import check_drawn, words
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex

from sidelight import games
from sidelight.errors import SidelightError
from sidelight.report.figures.colors import CURVES
from sidelight.report.figures.curves import FigureCurve, Mark, Panel
from sidelight.report.figures.regret import draw_regret_figure, draw_regret_panels
from sidelight.results import Results

ROUNDS = np.array([200 * (k + 1) for k in range(100)])
NAMES = ("CBP", "RandCBP", "BPMLeast", "TSPM", "TSPMGaussian", "PMDMED", "PMDMEDHinge", "FeedExp3", "IDS", "Uniform")
LONG = "RandCBP with half-range observers, alpha 1.01, five bins and a tail of 1e-7, whatever comes, number "


def made(name="CBP", size=50.0, power=0.3, runs=20, **options):
    """Make results whose mean regret grows as a power of t."""
    rng = np.random.default_rng(sum(map(ord, name)))
    regret = size * (ROUNDS / ROUNDS[-1]) ** power * rng.uniform(0.5, 1.5, (runs, 1))
    facts = {"environment": {"name": "IID", "law": "dirichlet"}, "seed": 0, "regret_kind": "pseudo-regret"} | options
    return Results(
        game=games.load("apple-tasting"),
        strategy={"name": name, "parameters": {}, "defaults": {}},
        rounds=ROUNDS,
        regret=regret,
        plays=np.zeros((len(regret), 2), int),
        **facts,
    )


def line(label="CBP", end=50.0, power=0.4, last=20_000, band=True, **options):
    rounds = ROUNDS[: round(last / 200)]
    mean = end * (rounds / last) ** power
    low, high = (0.8 * mean, 1.2 * mean) if band else (None, None)
    return FigureCurve(label, rounds, mean, low, high, **options)


def flat(label, value):
    return FigureCurve(label, ROUNDS, np.full(100, float(value)))


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


LIMIT = FigureCurve("limit", ROUNDS, np.log(ROUNDS))
CASES = {
    "four": lambda: [Panel(f"Game {k}", strategies(6, 4.0**k), LIMIT) for k in range(1, 5)],
    "early": lambda: [Panel("Easy", [*strategies(3), line("TSPM", last=7_600)]), Panel("Hard", strategies(3, 100))],
    "study": lambda: [Panel(f"Game {k}", study(10.0**k), LIMIT) for k in range(4)],
    "marks": marked,
    "one": lambda: [Panel("Only", [line()])],
    "eight": lambda: [Panel(f"Game {k}", strategies(1 + k, 10)) for k in range(8)],
    "zero": lambda: [Panel("Never", [flat("CBP", 0)]), Panel("Some", [flat("CBP", 0), line("TSPM")])],
    "linear": lambda: [Panel("Below", [flat("CBP", -3), line("TSPM")], logarithmic=False)] * 2,
    "equal": lambda: [Panel("Equal", [flat(name, 7) for name in NAMES]), Panel("Flat", [flat("X", 1)])],
    "one round": lambda: [Panel("Point", [line(last=200, band=False), line("TSPM", last=200, end=9)])],
    "long": lambda: [
        Panel("A title " * 15, [line(LONG + str(k), 10.0 + k) for k in range(6)], LIMIT),
        Panel("$x$ and $", [line(LONG + "3"), line("x_1^2\nand more", 9)]),
    ],
    "large": lambda: [Panel("Large", strategies(4, 3e9)), Panel("Tiny", strategies(4, 1e-6))],
}


@functools.cache
def draw(case, title="Regret in all games", subtitle="96 runs; bands hold the mean with 99 % confidence"):
    return draw_regret_panels(CASES[case](), title, subtitle)


def diamonds(axes):
    return [each for each in axes.lines if each.get_marker() == "D"]


def shown(axes, panel):
    """Return the lines of a panel's curves."""
    return dict(zip([each.label for each in panel.curves], axes.lines, strict=False))


@pytest.mark.parametrize("case", CASES)
def test_every_text_is_legible_and_a_strategy_looks_the_same_everywhere(case):
    figure = draw(case)
    check_drawn(figure)
    found = {}
    for axes, panel in zip(figure.axes, CASES[case](), strict=True):
        for label, curve in shown(axes, panel).items():
            found.setdefault(label, set()).add(
                (to_hex(curve.get_color()), curve.get_linestyle(), curve.get_linewidth())
            )
    assert all(len(each) == 1 for each in found.values())
    assert len({next(iter(each)) for each in found.values()}) == len(found)


def test_long_and_missing_headings_are_legible():
    check_drawn(draw("one", "A very long title, " * 8, "a long subtitle, " * 20))
    check_drawn(draw("marks", "", ""))


def test_title_panels_axes_and_curves_are_named():
    said = words(draw("four"))
    assert {"Regret in all games", "96 runs; bands hold the mean with 99 % confidence", "Game 1", "Game 4"} <= set(said)
    assert said.count("mean regret") == said.count("round") == 2
    assert all(said.count(name) == 1 for name in (*NAMES[:6], "limit"))
    said = words(draw("study"))
    names = ["σ=1/2", "σ=1", "σ=2", "σ=10", "K=5", "K=10", "K=20", "limit"]
    assert [word for word in said if word in names] == names
    assert not any(" and " in word for word in said)


def test_curves_hold_all_values_and_zero_is_on_linear_axes_only():
    for axes, panel in zip(draw("early").axes, CASES["early"](), strict=True):
        assert axes.get_xscale() == axes.get_yscale() == "log"
        for label, curve in shown(axes, panel).items():
            each = next(each for each in panel.curves if each.label == label)
            assert np.array_equal(curve.get_xydata(), np.column_stack([each.rounds, each.mean]))
        assert len([each for each in axes.collections if isinstance(each, PolyCollection)]) == len(panel.curves)
    assert np.isnan(draw("zero").axes[1].lines[0].get_ydata()).all()
    assert "never above zero" in words(draw("zero"))
    assert (draw("linear").axes[0].lines[0].get_ydata()[1:] == -3).all()


def test_the_first_panel_decides_how_a_strategy_looks():
    figure = draw_regret_panels([Panel("A", strategies(3)), Panel("B", [line("BPMLeast"), line("Uniform")])], "", "")
    assert [to_hex(curve.get_color()) for axes in figure.axes for curve in axes.lines] == [
        color.lower() for color in (*CURVES[:3], *CURVES[2:4])
    ]


def test_marks_are_hollow_diamonds_with_error_bars():
    left, right = draw("marks").axes
    assert [(float(each.get_xdata()[0]), float(each.get_ydata()[0])) for each in diamonds(left)] == [
        (20_000, pytest.approx(1.2 * each.mean[-1])) for each in strategies(3)
    ]
    bars = [tuple(one.lines[2][0].get_segments()[0][:, 1]) for one in left.containers]
    assert bars == [(pytest.approx(1.1 * each.mean[-1]), pytest.approx(1.3 * each.mean[-1])) for each in strategies(3)]
    assert len(diamonds(right)) == 1
    assert not any(one.lines[2] for one in right.containers)
    assert "published value ± its standard error" in words(draw("marks"))
    assert "published value at the end ± its standard error" in words(draw_regret_panels(marked()[:1], "", ""))
    impossible = [Panel("A", [line(mark=Mark(20_000, 0.0, 1.0))])]
    assert not any("published" in word for word in words(draw_regret_panels(impossible, "", "")))


def test_results_are_drawn_on_both_kinds_of_axes_with_99_percent_intervals():
    results = [made(), made("RandCBP", 20.0)]
    linear, logarithmic = draw_regret_figure(results, limit=(ROUNDS, np.log(ROUNDS))).axes
    assert linear.get_yscale() == linear.get_xscale() == "linear"
    assert logarithmic.get_yscale() == logarithmic.get_xscale() == "log"
    for axes, first in ((linear, 1), (logarithmic, 0)):
        bands = [each for each in axes.collections if isinstance(each, PolyCollection)]
        assert axes.lines[2].get_linestyle() == "--"
        for result, curve, band in zip(results, axes.lines[:2], bands, strict=True):
            mean = result.regret.mean(axis=0)
            half = 2.5758 * result.regret.std(axis=0, ddof=1) / np.sqrt(result.n_runs)
            assert np.allclose(curve.get_ydata()[first:], mean)
            corners = band.get_paths()[0].vertices
            for at in (0, 37, 99):
                ys = corners[corners[:, 0] == ROUNDS[at], 1]
                floor = axes.get_ylim()[0] if first == 0 else -np.inf
                ends = max(mean[at] - half[at], floor), mean[at] + half[at]
                assert (ys.min(), ys.max()) == pytest.approx(ends, rel=1e-4)
    for axes in draw_regret_figure([made(runs=1)]).axes:
        assert not axes.collections


def test_the_protocol_is_said():
    said = words(draw_regret_figure([made(), made("RandCBP")]))
    wanted = "20 runs, outcome law of each run from 'dirichlet', seed 0; bands hold the mean with 99 % confidence"
    assert {"apple-tasting", wanted, "mean pseudo-regret"} <= set(said)
    law = {"name": "IID", "law": [0.25, 0.75]}
    said = words(draw_regret_figure([made(runs=1, environment=law, regret_kind="hindsight")], title="My own"))
    assert {"My own", "1 run, outcomes drawn from p = (0.25, 0.75), seed 0", "regret in hindsight"} <= set(said)
    said = words(draw_regret_figure([made("CBP", environment=law), made("RandCBP", runs=30)]))
    assert "20 to 30 runs, seed 0; bands hold the mean with 99 % confidence" in said


@pytest.mark.parametrize("size", [(3.3, 2.4), (6, 4)])
def test_a_figure_for_a_paper_has_one_panel_and_the_given_size(size):
    figure = draw_regret_figure(
        [made(), made("RandCBP", 20.0), made("FeedExp3", 40.0)], limit=(ROUNDS, ROUNDS**0.5), size=size
    )
    check_drawn(figure)
    (axes,) = figure.axes
    assert figure.get_size_inches() == pytest.approx(size)
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert len(axes.lines) == 4
    assert not figure.get_suptitle()
    assert {"CBP", "RandCBP", "FeedExp3", "limit", "round", "mean pseudo-regret"} <= set(words(figure))


@pytest.mark.parametrize("size", [3, "ab", (1, 1), (3, 2, 1), (float("nan"), 2)])
def test_a_wrong_size_is_explained(size):
    with pytest.raises(SidelightError, match="give width and height in inches"):
        draw_regret_figure([made()], size=size)


def test_a_size_may_be_too_small_for_the_key():
    with pytest.raises(SidelightError, match="too small for what must be written"):
        draw_regret_figure([made(LONG + str(k)) for k in range(6)], size=(2, 1.5))


def test_mistakes_are_explained():
    with pytest.raises(SidelightError, match="no results"):
        draw_regret_figure([])
    for wrong in (3, (ROUNDS, [1.0]), ([], []), ([1.0], [np.nan])):
        with pytest.raises(SidelightError, match="limit"):
            draw_regret_figure([made()], limit=wrong)
