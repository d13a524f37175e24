"""Starting and killing servers, and talking to them."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from sidelight.service.auth.keys import SCOPES, create_key
from sidelight.service.domain import monitors
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.store import open_storage

TIMEOUT = 60.0
"""Seconds after which a reply is taken as none; only a defect makes a test wait so long."""


class Server:
    """A server on a database, started again as often as wanted."""

    def __init__(self, database: str, *faults: str, strace: list[str] | None = None, errors=None) -> None:
        program = [sys.executable, str(Path(__file__).with_name("process.py")), database, *faults]
        self._parent = subprocess.Popen(
            [*(strace or []), *program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        self.process = self.port = 0

    def start(self) -> None:
        """Start a server and wait until it accepts."""
        self._parent.stdin.write("start\n")
        self._parent.stdin.flush()
        line = self._line()
        assert line[:1].isdigit(), line
        self.process, self.port = map(int, line.split())

    def _line(self) -> str:
        return self._parent.stdout.readline()

    def kill(self, how: int = signal.SIGKILL) -> int:
        """Kill the server; return its exit code."""
        os.kill(self.process, how)
        return self.ended()

    def ended(self) -> int:
        """Wait for the end of the server; return its exit code, or minus the signal."""
        line = self._line()
        assert line.startswith("ended"), line
        self.process = 0
        return int(line.split()[1])

    def close(self) -> None:
        """End everything."""
        if self.process:
            self.kill()
        self._parent.stdin.close()
        self._parent.wait()
        self._parent.stdout.close()


class Caller:
    """One connection of one client; errors of the connection are `OSError` or `http.client.HTTPException`."""

    def __init__(self, port: int, key: str, monitor: str = "digits") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._path = f"/v1/monitors/{monitor}/"

    def post(self, what: str, body: dict) -> tuple[int, dict]:
        """Send to one of the monitor's addresses; return status and answer."""
        self._connection.request("POST", self._path + what, json.dumps(body), self._headers)
        return self._reply()

    def get(self, what: str) -> tuple[int, dict]:
        """Ask one of the monitor's addresses."""
        self._connection.request("GET", self._path + what, headers=self._headers)
        return self._reply()

    def _reply(self) -> tuple[int, dict]:
        reply = self._connection.getresponse()
        return reply.status, json.loads(reply.read())

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


def prepare(database: str, **settings) -> tuple[str, str]:
    """Make a monitor "digits" and a key for everything; return the monitor's id and the key."""
    service = Service(open_storage(database), options=Options())
    try:
        settings = {"tolerance": 0.2, "confidence": 0.9} | settings
        monitor = service.do(monitors.create_served_monitor("digits", settings, actor="test")).id
        return monitor, service.do(create_key("test", "of a test", SCOPES)).key
    finally:
        service.close()
