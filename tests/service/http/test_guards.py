import asyncio
import json

import pytest
from starlette.requests import Request

from sidelight.service.http.guards import HostAllowList, host_of_http_header, read_http_body
from sidelight.service.limits import RateLimit, rate_limit_key_of_address
from sidelight.service.problems import Problem


def ask(app, chunks=(b"",), headers=()):
    """Return status, headers and body of what an ASGI application answers, and how many chunks it read."""
    sent, left = [], list(chunks)

    async def receive():
        body = left.pop(0)
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [*headers]}
    asyncio.run(app(scope, receive, send))
    start, *bodies = sent
    assert all(one["type"] == "http.response.body" for one in bodies)
    text = b"".join(one["body"] for one in bodies)
    return start["status"], dict(start["headers"]), text, len(chunks) - len(left)


async def echo_length(scope, receive, send):
    total, more = 0, True
    while more:
        message = await receive()
        total, more = total + len(message["body"]), message["more_body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(total).encode()})


def read(chunks, most=10, headers=(), patience=20.0):
    """Read a body of these chunks; None as the last one never comes."""
    left = list(chunks)

    async def receive():
        body = left.pop(0)
        if body is None:
            await asyncio.sleep(60)
        return {"type": "http.request", "body": body, "more_body": bool(left)}

    request = Request({"type": "http", "headers": [*headers]}, receive)
    return asyncio.run(read_http_body(request, most, patience)), len(left)


def refusal(*arguments, **options):
    with pytest.raises(Problem) as caught:
        read(*arguments, **options)
    assert caught.value.headers["Connection"] == "close"
    return caught.value.status


def test_a_body_is_counted_while_it_is_read():
    assert read([b"12345", b"67890"]) == (b"1234567890", 0)
    assert refusal([b"12345", b"678901", b"never read"]) == 413


def test_a_body_that_is_announced_too_large_is_not_read():
    for length in (b"11", b"9" * 18, b"9" * 5_000):
        assert refusal([], headers=[(b"content-length", length)]) == 413
    for length in (b"-5", b"x"):  # the server refuses such headers before they come here
        assert read([b"x"], headers=[(b"content-length", length)]) == (b"x", 0)


def test_a_body_must_come_in_time():
    assert refusal([b"x", None], patience=0.05) == 408


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost", "localhost"),
        ("LOCALHOST:8765", "localhost"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]:80", "[::1]"),
        ("[0:0:0:0:0:0:0:1]", "[::1]"),
        ("example.com.", "example.com"),
        ("[nonsense", ""),
        ("[nonsense]", ""),
        ("", ""),
        ("a:b:c", ""),
        ("localhost:", "localhost"),
        ("localhost:80@evil.example", ""),
        ("localhost@evil.example", ""),
        ("localhost:evil", ""),
        ("[::1]evil.example", ""),
        ("[::1]:80@evil.example", ""),
        ("localhost/evil", ""),
        ("localhost evil", ""),
        ("localhost,evil", ""),
    ],
)
def test_the_host_of_a_header(header, host):
    assert host_of_http_header(header) == host


def test_only_named_hosts_are_answered():
    app = HostAllowList(echo_length, ["localhost", "Monitor.Example"])
    assert ask(app, headers=[(b"host", b"monitor.example:443")])[0] == 200
    for headers in (
        [],
        [(b"host", b"evil.example")],
        [(b"host", b"localhost"), (b"host", b"evil.example")],
        [(b"host", b"localhost.evil.example")],
        [(b"host", b"\xff")],
    ):
        status, _, body, read = ask(app, headers=headers)
        assert (status, read) == (421, 0)
        assert "--url" in json.loads(body)["detail"]


def test_a_bucket_runs_empty_and_fills_again():
    now = 0.0
    limit = RateLimit(rate=2.0, burst=3.0, clock=lambda: now)
    for _ in range(3):
        limit.take("a")
    with pytest.raises(Problem) as caught:
        limit.take("a")
    assert caught.value.status == 429
    assert caught.value.headers == {"Retry-After": "1"}
    limit.take("b")
    now = 0.5
    limit.take("a")
    with pytest.raises(Problem):
        limit.take("a")
    now = 1e9
    for _ in range(3):
        limit.take("a")
    with pytest.raises(Problem):
        limit.take("a")


def test_buckets_of_keys_that_do_not_come_back_are_forgotten():
    limit = RateLimit(rate=1.0, clock=lambda: 0.0, most=10)
    for key in range(100):
        limit.take(str(key))
    assert len(limit._buckets) == 10


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("testclient", "testclient"),
    ],
)
def test_what_counts_as_one_client(host, counted):
    assert rate_limit_key_of_address(host) == counted
