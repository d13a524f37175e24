"""Logs as JSON, one object per line: each request, its caller, its status and its duration; never a secret.

A line holds the pattern of the address (`/v1/monitors/{monitor}/decisions`), not the address itself, because sign-in
links carry secrets; and no headers, query or body.
"""

from __future__ import annotations

import json
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS = logging.getLogger("sidelight.access")
_UNNAMED = "(no such address)"
_MINUTE, _MOST_KINDS = 60.0, 1_000


class JSONLogFormatter(logging.Formatter):
    """One JSON object per line, in ASCII: time, level, logger, message, and what `extra={"fields": {...}}` adds."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class OncePerMinuteLogFilter(logging.Filter):
    """Let only one warning or error of each kind pass per minute; it says how many like it were left out before.

    A kind is a message without its values, and the type of the exception. So nobody can fill the disk with failures.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: OrderedDict[tuple[object, ...], tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Say whether to write a line."""
        if record.levelno < logging.WARNING:
            return True
        kind = (record.name, str(record.msg).partition("\n")[0][:100], record.exc_info and record.exc_info[0])
        now = self._clock()
        with self._lock:
            begun, left_out = self._seen.pop(kind, (-math.inf, 0))
            passes = now - begun >= _MINUTE
            self._seen[kind] = (now, 0) if passes else (begun, left_out + 1)
            while len(self._seen) > _MOST_KINDS:
                self._seen.popitem(last=False)
        if passes and left_out:
            record.fields = getattr(record, "fields", {}) | {"left_out": left_out}
        return passes


def write_json_access_logs(level: int = logging.INFO) -> None:
    """Write all logs of this process to standard error as JSON, including those of uvicorn."""
    handler = logging.StreamHandler()
    handler.setFormatter(JSONLogFormatter())
    handler.addFilter(OncePerMinuteLogFilter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.access").disabled = True  # it logs whole addresses


class AccessLog:
    """Write one line for each request."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or not ACCESS.isEnabledFor(logging.INFO):
            await self.app(scope, receive, send)
            return
        status, begin = 0, time.perf_counter()

        async def send_and_log_request(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, send_and_log_request)
        finally:
            route, caller = scope.get("route"), scope.get("state", {}).get("caller")
            fields = {
                "method": scope["method"] if scope["method"].isalpha() else "?",
                "path": getattr(route, "path", _UNNAMED),
                "status": status,
                "milliseconds": round(1000 * (time.perf_counter() - begin), 3),
                "actor": getattr(caller, "actor", None),
            }
            ACCESS.info("request", extra={"fields": fields})
