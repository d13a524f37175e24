"""Nobody does anything without a key whose scope allows it; the routes come from the description, none is forgotten."""

import pytest

from service.api.conftest import SQLITE, Caller
from sidelight.service.auth.keys import SCOPES

pytestmark = SQLITE
PUBLIC = {"/healthz", "/readyz"}


def operations(app):
    """Return method, address and scope of all operations."""
    return [
        (method.upper(), path, operation.get("x-scope"))
        for path, methods in app.openapi()["paths"].items()
        for method, operation in methods.items()
    ]


def ask(caller, method, path):
    """Send a request that would be well-formed but for its body, which must not matter to those who may not ask."""
    options = {} if method == "GET" else {"content": b"\xff" * 100, "headers": {"Content-Type": "application/json"}}
    return caller(method, path.replace("{monitor}", "digits"), **options)


@pytest.fixture
def callers(digits, as_caller, http):
    found = {scope: as_caller(scope) for scope in SCOPES}
    return found | {None: Caller(http, None), "wrong": Caller(http, found["admin"].key[:-1] + "~")}


def test_every_route_needs_its_scope_and_no_other(app, callers):
    seen = set()
    for method, path, scope in operations(app):
        if path in PUBLIC:
            assert scope is None
            continue
        assert scope in SCOPES, f"{method} {path} has no scope"
        seen.add(scope)
        for name, caller in callers.items():
            reply = ask(caller, method, path)
            expected = 401 if name in (None, "wrong") else 403
            if name == scope:
                assert reply.status_code not in (401, 403, 500), (method, path, name, reply.text)
            else:
                assert reply.status_code == expected, (method, path, name, reply.text)
                assert reply.headers["content-type"] == "application/problem+json"
                assert reply.json()["status"] == expected
            if reply.status_code == 401:
                assert reply.headers["www-authenticate"].startswith("Bearer")
    assert seen >= {"decide", "answer", "report", "admin"}


def test_a_key_for_one_monitor_opens_no_other_and_learns_no_names(app, digits, as_caller):
    digits("POST", "/v1/monitors", {"name": "other", "settings": {"tolerance": 0.1}})
    caller = as_caller(*SCOPES, only=["other"])
    for method, path, _ in operations(app):
        if "{monitor}" in path:
            options = {} if method == "GET" else {"content": b"{}", "headers": {"Content-Type": "application/json"}}
            for name in ("digits", "nowhere", "%00", "a" * 300):
                reply = caller(method, path.replace("{monitor}", name), **options)
                assert reply.status_code in (403, 422), (method, path, reply.text)
            texts = {caller(method, path.replace("{monitor}", name), **options).text for name in ("digits", "nowhere")}
            assert len(texts) == 1
    assert [one["name"] for one in caller("GET", "/v1/monitors").json()["monitors"]] == ["other"]
    assert "digits" not in caller("GET", "/metrics").text
    assert caller("POST", "/v1/monitors", {"name": "third", "settings": {"tolerance": 0.1}}).status_code == 403


def test_a_name_that_is_reused_inherits_no_keys(digits, as_caller):
    caller = as_caller("report", only=["digits"])
    assert caller("GET", "/v1/monitors/digits").status_code == 200
    digits("POST", "/v1/monitors/digits/archive")
    digits("POST", "/v1/monitors", {"name": "digits", "settings": {"tolerance": 0.1}})
    assert caller("GET", "/v1/monitors/digits").status_code == 403


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "bearer x y", "Bearer \u00e9", "sl_x"]
)
def test_strange_authorization_is_refused(http, header):
    reply = http.request("GET", "/v1/monitors", headers={"Authorization": header.encode("latin-1")})
    assert reply.status_code == 401


def test_the_description_is_there_for_everybody(http):
    reply = http.request("GET", "/openapi.json")
    assert reply.status_code == 200
    assert "/v1/monitors/{monitor}/decisions" in reply.json()["paths"]
