"""The listening socket, and what accepted connections inherit from it."""

import socket

import pytest

from sidelight.service.server.run import bind_server_socket


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_replies_do_not_wait_for_acknowledgements(host):
    with bind_server_socket(host, 0) as listener, socket.create_connection(listener.getsockname()[:2], timeout=30.0):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
