"""Making, changing and archiving monitors over HTTP, and their reports."""

import json

import pytest

from service.api.conftest import SQLITE
from sidelight.monitor.report.records import Report
from sidelight.service.api.requests import prefers_media_type

HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_a_monitor_is_made_once_listed_changed_and_archived(everyone):
    body = {"name": "digits", "settings": {"tolerance": {"1": 0.05, "7": 0.1}, "policy": "sequential", "cap": 10}}
    made = everyone("POST", "/v1/monitors", body)
    assert (made.status_code, made.headers["location"]) == (201, "/v1/monitors/digits")
    assert made.json()["settings"]["cap"] == 10
    assert everyone("POST", "/v1/monitors", body).status_code == 409
    assert everyone("GET", "/v1/monitors").json() == {"monitors": [made.json()]}
    changed = everyone("PATCH", "/v1/monitors/digits", {"settings": {"cap": 20, "reviews": 2}})
    assert (changed.json()["settings"]["cap"], changed.json()["settings"]["reviews"]) == (20, 2)
    assert everyone("GET", "/v1/monitors/digits").json() == changed.json()
    assert everyone("POST", "/v1/monitors/digits/archive").json()["archived_at"] is not None
    assert everyone("GET", "/v1/monitors").json() == {"monitors": []}
    for method, path in (("GET", ""), ("POST", "/archive"), ("GET", "/report"), ("GET", "/journal")):
        assert everyone(method, f"/v1/monitors/digits{path}").status_code == 404
    again = everyone("POST", "/v1/monitors", body)
    assert again.status_code == 201
    assert again.json()["id"] != made.json()["id"]


@SQLITE
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "a"},
        {"settings": {"tolerance": 0.1}},
        {"name": "", "settings": {"tolerance": 0.1}},
        {"name": "A", "settings": {"tolerance": 0.1}},
        {"name": "a" * 65, "settings": {"tolerance": 0.1}},
        {"name": "a\n", "settings": {"tolerance": 0.1}},
        {"name": "../a", "settings": {"tolerance": 0.1}},
        {"name": 7, "settings": {"tolerance": 0.1}},
        {"name": "a", "settings": []},
        {"name": "a", "settings": {}},
        {"name": "a", "settings": {"tolerance": None}},
        {"name": "a", "settings": {"tolerance": 0}},
        {"name": "a", "settings": {"tolerance": 10**400}},
        {"name": "a", "settings": {"tolerance": "0.1"}},
        {"name": "a", "settings": {"tolerance": [[[], 0.1]]}},
        {"name": "a", "settings": {"tolerance": {"": 0.1}, "weights": 7}},
        {"name": "a", "settings": {"tolerance": 0.1, "policy": {"name": "sequential"}}},
        {"name": "a", "settings": {"tolerance": 0.1, "policy": "os.system"}},
        {"name": "a", "settings": {"tolerance": 0.1, "policy": "sequential", "bins": []}},
        {"name": "a", "settings": {"tolerance": 0.1, "mode": []}},
        {"name": "a", "settings": {"tolerance": 0.1, "classes": "7"}},
        {"name": "a", "settings": {"tolerance": 0.1, "classes": 7}},
        {"name": "a", "settings": {"tolerance": 0.1, "classes": [[]]}},
        {"name": "a", "settings": {"tolerance": 0.1, "seed": 1.5}},
        {"name": "a", "settings": {"tolerance": 0.1, "patience": {"seconds": "x"}}},
        {"name": "a", "settings": {"tolerance": 0.1, "patience": {"seconds": -1e308}}},
        {"name": "a", "settings": {"tolerance": 0.1, "patience": []}},
        {"name": "a", "settings": {"tolerance": 0.1, "cap": -1}},
        {"name": "a", "settings": {"tolerance": 0.1, "cap": True}},
        {"name": "a", "settings": {"tolerance": 0.1, "window": {}}},
        {"name": "a", "settings": {"tolerance": 0.1, "remember_passes": 5}},
        {"name": "a", "settings": {"tolerance": 0.1, "prior": [1, 1]}},
        {"name": "a", "settings": {"tolerance": 0.1, "unheard": 1}},
        {"name": "a", "settings": {"tolerance": 0.1, "self": 1}},
        {"name": "a", "settings": {"tolerance": 0.1, "": 1}},
        {"name": "a", "settings": {"tolerance": 0.1, "reviews": 3}},
        {"name": "a", "settings": {"tolerance": 0.1, "reviews": []}},
        {"name": "a", "settings": {"tolerance": 0.1, "lease": "1"}},
        {"name": "a", "settings": {"tolerance": 0.1, "blind": True}},
        {"name": "a", "settings": {"tolerance": 0.1, "labels": [[]]}},
        {"name": "a", "settings": {"tolerance": 0.1, "labels": {"a": 1}}},
        {"name": "a", "settings": {"tolerance": 0.1, "instructions": 7}},
        {"name": "a", "settings": {"tolerance": 0.1}, "more": 1},
    ],
)
def test_settings_that_cannot_be_are_refused(everyone, body):
    reply = everyone("POST", "/v1/monitors", body)
    assert reply.status_code == 422, reply.text
    assert reply.json()["errors"]
    assert everyone("GET", "/v1/monitors").json() == {"monitors": []}


@SQLITE
@pytest.mark.parametrize(
    "settings",
    [{"tolerance": 0.1}, {"policy": "cbp"}, {"unheard": 1}, {"cap": "x"}, {"cap": -1}, {"reviews": 0}, {"seed": 1}, []],
)
def test_a_change_is_made_whole_or_not_at_all(digits, settings):
    before = digits("GET", "/v1/monitors/digits").json()
    given = settings | {"max_pending": 3} if isinstance(settings, dict) else settings
    reply = digits("PATCH", "/v1/monitors/digits", {"settings": given})
    assert reply.status_code == 422, reply.text
    assert digits("GET", "/v1/monitors/digits").json() == before


@SQLITE
def test_a_change_that_is_refused_says_which_setting_is_wrong(digits):
    for settings, name in (
        ({"cap": 5, "daily_cap": -1}, "daily_cap"),
        ({"notice": 0.0, "notice_within": 50}, "notice"),
    ):
        reply = digits("PATCH", "/v1/monitors/digits", {"settings": settings})
        assert [one["pointer"] for one in reply.json()["errors"]] == [f"#/settings/{name}"]
    assert digits("PATCH", "/v1/monitors/digits", {"settings": {"notice": 2.5}}).status_code == 200


def test_the_report_is_that_of_the_library(digits):
    rows = [{"id": f"p{i}", "prediction": "<script>" if i % 2 else "b"} for i in range(40)]
    digits("POST", "/v1/monitors/digits/decisions", {"predictions": rows})
    digits(
        "POST", "/v1/monitors/digits/answers", {"answers": [{"id": f"p{i}", "correct": i % 4 > 0} for i in range(20)]}
    )
    reply = digits("GET", "/v1/monitors/digits/report")
    report = Report.from_dict(reply.json())
    assert (report.predictions, report["b"].verified, report["<script>"].errors) == (40, 10, 0)
    page = digits("GET", "/v1/monitors/digits/report", headers=HTML)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "sandbox" in page.headers["content-security-policy"]
    assert "&lt;script&gt;" in page.text
    assert "<script>" not in page.text


@pytest.mark.parametrize(
    ("accept", "html"),
    [
        ("", False),
        ("*/*", False),
        ("application/json", False),
        ("text/html", True),
        ("text/html;q=0.9,*/*", True),
        ("application/json, text/html", False),
        ("*/*, text/html", False),
        ("text/plain", False),
        (",,;", False),
    ],
)
def test_a_page_is_sent_to_those_who_prefer_it(accept, html):
    assert prefers_media_type(accept, "text/html") is html


def test_the_journal_comes_in_pages_of_lines(digits):
    rows = [{"id": f"p{i}", "prediction": "a\nb"} for i in range(25)]
    digits("POST", "/v1/monitors/digits/decisions", {"predictions": rows})
    path, found, after = "/v1/monitors/digits/journal", [], 0
    while True:
        reply = digits("GET", path, params={"after": after, "limit": 10})
        assert reply.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in reply.text.splitlines()]
        found += lines
        if len(lines) < 10:
            break
        after = lines[-1]["number"]
    assert [one["number"] for one in found] == list(range(1, 27))
    assert [one["kind"] for one in found] == ["created"] + ["decided"] * 25
    assert digits("GET", path, params={"after": 1 << 62}).text == ""


@SQLITE
@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "after=1e3", f"after={1 << 63}", "limit=0", "limit=10001", "after="]
)
def test_strange_places_in_the_journal_are_refused(digits, query):
    reply = digits("GET", f"/v1/monitors/digits/journal?{query}")
    assert reply.status_code == 422
    assert reply.json()["errors"][0]["in"] == "query"
