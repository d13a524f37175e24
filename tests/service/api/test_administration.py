"""Keys, webhooks and the audit log over HTTP."""

import pytest

from service.api.conftest import SQLITE, Caller
from sidelight.service.webhooks.formats import VERDICT_CHANGED


def test_a_key_is_made_used_rotated_and_revoked(digits, http):
    body = {"name": "nightly labels", "scopes": ["report"], "monitors": ["digits"], "expires_in": 3600}
    made = digits("POST", "/v1/keys", body)
    assert made.status_code == 201, made.text
    caller = Caller(http, made.json()["key"])
    assert caller("GET", "/v1/monitors/digits").status_code == 200
    new = digits("POST", f"/v1/keys/{made.json()['id']}/rotate", {"grace": 0})
    assert new.status_code == 201
    other = Caller(http, new.json()["key"])
    assert other("GET", "/v1/monitors/digits").status_code == 200
    assert digits("POST", f"/v1/keys/{new.json()['id']}/revoke").status_code == 204
    for id in (made.json()["id"], new.json()["id"], "abcdefghij", "%00", "x" * 300):
        assert digits("POST", f"/v1/keys/{id}/revoke").status_code == 404
        assert digits("POST", f"/v1/keys/{id}/rotate", {}).status_code == 404
    listed = digits("GET", "/v1/keys").json()["keys"]
    assert [one["name"] for one in listed[:2]] == ["nightly labels"] * 2
    assert made.json()["key"] not in str(listed)
    actions = [one["action"] for one in digits("GET", "/v1/audit").json()["notes"]]
    assert actions[0] == "key revoked"
    assert {"key created", "key rotated"} <= set(actions)


def test_the_rights_of_keys_and_reviewers_are_changed(digits, http):
    made = digits("POST", "/v1/keys", {"name": "x", "scopes": ["report"], "monitors": ["digits"]}).json()
    for body in ({"scopes": ["answer", "report"]}, {"monitors": None}, {}):
        assert digits("PATCH", f"/v1/keys/{made['id']}", body).status_code == 204
    for body in ({"scopes": None}, {"scopes": []}, {"monitors": ["nowhere"]}):
        assert digits("PATCH", f"/v1/keys/{made['id']}", body).status_code == 422
    assert digits("PATCH", "/v1/keys/abcdefghij", {}).status_code == 404
    found = next(one for one in digits("GET", "/v1/keys").json()["keys"] if one["id"] == made["id"])
    assert (found["scopes"], found["monitors"]) == (["answer", "report"], None)
    digits("POST", "/v1/reviewers", {"name": "ann", "scopes": ["answer"]})
    id = digits("GET", "/v1/reviewers").json()["reviewers"][0]["id"]
    assert digits("PATCH", f"/v1/reviewers/{id}", {"monitors": ["digits"], "scopes": ["settle"]}).status_code == 204
    (found,) = digits("GET", "/v1/reviewers").json()["reviewers"]
    assert (found["scopes"], found["monitors"]) == (["settle"], ["digits"])


def test_changes_of_monitors_are_noted(digits):
    digits("PATCH", "/v1/monitors/digits", {"settings": {"cap": 7, "lease": 60}})
    assert digits("PATCH", "/v1/monitors/digits", {"settings": {"cap": -1}}).status_code == 422
    digits("POST", "/v1/monitors/digits/archive")
    assert digits("POST", "/v1/monitors/digits/archive").status_code >= 400
    notes = [one for one in digits("GET", "/v1/audit").json()["notes"] if one["action"].startswith("monitor ")]
    assert [(one["action"], one["subject"]) for one in notes] == [
        ("monitor archived", "digits"),
        ("monitor changed", "digits"),
        ("monitor created", "digits"),
    ]
    assert notes[1]["detail"] == {"settings": ["cap", "lease"]}
    assert {one["actor"] for one in notes[:2]} == {notes[0]["actor"]}


def test_a_webhook_is_entered_and_removed(digits):
    body = {"url": "https://hooks.example/x", "events": [VERDICT_CHANGED], "monitors": ["digits"]}
    made = digits("POST", "/v1/webhooks", body)
    assert made.status_code == 201, made.text
    assert made.json()["secret"].startswith("whsec_")
    (listed,) = digits("GET", "/v1/webhooks").json()["webhooks"]
    assert "secret" not in listed
    assert digits("POST", f"/v1/webhooks/{listed['id']}/remove").status_code == 204
    assert digits("POST", f"/v1/webhooks/{listed['id']}/remove").status_code == 404
    assert "hooks.example/x" not in digits("GET", "/v1/audit").text
    made = digits("POST", "/v1/webhooks", body | {"format": "pagerduty", "routing_key": "r" * 32})
    assert (made.status_code, made.json()["secret"], made.json()["format"]) == (201, None, "pagerduty")
    assert "rrrr" not in digits("GET", "/v1/webhooks").text + digits("GET", "/v1/audit").text


@SQLITE
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/keys", {"name": "x", "scopes": []}),
        ("/v1/keys", {"name": "x", "scopes": ["root"]}),
        ("/v1/keys", {"name": "", "scopes": ["report"]}),
        ("/v1/keys", {"name": "x", "scopes": ["report"], "monitors": []}),
        ("/v1/keys", {"name": "x", "scopes": ["report"], "monitors": ["nowhere"]}),
        ("/v1/keys", {"name": "x", "scopes": ["report"], "monitors": ["\x00"]}),
        ("/v1/keys", {"name": "x", "scopes": ["report"], "expires_in": 0}),
        ("/v1/keys", {"name": "x", "scopes": ["report"], "expires_in": 1e18}),
        ("/v1/keys", {"name": "x", "scopes": ["report"], "expires_in": True}),
        ("/v1/keys/abcdefghij/rotate", {"grace": -1}),
        ("/v1/webhooks", {"url": "ftp://x", "events": [VERDICT_CHANGED]}),
        ("/v1/webhooks", {"url": "https://hooks.example/", "events": []}),
        ("/v1/webhooks", {"url": "https://hooks.example/", "events": [VERDICT_CHANGED], "format": "xml"}),
        ("/v1/webhooks", {"url": "https://hooks.example/", "events": [VERDICT_CHANGED], "format": "pagerduty"}),
        ("/v1/webhooks", {"url": "https://hooks.example/", "events": ["x"]}),
        ("/v1/webhooks", {"url": "https://hooks.example/", "events": [VERDICT_CHANGED], "monitors": ["nowhere"]}),
    ],
)
def test_what_is_wrong_is_refused(digits, path, body):
    before = digits("GET", "/v1/audit").text
    reply = digits("POST", path, body)
    assert reply.status_code == 422, reply.text
    assert reply.json()["errors"]
    assert digits("GET", "/v1/audit").text == before


def test_the_audit_log_is_read_page_by_page(digits, as_caller):
    for _ in range(7):
        as_caller("report")
    found, query = [], {"limit": 3}
    while page := digits("GET", "/v1/audit", params=query).json()["notes"]:
        found += page
        query = {"limit": 3, "before": page[-1]["at"], "before_id": page[-1]["id"]}
    assert len(found) == len({one["id"] for one in found}) == 9
    for query in ("before=x", "before=nan", "before=inf", "limit=0", "before_id=%00", "before=1&before_id=zz"):
        assert digits("GET", f"/v1/audit?{query}").status_code == 422


@SQLITE
def test_a_key_for_some_monitors_makes_no_keys_for_others(digits, as_caller):
    caller = as_caller("admin", only=["digits"])
    for method, path, body in (
        ("GET", "/v1/keys", None),
        ("POST", "/v1/keys", {"name": "x", "scopes": ["admin"]}),
        ("POST", "/v1/webhooks", {"url": "https://hooks.example/", "events": [VERDICT_CHANGED]}),
        ("GET", "/v1/audit", None),
    ):
        assert caller(method, path, body).status_code == 403
    assert caller("PATCH", "/v1/monitors/digits", {"settings": {"cap": 3}}).status_code == 200
