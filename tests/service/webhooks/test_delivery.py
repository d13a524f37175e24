"""Sending one message: to the address that was checked, and nowhere else, whatever the receiver or environment say."""

import socket
import threading

import pytest

from service.api.conftest import LOOPBACK
from sidelight.service.options import Egress
from sidelight.service.webhooks import delivery
from sidelight.service.webhooks.delivery import Target, send_webhook_message


def test_a_message_arrives_as_it_is(receiver):
    body = b'{"type":"verdict.changed"}'
    assert send_webhook_message(receiver.url, body, {"webhook-id": "msg_1"}, LOOPBACK) == 204
    ((path, headers, got),) = receiver.got
    assert (path, got) == ("/hook?a=b", body)
    assert headers["content-type"] == "application/json"
    assert headers["webhook-id"] == "msg_1"
    assert headers["user-agent"].startswith("sidelight/")
    assert headers["host"] == receiver.url.split("/")[2]


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(receiver, status):
    receiver.answers, receiver.headers = [status], {"Location": receiver.url}
    assert send_webhook_message(receiver.url, b"{}", {}, LOOPBACK) == status
    assert len(receiver.got) == 1


def test_proxies_of_the_environment_are_not_used(receiver, monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert send_webhook_message(receiver.url, b"{}", {}, LOOPBACK) == 204


def test_nobody_there_is_told():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        outcome = send_webhook_message(f"http://127.0.0.1:{free.getsockname()[1]}/", b"{}", {}, LOOPBACK)
    assert "cannot be reached" in str(outcome)


def answering(server, reply, again):
    """Take one connection and send the reply, and more of it for as long as somebody listens."""
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        try:
            connection.sendall(reply)
            for _ in range(10_000):
                if not again:
                    break
                connection.sendall(again)
                threading.Event().wait(0.01)
        except OSError:
            pass  # the other side is gone, as it should be


@pytest.mark.parametrize(
    ("reply", "again"),
    [
        (b"", b""),
        (b"nonsense\r\n\r\n", b""),
        (b"HTTP/1.1 99999 x\r\n\r\n", b""),
        (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 500, b""),
        (b"HTTP/1.1 200 OK\r\n", b"x"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
def test_receivers_that_answer_nonsense_slowly_or_without_end_are_left(monkeypatch, reply, again):
    monkeypatch.setattr(delivery, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answering, args=(server, reply, again))
        thread.start()
        outcome = send_webhook_message(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, LOOPBACK)
        thread.join(30.0)
    assert not thread.is_alive()
    assert isinstance(outcome, str) or (outcome == 200 and reply.startswith(b"HTTP/1.1 200 OK"))


def test_time_that_was_spent_on_connecting_counts(monkeypatch):
    """Whoever lets us wait until the time is over must not get more of it for the answer."""
    connect, late = socket.create_connection, threading.Event()
    cut = delivery._WebhookConnection.cut
    monkeypatch.setattr(delivery, "SECONDS", 0.3)
    monkeypatch.setattr(delivery._WebhookConnection, "cut", lambda self: (cut(self), late.set()))

    def connect_late(address, timeout):
        assert late.wait(30.0)
        return connect(address, timeout)

    monkeypatch.setattr(delivery.socket, "create_connection", connect_late)
    with socket.create_server(("127.0.0.1", 0)) as server:
        outcome = send_webhook_message(f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, LOOPBACK)
    assert str(outcome).startswith("TimeoutError")


def test_a_handshake_that_comes_byte_by_byte_is_cut_off(monkeypatch):
    monkeypatch.setattr(delivery, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=answering, args=(server, b"\x16\x03\x03\x40\x00", b"\x02"))
        thread.start()
        outcome = send_webhook_message(f"https://127.0.0.1:{server.getsockname()[1]}/", b"{}", {}, LOOPBACK)
        thread.join(30.0)
    assert not thread.is_alive()
    assert "cannot be reached" in str(outcome)


@pytest.fixture
def to_the_internet(monkeypatch):
    """The receiver has a public address, which only the proxy reaches."""
    target = Target("93.184.216.34", 443, False, "hooks.example", "/hook")
    monkeypatch.setattr(delivery, "resolve_webhook_host", lambda url, egress: target)


def proxying(server, reply, got):
    """Be a proxy for one connection, and the receiver behind it."""
    connection, _ = server.accept()
    with connection:
        got.append(connection.recv(65_536))
        connection.sendall(reply)
        if b" 200 " in reply:
            got.append(connection.recv(65_536))
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [(b"HTTP/1.1 200 Connected\r\n\r\n", "204"), (b"HTTP/1.1 407 No\r\n\r\n", "the proxy answered 407")],
)
def test_a_proxy_is_told_the_checked_address_and_not_the_name(to_the_internet, reply, outcome):
    got = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=proxying, args=(server, reply, got))
        thread.start()
        proxy = f"http://us%40er:p@127.0.0.1:{server.getsockname()[1]}"
        found = send_webhook_message("https://hooks.example/hook", b"{}", {}, Egress(proxy=proxy))
        thread.join(30.0)
    assert outcome in str(found)
    assert got[0].startswith(b"CONNECT 93.184.216.34:443 HTTP/1.1\r\nHost: 93.184.216.34:443\r\n")
    assert b"Proxy-Authorization: Basic dXNAZXI6cA==\r\n" in got[0]
    assert b"hooks.example" not in got[0]
    if outcome == "204":
        assert got[1].startswith(b"POST /hook HTTP/1.1\r\n")
        assert b"Host: hooks.example:443\r\n" in got[1]
        assert b"Proxy-Authorization" not in got[1]


def test_allowed_networks_are_reached_without_the_proxy(receiver):
    assert send_webhook_message(receiver.url, b"{}", {}, Egress(LOOPBACK.allow, "http://127.0.0.1:9")) == 204


def test_a_proxy_does_not_open_what_is_closed(receiver):
    said = send_webhook_message("https://127.0.0.1/", b"{}", {}, Egress(proxy=receiver.url))
    assert "--webhook-allow" in str(said)
    assert receiver.got == []
