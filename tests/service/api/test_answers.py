"""Answers over HTTP: one result for each, late, doubled, contradicting, to what was never asked."""

import pytest

from service.api.conftest import SQLITE

PATH = "/v1/monitors/digits/answers"


@pytest.fixture
def asked(digits):
    """A client; five predictions are to be verified, and one was let pass."""
    digits("PATCH", "/v1/monitors/digits", {"settings": {"cap": 5}})
    rows = [{"id": f"p{i}", "prediction": "7"} for i in range(6)]
    decided = digits("POST", "/v1/monitors/digits/decisions", {"predictions": rows}).json()["decisions"]
    assert [one["verify"] for one in decided] == [True] * 5 + [False]
    return digits


def entries(caller):
    return caller("GET", "/v1/monitors/digits/journal").text.count("\n")


def test_an_answer_is_recorded_once(asked):
    reply = asked("POST", PATH, {"id": "p0", "correct": True})
    assert reply.status_code == 200
    assert {name: reply.json()[name] for name in ("id", "status", "verdict")} == {
        "id": "p0",
        "status": "recorded",
        "verdict": "unknown",
    }
    before = entries(asked)
    assert asked("POST", PATH, {"id": "p0", "label": "7"}).json()["status"] == "unchanged"
    assert entries(asked) == before


def test_a_batch_has_a_result_for_each(asked):
    rows = [
        {"id": "p0", "correct": True},
        {"id": "p1", "label": "1"},
        {"id": "p2", "skipped": True},
        {"id": "p5", "label": "7"},
        {"id": "never", "correct": True},
        {"id": "p0", "correct": False},
        {"id": "p1", "correct": True, "replace": True},
    ]
    reply = asked("POST", PATH, {"answers": rows})
    assert reply.status_code == 200
    assert [(one["id"], one["status"]) for one in reply.json()["answers"]] == [
        ("p0", "recorded"),
        ("p1", "recorded"),
        ("p2", "released"),
        ("p5", "not chosen"),
        ("never", "unknown"),
        ("p0", "conflict"),
        ("p1", "corrected"),
    ]
    assert asked("POST", PATH, {"answers": []}).json() == {"answers": []}


def test_a_single_answer_that_cannot_be_taken_is_told_by_its_status(asked):
    asked("POST", PATH, {"id": "p0", "correct": True})
    before = entries(asked)
    reply = asked("POST", PATH, {"id": "p0", "correct": False})
    assert reply.status_code == 409
    assert reply.json()["errors"][0]["correct"] is True
    assert asked("POST", PATH, {"id": "never", "correct": True}).status_code == 404
    passed = asked("POST", PATH, {"id": "p5", "correct": True})
    assert (passed.status_code, passed.json()["status"]) == (200, "not chosen")
    assert entries(asked) == before
    assert asked("POST", PATH, {"id": "p0", "correct": False, "replace": True}).json()["status"] == "corrected"


@SQLITE
@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"id": "p0"}, "#"),
        ({"id": "p0", "correct": True, "label": "7"}, "#"),
        ({"id": "p0", "correct": None, "skipped": False}, "#"),
        ({"id": "p0", "correct": 1}, "#/correct"),
        ({"id": "p0", "correct": "yes"}, "#/correct"),
        ({"id": "p0", "label": ["7"]}, "#/label"),
        ({"id": "p0", "label": "x" * 201}, "#/label"),
        ({"id": "p0", "label": 7}, "#/label"),
        ({"id": "p0", "skipped": "true"}, "#/skipped"),
        ({"id": "p0", "correct": True, "replace": None}, "#/replace"),
        ({"id": "", "correct": True}, "#/id"),
        ({"id": "\x00", "correct": True}, "#/id"),
        ({"id": "p0", "correct": True, "by": "me"}, "#/by"),
        ({"answers": [{"id": "p0", "correct": True}, {"id": "p1"}]}, "#/answers/1"),
        ({"answers": [{"id": "p0", "correct": True}, {"id": "p1", "label": 7}]}, "#/answers/1/label"),
        ({"answers": [{"id": "p0", "correct": True}] * 1_001}, "#/answers"),
    ],
)
def test_what_is_wrong_is_told_where_it_is(asked, body, pointer):
    before = entries(asked)
    reply = asked("POST", PATH, body)
    assert reply.status_code == 422, reply.text
    assert pointer in [one["pointer"] for one in reply.json()["errors"]]
    assert entries(asked) == before
