"""Deciding over HTTP: what users are promised, and what they may get wrong."""

import base64
from datetime import UTC, datetime, timedelta

import pytest

from service.api.conftest import SQLITE
from sidelight.service.journal import entry as journal

PATH = "/v1/monitors/digits/decisions"


def state(caller):
    """Return everything that a refused request must leave as it was."""
    return caller("GET", "/v1/monitors/digits/journal", params={"limit": 10_000}).text


def refused(caller, body, status, pointer=None):
    """Send a body that is refused, check that nothing changed, and return the problem."""
    before = state(caller)
    reply = caller("POST", PATH, body)
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    problem = reply.json()
    assert {"type", "title", "status", "detail"} <= set(problem)
    assert problem["status"] == status
    if pointer is not None:
        assert pointer in [one["pointer"] for one in problem["errors"]]
    assert state(caller) == before
    return problem


def test_one_prediction_gets_a_decision_and_the_same_one_again(digits):
    body = {"id": "req-1", "prediction": "7", "payload": {"text": "a seven"}}
    reply = digits("POST", PATH, body)
    assert reply.status_code == 200
    assert reply.json() == {
        "id": "req-1",
        "verify": True,
        "reason": "open: the verdict is not certain yet",
        "prediction": "7",
    }
    before = state(digits)
    assert digits("POST", PATH, body).json() == reply.json()
    assert digits("POST", PATH, {"predictions": [body, body]}).json() == {"decisions": [reply.json()] * 2}
    assert state(digits) == before


def test_the_same_id_with_another_class_is_a_conflict_and_nothing_changes(digits):
    digits("POST", PATH, {"id": "a", "prediction": "7"})
    refused(digits, {"id": "a", "prediction": "8"}, 409, "#/id")
    rows = [{"id": "new", "prediction": "7"}, {"id": "a", "prediction": "8"}]
    refused(digits, {"predictions": rows}, 409, "#/predictions/1/id")
    rows = [{"id": "twice", "prediction": "7"}, {"id": "twice", "prediction": "8"}]
    refused(digits, {"predictions": rows}, 422, "#/predictions/1/id")


@SQLITE
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], "#"),
        ("text", "#"),
        (7, "#"),
        ({}, "#/id"),
        ({"id": "a"}, "#/prediction"),
        ({"id": "", "prediction": "7"}, "#/id"),
        ({"id": "a" * 201, "prediction": "7"}, "#/id"),
        ({"id": "a\x00b", "prediction": "7"}, "#/id"),
        ({"id": 7, "prediction": "7"}, "#/id"),
        ({"id": None, "prediction": "7"}, "#/id"),
        ({"id": ["a"], "prediction": "7"}, "#/id"),
        ({"id": "a", "prediction": None}, "#/prediction"),
        ({"id": "a", "prediction": ""}, "#/prediction"),
        ({"id": "a", "prediction": "x" * 201}, "#/prediction"),
        ({"id": "a", "prediction": {}}, "#/prediction"),
        ({"id": "a", "prediction": 10**30}, "#/prediction"),
        ({"id": "a", "prediction": "7", "time": "yesterday"}, "#/time"),
        ({"id": "a", "prediction": "7", "time": "2026-01-01"}, "#/time"),
        ({"id": "a", "prediction": "7", "time": "2026-01-01T00:00:00"}, "#/time"),
        ({"id": "a", "prediction": "7", "time": "0001-01-01T00:00:00+14:00"}, "#/time"),
        ({"id": "a", "prediction": "7", "time": "9999-12-31T23:59:59-14:00"}, "#/time"),
        ({"id": "a", "prediction": "7", "time": 1e300}, "#/time"),
        ({"id": "a", "prediction": "7", "time": {"year": 2026}}, "#/time"),
        ({"id": "a", "prediction": "7", "payload": "x" * 65_537}, "#/payload"),
        ({"id": "a", "prediction": "7", "payload": {"text": "é" * 32_769}}, "#/payload"),
        ({"id": "a", "prediction": "7", "payload": {"image": "not base64!"}}, "#/payload"),
        ({"id": "a", "prediction": "7", "payload": {"image": "PHN2Zz4="}}, "#/payload"),
        ({"id": "a", "prediction": "7", "payload": {"link": "javascript:alert(1)"}}, "#/payload"),
        ({"id": "a", "prediction": "7", "confidence": 0.9}, "#/confidence"),
        ({"id": "a", "prediction": "7", "one": 1}, "#/one"),
        ({"predictions": None}, "#/predictions"),
        ({"predictions": {"id": "a"}}, "#/predictions"),
        ({"predictions": [{"id": "a", "prediction": "7"}] * 1_001}, "#/predictions"),
        ({"predictions": [[]]}, "#/predictions/0"),
        ({"predictions": [], "id": "a"}, "#/id"),
    ],
)
def test_what_is_wrong_is_told_where_it_is(digits, body, pointer):
    refused(digits, body, 422, pointer)


@SQLITE
def test_all_bad_places_are_listed_and_what_was_sent_is_not(digits):
    rows = [{"id": f"secret-{i}" * 50, "prediction": "7"} for i in range(150)]
    problem = refused(digits, {"predictions": rows}, 422)
    assert len(problem["errors"]) == 100
    assert "the first 100 of 150" in problem["detail"]
    assert "secret" not in str(problem)


def test_times_are_taken_within_a_window_and_retries_outside_of_it_still_answered(digits, service):
    now = datetime.now(UTC)
    for hours, status in ((-23.9, 200), (0.08, 200), (-24.1, 422), (0.1, 422)):
        time = (now + timedelta(hours=hours)).isoformat()
        assert digits("POST", PATH, {"id": f"t{hours}", "prediction": "7", "time": time}).status_code == status
    old = {"id": "t-23.9", "prediction": "7", "time": "2001-01-01T00:00:00+01:00"}
    assert digits("POST", PATH, old).status_code == 200


def test_classes_are_text_or_numbers_of_any_kind(digits):
    names = ["7", 8, 7.5, -1, True, "é", "😀", "a\nb", "' OR 1=1 --", "<b>", "a\u202eb", "\x7f7", "x" * 200]
    for i, name in enumerate(names):
        body = {"id": f"a{i}", "prediction": name}
        reply = digits("POST", PATH, body)
        assert reply.status_code == 200
        assert reply.json()["prediction"] == name
        assert digits("POST", PATH, body).json() == reply.json()
    assert [one["name"] for one in digits("GET", "/v1/monitors/digits/report").json()["classes"]] == names


def test_a_class_spelled_like_another_of_another_type_is_refused(digits):
    digits("POST", PATH, {"id": "a", "prediction": "7"})
    refused(digits, {"id": "b", "prediction": 7}, 422, "#/prediction")


def test_payloads_are_stored_as_they_are_to_be_shown(digits, service):
    png = b"\x89PNG\r\n\x1a\nrest"
    for i, (payload, media_type, content) in enumerate(
        [
            ("a\x00b", "text/plain", b"a\x00b"),
            ({"text": "<b>é"}, "text/plain", "<b>é".encode()),
            ({"link": "https://images.example/7.png"}, "text/uri-list", b"https://images.example/7.png"),
            ({"image": base64.b64encode(png).decode()}, "image/png", png),
            ({"text": 1}, "application/json", b'{"text":1}'),
            ([1, None, {"a": "é"}], "application/json", b'[1,null,{"a":"\\u00e9"}]'),
            (False, "application/json", b"false"),
        ]
    ):
        assert digits("POST", PATH, {"id": f"a{i}", "prediction": "7", "payload": payload}).json()["verify"]
        with service.read() as tx:
            kind, found = tx.one("SELECT media_type, content FROM payloads ORDER BY verification DESC")
        assert (kind, bytes(found)) == (media_type, content)


def test_a_cap_that_is_reached_lets_predictions_pass_and_stores_no_payload(digits, service):
    digits("PATCH", "/v1/monitors/digits", {"settings": {"cap": 1}})
    rows = [{"id": f"c{i}", "prediction": "7", "payload": "x"} for i in range(5)]
    decided = digits("POST", PATH, {"predictions": rows}).json()["decisions"]
    assert [one["verify"] for one in decided] == [True, False, False, False, False]
    with service.read() as tx:
        assert tx.one("SELECT COUNT(*) FROM payloads") == (1,)
        kinds = [entry.kind for entry in journal.read_journal_entries(tx, tx.one("SELECT id FROM monitors")[0], 0)]
    assert kinds == ["created", "settings"] + ["decided"] * 5


@SQLITE
def test_an_archived_monitor_takes_nothing(digits):
    digits("POST", "/v1/monitors/digits/archive")
    assert digits("POST", PATH, {"id": "a", "prediction": "7"}).status_code == 404
