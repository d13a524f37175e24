"""Charts: what they show, and that they are well-formed whatever the numbers."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from sidelight.service.web import charts
from sidelight.service.web.charts import Point, common_limit, nice_limit, percent


def parsed(markup):
    return ElementTree.fromstring(str(markup))


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        *((None, "–"), (0.0, "0 %"), (0.05, "5 %"), (0.0512, "5.1 %"), (0.00134, "0.13 %"), (1.0, "100 %")),
        *((0.999, "99.9 %"), (1e-9, "1e-07 %"), (0.5, "50 %")),
    ],
)
def test_percent(rate, words):
    assert percent(rate) == words


@pytest.mark.parametrize(
    ("value", "limit"), [(0.0, 1.0), (0.15, 0.15), (0.16, 0.2), (0.3, 0.3), (7.0, 8.0), (81.0, 100.0), (-1.0, 1.0)]
)
def test_limits_are_round(value, limit):
    assert nice_limit(value) == pytest.approx(limit)
    assert nice_limit(value, 0.5) == pytest.approx(min(limit, 0.5))


def test_the_common_axis_shows_tolerances_and_estimates():
    assert common_limit([0.05], [None]) == pytest.approx(0.15)
    assert common_limit([0.05], [0.4, None]) == pytest.approx(0.5)
    assert common_limit([0.9], [1.0]) == 1.0
    assert common_limit([], []) == 1.0


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.2, 0.2), (0.9, 1.0), (0.0, 0.0)])
@pytest.mark.parametrize("estimate", [None, 0.0, 1.0])
def test_a_strip_stays_inside_its_frame(interval, estimate):
    svg = parsed(charts.interval_strip(interval, estimate, 0.05, "unknown", 0.15))
    bar = svg.find("rect")
    assert 0.0 <= float(bar.get("x")) <= float(bar.get("x")) + float(bar.get("width")) <= 208.0
    assert (svg.find("circle") is None) == (estimate is None)
    assert "tolerance 5 %" in svg.get("aria-label")


def test_a_curve_needs_two_points_and_shows_all_of_few():
    assert charts.history_chart([], 0.05, "unknown") == ""
    assert charts.interval_spark([Point(1, 0.0, 1.0, 0.0)], 0.05, "unknown") == ""
    points = [Point(n, 0.0, 1.0 / n, 0.5 / n) for n in range(1, 30)]
    svg = parsed(charts.history_chart(points, 0.05, "below"))
    assert len(svg.find("polyline").get("points").split()) == 29
    assert len(svg.find("polygon").get("points").split()) == 58
    for text in re.findall(r"[\d.]+,[\d.]+", str(charts.interval_spark(points, 0.05, "below"))):
        x, y = map(float, text.split(","))
        assert 0.0 <= x <= 120.0
        assert 0.0 <= y <= 30.0


def test_many_points_are_thinned_to_the_first_the_last_and_some_between():
    points = [Point(n, 0.0, 1.0, None) for n in range(10_000)]
    thin = charts.thinned_points(points, 24)
    assert len(thin) == 24
    assert (thin[0], thin[-1]) == (points[0], points[-1])
    assert [one.at for one in thin] == sorted(one.at for one in thin)
    parsed(charts.history_chart(points, 0.05, "unknown"))
    parsed(charts.history_chart([Point(5, 0.0, 1.0, 0.1)] * 2, 0.05, "unknown"))  # all at one place


def test_columns_add_up():
    assert charts.stacked_chart([], ("a", "b")) == ""
    svg = parsed(charts.stacked_chart([("<mon>", 3.0, 1.0), ("tue", 0.0, 0.0)], ("answered", "not")))
    groups = svg.findall("g")
    assert groups[0].find("title").text == "<mon>: 3 answered, 1 not"
    saved, spent = (float(one.get("height")) for one in groups[0].findall("rect"))
    assert spent == pytest.approx(3.0 * saved, abs=0.2)


@pytest.mark.parametrize(("share", "kind"), [(0.0, "fill"), (0.5, "fill"), (1.0, "full"), (7.0, "full")])
def test_a_meter_is_full_at_most(share, kind):
    bar = parsed(charts.budget_meter(share, "labels")).findall("rect")[1]
    assert bar.get("class") == kind
    assert float(bar.get("width")) <= 200.0
