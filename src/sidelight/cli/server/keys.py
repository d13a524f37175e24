"""`sidelight admin key create|list|rotate|revoke`: keys of programs."""

from __future__ import annotations

import time
from typing import Any

import click

from sidelight.cli import terminal
from sidelight.cli.group import InOrder
from sidelight.cli.server.database import DATABASE, MONITORS, add_list, moment, post
from sidelight.errors import SidelightError

SCOPES = ("decide", "answer", "settle", "report", "admin")
SCOPE = click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice(SCOPES),
    metavar="SCOPE",
    help="What the key allows: decide, answer, settle, report or admin; repeatable, no scope includes another.",
)
_DAY = 86_400.0
KEY = click.argument("key", metavar="KEY")


group = InOrder(
    "key",
    short_help="Manage the keys that programs use.",
    help="Create, list, rotate and revoke the keys that programs send as 'Authorization: Bearer KEY'.",
)


@group.command(
    "create",
    short_help="Create a key, and print it.",
    epilog="""\b
Examples:
  sidelight admin key create --scope decide
  sidelight admin key create --scope decide \\
      --scope answer --monitor digits --days 90
""",
)
@DATABASE
@SCOPE
@MONITORS
@click.option("--name", default="made by a command", show_default=True, metavar="TEXT", help="What the key is for.")
@click.option(
    "--days",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="The key expires after N days; by default, never.",
)
def create_command(
    database: str, scopes: tuple[str, ...], only: tuple[str, ...], name: str, days: float | None
) -> None:
    """Create a key and print nothing but the key; it is never shown again.

    The scopes are 'decide' to ask about predictions, 'answer' to hand in answers, 'settle' to settle disagreements,
    'report' to read reports and metrics, 'admin' for everything else.
    """
    seconds = None if days is None else days * _DAY
    body = {"name": name, "scopes": list(scopes), "monitors": list(only) or None, "expires_in": seconds}
    click.echo(post(database, "/v1/keys", body)["key"])


def _state(key: dict[str, Any]) -> str:
    if key["revoked_at"] is not None:
        return "revoked"
    return "expired" if key["expires_at"] is not None and key["expires_at"] <= time.time() else "works"


add_list(
    group,
    "/v1/keys",
    "List the keys, newest first; the keys themselves are not stored.",
    lambda one: (
        {name: one[name] for name in ("id", "name", "scopes", "monitors")}
        | {"state": _state(one), "expires": moment(one["expires_at"]), "used": moment(one["used_at"])}
    ),
    "no keys yet: create one with 'sidelight admin key create'",
)


@group.command("rotate", short_help="Replace a key with a new one.")
@KEY
@DATABASE
@click.option(
    "--hours",
    type=click.FloatRange(min=0),
    default=24.0,
    show_default=True,
    metavar="N",
    help="How long the old key still works.",
)
def rotate_command(key: str, database: str, hours: float) -> None:
    """Print a new key with the scopes of KEY, which is an id from the list, a prefix, or the key itself."""
    click.echo(post(database, f"/v1/keys/{_id_of(key)}/rotate", {"grace": 3600.0 * hours})["key"])


@group.command("revoke", short_help="Revoke a key.")
@KEY
@DATABASE
def revoke_command(key: str, database: str) -> None:
    """Revoke KEY, which is an id from the list, a prefix, or the key itself; servers notice within five seconds."""
    post(database, f"/v1/keys/{_id_of(key)}/revoke")
    terminal.write("revoked")


def _id_of(key: str) -> str:
    """Return the id of a key, given its id, its prefix or the whole key."""
    id = key.removeprefix("sl_").partition("_")[0]
    if len(id) != 10 or not id.isalnum() or not id.isascii():
        raise SidelightError("there is no such key: list the keys with `sidelight admin key list`")
    return id
