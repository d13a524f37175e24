"""Requests by people who want to see a 500: no body, header or address gives one, and nothing changes."""

import asyncio

import pytest

from service.api.conftest import SQLITE
from sidelight.service.limits import PARTS, SMALL_BODY

pytestmark = SQLITE
JSON = {"Content-Type": "application/json"}
BODIES = [
    b"",
    b" ",
    b"null",
    b"{",
    b'{"id": "a", "prediction": "7"',
    b'{"id": "\\ud800", "prediction": "7"}',
    b'{"id": "a", "prediction": "\\udfff"}',
    b'{"id": "a", "prediction": "7", "payload": {"\\ud800": 1}}',
    b'{"id": "a", "prediction": "7", "\\ud800": 1}',
    b'{"id": "a", "prediction": NaN}',
    b'{"id": "a", "prediction": Infinity}',
    b'{"id": "a", "prediction": 1e999}',
    b'{"id": "a", "prediction": -1e999, "payload": 1e999}',
    b'{"id": "a", "prediction": "7", "payload": [1e999]}',
    b'{"id": "a", "prediction": ' + b"9" * 10_000 + b"}",
    b'{"id": "a", "prediction": "7", "payload": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"id": "a", "prediction": "7", "payload": ' + b'{"a":' * 900 + b"1" + b"}" * 900 + b"}",
    b"[" * 200_000,
    b'{"predictions": ' + b"[" * 40 + b"]" * 40 + b"}",
    b"\xff\xfe{\x00}\x00",
    b"\x00",
    b'"' + b"a" * 1_000_000 + b'"',
    b'{"id": "\x00", "prediction": "7"}',
    b'{"settings": {"tolerance": 1e999}, "name": "x"}',
    b'{"settings": {"cap": 1e999}}',
    b'{"settings": {"tolerance": 0.1, "retention": 1e999}, "name": "x"}',
    b'{"predictions": [' + b"[]," * (PARTS + 1) + b"0]}",
    b'{"settings": {"lease": 1e308, "retention": 1e308}}',
    b'{"settings": {"retention": -1}}',
]
MANY = b", ".join(b'"secret-%d": 0' % n for n in range(1_000))
BODIES += [
    b"{" + MANY + b"}",
    b'{"predictions": [{' + MANY + b"}]}",
    b'{"name": "x", "settings": {' + MANY + b"}}",
    b'{"settings": {' + MANY + b"}}",
    b'{"settings": {"tolerance": "' + b"secret " * 10_000 + b'"}, "name": "x"}',
    b'{"settings": {"' + b"secret " * 10_000 + b'": 1, "tolerance": 0.1}, "name": "x"}',
    b'{"' + b"secret " * 10_000 + b'": 1}',
    b"[" + b'"\\ud800", ' * 10_000 + b"0]",
]
ROUTES = [
    ("POST", "/v1/monitors"),
    ("PATCH", "/v1/monitors/digits"),
    ("POST", "/v1/monitors/digits/decisions"),
    ("POST", "/v1/monitors/digits/answers"),
]


def journal(caller):
    return caller("GET", "/v1/monitors/digits/journal").text


def check(reply, caller, before):
    assert 400 <= reply.status_code < 500, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.content.isascii()
    assert len(reply.content) < 20_000
    assert reply.content.count(b"secret") < 200
    problem = reply.json()
    assert problem["status"] == reply.status_code
    assert problem["type"].startswith("urn:sidelight:problem:")
    assert len(problem["detail"]) > 20
    assert journal(caller) == before


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:40].decode("latin-1"))
def test_no_body_gives_500(digits, body):
    before = journal(digits)
    for method, path in ROUTES:
        check(digits(method, path, content=body, headers=JSON), digits, before)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": ""},
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Type": "application/jsonp"},
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    ],
)
def test_what_is_not_declared_as_json_is_not_read(digits, headers):
    before = journal(digits)
    body = b'{"id": "a", "prediction": "7"}'
    reply = digits("POST", "/v1/monitors/digits/decisions", content=body, headers=headers)
    assert reply.status_code == 415
    check(reply, digits, before)


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']
)
def test_json_may_say_that_it_is_utf_8(digits, kind):
    body = '{"id": "é", "prediction": "7"}'.encode()
    reply = digits("POST", "/v1/monitors/digits/decisions", content=body, headers={"Content-Type": kind})
    assert reply.status_code == 200


@pytest.mark.parametrize(
    "name",
    ["nowhere", "%00", "%ff", "%ED%A0%80", "..%2fdigits", "digits%0a", "a" * 5_000, "%F0%9F%98%80", "DIGITS", "'--"],
)
def test_no_address_gives_500(digits, name):
    before = journal(digits)
    for method, path in (("GET", ""), ("GET", "/report"), ("GET", "/journal"), ("POST", "/archive")):
        reply = digits(method, f"/v1/monitors/{name}{path}")
        check(reply, digits, before)
        assert reply.status_code == 404


def test_a_body_that_is_too_large_is_not_read_to_its_end(digits):
    before = journal(digits)
    piece, sent = b" " * (1 << 20), 0

    async def pieces():
        nonlocal sent
        for _ in range(100):
            sent += len(piece)
            yield piece
            await asyncio.sleep(0)

    reply = digits("POST", "/v1/monitors/digits/decisions", content=pieces(), headers=JSON)
    assert reply.status_code == 413
    check(reply, digits, before)


def test_other_hosts_and_other_sites_are_refused(digits):
    before = journal(digits)
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1.nip.io", ""):
        reply = digits("GET", "/v1/monitors", headers={"Host": host})
        assert reply.status_code == 421
        check(reply, digits, before)
    for method, path in (("OPTIONS", "/v1/monitors"), ("OPTIONS", "/v1/monitors/digits/decisions")):
        headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        reply = digits(method, path, headers=headers)
        assert reply.status_code == 405
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_methods_that_a_route_does_not_have_are_named(digits):
    reply = digits("DELETE", "/v1/monitors/digits")
    assert (reply.status_code, reply.headers["allow"]) == (405, "GET, PATCH")


@pytest.mark.parametrize("path", ["/v1/monitors", "/v1/keys", "/v1/webhooks", "/v1/monitors/digits/queue/claim"])
def test_large_bodies_are_for_batches(digits, path):
    reply = digits("POST", path, content=b" " * (SMALL_BODY + 1), headers=JSON)
    assert reply.status_code == 413
    check(reply, digits, journal(digits))
