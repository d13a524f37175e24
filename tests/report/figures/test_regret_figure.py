"""Figures of regret: what must be on them, that it is legible, and that it is the same every time."""

import functools

import numpy as np
import pytest
from figure_extents import check_drawn, curves, words
from matplotlib.collections import PolyCollection

from sidelight import games
from sidelight.errors import SidelightError
from sidelight.report.figures.curves import Curve
from sidelight.report.figures.regret import draw_regret
from sidelight.results import Results

ROUNDS = np.array([200 * (k + 1) for k in range(100)])
NAMES = ("CBP", "RandCBP", "BPMLeast", "TSPM", "TSPMGaussian", "PMDMED", "PMDMEDHinge", "FeedExp3", "IDS", "Uniform")
NAMES += ("FixedAction", "BayesOptimal")


def made(name="CBP", size=50.0, power=0.3, runs=20, rounds=ROUNDS, regret=None, **options):
    """Make results whose mean regret grows as a power of t."""
    rng = np.random.default_rng(sum(map(ord, name)))
    if regret is None:
        regret = size * (rounds / rounds[-1]) ** power * rng.uniform(0.5, 1.5, (runs, 1))
    described = {"name": name, "parameters": options.pop("parameters", {}), "defaults": {}}
    facts = {"environment": {"name": "IID", "law": "dirichlet"}, "seed": 0, "regret_kind": "pseudo-regret"} | options
    return Results(
        game=facts.pop("game", games.load("apple-tasting")),
        strategy=described,
        rounds=rounds,
        regret=regret,
        plays=np.zeros((len(regret), 2), int),
        **facts,
    )


@functools.cache
def draw(case):
    return draw_regret(CASES[case]())


def several(count):
    return [made(name, 10.0 * 1.7**k, 0.1 + 0.05 * k) for k, name in enumerate(NAMES[:count])]


CASES = {
    "one": lambda: [made()],
    "two": lambda: several(2),
    "five": lambda: several(5),
    "twelve": lambda: several(12),
    "coinciding": lambda: [made("CBP"), made("CBP"), made("CBP", parameters={"bins": 1})],
    "crowded": lambda: [made(name, 50 + 0.1 * k) for k, name in enumerate(NAMES)],
    "zero": lambda: [made("FixedAction", regret=np.zeros((5, 100))), made()],
    "all zero": lambda: [made("FixedAction", regret=np.zeros((5, 100)))],
    "negative": lambda: [made(regret=np.linspace(1, -5, 100) + np.zeros((3, 1)), regret_kind="hindsight"), made()][:1],
    "one run": lambda: [made(runs=1), made("RandCBP", runs=1)],
    "one checkpoint": lambda: [made(rounds=np.array([500])), made("RandCBP", rounds=np.array([500]))],
    "tiny": lambda: [made(size=1e-5)],
    "huge": lambda: [made(size=1e9, rounds=10_000_000 * ROUNDS)],
    "flat": lambda: [made(power=0.001), made("RandCBP", 49, 0.001)],
    "long": lambda: [made(parameters={"observers": "half-range", "alpha": 1.01, "a_rather_long_name": "value" * 5})],
    "dollars": lambda: [made("$x$ and $y"), made("RandCBP")],
}


@pytest.mark.parametrize("case", CASES)
def test_every_text_is_legible(case):
    check_drawn(draw(case))


@pytest.mark.parametrize("case", CASES)
def test_names_stand_beside_the_curves(case):
    results = CASES[case]()
    figure = draw(case)
    edge = figure.axes[1].get_window_extent().x1
    beside = [text for text in figure.axes[1].texts if text.get_window_extent().x0 > edge]
    assert len(beside) == len(results)
    assert len({text.get_text() for text in beside}) == len(results)
    for result in results:
        assert any(text.get_text().startswith(result.label[:8]) for text in beside)


def test_title_and_protocol():
    said = words(draw("two"))
    assert "apple-tasting" in said
    wanted = "20 runs, outcome law of each run from 'dirichlet', seed 0; bands hold the mean with 99 % confidence"
    assert wanted in said
    assert "mean pseudo-regret" in said
    law = {"name": "IID", "law": [0.25, 0.75]}
    said = words(draw_regret([made(runs=1, environment=law, regret_kind="hindsight")], title="My own"))
    assert {"My own", "1 run, outcomes drawn from p = (0.25, 0.75), seed 0", "regret in hindsight"} <= set(said)
    said = words(draw_regret([made("CBP", environment=law), made("RandCBP", runs=30)]))
    assert "20 to 30 runs, seed 0; bands hold the mean with 99 % confidence" in said


def test_curves_and_bands_are_means_and_their_99_percent_intervals():
    results = several(2)
    linear, logarithmic = draw_regret(results).axes
    assert linear.get_yscale() == linear.get_xscale() == "linear"
    assert logarithmic.get_yscale() == logarithmic.get_xscale() == "log"
    for axes, first in ((linear, 1), (logarithmic, 0)):
        bands = [each for each in axes.collections if isinstance(each, PolyCollection)]
        for result, line, band in zip(results, curves(axes), bands, strict=True):
            mean = result.regret.mean(axis=0)
            half = 2.5758 * result.regret.std(axis=0, ddof=1) / np.sqrt(result.n_runs)
            assert np.allclose(line.get_ydata()[first:], mean)
            assert np.array_equal(line.get_xdata()[first:], ROUNDS)
            corners = band.get_paths()[0].vertices
            for at in (0, 37, 99):
                ys = corners[corners[:, 0] == ROUNDS[at], 1]
                ends = (max(mean[at] - half[at], axes.get_ylim()[0] if first == 0 else -np.inf), mean[at] + half[at])
                assert (ys.min(), ys.max()) == pytest.approx(ends, rel=1e-3)


def test_one_run_has_no_band():
    for axes in draw_regret([made(runs=1)]).axes:
        assert not axes.collections


def test_zero_is_on_the_linear_panel_only():
    linear, logarithmic = draw("zero").axes
    assert (curves(linear)[0].get_ydata() == 0).all()
    assert np.isnan(curves(logarithmic)[0].get_ydata()).all()
    assert logarithmic.get_ylim()[0] > 0.1
    assert "never above zero" in words(draw("all zero"))


@pytest.mark.parametrize(
    "limit",
    [
        Curve("limit", ROUNDS, np.log(ROUNDS)),
        (ROUNDS, np.log(ROUNDS)),
        np.array([ROUNDS, np.log(ROUNDS)]),
        Curve("limit", [20_000], [9.0]),
    ],
)
def test_a_limit_is_a_dashed_line(limit):
    figure = draw_regret(several(2), limit=limit)
    check_drawn(figure)
    assert any(word.startswith("limit ") for word in words(figure))
    for axes in figure.axes:
        assert curves(axes)[2].get_linestyle() == "--"
        assert len(curves(axes)) == 3


def test_mistakes_are_explained():
    with pytest.raises(SidelightError, match="no results"):
        draw_regret([])
    for wrong in (3, (ROUNDS, [1.0]), ([], []), ([1.0], [np.nan])):
        with pytest.raises(SidelightError, match="limit"):
            draw_regret([made()], limit=wrong)
