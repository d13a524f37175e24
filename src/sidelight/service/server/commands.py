"""How commands reach the service: each is a request to its HTTP interface.

If a server has a SQLite file open, which only one process may, the request goes to that server. Otherwise the
application answers it within this process. A server leaves its address and a key for commands in a file beside the
database: whoever can read that file (mode 0600) could also read the database.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sidelight.errors import SidelightError
from sidelight.service.domain.service import Service
from sidelight.service.options import Options
from sidelight.service.server.app import make_app
from sidelight.service.store import open_storage, sqlite_file_of_storage
from sidelight.service.store.sqlite import InUseError

_SLOW = 600.0
_PATIENCE = 5.0


class CommandReply(NamedTuple):
    """What the service answered."""

    status: int
    body: bytes

    def value(self) -> Any:
        """Return the JSON of the reply, or raise the problem as an error."""
        data: Any = json.loads(self.body) if self.body else None
        if 200 <= self.status < 300:
            return data
        places = [one["detail"] for one in data.get("errors", ()) if one["detail"] not in data["detail"]]
        raise SidelightError("; ".join([data["detail"], *places]))


@contextlib.contextmanager
def announce_server_to_commands(database: str, address: str) -> Iterator[str | None]:
    """Tell commands within the block where the server of a SQLite file is; yield their key."""
    path = sqlite_file_of_storage(database)
    if path is None:  # several processes may use PostgreSQL
        yield None
        return
    file, key = server_address_file(path), secrets.token_urlsafe(32)
    file.unlink(missing_ok=True)
    with open(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as written:
        json.dump({"url": address, "key": key}, written)
    try:
        yield key
    finally:
        file.unlink(missing_ok=True)


def server_address_file(database: Path) -> Path:
    """Return the file in which the server of a SQLite file says where it is."""
    return database.with_name(f"{database.name}-server")


def request_of_admin_command(database: str, method: str, path: str, body: Any = None, *, url: str | None = None) -> Any:
    """Send a request about a database, and return the JSON of the reply; links begin with `url`."""
    try:
        storage = open_storage(database, readonly=method == "GET")
    except InUseError:
        return _ask_running_server(sqlite_file_of_storage(database), method, path, body).value()
    service, key = Service(storage, options=Options(url=url)), secrets.token_urlsafe(32)
    try:
        return asyncio.run(_call_app_directly(make_app(service, command_key=key), key, method, path, body)).value()
    finally:
        service.close()


def note_data_taken_from_server(database: str, action: str, subject: str, detail: dict[str, Any]) -> None:
    """Note in the audit log that data left a database in use.

    A file that nobody serves, such as a backup, stays as it is: whoever can read it can also copy it.
    """
    path, body = sqlite_file_of_storage(database), {"action": action, "subject": subject, "detail": detail}
    if path is None:
        request_of_admin_command(database, "POST", "/v1/audit", body)
    else:
        with contextlib.suppress(FileNotFoundError, ConnectionError):
            _send_command_to_server(path, "POST", "/v1/audit", body).value()


def _ask_running_server(database: Path | None, method: str, path: str, body: Any) -> CommandReply:
    """Ask the server of a file, which locks the file a moment before it says where it is."""
    assert database is not None
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return _send_command_to_server(database, method, path, body)
        except PermissionError:
            raise SidelightError(
                f"another user serves {str(database)!r}: run the command as that user, for example with sudo -u"
            ) from None
        except (FileNotFoundError, ConnectionError, ValueError):
            if time.monotonic() >= end:
                raise SidelightError(
                    f"{str(database)!r} is in use by a process that accepts no commands: wait until it ends, or stop it"
                ) from None
            time.sleep(0.05)


def _send_command_to_server(database: Path, method: str, path: str, body: Any) -> CommandReply:
    found = json.loads(server_address_file(database).read_bytes())
    headers = {"Authorization": f"Bearer {found['key']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode("ascii")
    sending = urllib.request.Request(found["url"] + path, data, headers, method=method)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(sending, timeout=_SLOW) as reply:
            return CommandReply(reply.status, reply.read())
    except urllib.error.HTTPError as refusal:
        return CommandReply(refusal.code, refusal.read())
    except urllib.error.URLError as error:
        raise ConnectionError(str(error.reason)) from None


async def _call_app_directly(app: Any, key: str, method: str, path: str, body: Any) -> CommandReply:
    """Let an ASGI application answer one request."""
    status, content = 0, b""
    data = b"" if body is None else json.dumps(body).encode("ascii")

    async def receive_direct_server_request() -> dict[str, Any]:
        return {"type": "http.request", "body": data}

    async def send_direct_server_reply(message: dict[str, Any]) -> None:
        nonlocal status, content
        status = message.get("status", status)
        content += message.get("body", b"")

    headers = {"host": "localhost", "authorization": f"Bearer {key}", "content-type": "application/json"}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode("ascii"),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode("ascii"), value.encode("ascii")) for name, value in headers.items()],
        "client": None,
        "server": None,
    }
    await app(scope, receive_direct_server_request, send_direct_server_reply)
    return CommandReply(status, content)
