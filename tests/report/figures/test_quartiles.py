"""Quartiles of what each run took: what must be on the figure, and that it is legible."""

import functools

import numpy as np
import pytest
from figure_extents import check_drawn, words
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch

from sidelight.report.figures.quartiles import Sample, draw_quartiles

POLICIES = ("uniform", "by confidence", "CBP", "RandCBP")
LONG = "RandCBP with half-range observers, alpha 1.01, five bins, a tail of 1e-7 and more"


def group(tolerance, count, published=True):
    rng = np.random.default_rng(count)
    found = [Sample("uniform", np.full(96, 105_000.0))]
    for k, name in enumerate(POLICIES[1:count]):
        values = np.round(10 ** rng.normal(4 - 0.7 * k, 0.2, 96))
        found.append(Sample(name, values, 1.1 * float(np.median(values)) if published else None))
    return {f"tolerance {tolerance}": found}


def groups(count, published=True):
    return {title: found for each in (0.025, 0.05, 0.1, 0.2) for title, found in group(each, count, published).items()}


def usual(published=True):
    return {
        "Case 1: errors are common": groups(4, published),
        "Case 2: errors are rare": groups(3, published),
    }


CASES = {
    "usual": usual,
    "unpublished": lambda: usual(False),
    "one": lambda: {"One": {"all": [Sample("only", np.array([7.0]))]}},
    "narrow": lambda: {"One": {"all": [Sample("only", 100.0 + np.arange(9), 104.0)]}},
    "five panels": lambda: {f"Case {k}": group(0.1, 2 + k % 3) for k in range(5)},
    "long": lambda: {f"Long {k} " * 30: {LONG: [Sample(LONG, np.arange(1.0, 99), 3.0)] * 2} for k in range(2)},
    "zeros": lambda: {"Zeros": {"all": [Sample("a", np.zeros(9)), Sample("b", np.zeros(1))]}},
    "negative": lambda: {"Negative": {"all": [Sample("a", np.arange(-9.0, 0)), Sample("b", np.arange(-5.0, 12))]}},
    "wide from zero": lambda: {"Wide": {"all": [Sample("a", np.zeros(9)), Sample("b", 10.0 ** np.arange(-1, 5))]}},
    "both sides": lambda: {
        f"Both {k}": {"all": [Sample("a", -(10.0 ** np.arange(5))), Sample("b", 10.0 ** np.arange(-2, 6))]}
        for k in range(2)
    },
    "wide and negative": lambda: {"Wide": {"all": [Sample("a", -(10.0 ** np.arange(-9, 9)), -1e-3)]}},
    "huge": lambda: {"Huge": {"$x$": [Sample("$y$", 10.0 ** np.arange(-3, 12))]}},
}


@functools.cache
def draw(case, title="Verifications until all verdicts are certain", measure="verifications"):
    return draw_quartiles(CASES[case](), title, "96 runs", measure)


def policies(panel):
    return [policy for found in panel.values() for policy in found]


def boxes(axes):
    return [patch for patch in axes.patches if isinstance(patch, PathPatch)]


def diamonds(axes):
    return [each for each in axes.lines if each.get_marker() == "D"]


def medians(axes):
    return [each for each in axes.lines if each.get_marker() != "D" and each.get_linewidth() > 2]


def span(shape):
    xs = shape.get_path().vertices[:, 0]
    return xs.min(), xs.max()


@pytest.mark.parametrize("case", CASES)
def test_every_text_is_legible(case):
    check_drawn(draw(case))


def test_long_headings_are_legible():
    check_drawn(draw("one", "A long title " * 9, "what was counted until everything was certain, " * 2))


def test_boxes_are_quartiles_and_whiskers_hold_nine_of_ten():
    for axes, panel in zip(draw("usual").axes, usual().values(), strict=True):
        assert axes.get_xscale() == "log"
        ends = {x for line in axes.lines for x in np.round(line.get_xdata(), 6)}
        for policy, shape, median in zip(policies(panel), boxes(axes), medians(axes), strict=True):
            assert span(shape) == pytest.approx(tuple(np.quantile(policy.values, (0.25, 0.75))))
            assert median.get_xdata() == pytest.approx(np.median(policy.values))
            assert set(np.round(np.quantile(policy.values, (0.05, 0.95)), 6)) <= ends


@pytest.mark.parametrize(
    ("case", "scale"),
    [("zeros", "linear"), ("negative", "linear"), ("wide from zero", "symlog"), ("both sides", "symlog")],
)
def test_values_that_are_not_above_zero_are_on_another_axis(case, scale):
    figure = draw(case)
    for axes, panel in zip(figure.axes, CASES[case]().values(), strict=True):
        assert axes.get_xscale() == scale
        low, high = axes.get_xlim()
        ends = np.quantile(np.concatenate([policy.values for policy in policies(panel)]), (0.05, 0.95))
        assert low < min(ends)
        assert high > max(ends)
        shown = [tick for tick in axes.get_xticks() if low <= tick <= high]
        assert 0 in shown
        assert 2 <= len(shown) <= 7


def test_titles_groups_policies_and_numbers_are_written():
    said = words(draw("usual"))
    assert {"Case 1: errors are common", "Case 2: errors are rare", "96 runs"} <= set(said)
    assert said.count("tolerance 0.05") == said.count("verifications") == 2
    assert said.count("CBP") == 8
    assert said.count("RandCBP") == 4
    assert sum(word.replace("\N{THIN SPACE}", "").replace(" ", "") == "105000" for word in said) == 8


def test_published_medians_are_diamonds_if_there_are_any():
    left, right = draw("usual").axes
    assert (len(diamonds(left)), len(diamonds(right))) == (12, 8)
    assert "published median" in words(draw("usual"))
    figure = draw("unpublished")
    assert not any(diamonds(axes) for axes in figure.axes)
    assert not any("published" in word for word in words(figure))


def test_a_policy_has_one_color_and_all_panels_one_axis():
    figure = draw("usual")
    found = {}
    for axes, panel in zip(figure.axes, usual().values(), strict=True):
        for policy, shape in zip(policies(panel), boxes(axes), strict=True):
            found.setdefault(policy.label, set()).add(to_hex(shape.get_facecolor()))
    assert all(len(each) == 1 for each in found.values())
    assert len(set.union(*found.values())) == 4
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
