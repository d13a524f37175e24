"""Serving the demonstration from a folder that is deleted at the end."""

from __future__ import annotations

import logging
import socket
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from sidelight.service.demo import Demo
from sidelight.service.http.logs import write_json_logs
from sidelight.service.server.app import make_app
from sidelight.service.server.listener import address_of
from sidelight.service.server.run import ServeOptions, opened_service
from sidelight.service.server.uvicorn_server import serve


def run_demo(options: ServeOptions, listener: socket.socket, say: Callable[[str, str], object]) -> None:
    """Serve made-up monitors until told to stop.

    `say(address, password)` is called once every page has something to show.
    """
    write_json_logs(logging.getLevelNamesMapping()[options.log.upper()])
    base = options.url or address_of(listener)
    with (
        tempfile.TemporaryDirectory(prefix="sidelight-demo-") as folder,
        opened_service(replace(options, database=str(Path(folder, "demo.db")))) as service,
    ):
        demo = Demo(service)
        demo.prepare()
        demo.start()
        try:
            ready = partial(say, base, demo.password)
            serve(make_app(service), listener, grace=options.grace, proxies=options.proxies, ready=ready)
        finally:
            demo.stop()
