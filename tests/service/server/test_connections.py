"""Connections whose clients are slow, on purpose or not, and too many of them."""

import contextlib
import json
import resource
import socket

import httpx
import pytest
from uvicorn.server import ServerState

from service.served import Served
from sidelight.service.limits import BODY, KEEP_ALIVE, PATIENCE, READING, SLOWEST
from sidelight.service.server import connections
from sidelight.service.server.connections import Connection, close_late
from sidelight.service.server.listener import Listener, listen
from sidelight.service.server.uvicorn_server import configured

HEAD = b"POST /signin HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"


class Loop:
    """The parts of an event loop that a connection uses, with a clock that stands still."""

    now = 0.0

    def time(self):
        return self.now

    def call_later(self, *_):
        return self

    def create_task(self, work):
        work.close()
        return self

    def add_done_callback(self, _):
        pass

    def cancel(self):
        pass


class Transport:
    """The other end of a connection."""

    def __init__(self, address):
        self.address, self.unsent, self.closed = address, 0, False
        self.written = b""

    def get_extra_info(self, name):
        return {"peername": (self.address, 1), "sockname": ("127.0.0.1", 2)}.get(name)

    def get_write_buffer_size(self):
        return self.unsent

    def is_closing(self):
        return self.closed

    def write(self, data):
        self.written += data

    def close(self):
        self.closed = True

    abort = close

    def pause_reading(self):
        pass

    resume_reading = pause_reading


async def app(scope, receive, send):
    raise AssertionError


class Crowd:
    """The connections of a process."""

    def __init__(self, proxies=""):
        self.config, self.state, self.loop = configured(app, proxies=proxies), ServerState(), Loop()
        self.config.load()

    def connect(self, address="192.0.2.1", sent=b""):
        one = Connection(self.config, self.state, {}, self.loop)
        one.connection_made(Transport(address))
        if sent:
            one.data_received(sent)
        return one

    def wait(self, seconds):
        self.loop.now += seconds
        close_late(self.state.connections)


@pytest.fixture
def crowd():
    return Crowd()


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: localh"])
def test_headers_must_come_in_time(crowd, sent):
    one = crowd.connect(sent=sent)
    crowd.wait(PATIENCE - 1)
    one.data_received(b"G" if not sent else b"o")
    assert not one.transport.closed
    crowd.wait(2)
    assert one.transport.closed


def test_a_body_must_come_in_time_and_gets_more_as_it_comes(crowd):
    still, slow = crowd.connect(sent=HEAD), crowd.connect(sent=HEAD)
    slow.data_received(b"x" * SLOWEST)
    crowd.wait(PATIENCE + 0.5)
    assert (still.transport.closed, slow.transport.closed) == (True, False)
    slow.data_received(b"x")  # a byte now and then does not help
    crowd.wait(1)
    assert slow.transport.closed


def test_a_client_is_not_blamed_for_the_server(crowd):
    one = crowd.connect(sent=HEAD + b"x" * 70_000)  # more than is read before the application wants it
    assert one.flow.read_paused
    crowd.wait(100)
    assert not one.transport.closed
    one.flow.resume_reading()
    crowd.wait(PATIENCE - 1)
    assert not one.transport.closed
    one.data_received(b"x" * 30_000)  # the rest
    crowd.wait(1_000)  # the application works on it
    assert not one.transport.closed


def test_replies_must_be_read_in_time(crowd):
    dead, slow = (crowd.connect(sent=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(2))
    dead.transport.unsent = slow.transport.unsent = 1_000
    crowd.wait(1)
    crowd.wait(READING - 1)
    slow.resume_writing()  # has read something
    crowd.wait(2)
    assert (dead.transport.closed, slow.transport.closed) == (True, False)
    slow.transport.unsent = 0
    crowd.wait(1_000)
    assert not slow.transport.closed


def test_connections_are_kept_between_requests_for_a_while(crowd):
    one = crowd.connect(sent=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    crowd.wait(100)
    one.cycle.response_complete = True
    one.on_response_complete()
    crowd.wait(KEEP_ALIVE - 1)
    assert not one.transport.closed
    crowd.wait(2)
    assert one.transport.closed


def test_a_body_that_was_refused_and_does_not_end_is_cut_off(crowd):
    one = crowd.connect(sent=b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
    one.cycle.response_complete = True
    one.on_response_complete()
    piece = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
    for _ in range(BODY >> 20):
        one.data_received(piece)
        assert not one.transport.closed
    one.data_received(piece)
    assert one.transport.closed


def test_one_address_gets_half_of_the_connections_and_loses_the_slowest(crowd, monkeypatch):
    monkeypatch.setattr(connections, "most_connections", lambda: 20)
    slow = []
    for n in range(30):
        crowd.loop.now = n / 100
        slow.append(crowd.connect(f"2001:db8::{n:x}", HEAD))  # one network
    assert [one.transport.closed for one in slow] == [True] * 20 + [False] * 10
    others = [crowd.connect(f"192.0.2.{n}") for n in range(10)]
    assert not any(one.transport.closed for one in others)
    crowd.connect("192.0.2.99")
    assert slow[20].transport.closed


def test_requests_at_work_are_not_cut_off_for_new_ones(crowd, monkeypatch):
    monkeypatch.setattr(connections, "most_connections", lambda: 20)
    at_work = [crowd.connect(sent=b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(10)]
    late = crowd.connect()
    assert not any(one.transport.closed for one in at_work)
    assert late.transport.closed
    assert late.transport.written.startswith(b"HTTP/1.1 503 ")


def test_a_body_that_comes_well_is_kept_when_many_others_come(crowd, monkeypatch):
    monkeypatch.setattr(connections, "most_connections", lambda: 20)
    good = crowd.connect(sent=HEAD)
    for _ in range(30):
        crowd.loop.now += 0.1
        good.data_received(b"x" * 3_300)
        crowd.connect(sent=HEAD)
    assert not good.transport.closed


def test_behind_a_proxy_there_may_be_many(monkeypatch):
    crowd = Crowd(proxies="192.0.2.1")
    monkeypatch.setattr(connections, "most_connections", lambda: 20)
    found = [crowd.connect("192.0.2.1") for _ in range(20)]
    assert not any(one.transport.closed for one in found)


def test_without_file_descriptors_accepting_waits_for_some(monkeypatch):
    with listen("127.0.0.1", 0) as bound, Listener(fileno=bound.detach()) as listener:
        address = listener.getsockname()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        with contextlib.ExitStack() as stack:
            for _ in range(3):
                stack.enter_context(socket.create_connection(address))
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
            try:
                with pytest.raises(BlockingIOError):
                    listener.accept()
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, before)
            for _ in range(3):
                listener.accept()[0].close()


@pytest.mark.slow
def test_slow_clients_keep_nobody_out_and_do_not_fill_the_log(tmp_path):
    with Served(tmp_path / "test.db") as served, contextlib.ExitStack() as stack:
        resource.prlimit(served.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        port = int(served.url.rpartition(":")[2])
        for _ in range(400):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30.0))
            with contextlib.suppress(OSError):
                connection.sendall(HEAD + b"name=")
        with httpx.Client(base_url=served.url, timeout=30.0) as client:
            for path in ("/healthz", "/readyz", "/signin") * 5:
                assert client.get(path).status_code == 200
        stack.close()
        code, _, log = served.stop()
        assert code == 0
        assert len(log) < 5_000
        assert all(json.loads(line) for line in log.splitlines())
