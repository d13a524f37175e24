"""What is waited for, page by page; reviewers of a blind monitor do not learn predictions by this way."""

from service.api.conftest import SQLITE

PREDICTIONS = {"predictions": [{"id": f"r{n}", "prediction": 7} for n in range(5)]}


def test_what_is_waited_for(everyone):
    everyone("POST", "/v1/monitors", {"name": "digits", "settings": {"tolerance": 0.05, "policy": "explore"}})
    everyone("POST", "/v1/monitors/digits/decisions", PREDICTIONS)
    everyone("POST", "/v1/monitors/digits/answers", {"id": "r1", "correct": True})
    found = everyone("GET", "/v1/monitors/digits/pending?limit=2").json()["pending"]
    assert [(one["id"], one["prediction"], one["number"], one["overdue"]) for one in found] == [
        ("r0", 7, 1, False),
        ("r2", 7, 3, False),
    ]
    rest = everyone("GET", "/v1/monitors/digits/pending?after=3").json()["pending"]
    assert [one["id"] for one in rest] == ["r3", "r4"]
    for query in ("limit=0", "limit=1001", "after=-1", "after=x", f"after={1 << 63}"):
        assert everyone("GET", f"/v1/monitors/digits/pending?{query}").status_code == 422


@SQLITE
def test_blind_reviewers_learn_no_predictions(everyone):
    settings = {"tolerance": 0.05, "policy": "explore", "blind": True, "labels": ["7", "8"]}
    everyone("POST", "/v1/monitors", {"name": "digits", "settings": settings})
    everyone("POST", "/v1/monitors/digits/decisions", {"id": "a", "prediction": "7"})
    (one,) = everyone("GET", "/v1/monitors/digits/pending").json()["pending"]
    assert one["prediction"] is None


@SQLITE
def test_payloads_are_erased_on_request(everyone):
    everyone("POST", "/v1/monitors", {"name": "digits", "settings": {"tolerance": 0.05, "policy": "explore"}})
    everyone("POST", "/v1/monitors/digits/decisions", {"id": "a", "prediction": "7", "payload": "secret"})
    reply = everyone("POST", "/v1/monitors/digits/erase", {"ids": ["a", "b"]})
    assert reply.json() == {
        "erased": [
            {"id": "a", "status": "released", "payload": True},
            {"id": "b", "status": "unknown", "payload": False},
        ]
    }
    assert everyone("POST", "/v1/monitors/digits/answers", {"id": "a", "correct": True}).status_code == 410
    for body in ({}, {"ids": "a"}, {"ids": [1]}, {"ids": [""]}, {"ids": ["a"] * 1001}):
        assert everyone("POST", "/v1/monitors/digits/erase", body).status_code == 422
