"""A real server process: signals stop it without losing answers, and slow or many clients keep nobody out."""

import asyncio
import contextlib
import os
import resource
import signal
import socket
import threading
import time

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response

from service.running import running
from service.served import Served
from sidelight.service.http.guards import http_problem, read_http_body
from sidelight.service.limits import limit_of_service_connections
from sidelight.service.problems import Problem

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs signals")
SLOW = b"POST /signin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nname="


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_to_stop_is_answered_with_0(tmp_path, number):
    with Served(tmp_path / "test.db") as served:
        code, _, log = served.stop(number)
        assert (code, log) == (0, "")


class Gate:
    """An application that answers when the gate opens."""

    def __init__(self):
        self.entered, self.open = threading.Event(), threading.Event()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        self.entered.set()
        while not self.open.is_set():
            await asyncio.sleep(0.01)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})


async def _live(receive, send):
    for kind in ("startup", "shutdown"):
        await receive()
        await send({"type": f"lifespan.{kind}.complete"})


def test_what_was_accepted_is_answered_and_what_hangs_is_not_waited_for():
    for patient in (True, False):
        gate, found = Gate(), []
        with running(gate, grace=60 if patient else 1) as url:

            def ask(url=url, found=found):
                try:
                    found.append(httpx.get(url, timeout=60.0, trust_env=False).status_code)
                except httpx.HTTPError:
                    found.append(None)

            thread = threading.Thread(target=ask)
            thread.start()
            assert gate.entered.wait(60.0)
            if patient:
                threading.Timer(0.3, gate.open.set).start()
        thread.join()
        assert (found == [200]) is patient


def test_a_body_must_come_in_time_and_gets_more_as_it_comes(monkeypatch):
    monkeypatch.setattr("sidelight.service.http.guards.SLOWEST", 10)

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        try:
            await read_http_body(Request(scope, receive), 1000, patience=0.5)
            response = Response()
        except Problem as problem:
            response = http_problem(problem)
        await response(scope, receive, send)

    with running(app) as url:
        for pieces, expected in ((1, b" 408 "), (20, b" 200 ")):
            with _connected(url) as connection:
                connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200\r\n\r\n")
                for _ in range(pieces):
                    connection.sendall(b"x" * 10)
                    time.sleep(0.05)
                assert expected in connection.recv(1000)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="needs Linux")
def test_slow_clients_keep_nobody_out(tmp_path):
    with Served(tmp_path / "test.db") as served, contextlib.ExitStack() as stack:
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        for beginning in (SLOW, SLOW[:40], b"") * 70:  # some owe a body, some a head, some everything
            stack.enter_context(_connected(served.url)).sendall(beginning)
        with httpx.Client(base_url=served.url, timeout=30.0) as client:
            for path in ("/healthz", "/readyz", "/signin") * 5:
                assert client.get(path).status_code == 200
        stack.close()
        code, _, log = served.stop()
        assert (code, log) == (0, "")


@pytest.mark.parametrize("sent", [b"GET / HTTP/1.1\r\nX: ", b"GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nX: "])
def test_a_head_must_come_in_time_and_be_small(monkeypatch, sent):
    monkeypatch.setattr("sidelight.service.server.uvicorn_server.PATIENCE", 0.5)
    monkeypatch.setattr("sidelight.service.server.uvicorn_server.KEEP_ALIVE", 0.5)
    gate = Gate()
    gate.open.set()
    with running(gate) as url:
        for more in (b"", b"x" * (80 << 10)):
            with _connected(url) as connection:
                connection.sendall(sent + more)
                received = b""
                with contextlib.suppress(ConnectionResetError):
                    while piece := connection.recv(1000):
                        received += piece
                assert received.count(b" 200 ") == sent.count(b"\r\n\r\n")
        assert httpx.get(url, trust_env=False).status_code == 200


def test_connections_leave_files_for_the_database(monkeypatch):
    for files, most in ((resource.RLIM_INFINITY, 1000), (10_000, 1000), (256, 128), (20, 16)):
        monkeypatch.setattr(resource, "getrlimit", lambda _, files=files: (files, files))
        assert limit_of_service_connections() == most


def _connected(url):
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30.0)
