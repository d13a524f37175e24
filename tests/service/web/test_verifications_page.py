"""The list of verifications can be searched, and answered verifications can be opened and changed by those who may."""

from __future__ import annotations

import re

import pytest

from service.api.conftest import SQLITE
from service.reviews import make, say, verification
from sidelight.service.domain.decisions import decide_predictions
from sidelight.service.domain.inputs import Prediction


def found(browser, **query):
    page = browser.runner.run(browser.client.get("/m/fruit/verifications", params=query))
    assert page.status_code == 200
    return [int(one) for one in re.findall(r'data-name="Number">(\d+)<', page.text)]


def test_items_are_found_by_part_of_their_id_and_by_number(service, browsers):
    monitor = make(service, 12)
    odd = ["a%b", "a_b", "A!B", "axb", "ÉTÉ", "x' OR 1=1 --", "12"]
    service.do(decide_predictions(service, monitor, [Prediction(one, "pear") for one in odd], actor="test"))
    say(service, monitor, 3, "ann", correct=True)
    browser = browsers()
    assert found(browser, q="ID-1") == [12, 11, 10, 1]
    assert found(browser, q=" id-3 ") == [3]
    assert found(browser, q="id", state="answered") == [3]
    assert found(browser, q="a%b") == [13]
    assert found(browser, q="a_b") == [14]
    assert found(browser, q="a!b") == [15]
    assert found(browser, q="ÉT") == [17]
    assert found(browser, q="' OR 1") == [18]
    assert found(browser, q="12") == [19, 12]
    assert found(browser, q="nothing") == []
    assert found(browser, q="9" * 150) == []
    assert found(browser, q="-1", **{"class": '"plum"'}) == []
    assert browser.get(f"/m/fruit/verifications?q={'x' * 60_000}").status_code == 400


def test_a_search_goes_on_to_the_next_page(service, browsers):
    make(service, 70)
    browser = browsers()
    page = browser.get("/m/fruit/verifications?q=id-&state=open").text
    older = re.search(r'href="(/m/fruit/verifications[^"]*before[^"]*)"', page)[1].replace("&amp;", "&")
    assert "q=id-" in older
    assert "state=open" in older
    assert len(re.findall('data-name="Number"', browser.get(older).text)) == 20
    assert "data-poll" not in page


@SQLITE
@pytest.mark.parametrize("blind", [False, True])
def test_an_answered_verification_is_opened_by_all_and_changed_by_those_who_settle(service, browsers, blind):
    monitor = make(service, 2, labels=["pear", "plum", "kiwi"], blind=blind)
    say(service, monitor, 1, "ann", label="plum")
    looks, settles = browsers("Bob", "answer", "report"), browsers("Cem", "answer", "report", "settle")
    for browser in (looks, settles):
        assert "/m/fruit/review?verification=1" in browser.get("/m/fruit/verifications?state=answered").text
    page = looks.get("/m/fruit/review?verification=1").text
    assert ("plum</b>" if blind else "wrong, it is plum</b>") in page
    assert 'name="label"' not in page
    assert "takes the scope settle" in page
    assert ("The classifier says" in page) != blind
    form = settles.form(settles.get("/m/fruit/review?verification=1"), "/m/fruit/review")
    assert form["replace"] == "1"
    settles.post("/m/fruit/review", form | {"label": "kiwi"})
    assert verification(service, monitor, 1).label == "kiwi"
    looks.post("/m/fruit/review", form | looks.form(looks.get("/"), "/signout") | {"label": "pear", "revision": "2"})
    assert verification(service, monitor, 1).label == "kiwi"
