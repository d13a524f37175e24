"""The page of a monitor's settings: it shows all, changes what PATCH changes, and archives."""

from __future__ import annotations

import html
import re

import pytest

from service.api.conftest import SQLITE
from service.reviews import entries, make
from sidelight.service.domain import monitors
from sidelight.service.problems import Problem
from sidelight.service.settings import CHANGEABLE_SCHEMA, REVIEW, SERVED

PAGE, ARCHIVE = "/m/fruit/settings", "/m/fruit/archive"


def stored(service):
    with service.read() as tx:
        return monitors.find_served_monitor(tx, "fruit").settings


def filled(page):
    """Return what a browser would send if nothing were changed."""
    form = re.search(r'<form method="post" action="/m/fruit/settings">.*?</form>', page.text, re.DOTALL)[0]
    found = dict(re.findall(r'<input (?:type="hidden"|id="[^"]*") name="([^"]*)"[^>]*? value="([^"]*)"', form))
    found |= re.findall(r'<textarea id="[^"]*" name="([^"]*)"[^>]*>\n([^<]*)</textarea>', form)
    found |= re.findall(r'<input type="checkbox" name="([^"]*)" value="([^"]*)" checked', form)
    return {name: html.unescape(value) for name, value in found.items()}


def test_all_settings_are_shown_and_some_changed(service, browsers):
    monitor = make(service, 1, labels=["pear", "<b>"], daily_cap=7)
    browser = browsers()
    page = browser.get(PAGE)
    for name in SERVED | REVIEW:
        assert f">{name}<" in page.text or f"> {name}<" in page.text
    for name in CHANGEABLE_SCHEMA["properties"]:
        assert re.search(rf'name="{name}"[^>]*aria-describedby="h-{name}"', page.text)
    form = filled(page)
    assert (form["labels"], form["daily_cap"], form["cap"], form["lease"]) == ("pear\n<b>", "7", "", "900")
    reply = browser.post(PAGE, form)
    assert "are saved" in reply.text
    assert entries(service, monitor, "settings") == []
    changes = {"cap": "12", "daily_cap": "", "labels": "pear\r\n plum \r\n", "blind": "1", "retention": "1,5"}
    assert "are saved" in browser.post(PAGE, form | changes).text
    (entry,) = entries(service, monitor, "settings")
    assert entry.data["limits"] == {"cap": 12, "daily_cap": None}
    assert entry.data["review"] == {"labels": ["pear", "plum"], "blind": True, "retention": 1.5}
    assert {name: stored(service)[name] for name in ("cap", "lease", "blind")} == {
        "cap": 12,
        "lease": 900,
        "blind": True,
    }


@SQLITE
def test_patience_is_a_number_a_time_or_never(service, browsers):
    make(service, 1)
    browser = browsers()
    for text, value in (("50", 50), ('{"seconds": 3600}', {"seconds": 3600}), ("never", "never"), ("", None)):
        page = browser.post(PAGE, filled(browser.get(PAGE)) | {"patience": text})
        assert "are saved" in page.text
        assert stored(service)["patience"] == value
        assert filled(page)["patience"].replace(".0", "") == text
    for wrong in ("0", "-3", "soon", '{"hours": 1}', "[]"):
        assert browser.post(PAGE, filled(browser.get(PAGE)) | {"patience": wrong}).status_code == 422


@SQLITE
def test_what_is_wrong_is_told_and_what_was_typed_stays(service, browsers):
    monitor = make(service, 1)
    browser = browsers()
    form = filled(browser.get(PAGE)) | {"instructions": "typed"}
    for change, words in (
        ({"cap": "many"}, "cap"),
        ({"cap": "-1"}, "cap"),
        ({"lease": ""}, "lease: give seconds"),
        ({"reviews": "3"}, "reviews: give 1 or 2"),
        ({"retention": "NaN"}, "retention: give days"),
        ({"cap": "1" * 5000}, "cap"),
        ({"labels": "", "blind": "1"}, "blind: give the list of labels"),
        ({"image_hosts": "x" * 201}, "image_hosts: give"),
        ({"cap": "[" * 199}, "cap"),
    ):
        reply = browser.post(PAGE, form | change)
        assert reply.status_code == 422
        assert words in html.unescape(reply.text)
        assert "typed</textarea>" in reply.text
    assert entries(service, monitor, "settings") == []


@SQLITE
def test_what_a_form_cannot_say_stays_unless_it_is_changed(service, browsers):
    given = {"labels": ["pear ", " plum"], "instructions": "one\r\ntwo\rthree", "lease": 60.5}
    monitor = make(service, 1, **given)
    browser = browsers()
    form = filled(browser.get(PAGE))
    sent = {name: "\r\n".join(text.splitlines()) for name, text in form.items()}  # as browsers do
    assert "are saved" in browser.post(PAGE, sent | {"cap": "9"}).text
    (entry,) = entries(service, monitor, "settings")
    assert (entry.data["limits"], entry.data["review"]) == ({"cap": 9}, {})
    assert {name: stored(service)[name] for name in given} == given


@SQLITE
@pytest.mark.parametrize("label", ["a\nb", "a\rb", "a\u2028b", "a\n", " ", "\u200b", "\0", "x" * 201])
def test_a_label_that_no_page_could_show_or_send_is_refused(service, label):
    with pytest.raises(Problem, match="some settings are not allowed"):
        make(service, 1, labels=["pear", label])


@SQLITE
def test_a_form_that_is_out_of_date_changes_nothing(service, browsers):
    monitor = make(service, 1)
    browser = browsers()
    form = filled(browser.get(PAGE))
    service.do(monitors.change_served_monitor(monitor, {"cap": 5}, actor="test"))
    reply = browser.post(PAGE, form | {"lease": "60"})
    assert reply.status_code == 409
    assert (stored(service)["cap"], stored(service)["lease"]) == (5, 900)


def test_archiving_takes_the_name(service, browsers):
    make(service, 1)
    browser = browsers()
    form = browser.form(browser.get(PAGE), ARCHIVE)
    for wrong in ("", "Fruit", "fruit2"):
        assert browser.post(ARCHIVE, form | {"confirm": wrong}).status_code == 422
    assert browser.get("/m/fruit").status_code == 200
    assert browser.post(ARCHIVE, form | {"confirm": " fruit"}).status_code == 200
    assert browser.get("/m/fruit").status_code == 404
    assert browser.post(ARCHIVE, form | {"confirm": "fruit"}).status_code == 404
    make(service, 0)
    assert browser.get("/m/fruit").status_code == 200


@SQLITE
def test_only_administrators_of_the_monitor_change_it(service, browsers):
    make(service, 1), make(service, 1, name="other")
    reader, other = browsers("Ann", "report"), browsers("Bob", "report", "admin", only=["other"])
    page = reader.get(PAGE).text
    assert "daily_cap" in page
    assert "<textarea" not in page
    assert ARCHIVE not in page
    token = reader.form(reader.get(PAGE), "/signout")
    for path in (PAGE, ARCHIVE):
        assert reader.post(path, token | {"cap": "1", "confirm": "fruit"}).status_code == 403
        assert other.post(path, other.form(other.get("/"), "/signout") | {"confirm": "fruit"}).status_code == 404
        assert reader.post(path, {"confirm": "fruit"}).status_code == 403
    own = other.get("/m/other/settings")
    assert "/m/other/archive" in own.text
