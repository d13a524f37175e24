"""What `serve` and `admin` share: the database, requests about it, lists of what it has, and the extra they need."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sidelight._version import PACKAGE
from sidelight.cli import terminal
from sidelight.errors import SidelightError
from sidelight.table import Column, Table

if TYPE_CHECKING:
    from sidelight.service.store.base import Storage

_HERE = "http://127.0.0.1:8765"


def _database_url_with_password_for_command(context: click.Context, option: click.Parameter, database: str) -> str:
    """Hand the password in the file that SIDELIGHT_DATABASE_PASSWORD_FILE names to PostgreSQL's own library."""
    if path := os.environ.get("SIDELIGHT_DATABASE_PASSWORD_FILE"):
        try:
            os.environ["PGPASSWORD"] = Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise click.UsageError(f"SIDELIGHT_DATABASE_PASSWORD_FILE: cannot read {path}: {error.strerror}") from None
    return database


DATABASE = click.option(
    "--database",
    metavar="FILE|URL",
    envvar="SIDELIGHT_DATABASE",
    default="sidelight.db",
    show_default=True,
    callback=_database_url_with_password_for_command,
    help="A SQLite file or a PostgreSQL database (postgresql://...).",
)
URL = click.option(
    "--url",
    metavar="URL",
    default=_HERE,
    show_default=True,
    envvar="SIDELIGHT_URL",
    help="The address of the service, for the link. A server running on a SQLite file already knows it.",
)
MONITORS = click.option(
    "--monitor", "only", multiple=True, metavar="NAME", help="Allow it for this monitor only; repeatable."
)
_EXTRA = ("argon2", "cachetools", "fastapi", "jinja2", "standardwebhooks", "uvicorn")


def require_serve_extra() -> None:
    """Raise an error that names the extra to install if the service's packages are missing."""
    missing = [name for name in _EXTRA if importlib.util.find_spec(name) is None]
    if missing:
        raise SidelightError(
            f'the service needs {", ".join(missing)} (not installed): run  pip install "{PACKAGE}[serve]"'
        )


def admin_get(database: str, path: str) -> Any:
    """Get the reply of the service at a path."""
    return admin_post(database, path, method="GET")


def admin_post(database: str, path: str, body: Any = None, url: str | None = None, method: str = "POST") -> Any:
    """Post to a path of the service, in its running server if there is one, and return the answer."""
    require_serve_extra()
    from sidelight.service.server.commands import request_of_admin_command

    return request_of_admin_command(database, method, path, body, url=url)


def note_taken_by_command(database: str, action: str, subject: str, **detail: Any) -> None:
    """Note in the audit log that data left a database in use; if that fails, say so, and go on."""
    from sidelight.service.server import commands

    try:
        commands.note_data_taken_from_server(database, action, subject, detail)
    except SidelightError as error:
        click.echo(f"this could not be noted in the audit log: {error}", err=True)


@contextlib.contextmanager
def open_command_database(database: str) -> Iterator[Storage]:
    """Open a database read-only, whether a server is running or not."""
    require_serve_extra()
    from sidelight.service.store import open_storage

    storage = open_storage(database, readonly=True)
    try:
        yield storage
    finally:
        storage.close()


def admin_list_moment(seconds: float | None) -> str | None:
    """Return a time in readable form, in UTC."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def add_admin_list_command(
    group: click.Group, path: str, help: str, row: Callable[[dict[str, Any]], dict[str, Any] | None], none: str
) -> None:
    """Add the command `list` to a group: it lists the items at a path of the service, as rows made by `row`."""

    @group.command("list", short_help=help.partition(";")[0].rstrip(".") + ".", help=help)
    @DATABASE
    @click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
    def admin_list_command(database: str, as_json: bool) -> None:
        found = [row(one) for one in admin_get(database, path)[path.rpartition("/")[2]]]
        _print_rows_of_admin_list([one for one in found if one is not None], as_json, none)


def _print_rows_of_admin_list(rows: Sequence[Mapping[str, Any]], as_json: bool, none: str) -> None:
    """Write rows; None in the column "monitors" stands for all, elsewhere for nothing."""
    if as_json:
        terminal.write_terminal_json(list(rows))
        return
    if not rows:
        terminal.write_to_terminal(terminal.wrap_to_terminal(none))
        return
    cells = [
        [_cell_of_admin_list(value, "all" if name == "monitors" else "-") for name, value in row.items()]
        for row in rows
    ]
    table = Table([Column(name, str, left=True) for name in rows[0]], cells)
    terminal.write_to_terminal(table.to_text(terminal.terminal_width()))


def _cell_of_admin_list(value: Any, nothing: str) -> str:
    if value is None:
        return nothing
    if isinstance(value, dict):  # the settings of a monitor
        return " ".join([f"{name}={each}" for name, each in value.items()][:3])
    return " ".join(value) if isinstance(value, list) else str(value)
