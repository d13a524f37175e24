"""The application behind a real server on loopback, for tests that need sockets."""

from __future__ import annotations

import contextlib
import threading
import time

import uvicorn

from sidelight.service.process.listening import address_of, listen
from sidelight.service.process.serving import configured


@contextlib.contextmanager
def running(app):
    """Serve an application at a free port; yield its address."""
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(configured(app, grace=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        for _ in range(3_000):
            if server.started or not thread.is_alive():
                break
            time.sleep(0.01)
        assert server.started
        yield address_of(listening)
    finally:
        server.should_exit = True
        thread.join(60.0)
        listening.close()
