"""Logs as JSON, one object per line: each request, its caller, its status and its duration; never a secret.

A line holds the pattern of the address (`/v1/monitors/{monitor}/decisions`), not the address itself, because sign-in
links carry secrets; and no headers, query or body.
"""

from __future__ import annotations

import json
import logging
import time
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCESS = logging.getLogger("sidelight.access")
_UNNAMED = "(no such address)"


class JSONFormatter(logging.Formatter):
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


def write_json_logs(level: int = logging.INFO) -> None:
    """Write all logs of this process to standard error as JSON, including those of uvicorn."""
    handler = logging.StreamHandler()
    handler.setFormatter(JSONFormatter())
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

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, sending)
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
