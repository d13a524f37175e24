"""What only a real server shows: sockets, broken requests, connections that stay open."""

import contextlib
import dataclasses
import json
import socket

import httpx
import pytest

from service.api.conftest import SQLITE
from service.running import running
from sidelight.service.auth.keys import SCOPES, create_key
from sidelight.service.domain import monitors
from sidelight.service.server.app import make_app

pytestmark = SQLITE


@pytest.fixture
def served(service):
    """The address of a server, and the headers of a key for everything."""
    service.options = dataclasses.replace(service.options, requests_per_second=1e6)
    service.do(monitors.create_served_monitor("digits", {"tolerance": 0.05}, actor="test"))
    key = service.do(create_key("test", "all", SCOPES)).key
    with running(make_app(service)) as url:
        yield url, {"Authorization": f"Bearer {key}"}


def raw(url, request):
    """Send bytes and return all that comes back until the server closes."""
    host, port = url.removeprefix("http://").split(":")
    found = b""
    with (
        socket.create_connection((host, int(port)), timeout=30.0) as connection,
        contextlib.suppress(OSError),  # a server may close before it has read everything
    ):
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        while part := connection.recv(65_536):
            found += part
    return found


@pytest.mark.parametrize("announced", [True, False])
def test_a_body_that_is_too_large_is_413_and_the_server_goes_on(served, announced):
    url, headers = served
    piece = b" " * (1 << 20)
    content = piece * 9 if announced else (piece for _ in range(9))
    with httpx.Client(base_url=url, headers=headers | {"Content-Type": "application/json"}) as client:
        try:
            reply = client.post("/v1/monitors/digits/decisions", content=content)
            assert reply.status_code == 413
            assert reply.json()["type"] == "urn:sidelight:problem:too-large"
        except httpx.TransportError:  # the server had answered and closed while we still sent
            pass
        assert client.get("/v1/monitors").status_code == 200


def test_one_connection_serves_good_and_bad_requests_in_turn(served):
    url, headers = served
    with httpx.Client(base_url=url, headers=headers) as client:
        for i in range(20):
            good = client.post("/v1/monitors/digits/decisions", json={"id": str(i), "prediction": "7"})
            assert good.status_code == 200
            assert client.post("/v1/monitors/digits/decisions", content=b"{").status_code == 415
            assert client.post("/v1/monitors/digits/decisions", json={"id": "\x00"}).status_code == 422
            assert client.get("/nowhere").status_code == 404


@pytest.mark.parametrize(
    "request_",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        b"POST /v1/monitors HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/monitors HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n12345",
        b"POST /v1/monitors HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /v1/monitors/%00%ff HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \xff\xfe\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_broken_requests_are_refused_and_the_server_goes_on(served, request_):
    url, headers = served
    found = raw(url, request_)
    status = found.split(b" ", 2)[1:2]
    assert not found or status[0][:1] == b"4", found[:300]
    assert httpx.get(f"{url}/v1/monitors", headers=headers).status_code == 200


def test_somebody_who_hangs_up_in_the_middle_changes_nothing_and_is_no_error_of_the_server(served, caplog):
    url, headers = served
    host, port = url.removeprefix("http://").split(":")
    body = json.dumps({"id": "half", "prediction": "7"}).encode()
    lines = [
        "POST /v1/monitors/digits/decisions HTTP/1.1",
        "Host: localhost",
        f"Authorization: {headers['Authorization']}",
        "Content-Type: application/json",
        f"Content-Length: {len(body) + 10}",
    ]
    head = "\r\n".join(lines) + "\r\n\r\n"
    for _ in range(5):
        with socket.create_connection((host, int(port)), timeout=30.0) as connection:
            connection.sendall(head.encode() + body)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65_536):  # until the server has noticed
                pass
    journal = httpx.get(f"{url}/v1/monitors/digits/journal", headers=headers).text
    assert "half" not in journal
    assert journal.count("\n") == 1
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []
