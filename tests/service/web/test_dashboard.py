"""What the dashboard and the page of a class say about verdicts and reviewing."""

from __future__ import annotations

import html
import re

from service.api.conftest import SQLITE
from service.reviews import ask, make, say
from sidelight.service.domain.queue import claim_verifications

CLASS = '/m/fruit/class?name="pear"'


def words(browser, path):
    """Return the text of a page."""
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", browser.get(path).text)))


@SQLITE
def test_the_share_of_skipped_verifications_is_shown_for_each_class(service, browsers):
    monitor = make(service, 8)
    for number in range(1, 7):
        say(service, monitor, number, "ann", correct=True)
    for number in (7, 8):
        say(service, monitor, number, "ann", skipped=True)
    told = "25 % were skipped (2); if these are the hard ones, the error rate is underestimated"
    browser = browsers()
    for path in ("/m/fruit", CLASS):
        assert told in words(browser, path)
    report = service.report(monitor)
    assert f"pear: {told}" in str(report)
    assert told in report.to_html()
    assert report.to_dict()["classes"][0]["skipped_share"] == 0.25


def test_changes_of_verdicts_have_dates_and_causes(service, browsers):
    monitor = make(service, 150, policy="sequential", tolerance=0.1, class_cap=1000)
    for number in range(1, 41):
        say(service, monitor, number, "ann", correct=False)
    assert service.report(monitor).classes[0].verdict == "above"
    with service.storage.write() as tx:
        tx.run("UPDATE history SET at = 86400.0 * 365 WHERE verdict = 'above'")
    browser = browsers()
    for path in ("/m/fruit", CLASS):
        page = words(browser, path)
        assert re.search(
            r"Verdict history .* 1971-01-01 00:00 .*above tolerance open after \d+ answers, \d+ wrong", page
        )


def test_a_verdict_that_turns_without_an_answer_is_in_the_history(service):
    """Requests that become overdue let later answers count, which may decide the class."""
    monitor = make(service, 60, policy="sequential", tolerance=0.1, patience=100, class_cap=1000)
    for number in range(2, 61):
        say(service, monitor, number, "ann", correct=False)
    assert service.report(monitor).classes[0].verdict == "unknown"
    ask_quietly(service, monitor, 60, 101)
    assert service.report(monitor).classes[0].verdict == "above"
    with service.read() as tx:
        assert tx.all("SELECT verdict FROM history WHERE monitor = ? ORDER BY number", monitor)[-1] == ("above",)


def ask_quietly(service, monitor, start, many):
    """Decide about predictions of another class, whether or not they are chosen."""
    from sidelight.service.domain.decisions import decide_predictions
    from sidelight.service.domain.inputs import Prediction

    rows = [Prediction(f"id-{n}", "plum") for n in range(start + 1, start + many + 1)]
    service.do(decide_predictions(service, monitor, rows, actor="test"))


@SQLITE
def test_a_stalled_class_says_why_but_a_blind_one_not_by_which_verification(service, browsers):
    browser = browsers()
    for name, blind in (("fruit", False), ("other", True)):
        monitor = make(service, 3, name=name, max_pending=3, labels=["pear"], blind=blind)
        ask_quietly(service, monitor, 3, 1)
        for path in (f"/m/{name}", f'/m/{name}/class?name="plum"', f"/v1/monitors/{name}/report"):
            text = html.unescape(browser.get(path).text)
            assert "stalled" in text
        say(service, monitor, 2, "ann", label="pear")
        text = words(browser, f"/m/{name}")
        assert "count as soon as an earlier one has come" in text
        assert ("'id-1'" in text) != blind
        assert ("id-1" in browser.get(f"/v1/monitors/{name}/report").text) != blind


@SQLITE
def test_waiting_and_the_button_say_the_same(service, browsers):
    monitor = make(service, 10, policy="sequential", patience=8)
    for start in range(10, 20):
        ask(service, monitor, 1, start=start)
    browser = browsers()
    page = words(browser, "/m/fruit")
    late = service.report(monitor).classes[0].overdue
    assert late > 0
    assert "Review 20 verifications" in page
    assert f"waiting 20 {late} overdue; oldest:" in page
    service.do(claim_verifications(monitor, "reviewer:x", 2))
    page = words(browser, "/m/fruit")
    assert "Review 18 verifications" in page
    assert "; 18 for you" in page
