"""Charts: what they show, and that they are well-formed whatever the numbers."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sidelight.service.web import charts
from sidelight.service.web.charts import page_percent


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
    assert page_percent(rate) == words


@pytest.mark.parametrize("interval", [(0.0, 1.0), (0.2, 0.2), (0.9, 1.0), (0.0, 0.0)])
@pytest.mark.parametrize("estimate", [None, 0.0, 1.0])
def test_a_strip_stays_inside_its_frame(interval, estimate):
    svg = parsed(charts.draw_interval_strip(interval, estimate, 0.05, "unknown", 0.15))
    bar = svg.find("rect")
    assert 0.0 <= float(bar.get("x")) <= float(bar.get("x")) + float(bar.get("width")) <= 208.0
    assert (svg.find("circle") is None) == (estimate is None)
    assert "tolerance 5 %" in svg.get("aria-label")


def test_columns_add_up():
    assert charts.draw_stacked_chart([], ("a", "b")) == ""
    svg = parsed(charts.draw_stacked_chart([("<mon>", 3.0, 1.0), ("tue", 0.0, 0.0)], ("answered", "not")))
    groups = svg.findall("g")
    assert groups[0].find("title").text == "<mon>: 3 answered, 1 not"
    saved, spent = (float(one.get("height")) for one in groups[0].findall("rect"))
    assert spent == pytest.approx(3.0 * saved, abs=0.2)
