"""Serving the demonstration from a folder that is deleted at the end."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sidelight.service.demo import Demo
from sidelight.service.options import Options
from sidelight.service.server.app import make_app
from sidelight.service.server.listener import address_of
from sidelight.service.server.run import opened_service
from sidelight.service.server.uvicorn_server import serve


def run_demo(options: Options, listener: socket.socket, say: Callable[[str, str], object], **serving: Any) -> None:
    """Serve made-up monitors until told to stop; `serving` is for `serve`.

    `say(address, password)` is called once every page has something to show.
    """
    with (
        tempfile.TemporaryDirectory(prefix="sidelight-demo-") as folder,
        opened_service(str(Path(folder, "demo.db")), options) as service,
    ):
        demo = Demo(service)
        demo.prepare()
        demo.start()
        try:
            ready = partial(say, options.url or address_of(listener), demo.password)
            serve(make_app(service), listener, ready=ready, **serving)
        finally:
            demo.stop()
