"""JSON is read strictly, and what would take much memory is refused before it is read."""

import json

import pytest

from service.api.conftest import SQLITE
from sidelight.service.limits import FIELDS, PARTS

pytestmark = SQLITE
URL = "/v1/monitors/digits/decisions"


def post(caller, body, **headers):
    return caller("POST", URL, content=body, headers={"Content-Type": "application/json"} | headers)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{'a': 1}",
        b'{"a": 1,}',
        b"1 2",
        b"\xff",
        b'"\n"',
        b"NaN",
        b"[-Infinity]",
        b"9" * 5000,
        b"[" * 1000,
        rb'{"id": "\ud800", "prediction": "7"}',
        b"[" + b"[]," * (PARTS + 1) + b"0]",
    ],
)
def test_what_is_not_json_is_refused(digits, body):
    reply = post(digits, body)
    assert reply.status_code == 400
    assert reply.text.isascii()
    assert ":" in reply.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"id": "a", "prediction": "7", "x": 1},
        {"predictions": [{"id": "a", "prediction": "7"} | {f"x{n}": 0 for n in range(FIELDS)}]},
        {f"x{n}": 0 for n in range(FIELDS + 1)},
        [],
        None,
        "x",
        {"predictions": 3},
        {"predictions": [3]},
    ],
)
def test_what_has_another_shape_is_refused(digits, body):
    reply = post(digits, json.dumps(body).encode())
    assert reply.status_code == 422
    assert len(reply.text) < 2_000


def test_infinite_numbers_are_refused_everywhere(digits):
    assert post(digits, b'{"id": "a", "prediction": 1e999}').status_code == 422
    assert post(digits, b'{"id": "a", "prediction": 1, "payload": {"x": 1e999}}').status_code == 422
    body = b'{"name": "x", "settings": {"tolerance": 0.1, "retention": 1e999}}'
    options = {"content": body, "headers": {"Content-Type": "application/json"}}
    assert digits("POST", "/v1/monitors", **options).status_code == 422


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("application/json; charset=UTF-8", 200),
        ('application/json;charset="utf-8"', 200),
        ("text/plain", 415),
        ("", 415),
    ],
)
def test_the_type_must_be_json(digits, kind, status):
    assert post(digits, b'{"id": "a", "prediction": "7"}', **{"Content-Type": kind}).status_code == status
