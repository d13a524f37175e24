"""What the dashboard and the page of a class say about reviewing."""

from __future__ import annotations

from service.reviews import make, say
from service.routes.conftest import SQLITE


@SQLITE
def test_the_share_of_skipped_items_is_shown_for_each_class(service, browsers):
    monitor = make(service, 8)
    for number in range(1, 7):
        say(service, monitor, number, "ann", correct=True)
    for number in (7, 8):
        say(service, monitor, number, "ann", skipped=True)
    words = "25 % were skipped (2); if these are the hard ones, the error rate is underestimated"
    browser = browsers()
    for path in ("/m/fruit", '/m/fruit/class?name="pear"'):
        assert words in browser.get(path).text
    report = service.report(monitor)
    assert f"pear: {words}" in str(report)
    assert words in report.to_html()
    assert report.to_dict()["classes"][0]["skipped_share"] == 0.25
