"""The application behind a real server on loopback, for tests that need sockets."""

from __future__ import annotations

import contextlib
import threading
import time

from sidelight.service.server.run import address_of_socket, bind_server_socket
from sidelight.service.server.uvicorn_server import UvicornServer, uvicorn_configuration


@contextlib.contextmanager
def running(app, grace=5, proxies=""):
    """Serve an application at a free port; yield its address."""
    listening = bind_server_socket("127.0.0.1", 0)
    address = address_of_socket(listening)
    server = UvicornServer(uvicorn_configuration(app, grace, proxies))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        for _ in range(3_000):
            if server.started or not thread.is_alive():
                break
            time.sleep(0.01)
        assert server.started
        yield address
    finally:
        server.should_exit = True
        thread.join(60.0)
        listening.close()
