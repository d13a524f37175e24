"""A real browser, and a server on loopback for it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import threading

import pytest

from sidelight.service.server.app import make_app

WAIT = 30_000
"""Most milliseconds to wait for something on a page, on a machine that is busy; nothing waits that long otherwise."""


def program():
    """Return the path of Chromium; without one skip, or fail if it has to be there."""
    found = shutil.which("chromium")
    if found is None:
        if os.environ.get("SIDELIGHT_REQUIRE_CHROMIUM"):
            pytest.fail("there is no chromium on the PATH: run `make chromium`")
        pytest.skip("there is no chromium on the PATH: run `make chromium`")
    return found


@contextlib.contextmanager
def serving(service):
    """Serve an application on a port of loopback that is free; yield its address."""
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(make_app(service), log_config=None, access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)


class Window:
    """One page of the browser, of somebody who has signed in; what goes wrong in it is remembered."""

    def __init__(self, context, base):
        self.page, self.base, self.faults = context.new_page(), base, []
        self.page.set_default_timeout(WAIT)
        self.page.on(
            "console",
            lambda message: self.faults.append(message.text) if message.type in ("error", "warning") else None,
        )
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def go(self, path):
        self.page.goto(self.base + path)
        return self.page

    def sign_in(self, name, password):
        self.go("/signin")
        self.page.fill("#name", name)
        self.page.fill("#password", password)
        self.page.click("button:has-text('Sign in')")
        self.page.wait_for_url(f"{self.base}/")

    def press(self, key):
        """Press a key once the page listens to it."""
        self.page.wait_for_selector("html[data-ready]")
        self.page.keyboard.press(key)

    def wide(self):
        """Say whether anything is wider than the window."""
        return self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
